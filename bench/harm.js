/**
 * What becomes of notes when an assistant works on them? `node bench/harm.js` does twenty scripted jobs on copies of the sample vault: by
 * this server, by two published ones (installed from npm at a pinned version in a temporary folder; left out where that fails) and by a
 * script that parses and writes YAML with gray-matter, as assistants write them. It prints the table of docs/why.md. Needs `npm run build`.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { diffLines } from "diff";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import matter from "gray-matter";
import { Session } from "./connection.js";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const VAULT = join(ROOT, "test-vault");
const PACKAGES = {
  mcpvault: "@bitbonsai/mcpvault@0.16.0",
  filesystem: "@modelcontextprotocol/server-filesystem@2026.7.10",
};
const ROUNDS = 10;
const TODAY = new Date().toISOString().slice(0, 10);

const PHOTOS = "_areas/Personal/Back up the photos.md";
const DOMAIN = "_areas/Work/Renew the domain.md";
const TIMESHEET = "_areas/Work/Submit the timesheet.md";
const PLANTS = "_areas/Personal/Water the balcony plants.md";
const INSURER = "TaskNotes/Tasks/Call the insurer.md";
const BROKEN = "_projects/Broken frontmatter.md";

const CHANGES = [
  [PHOTOS, "due", "2026-12-01"],
  [DOMAIN, "due", "2026-12-20"],
  ["_areas/Work/Quarterly report.md", "Due Date", "2026-12-11"],
  [TIMESHEET, "due", "2026-12-01"],
  [INSURER, "due", "2026-12-09"],
  ["_projects/Buy moving boxes.md", "area", "Home"],
  ["_areas/Personal/Claim the tax refund.md", "due", "2026-12-01"],
  [BROKEN, "due", "2026-12-29"],
];
const APPENDED = ["Journal/2026-11-20.md", PHOTOS];
const RENAMED = [
  ["_projects/Book the movers.md", "_projects/Hire a moving firm.md"],
  ["_projects/project-a.md", "_projects/Moving 2026.md"],
  ["_projects/project-b.md", "_projects/Reports.md"],
  ["_projects/Buy moving boxes.md", "_archive/Boxes.md"],
];
/** @type {[path: string, goesOn: RegExp][]} */
const SERIES = [
  [TIMESHEET, /^due: 2026-12-3[01]\r?$/m],
  [PLANTS, /^ {2}- 2026-11-21$|^scheduled: 2026-11-28$/m],
];

const text = (vault, path) => readFileSync(join(vault, path), "utf8");
const notesIn = (vault) =>
  readdirSync(vault, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .sort();

const SERVERS = {
  ours: (call) => ({
    set: (path, key, value) => call("set_properties", { notes: [path], properties: { [key]: value } }),
    append: (note, content) => call("obsidian_append_note", { note, content }),
    rename: (from, to) => call("rename", { old_path: from, new_path: to }),
    finish: (path) => call("update_task", { taskId: path, updates: { status: "Done" } }),
    undo: (path) => call("undo_edit", { path }),
    plate: () => call("get_agenda", {}),
  }),
  mcpvault: (call, vault) => ({
    set: (path, key, value) => call("update_frontmatter", { path, frontmatter: { [key]: value } }),
    append: (path, content) => call("write_note", { path, content, mode: "append" }),
    rename: (oldPath, newPath) => call("move_note", { oldPath, newPath }),
    finish: (path) => call("update_frontmatter", { path, frontmatter: { status: "Done" } }),
    async plate() {
      const all = notesIn(vault);
      const parts = [];
      for (let at = 0; at < all.length; at += 10)
        parts.push(await call("read_multiple_notes", { paths: all.slice(at, at + 10), includeContent: false }));
      return parts.join("\n");
    },
  }),
  filesystem(call, vault) {
    const at = (path) => join(vault, path);
    const line = (path, key, value) => {
      const oldText = new RegExp(`^${key}: [^\\s#]+`, "m").exec(text(vault, path))?.[0] ?? "";
      return call("edit_file", { path: at(path), edits: [{ oldText, newText: `${key}: ${value}` }] });
    };
    return {
      set: line,
      append: (path, content) => call("write_file", { path: at(path), content: `${text(vault, path)}${content}\n` }),
      rename: (from, to) => call("move_file", { source: at(from), destination: at(to) }),
      finish: (path) => line(path, "status", "Done"),
      plate: () => call("read_multiple_files", { paths: notesIn(vault).map(at) }),
    };
  },
};

const SCRIPT = {
  set(vault, path, key, value) {
    const note = matter(text(vault, path), {});
    writeFileSync(join(vault, path), matter.stringify(note.content, { ...note.data, [key]: value }));
  },
  append: (vault, path, content) => appendFileSync(join(vault, path), `${content}\n`),
  rename: (vault, from, to) => renameSync(join(vault, from), join(vault, to)),
  finish: (vault, path) => SCRIPT.set(vault, path, "status", "Done"),
  plate(vault) {
    for (const path of notesIn(vault)) {
      try {
        const { title = path, status, due } = matter(text(vault, path), {}).data;
        const day = due instanceof Date ? due.toISOString().slice(0, 10) : due;
        if (status && !/done|cancel/i.test(status)) console.log(`${title} | ${status} | ${day ?? ""} | ${path}`);
      } catch {
        console.log(`${path}: cannot be read`);
      }
    }
  },
};

function scripted(vault) {
  const run = (verb, ...words) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "--script", verb, vault, ...words]);
      let told = "";
      child.stdout.on("data", (part) => (told += part));
      child.once("close", (code) => (code === 0 ? resolve(told) : reject(new Error(`exit code ${code}`))));
    });
  return Object.fromEntries(Object.keys(SCRIPT).map((verb) => [verb, (...words) => run(verb, ...words)]));
}

async function on(doer, work) {
  const folder = mkdtempSync(join(tmpdir(), "harm-"));
  const vault = join(folder, "Vault");
  cpSync(VAULT, vault, { recursive: true });
  const sessions = [];
  const another = async () => {
    if (!doer.command) return scripted(vault);
    const session = new Session({ command: doer.command(vault, folder) });
    sessions.push(session);
    await session.initialize();
    const call = async (name, args) => {
      const { result } = await session.callTool(name, args);
      return result.content.map((part) => part.text ?? "").join("\n");
    };
    return { ...SERVERS[doer.kind](call, vault), tools: () => session.request("tools/list") };
  };
  try {
    return await work({ vault, hand: await another(), another });
  } finally {
    for (const session of sessions) await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const failed = (work) =>
  work.then(
    () => false,
    () => true,
  );
const snapshot = (vault) => JSON.stringify(notesIn(vault).map((path) => [path, text(vault, path)]));
const headOf = (note) => /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(note)?.[1] ?? "";
const keysOf = (note) => [...headOf(note).matchAll(/^([\w ]+):/gm)].map(([, key]) => key).join();
const commentsOf = (note) => (headOf(note).match(/(?:^|\s)# /gm) ?? []).length;
const touched = (before, after) =>
  diffLines(before, after).reduce((sum, { removed, count }) => sum + (removed ? count : 0), 0);

function unresolved(vault) {
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "obsidian_list_unresolved_links", arguments: { limit: 200 } },
  };
  const input = JSON.stringify(request);
  const answer = execFileSync(process.execPath, [join(ROOT, "dist", "index.js"), vault], { input, encoding: "utf8" });
  return JSON.parse(answer).result.structuredContent.total;
}

async function measured(doer) {
  const found = {
    lines: [],
    worst: 0,
    comments: [0, 0],
    order: 0,
    failed: 0,
    appended: 0,
    broken: 0,
    series: 0,
    undone: 0,
    lost: 0,
    time: 0,
  };
  const job = async (work) => {
    await on(doer, async (place) => {
      const begun = performance.now();
      await work(place);
      found.time += performance.now() - begun;
    });
  };
  for (const [path, key, value] of CHANGES)
    await job(async ({ vault, hand }) => {
      const before = text(vault, path);
      await failed(hand.set(path, key, value));
      const after = text(vault, path);
      found.failed += after.includes(value) ? 0 : 1;
      found.lines.push(touched(before, after));
      found.comments[0] += commentsOf(after);
      found.comments[1] += commentsOf(before);
      found.order += keysOf(before) === keysOf(after) && !/^\s/.test(headOf(after)) ? 1 : 0;
    });
  for (const path of APPENDED)
    await job(async ({ vault, hand }) => {
      await failed(hand.append(path, "- one more line"));
      found.appended += /\n- one more line\n?$/.test(text(vault, path)) ? 1 : 0;
    });
  for (const [from, to] of RENAMED)
    await job(async ({ vault, hand }) => {
      const before = unresolved(vault);
      await failed(hand.rename(from, to));
      found.broken += unresolved(vault) - before;
    });
  for (const [path, goesOn] of SERIES)
    await job(async ({ vault, hand }) => {
      await failed(hand.finish(path));
      found.series += goesOn.test(text(vault, path)) ? 1 : 0;
    });
  await job(async ({ vault, hand, another }) => {
    const other = await another();
    for (let round = 0; round < ROUNDS; round++) {
      const day = `2027-01-${10 + round}`;
      await Promise.all([failed(hand.set(INSURER, "due", day)), failed(other.set(INSURER, "scheduled", day))]);
      const after = text(vault, INSURER);
      for (const key of ["due", "scheduled"]) if (!new RegExp(`^${key}: '?"?${day}`, "m").test(after)) found.lost += 1;
    }
  });
  for (const work of [(hand) => hand.set(INSURER, "due", "2026-12-20"), (hand) => hand.rename(...RENAMED[1])])
    await job(async ({ vault, hand }) => {
      const before = snapshot(vault);
      const answer = await work(hand);
      if (!hand.undo) return;
      await hand.undo(/op-[\w-]+/.exec(answer)?.[0] ?? INSURER);
      found.undone += snapshot(vault) === before ? 1 : 0;
    });
  await job(async ({ hand }) => {
    found.answer = await hand.plate();
    found.tokens = encode(found.answer).length;
    found.tools = hand.tools
      ? encode(
          JSON.stringify(
            (await hand.tools()).result.tools.map(({ name, description, inputSchema }) => ({
              name,
              description,
              inputSchema,
            })),
          ),
        ).length
      : 0;
  });
  return found;
}

function doersOf(folder) {
  const program = join(ROOT, "dist", "index.js");
  const places = (scratch) => ["--cache-folder", join(scratch, "cache"), "--state-folder", join(scratch, "state")];
  const doers = [
    {
      name: "this server",
      kind: "ours",
      command: (vault, scratch) => [program, vault, "--toolsets", "core", ...places(scratch)],
    },
  ];
  for (const [kind, name] of Object.entries(PACKAGES)) {
    try {
      execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", folder, name], { stdio: "ignore" });
      const home = join(folder, "node_modules", name.slice(0, name.lastIndexOf("@")));
      const [bin] = Object.values(JSON.parse(readFileSync(join(home, "package.json"), "utf8")).bin);
      doers.push({ name, kind, command: (vault) => [join(home, bin), vault] });
    } catch {
      console.error(`${name} cannot be had from npm here: left out.`);
    }
  }
  return [...doers, { name: "a script with gray-matter" }];
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "harm-peers-"));
  try {
    const doers = doersOf(folder);
    const columns = [];
    for (const doer of doers) columns.push(await measured(doer));
    const overdue = [...columns[0].answer.split("\n\n")[1].matchAll(/\*\*(.+?)\*\*/g)].map(([, title]) => title);
    const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
    const rows = {
      "lines touched by one changed property: median, worst": ({ lines }) => `${median(lines)}, ${Math.max(...lines)}`,
      "comments kept in those notes": ({ comments: [kept, all] }) => `${kept} of ${all}`,
      "order of keys kept": ({ order }) => `${order} of ${CHANGES.length}`,
      "changes not made": ({ failed: count }) => `${count} of ${CHANGES.length}`,
      "a line appended as a line of its own": ({ appended }) => `${appended} of ${APPENDED.length}`,
      "edits lost when two write at once": ({ lost }) => `${lost} of ${2 * ROUNDS}`,
      "links broken by four renames": ({ broken }) => String(broken),
      "series that go on after Done": ({ series }) => `${series} of ${SERIES.length}`,
      "undone to the byte": ({ undone }) => `${undone} of 2`,
      "tokens to answer “what is on my plate?”": ({ tokens }) => tokens.toLocaleString("en"),
      "overdue tasks in that answer": ({ answer }) =>
        `${overdue.filter((title) => answer.includes(title)).length} of ${overdue.length}`,
      "tokens of the tools' definitions, in each conversation": ({ tools }) => tools.toLocaleString("en"),
      "seconds for the twenty jobs": ({ time }) => (time / 1000).toFixed(1),
    };
    console.log(`${TODAY}, Node ${process.version}\n`);
    console.log(`| | ${doers.map(({ name }) => name).join(" | ")} |\n| --- |${" --- |".repeat(doers.length)}`);
    for (const [name, cell] of Object.entries(rows)) console.log(`| ${name} | ${columns.map(cell).join(" | ")} |`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [flag, verb, ...words] = process.argv.slice(2);
if (flag === "--script") SCRIPT[verb](...words);
else await main();
