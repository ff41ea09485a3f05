/** No front end alters a caller's words, even those that look like arguments, flags, tools or hints (docs: command-line). */
import { assert, asyncProperty, constantFrom, oneof, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { silentLog } from "../src/log.js";
import { speechOf } from "../src/cli/speech.js";
import { TOOL_SPEECH, type Speech } from "../src/text/wording.js";
import { withoutTools } from "../src/tools/outcome.js";
import { toolsFor } from "../src/tools/registry.js";
import { memoryVault } from "./kit/memory-vault.js";
import { FUZZ_FACTOR } from "./kit/fuzz.js";

const SPEECHES: readonly (readonly [name: string, speech: Speech])[] = [
  ["a tool's caller", TOOL_SPEECH],
  ["a caller without other tools", withoutTools(TOOL_SPEECH, () => true)],
  ...(["add", "set", "done", "list", "search", "show", "find", "undo"] as const).map(
    (command) => [command, speechOf(command)] as const,
  ),
];

const misleading = constantFrom(
  "dueDate",
  "--due",
  '"limit" must be 3',
  'search_tasks is ["checkbox"]',
  "updates.lane",
  "Arguments: a.",
  "undo_edit restores it",
  "in the same call",
  "More: 3, cursor",
  "$&",
  "view shows other files",
);
const word = oneof(
  misleading,
  tuple(misleading, misleading).map((all) => all.join(" ")),
);

/** A call that answers with these words, and where they are in its text. */
const CALLS: readonly (readonly [tool: string, of: (text: string) => Readonly<Record<string, unknown>>])[] = [
  ["get_task", (taskId) => ({ taskId })],
  ["update_task", (dueDate) => ({ taskId: "Rent", updates: { dueDate } })],
  ["update_task", (title) => ({ taskId: "Rent", updates: { title, dueDate: "fri" } })],
  ["search_tasks", (query) => ({ query })],
  ["search_tasks", (area) => ({ query: "*", area })],
  ["create_task", (title) => ({ title, area: "Home", dueDate: "friday" })],
  ["read_note", (path) => ({ path })],
  ["find_notes", (day) => ({ date_from: day })],
  ["undo_edit", (path) => ({ path })],
];

const withoutQuotes = (text: string): string => text.replaceAll(/["\\]/g, "");

describe("the words of a caller", () => {
  it.each(SPEECHES)("are not altered for %s", async (_, speech) => {
    const tools = toolsFor({ hasDefaultVault: true });
    await assert(
      asyncProperty(word, constantFrom(...CALLS), async (text, [name, argumentsOf]) => {
        const { workspace } = memoryVault({ "Projects/Rent.md": "---\ntype: task\n---\n" });
        const context = { workspace, log: silentLog, signal: new AbortController().signal, speech };
        const outcome = await tools.find(name)?.call(argumentsOf(text), context);
        const data = outcome?.ok ? outcome.data : { hint: outcome?.error.hint };
        expect(withoutQuotes(`${outcome?.text} ${JSON.stringify(data)}`)).toContain(withoutQuotes(text));
      }),
      { numRuns: 40 * FUZZ_FACTOR },
    );
  });
});
