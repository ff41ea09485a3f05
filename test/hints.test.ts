/** Every hint of every refusal in the transcripts names what there is, and the tool that it names can be called there (findings, issue 23). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OPTIONS } from "../src/cli/options/options.js";
import { ERROR_META_KEY } from "../src/tools/result.js";
import type { ObjectSchema } from "../src/tools/schema.js";
import { TOOLS } from "../src/tools/tools.js";
import { memoryDoor } from "./kit/doors.js";
import { parseTranscript } from "./kit/transcript.js";

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
const SAMPLES: Readonly<Record<string, unknown>> = {
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
  readonly files: ReadonlyMap<string, string>;
  readonly hasVault: boolean;
}

const refusals: readonly Refusal[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".md") && file !== "README.md")
  .flatMap((file) => {
    const { calls, before, vault } = parseTranscript(readFileSync(join(FOLDER, file), "utf8"));
    return calls.flatMap(({ call, error, text }) => {
      if (error === undefined) return [];
      const [, tool = ""] = /"name": "(\w+)"/.exec(call) ?? [];
      return [{ file, tool, text, files: before, hasVault: vault === "configured" }];
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
    if (given && input) expect(given).toEqual(Object.keys(input.properties));
    const [, meant] = /did you mean "([^"]+)"/.exec(text) ?? [];
    if (meant !== undefined) expect(known).toContain(meant.split(".").at(-1));
  });

  const calls = refusals.flatMap((refusal) =>
    [...new Set(namesIn(refusal.text).filter((name) => toolNamed(name)))].map((named) =>
      Object.assign({ named }, refusal),
    ),
  );
  it.each(calls.filter(({ hasVault }) => hasVault))(
    "$file, $tool: $named, which it names, takes a call there",
    async ({ named, files }) => {
      const session = await memoryDoor.open({ files, vault: "configured", readOnly: false });
      try {
        expect(SAMPLES, "a sample call of it").toHaveProperty(named);
        const result = await session.call(named, SAMPLES[named]);
        expect(result["_meta"]?.[ERROR_META_KEY]?.code).not.toBe("INVALID_ARGUMENT");
      } finally {
        await session.close();
      }
    },
  );
});

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
