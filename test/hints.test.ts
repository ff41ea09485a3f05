/** Every hint of every refusal in the transcripts names what there is, and the tool that it names can be called there (findings, issue 23). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OPTIONS } from "../src/cli/options/options.js";
import { listedEntries } from "../src/tools/schema.js";
import { ERROR_META_KEY } from "../src/tools/outcome.js";
import type { ObjectSchema } from "../src/tools/schema.js";
import { TOOLS } from "../src/tools/all-tools.js";
import { memoryFrontEnd } from "./kit/front-ends.js";
import { Blanks } from "./kit/run-transcript.js";
import { parseTranscript, type Transcript } from "./kit/transcript.js";

const FOLDER = join(import.meta.dirname, "transcripts");
const SOURCE = join(import.meta.dirname, "..", "src");
const FLAGS: ReadonlySet<string> = new Set(Object.values(OPTIONS).map(({ flag }) => flag));
const VARIABLES: ReadonlySet<string> = new Set(
  Object.values(OPTIONS).flatMap((option) =>
    "environment" in option ? (option.environment as readonly string[]) : [],
  ),
);
const toolNamed = (name: string) => TOOLS.find((tool) => tool.name === name);
const argumentNames = ({ properties }: ObjectSchema): string[] =>
  Object.entries(properties).flatMap(([name, schema]) =>
    schema.type === "object" ? [name].concat(argumentNames(schema)) : [name],
  );
const ARGUMENTS: ReadonlySet<string> = new Set(TOOLS.flatMap(({ input }) => argumentNames(input)));

/** A call of each tool that every vault can answer, if only by saying that there is no such note. */
const SAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  scan_vault: {},
  search_tasks: { query: "*" },
  get_task: { taskId: "nothing like it" },
  get_agenda: {},
  find_notes: {},
  view: { path: "/" },
  undo_edit: {},
  read_note: { path: "Nothing like it" },
  obsidian_read_note: { note: "Nothing like it" },
  obsidian_list_tags: {},
  get_workspace_files: {},
  search: { query: "x" },
  obsidian_append_note: { note: "Nothing like it", content: "x" },
  str_replace: { path: "Nothing like it.md", old_str: "a", new_str: "b" },
  create_task: { title: "New", area: "Work" },
  update_task: { taskId: "nothing like it", updates: { status: "Done" } },
};
/** Names that belong to others: the library's function, settings of Linux and of CouchDB. */
const OTHERS = ["openVault", "max_user_watches", "max_document_size", "max_http_request_size"];

interface Refusal {
  readonly file: string;
  readonly tool: string;
  readonly text: string;
  readonly transcript: Transcript;
  /** The place of the refused call in its transcript. */
  readonly at: number;
}

const refusals: readonly Refusal[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".md") && file !== "README.md")
  .flatMap((file) => {
    const transcript = parseTranscript(readFileSync(join(FOLDER, file), "utf8"));
    return transcript.calls.flatMap(({ call, error, text }, at) => {
      if (error === undefined) return [];
      const [, tool = ""] = /"name": "(\w+)"/.exec(call) ?? [];
      return [{ file, tool, text, transcript, at }];
    });
  });

/** Names of tools and arguments: words of a text, outside of quotes, that hold an underscore or begin small and hold a capital. */
function namesIn(text: string): readonly string[] {
  const plain = text.replaceAll(/"[^"]*"|'[^']*'|\{\{[^}]*\}\}|\S*\.md\S*/g, " ");
  return [...plain.matchAll(/(?<![\w-])[a-z]+(?:_[a-z]+)+(?![\w-])|(?<![\w-])[a-z]+(?:[A-Z][a-z]+)+(?![\w-])/g)].map(
    ([name]) => name,
  );
}

const flagsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
const variablesIn = (text: string) =>
  [...text.matchAll(/(?<![\w-])[A-Z]+(?:_[A-Z]+)+(?![\w-])/g)].map(([name]) => name);

describe("a refusal in the transcripts", () => {
  it("occurs often enough to be looked at", () => expect(refusals.length).toBeGreaterThan(30));

  it.each(refusals)("$file, $tool: names only what there is", ({ tool, text }) => {
    const input = toolNamed(tool)?.input;
    const known = input ? argumentNames(input) : [];
    for (const name of namesIn(text)) expect([...known, ...TOOLS.map((one) => one.name), ...ARGUMENTS]).toContain(name);
    for (const flag of flagsIn(text)) expect([...FLAGS, "---", "+++"]).toContain(flag);
    for (const name of variablesIn(text)) expect([...VARIABLES]).toContain(name);
    const [, listed] = /^Arguments: (.*)\.$/m.exec(text) ?? [];
    const given = listed?.split(", ").map((one) => one.replace(" (required)", ""));
    if (given && input) expect(given).toEqual(listedEntries(input).map(([name]) => name));
    const [, meant] = /did you mean "([^"]+)"/.exec(text) ?? [];
    if (meant !== undefined) expect(known).toContain(meant.split(".").at(-1));
  });

  const inVaults = refusals.filter(
    ({ transcript: { vault, readOnly, frontEnds } }) => vault === "configured" && !readOnly && frontEnds === undefined,
  );
  it.each(inVaults)("$file, $tool, call $at: its hint, carried out word for word, works", async (refusal) => {
    for (let choice = 0; ; choice++) {
      const session = await new Replay(refusal).open();
      try {
        const { refused, words } = session;
        const row = HINTS.find(({ says }) => says.test(words));
        if (row === undefined) throw new Error(`No row says how to carry out: ${words}`);
        const match = row.says.exec(words);
        if (match === null) return;
        const calls = row.calls({ ...refused, match, candidates: candidatesIn(words) });
        const call = calls[choice];
        if (call === undefined) return expect(row.isOutside, "whether the hint names no call").toBe(true);
        const result = await session.call(call.name, call.arguments);
        const [block] = result.content;
        const answer = block.type === "text" ? block.text : "";
        const { code } = result["_meta"]?.[ERROR_META_KEY] ?? {};
        if (row.mayMiss === true) expect([undefined, "FILE_NOT_FOUND"], answer).toContain(code);
        else expect(code, answer).toBeUndefined();
        if (choice + 1 === calls.length) return;
      } finally {
        await session.close();
      }
    }
  });
});

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** How a hint is carried out, by the words that it has. */
interface HintRow {
  readonly says: RegExp;
  /** Each call that it names, as it names it. */
  readonly calls: (of: Call & { readonly match: RegExpExecArray; readonly candidates: readonly string[] }) => Call[];
  /** What it asks for is done elsewhere: in Obsidian, or where the server is started. */
  readonly isOutside?: true;
  /** It says of what form a value must be, not which: its example need not exist. */
  readonly mayMiss?: true;
}

const changed = ({ name, arguments: given }: Call, changes: Readonly<Record<string, unknown>>): Call => ({
  name,
  arguments: Object.fromEntries(Object.entries({ ...given, ...changes }).filter(([, value]) => value !== undefined)),
});
const PLACES = ["path", "note", "taskId", "folder", "new_path", "new_name", "name", "title"];
/** The refused call with another value where it named what was refused. */
const naming = (call: Call, value: string, places = PLACES): Call => {
  const place = places.find((one) => call.arguments[one] !== undefined) ?? "path";
  return changed(call, { [place]: value });
};
const quoted = (text = ""): string[] => [...text.matchAll(/"([^"]+)"/g)].map(([, one = ""]) => one);
const plain = (name: string, given: Readonly<Record<string, unknown>> = {}): Call => ({ name, arguments: given });
const placeOf = ({ arguments: given }: Call): unknown => given["path"] ?? given["note"];

const HINTS: readonly HintRow[] = [
  {
    says: /(\w+) "[^"]*" is not a day (?:(?:or range )?I know|that exists)\..* words such as: (.*)\./,
    calls: (call) =>
      ["2026-01-02", ...(call.match[2]?.split(", ") ?? [])].map((day) => changed(call, { [call.match[1] ?? ""]: day })),
  },
  {
    says: /Call search_tasks without that filter/,
    calls: (call) => [plain("search_tasks", { query: "*" }), changed(call, { selection: "query=*#00000000" })],
  },
  { says: /run_view without a source lists all views/, calls: () => [plain("run_view")] },
  { says: /See the tags with obsidian_list_tags/, calls: () => [plain("obsidian_list_tags")] },
  {
    says: /A tag has letters, digits, _, - and \//,
    calls: (call) => [changed(call, { to: "my-job" })],
  },
  { says: /^Arguments: /m, calls: ({ name }) => [plain(name, SAMPLES[name])], mayMiss: true },
  { says: /pass overwrite: true/, calls: (call) => [naming(call, "Another"), changed(call, { overwrite: true })] },
  {
    says: /Choose another (?:name|place)/,
    calls: (call) => [naming(call, "Another.md", ["new_path", "new_name", "path", "name"])],
  },
  {
    says: /inside the vault, with forward slashes, such as (\S+)\.\n?/,
    calls: (call) => [naming(call, call.match[1] ?? "")],
    mayMiss: true,
  },
  {
    says: /'(\w+)' is a folder.*\n.*Name a file in it/,
    calls: (call) => [naming(call, `${call.match[1]}/Note.md`)],
    mayMiss: true,
  },
  {
    says: /its header would be (@@.*@@)/,
    calls: (call) => [changed(call, { patch: String(call.arguments["patch"]).replace(/@@.*@@/, call.match[1] ?? "") })],
  },
  {
    says: /or leave those lines out/,
    calls: (call) => [
      changed(call, { patch: String(call.arguments["patch"]).replaceAll(/^(?:---|\+\+\+) .*\n/gm, "") }),
    ],
  },
  { says: /or view \/ to see the folders/, calls: () => [plain("view", { path: "/" })] },
  { says: /Leave out (\w+)\./, calls: (call) => [changed(call, { [call.match[1] ?? ""]: undefined })] },
  {
    says: /leave (\w+) out to see the whole vault/,
    calls: (call) => [changed(call, { [call.match[1] ?? ""]: undefined })],
  },
  { says: /See the tags with obsidian_list_tags/, calls: () => [plain("obsidian_list_tags")] },
  { says: /A tag has letters, digits/, calls: (call) => [changed(call, { to: "my_job/2026" })] },
  { says: /Find the task's id with search_tasks/, calls: () => [plain("search_tasks", { query: "*" })] },
  {
    says: /(\d+) inserts before the first line, (\d+) at the end/,
    calls: (call) => call.match.slice(1).map((line) => changed(call, { insert_line: Number(line) })),
  },
  {
    says: /Its headings include (.*)\./,
    calls: (call) => quoted(call.match[1]).map((heading) => changed(call, { heading })),
  },
  {
    says: /Outline: (.*)\./,
    calls: (call) =>
      [...(call.match[1] ?? "").matchAll(/#+ (.*?) \(line \d+\)/g)].map(([, heading = ""]) =>
        changed(
          call,
          call.name === "rename"
            ? { old_path: `${String(call.arguments["old_path"]).split("#")[0]}#${heading}` }
            : { heading },
        ),
      ),
  },
  {
    says: /would lose: (\w+)\.\nRemove these first/,
    calls: (call) => [
      plain("set_properties", {
        notes: [call.arguments["taskId"]],
        properties: { [call.match[1] ?? ""]: "" },
      }),
    ],
  },
  { says: /Name another note in new_path/, calls: (call) => [changed(call, { new_path: "Garden" })] },
  { says: /same call with (\w+): true/, calls: (call) => [changed(call, { [call.match[1] ?? ""]: true })] },
  { says: /^"(.+)" would do/m, calls: (call) => [naming(call, call.match[1] ?? "", ["name", "title", "path"])] },
  {
    says: /view shows other files, delete removes them/,
    calls: (call) => ["view", "delete"].map((name) => plain(name, { path: placeOf(call) })),
  },
  {
    says: /Search for the note with find_notes first/,
    calls: (call) => [plain("find_notes", { query: placeOf(call) })],
  },
  {
    says: /one of these ids, or list more tasks with search_tasks/,
    calls: (call) => [...call.candidates.map((id) => naming(call, id)), plain("search_tasks", { query: "*" })],
  },
  {
    says: /Give the (?:path|id) of (?:the one you mean|one of these)/,
    calls: (call) => call.candidates.map((one) => naming(call, one)),
  },
  {
    says: /Add a card with obsidian_append_note, its lane as heading and "([^"]+)" as content, or change one with update_task/,
    calls: ({ match, ...call }) => [
      plain("obsidian_append_note", { note: placeOf(call), heading: call.arguments["heading"], content: match[1] }),
    ],
  },
  { says: /A backslash before a special character/, calls: (call) => [changed(call, { query: "\\(" })] },
  { says: /Did you mean '([^']+)'\?/, calls: (call) => [naming(call, call.match[1] ?? "")] },
  {
    says: /They begin at lines ([\d, ]+);/,
    calls: (call) =>
      (call.match[1] ?? "")
        .split(", ")
        .map(Number)
        .map((line) => plain("view", { path: placeOf(call), view_range: [line, line] })),
  },
  { says: /View the file and copy/, calls: (call) => [plain("view", { path: placeOf(call) })] },
  { says: /Its hash is now (\w+)/, calls: (call) => [changed(call, { expected_hash: call.match[1] })] },
  {
    says: /Give view_range as \[first, last\].* -1 as last/,
    calls: (call) => [changed(call, { view_range: [1, -1] })],
  },
  { says: /Scan the configured vault \(leave out vaultPath\)/, calls: () => [plain("scan_vault")] },
  {
    says: /Fix the frontmatter in Obsidian|closed to this server|linear time|Only changes made through this server/,
    calls: () => [],
    isOutside: true,
  },
];

/** The ids or paths of the lines that list candidates. */
const candidatesIn = (words: string): string[] => [...words.matchAll(/^- (.+?): "/gm)].map(([, one = ""]) => one);

/** The vault of a transcript as it is when the call was refused. */
class Replay {
  readonly #refusal: Refusal;

  constructor(refusal: Refusal) {
    this.#refusal = refusal;
  }

  async open() {
    const { transcript, at } = this.#refusal;
    const dates = new Blanks(memoryFrontEnd.today());
    const files = new Map([...transcript.before].map(([path, text]) => [dates.fill(path), dates.fill(text)]));
    const session = await memoryFrontEnd.open({ ...transcript, files });
    const blanks = new Blanks(memoryFrontEnd.today(), session.vault);
    let [refused, words] = [plain(""), ""];
    for (const { call, text } of transcript.calls.slice(0, at + 1)) {
      refused = JSON.parse(blanks.fill(call)) as Call;
      const [block] = (await session.call(refused.name, refused.arguments)).content;
      words = block.type === "text" ? block.text : "";
      blanks.expectText(words, text);
    }
    return { ...session, refused, words };
  }
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /(?<!\.test|contract)\.ts$/.test(entry.name) ? [path] : [];
  });
}

describe("a hint in the source", () => {
  const hints = sources(SOURCE).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\bhint:\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g)].map(
      ([, plain, filled]) => ({
        file: path.slice(SOURCE.length + 1),
        text: (plain ?? filled ?? "").replaceAll(/\$\{[^}]*\}/g, " "),
      }),
    ),
  );
  it("is found by this test", () => expect(hints.length).toBeGreaterThan(80));

  it.each(hints)("$file: $text", ({ text }) => {
    for (const name of namesIn(text))
      expect([...TOOLS.map((one) => one.name), ...ARGUMENTS, ...OTHERS]).toContain(name);
    for (const flag of flagsIn(text)) expect([...FLAGS]).toContain(flag);
    for (const name of variablesIn(text)) expect([...VARIABLES]).toContain(name);
  });
});
