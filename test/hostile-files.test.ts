/**
 * Hostile inputs through every file tool, over real
 * folders, in the library and in the program.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { EVIL_PATHS, evilVault } from "./kit/hostile-paths.js";
import { LONG } from "./kit/fuzz.js";
import {
  codeOf,
  expectDiscreet,
  expectRefused,
  HostileVault,
  SESSION_FRONT_ENDS,
  TOOLS_ALONE,
  libraryFrontEnd,
  programFrontEnd,
  SECRET_WORD,
  shareOf,
  thirdOf,
  type Call,
  type HostileFrontEnd,
  frontEndFor,
} from "./kit/hostile-vault.js";

const NOTE = "_resources/r.md";

/** Calls that must be refused whatever a bad path is given. */
const changing = (path: string): Call[] => [
  ["str_replace", { path, old_str: "title", new_str: "owned" }],
  ["insert", { path, insert_line: 0, new_str: "owned" }],
  ["undo_edit", { path }],
  ["delete", { path }],
  ["delete", { path, permanent: true }],
  ["rename", { old_path: path, new_path: "owned.md" }],
];

/** Calls that may be answered, as long as no secret is. */
const looking = (path: string): Call[] => [
  ["view", { path }],
  ["view", { path, view_range: [1, -1] }],
  ["search", { query: SECRET_WORD, path }],
];

/** The rename of a note to a path of the vault: a bare name would stay in the note's folder, so it starts at the root. */
const renaming = (path: string): Call => [
  "rename",
  { old_path: NOTE, new_path: path.includes("/") ? path : `/${path}` },
];

/** Calls that may make the path below the vault, where it is an ordinary one after all. */
const making = (path: string): Call[] => [["create", { path, file_text: "owned" }], renaming(path)];

/** By a link out and in again it names a note of the vault, and may. */
const LEADS_BACK = "up/vault/_projects/a.md";
const leadingOut = (paths: readonly string[]) => paths.filter((path) => path !== LEADS_BACK);

/** Rows with paths that are odd but good: a vault may hold an `etc/passwd` of its own. */
const INSIDE = new Set(["P05", "P08", "P10", "P11", "P20", "P28"]);

describe.each(SESSION_FRONT_ENDS)("paths, %s", (name, open) => {
  const vault = evilVault();
  const before = vault.tree();
  const frontEnd = frontEndFor(vault, open, before);

  it.each(shareOf(name, EVIL_PATHS))("%s", async (id, paths) => {
    for (const [at, evil] of leadingOut(paths).entries()) {
      const path = evil.replace("PARENT", vault.parent);
      const isFolder = id === "P20" && /^_projects\/?$/.test(path);
      // A folder may be renamed; what is in it stays in it.
      const calls = changing(path).filter(([tool]) => !(isFolder && tool === "rename"));
      await expectRefused(vault, frontEnd, thirdOf(calls, at, leadingOut(paths)), path);
      for (const call of looking(path)) expectDiscreet(vault, JSON.stringify(await frontEnd.call(...call)), path);
      expect(vault.tree()).toEqual(before);
      for (const call of making(path)) await expectMadeInside(call, INSIDE.has(id));
    }
  });

  /** Refused; or made where the path says, below the vault, and nothing else touched. */
  async function expectMadeInside(call: Call, mayBeMade: boolean): Promise<void> {
    const result = await frontEnd.call(...call);
    expectDiscreet(vault, JSON.stringify(result), String(call[1]["path"] ?? call[1]["new_path"]));
    if (result.isError) expect(codeOf(result)).toMatch(/^(PERMISSION_DENIED|INVALID_ARGUMENT|ALREADY_EXISTS)$/);
    else {
      expect([mayBeMade, call, result]).toEqual([true, call, result]);
      for (const name of vault.news(before)) expect(name).toMatch(/^vault\/(?!(.*\/)?\.)/);
      const made = String(result.structuredContent?.["path"]);
      expect(fs.readFileSync(vault.at(made), "utf8")).toBe(call[0] === "create" ? "owned" : "# A note\n");
      if (call[0] === "rename") await frontEnd.call("rename", { old_path: made, new_path: NOTE });
      const [top = made] = made.split("/");
      fs.rmSync(vault.at(top === "_projects" || top === "_resources" ? made : top), { recursive: true, force: true });
    }
    expect(vault.tree()).toEqual(before);
  }

  it("lists no link out, no pipe and nothing hidden, and says how many it passed over", async () => {
    const list = await frontEnd.call("get_workspace_files", {});
    expect(list.content[0]?.text).toBe("_areas/Work/ok.md\n_projects/a.md\n_resources/r.md");
    expect(list.structuredContent?.["unlisted"]).toBeGreaterThan(0);
    const root = await frontEnd.call("view", { path: "/" });
    expect(root.content[0]?.text).toBe("_areas/\n_projects/\n_resources/\nsub/");
    for (const pattern of [SECRET_WORD, "SECRET", "^\\.", "obsidian"])
      expect((await frontEnd.call("get_workspace_files", { pattern })).content[0]?.text).toBe("(no files found)");
  });

  // test/hostile-inputs.md, P22 to P24
  it("renames onto nothing, and deletes no folder", async () => {
    await expectRefused(vault, frontEnd, [
      ["rename", { old_path: NOTE, new_path: "_projects/a.md" }],
      ["rename", { old_path: NOTE, new_path: "_projects" }],
      ["rename", { old_path: NOTE, new_path: `${NOTE}/x.md` }],
      ["rename", { old_path: "_projects", new_path: "_projects/in/itself" }],
      ["rename", { old_path: "_projects/", new_path: ".obsidian/plugins/p2" }],
      ["rename", { old_path: `${NOTE}/`, new_path: "x.md" }],
      ["rename", { old_path: "/", new_path: "x" }],
      ["delete", { path: "_projects" }],
      ["delete", { path: "_projects/" }],
      ["delete", { path: "/" }],
      ["delete", { path: "." }],
    ]);
  });
});

describe.each(TOOLS_ALONE)("sizes, %s", (_, open) => {
  const LIMIT = 10 * 1024 * 1024;
  const files = {
    "lines.md": `${"line\n".repeat(20_000)}end\n`,
    "whole.md": `${"x".repeat(LIMIT - 4)}\nyz\n`,
    "large.md": `${"x".repeat(LIMIT - 3)}\nyz\n`,
    "million.md": "a\n".repeat(1_000_000),
    "long.md": `short\n${"é".repeat(2_500_000)}\nend\n`,
  };
  const vault = new HostileVault(files);
  const frontEnd = frontEndFor(vault, open);

  // test/hostile-inputs.md, S03
  it("takes a file of exactly the limit, and none that is larger", async () => {
    const edit: Call = ["str_replace", { path: "whole.md", old_str: "yz", new_str: "zy" }];
    expect(codeOf(await frontEnd.call(...edit))).toBeUndefined();
    expect(codeOf(await frontEnd.call("insert", { path: "whole.md", insert_line: 0, new_str: "x" }))).toBe("TOO_LARGE");
    expect(vault.text("whole.md").length).toBe(LIMIT);
    for (const call of [...changing("large.md").slice(0, 2), ["view", { path: "large.md" }] as const])
      expect(codeOf(await frontEnd.call(...call))).toBe("TOO_LARGE");
    expect(vault.text("large.md")).toBe(files["large.md"]);
    expect(await frontEnd.ping()).toBeLessThan(10_000);
  });

  // test/hostile-inputs.md, S03
  it("creates a file of the limit over the wire", async () => {
    const file_text = `${"x".repeat(LIMIT - 1)}\n`;
    expect(codeOf(await frontEnd.call("create", { path: "new.md", file_text }))).toBeUndefined();
    expect(codeOf(await frontEnd.call("create", { path: "new2.md", file_text: `${file_text}x` }))).toBe("TOO_LARGE");
    expect([vault.text("new.md").length, fs.existsSync(vault.at("new2.md"))]).toEqual([LIMIT, false]);
  });

  // test/hostile-inputs.md, S04
  it("shows a part of what is long, and says how to go on", async () => {
    for (const [path, range] of [
      ["million.md", undefined],
      ["million.md", [500_000, 510_000]],
      ["million.md", [999_999, -1]],
      ["long.md", [1, 3]],
      ["long.md", [2, 2]],
      ["lines.md", [1, 10_000]],
    ] as const) {
      const start = performance.now();
      const result = await frontEnd.call("view", { path, ...(range ? { view_range: range } : {}) });
      expect(performance.now() - start).toBeLessThan(20_000);
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(80_000);
      expect(codeOf(result)).toBeUndefined();
    }
    const long = await frontEnd.call("view", { path: "long.md", view_range: [2, 3] });
    expect(long.content[0]?.text).toMatch(/^2: é+\n\[… line 2 is cut: \d+ more characters\]\n\[… 3 is not shown/);
  });
});

describe.each(TOOLS_ALONE)("text edits, %s", (_, open) => {
  const vault = new HostileVault({ "twice.md": "one\none\n", "empty.md": "" });
  const frontEnd = frontEndFor(vault, open);

  // test/hostile-inputs.md, S06, S10
  it("refuses ranges and lines that are none", async () => {
    for (const view_range of [[0, 1], [5, 2], [-1, -1], [1.5, 2], ["a"], [1], [1, 2, 3], "1-2", {}, [9, 9], [null, 1]])
      await expectRefused(vault, frontEnd, [["view", { path: "twice.md", view_range }]]);
    for (const insert_line of [-1, 3, 1.5, 2 ** 53, 1e308, "x", "", [], null])
      await expectRefused(vault, frontEnd, [["insert", { path: "twice.md", insert_line, new_str: "x" }]]);
    expect((await frontEnd.call("view", { path: "twice.md", view_range: ["1", "999999"] })).content[0]?.text).toBe(
      "1: one\n2: one",
    );
    expect(codeOf(await frontEnd.call("insert", { path: "empty.md", insert_line: "0", new_str: "x" }))).toBeUndefined();
  });

  // test/hostile-inputs.md, S08, E06
  it("writes nothing when there is nothing to write", async () => {
    const look = () => fs.statSync(vault.at("twice.md"), { bigint: true });
    const { ino, mtimeNs } = look();
    const edit = (old_str: unknown, new_str: unknown): Call => ["str_replace", { path: "twice.md", old_str, new_str }];
    await expectRefused(vault, frontEnd, [
      edit("none", "x"),
      edit("one", "x"),
      edit("", "x"),
      edit("one\none", "one\none"),
      edit("one\none", "\ud800"),
      edit("\udfff", "x"),
      edit(5, {}),
      ["insert", { path: "twice.md", insert_line: 0, new_str: "a\ud800b" }],
      ["create", { path: "new\ud800.md", file_text: "x" }],
      ["create", { path: "new3.md", file_text: "\ud83d" }],
      ["create", { path: "new3.md" }],
      ["create", { path: "new3.md", file_text: null }],
      ["create", { path: "new3.md", file_text: "x", overwrite: true }],
      ["rename", { old_path: "twice.md", new_path: "\udc00.md" }],
    ]);
    expect(look()).toMatchObject({ ino, mtimeNs });
  });
});

const MANY = LONG ? 10_000 : 2_000;

// test/hostile-inputs.md, S11
it("sees 200 folders in each other and thousands of files in one", async () => {
  const deep = "d/".repeat(200);
  const vault = new HostileVault({ [`${deep}end.md`]: "deep\n", "many/0.md": "" });
  for (let number = 1; number < MANY; number++) fs.writeFileSync(vault.at(`many/${number}.md`), "");
  const frontEnd = await programFrontEnd(vault);
  expect((await frontEnd.call("view", { path: `${deep}end.md` })).content[0]?.text).toBe("1: deep");
  expect((await frontEnd.call("view", { path: deep })).content[0]?.text).toBe("end.md");
  const many = await frontEnd.call("view", { path: "many" });
  expect(many.structuredContent).toMatchObject({ lineCount: MANY });
  expect(Buffer.byteLength(many.content[0]?.text ?? "")).toBeLessThan(25_000);
  const listed = await frontEnd.call("get_workspace_files", { pattern: "^many/" });
  expect(listed.structuredContent).toMatchObject({ total: MANY });
  await frontEnd.close();
  vault.remove();
});

describe.each(TOOLS_ALONE)("encodings, %s", (_, open) => {
  const bytes = {
    "bad.md": Uint8Array.of(0xff, 0xfe, 0x80),
    "utf16.md": new Uint8Array(Buffer.from("\uFEFFone\ntwo\n", "utf16le")),
    "cut.md": Uint8Array.of(0x61, 0xe2, 0x82),
    "surrogate.md": Uint8Array.of(0xed, 0xa0, 0x80),
    "photo.png": Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  };
  const texts = {
    "mark.md": "\uFEFF# One\r\ntwo\nthree\r\n",
    "odd.md": "👩‍👩‍👧 e\u0301\u2028x\u2029y\u0085z\0\tend",
  };
  const vault = new HostileVault({ ...bytes, ...texts });
  const frontEnd = frontEndFor(vault, open);

  // test/hostile-inputs.md, E01, E02
  it.each(Object.keys(bytes))("leaves %s as it is, and says that it is no text", async (path) => {
    // The beginning of an image is shown as that of a damaged one.
    const reading: Call[] = path === "photo.png" ? [] : [["view", { path }]];
    const calls: Call[] = [...reading, ...changing(path).slice(0, 2)];
    await expectRefused(vault, frontEnd, calls);
    for (const call of calls) expect(codeOf(await frontEnd.call(...call))).toBe("NOT_TEXT");
  });

  it("moves a file that is no text, and takes that back, byte by byte", async () => {
    const before = vault.tree();
    expect(codeOf(await frontEnd.call("rename", { old_path: "bad.md", new_path: "x/worse.md" }))).toBeUndefined();
    expect(vault.bytes("x/worse.md")).toBe("\xff\xfe\x80");
    expect(codeOf(await frontEnd.call("undo_edit", { path: "x/worse.md" }))).toBeUndefined();
    expect(codeOf(await frontEnd.call("delete", { path: "photo.png" }))).toBeUndefined();
    expect(codeOf(await frontEnd.call("undo_edit", { path: "photo.png" }))).toBeUndefined();
    const left = (tree: readonly string[]) => tree.filter((line) => !/^vault\/(\.trash|x)\b/.test(line));
    expect(left(vault.tree())).toEqual(left(before));
  });

  // test/hostile-inputs.md, E03 to E05
  it("keeps the byte order mark and every line's own end", async () => {
    const edit: Call = ["str_replace", { path: "mark.md", old_str: "two\nthree", new_str: "2\n3" }];
    expect(codeOf(await frontEnd.call(...edit))).toBeUndefined();
    expect(vault.text("mark.md")).toBe("\uFEFF# One\r\n2\n3\r\n");
    expect(codeOf(await frontEnd.call("insert", { path: "mark.md", insert_line: 0, new_str: "top" }))).toBeUndefined();
    expect(vault.text("mark.md")).toBe("\uFEFFtop\r\n# One\r\n2\n3\r\n");
  });

  // test/hostile-inputs.md, E07, E08
  it("keeps every character, and counts lines by \\n alone", async () => {
    const edit: Call = ["str_replace", { path: "odd.md", old_str: "\tend", new_str: "\0👩‍👩‍👧\u2028" }];
    expect((await frontEnd.call(...edit)).structuredContent).toMatchObject({ lineCount: 1 });
    expect(vault.text("odd.md")).toBe("👩‍👩‍👧 e\u0301\u2028x\u2029y\u0085z\0\0👩‍👩‍👧\u2028");
    expect(codeOf(await frontEnd.call("undo_edit", { path: "odd.md" }))).toBeUndefined();
    expect(vault.text("odd.md")).toBe(texts["odd.md"]);
  });
});

describe("links and pipes", () => {
  // test/hostile-inputs.md, P11, P28
  it("follows a link that stays inside, and none to a pipe", async () => {
    const vault = new HostileVault();
    fs.symlinkSync("../_projects/a.md", vault.at("_areas/in.md"));
    fs.symlinkSync("_projects", vault.at("shortcut"));
    execFileSync("mkfifo", [vault.at("pipe.md")]);
    fs.symlinkSync("pipe.md", vault.at("to-pipe.md"));
    const frontEnd = await libraryFrontEnd(vault);
    expect((await frontEnd.call("view", { path: "_areas/in.md" })).content[0]?.text).toContain("2: id: task-a");
    const edit: Call = ["str_replace", { path: "shortcut/a.md", old_str: "To Do", new_str: "Done" }];
    expect(codeOf(await frontEnd.call(...edit))).toBeUndefined();
    expect(vault.text("_projects/a.md")).toContain("status: Done");
    expect(fs.lstatSync(vault.at("_areas/in.md")).isSymbolicLink()).toBe(true);
    for (const path of ["pipe.md", "to-pipe.md"])
      await expectRefused(vault, frontEnd, [["view", { path }], ...changing(path)], path);
    await frontEnd.close();
    vault.remove();
  });
});

describe("--allow-hidden", () => {
  it("opens hidden files, lists none, and never writes Obsidian's settings or follows a link to them", async () => {
    const vault = evilVault();
    const frontEnd = await programFrontEnd(vault, { args: ["--vault", vault.folder, "--allow-hidden"] });
    expect((await frontEnd.call("view", { path: ".git/config" })).content[0]?.text).toBe("1: [core]");
    expect((await frontEnd.call("view", { path: ".obsidian/app.json" })).content[0]?.text).toBe("1: {}");
    expect(codeOf(await frontEnd.call("create", { path: ".drafts/a.md", file_text: "one" }))).toBeUndefined();
    expect(
      codeOf(await frontEnd.call("insert", { path: ".drafts/a.md", insert_line: 1, new_str: "two" })),
    ).toBeUndefined();
    expect(vault.text(".drafts/a.md")).toBe("one\ntwo");
    const places = [".obsidian/app.json", ".OBSIDIAN/c.md", ".obsidian/plugins/p/data.json", "\u200c.obsidian/c.md"];
    places.push("cfg/app.json", "conf.md", "../out.md", "ln.md", "up/out.md", ".obsidian.vimrc");
    for (const [at, path] of places.entries()) {
      const calls: Call[] = [...changing(path), ["create", { path, file_text: "x" }], renaming(path)];
      await expectRefused(vault, frontEnd, thirdOf(calls, at, places));
    }
    expect((await frontEnd.call("get_workspace_files", { pattern: "drafts|git|obsidian" })).content[0]?.text).toBe(
      "(no files found)",
    );
    await frontEnd.close();
    vault.remove();
  });
});

function inTurn(frontEnds: readonly HostileFrontEnd[], turn: number): HostileFrontEnd {
  const frontEnd = frontEnds[turn % frontEnds.length];
  if (!frontEnd) throw new Error("no front end");
  return frontEnd;
}

describe("concurrency", () => {
  const words = Array.from({ length: 20 }, (_, number) => `word-${number}.`);
  const note = `${words.join("\n")}\n`;
  const edit = (word: string): Call => ["str_replace", { path: "n.md", old_str: word, new_str: `done ${word}` }];
  const done = `${words.map((word) => `done ${word}`).join("\n")}\n`;

  it.each([
    ["library", [libraryFrontEnd]],
    ["one process", [(vault: HostileVault) => programFrontEnd(vault)]],
    [
      "two processes",
      [(vault: HostileVault) => programFrontEnd(vault), (vault: HostileVault) => programFrontEnd(vault)],
    ],
  ] as const)("lands 20 parallel edits of one note: %s", async (_, opens) => {
    const vault = new HostileVault({ "n.md": note });
    const frontEnds = await Promise.all(opens.map((open) => open(vault)));
    const results = await Promise.all(words.map((word, index) => inTurn(frontEnds, index).call(...edit(word))));
    expect(results.filter((result) => result.isError)).toEqual([]);
    expect(vault.text("n.md")).toBe(done);
    await Promise.all(frontEnds.map((frontEnd) => frontEnd.close()));
    vault.remove();
  });

  // test/hostile-inputs.md, C05
  it("lets one of several creators of a path win, and keeps its text whole", async () => {
    const vault = new HostileVault();
    const frontEnds = await Promise.all([libraryFrontEnd(vault), programFrontEnd(vault), programFrontEnd(vault)]);
    const texts = Array.from({ length: 12 }, (_, number) => `${number}\n`.repeat(10_000));
    const results = await Promise.all(
      texts.map((file_text, index) => inTurn(frontEnds, index).call("create", { path: "n.md", file_text })),
    );
    const codes = results.map(codeOf);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === "ALREADY_EXISTS")).toHaveLength(11);
    expect(vault.text("n.md")).toBe(texts[codes.indexOf(undefined)]);
    await Promise.all(frontEnds.map((frontEnd) => frontEnd.close()));
    vault.remove();
  });

  // test/hostile-inputs.md, C06
  it("refuses an edit of what is no longer what was read, and undoes nothing that changed since", async () => {
    const vault = new HostileVault({ "n.md": note });
    const frontEnd = await libraryFrontEnd(vault);
    const seen = await frontEnd.call("view", { path: "n.md" });
    const expected_hash = seen.structuredContent?.["hash"];
    await frontEnd.call(...edit("word-1."));
    vault.put("n.md", `${vault.text("n.md")}saved by another program\n`);
    const before = vault.tree();
    const late = await frontEnd.call("insert", { path: "n.md", insert_line: 0, new_str: "x", expected_hash });
    const gone = await frontEnd.call("delete", { path: "n.md", permanent: true, expected_hash });
    const undone = await frontEnd.call("undo_edit", { path: "n.md" });
    expect([late, gone, undone].map(codeOf)).toEqual(["CONFLICT", "CONFLICT", "CONFLICT"]);
    expect(vault.tree()).toEqual(before);
    await frontEnd.close();
    vault.remove();
  });

  // test/hostile-inputs.md, C08
  it("serialises edits, a rename and a deletion of one note: nothing comes back, nothing is half there", async () => {
    const ends: readonly Call[] = [
      ["delete", { path: "n.md" }],
      ["rename", { old_path: "n.md", new_path: "m.md" }],
    ];
    for (const last of ends) {
      const vault = new HostileVault({ "n.md": note });
      const frontEnds = await Promise.all([libraryFrontEnd(vault), programFrontEnd(vault)]);
      const calls = [...words.slice(0, 5).map(edit), last, ...words.slice(5, 10).map(edit)];
      const results = await Promise.all(calls.map((call, index) => inTurn(frontEnds, index).call(...call)));
      expect(fs.existsSync(vault.at("n.md"))).toBe(false);
      const text = vault.text(last[0] === "delete" ? ".trash/n.md" : "m.md");
      const landed = calls.filter((call, index) => call[0] === "str_replace" && !results[index]?.isError);
      for (const [, args] of landed) expect(text).toContain(args["new_str"]);
      expect(text.match(/done /g) ?? []).toHaveLength(landed.length);
      await Promise.all(frontEnds.map((frontEnd) => frontEnd.close()));
      vault.remove();
    }
  });
});
