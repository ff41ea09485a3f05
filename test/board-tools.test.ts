/** Whatever the tools do to a Kanban board, its settings stay last, and undo gives every byte back (docs: tasks, "Kanban boards"). */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../src/clock.js";
import { footerOf, isBoard, linesBehindFooter } from "../src/markdown/kanban/board.js";
import { assembleVault } from "../src/open.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import { vaultPath } from "../src/storage/path.js";
import { TOOLS } from "../src/tools/all-tools.js";
import { createWorkspace } from "../src/tools/workspace.js";
import { FUZZ_FACTOR } from "./kit/fuzz.js";
import { contextOf } from "./kit/known-tasks.js";

const FOOTER =
  '%% kanban:settings\n```\n{"kanban-plugin":"board","new-card-insertion-method":"append","list-collapse":[false]}\n```\n%%';
const LANES = ["Ideas", "Doing (2)", "Waiting", "Done", "Empty"];
const CARDS = [
  "Roof",
  "Wall #house",
  "[[Lamp]]",
  "Call **Ann** 📅 2026-11-30",
  "Paint @{2026-11-27}",
  "Mow 🔁 every week 📅 2026-11-24",
];

const card = fc
  .record({
    words: fc.constantFrom(...CARDS),
    number: fc.nat(99),
    symbol: fc.constantFrom(" ", "x", "/", "-"),
    more: fc.constantFrom("", "\n\t- [ ] step", "\n\n\tsecond paragraph", "\n\t```\n\t## no lane\n\t```", " ^block"),
  })
  .map(({ words, number, symbol, more }) => `- [${symbol}] ${words} ${number}${more}`);

const board = fc
  .record({
    lanes: fc.array(fc.array(card, { maxLength: 4 }), { minLength: 2, maxLength: LANES.length }),
    complete: fc.boolean(),
    archived: fc.array(card, { maxLength: 2 }),
    hasFooter: fc.boolean(),
    ending: fc.constantFrom("\n", "\r\n"),
    isEnded: fc.boolean(),
  })
  .map(({ lanes, complete, archived, hasFooter, ending, isEnded }) => {
    const sections = lanes.map((cards, at) => {
      const mark = complete && LANES[at] === "Done" ? "**Complete**\n" : "";
      return `## ${LANES[at]}\n\n${mark}${cards.map((one) => `${one}\n`).join("")}`;
    });
    const archive = archived.length > 0 ? `***\n\n## Archive\n\n${archived.map((one) => `${one}\n`).join("")}\n\n` : "";
    const text = `---\n\nkanban-plugin: board\n\n---\n\n${sections.join("\n\n")}\n\n${archive}${hasFooter ? FOOTER : ""}`;
    return (isEnded ? `${text}\n` : text).replaceAll("\n", ending);
  });

const words = fc.constantFrom("new words", "due friday", "- [ ] a card", "## Lane", "%%", "```", "🔁", "");
const lane = fc.constantFrom(...LANES.map((name) => name.replace(/ \(\d\)$/, "")), "Archive", "Nowhere");
const status = fc.constantFrom("To Do", "In Progress", "Blocked", "Done", "Cancelled");
const line = fc.nat(40);
const id = line.map((number) => `Board.md:${number}`);
const on = (name: string, input: fc.Arbitrary<object>) => input.map((given) => ({ name, input: given }));
const board$ = { note: fc.constant("Board") };
const path$ = { path: fc.constant("Board.md") };

const call = fc.oneof(
  on("update_task", fc.record({ taskId: id, updates: fc.record({ status }) })),
  on("update_task", fc.record({ taskId: id, updates: fc.record({ lane }) })),
  on(
    "update_task",
    fc.record({ taskId: id, updates: fc.record({ title: words, dueDate: fc.constantFrom("friday", "") }) }),
  ),
  on("update_task", fc.record({ taskId: id, updates: fc.constant({ convert: "note" }) })),
  on(
    "update_tasks",
    fc.record({ tasks: fc.array(id, { minLength: 1, maxLength: 3 }), updates: fc.record({ status }) }),
  ),
  on("add_tasks", fc.record({ text: words.map((text) => `- ${text} x`), ...board$, heading: lane })),
  on("obsidian_append_note", fc.record({ ...board$, content: words, heading: fc.option(lane, { nil: undefined }) })),
  on("obsidian_prepend_note", fc.record({ ...board$, content: words })),
  on("replace_section", fc.record({ ...board$, heading: lane, content: words })),
  on(
    "set_properties",
    fc.record({ notes: fc.constant(["Board"]), properties: fc.record({ rating: fc.constantFrom("4", "") }) }),
  ),
  on("insert", fc.record({ ...path$, insert_line: line, insert_text: words.map((text) => `${text}\n`) })),
  on(
    "str_replace",
    fc.record({ ...path$, old_str: fc.constantFrom("Roof", "## Ideas", "%%", "```\n%%"), new_str: words }),
  ),
  on("rename", fc.constant({ old_path: "Board.md#Ideas", new_path: "Plans" })),
  on("rename", fc.constant({ old_path: "Lamp.md", new_path: "Board.md", into: true })),
);

it("random calls of every writing tool leave the footer last, and each undo gives every byte back", async () => {
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(
      board,
      fc.array(fc.tuple(call, fc.boolean()), { minLength: 1, maxLength: 8 }),
      async (text, calls) => {
        const clock = fixedClock("2026-11-23T09:05:00Z");
        const storage = new MemoryStorage({ name: "Study", files: { "Board.md": text, "Lamp.md": "lamp" }, clock });
        const opened = assembleVault({ storage, name: "Study", clock, ids: sequentialIds() });
        const opener = { resolve: async (path: string) => path, open: async () => opened };
        const context = contextOf(createWorkspace({ opener, default: "Study", switches: false }));
        const now = async () => (await opened.vault.read(vaultPath("Board.md"))).text;
        for (const [{ name, input }, isUndone] of calls) {
          const before = await now();
          const outcome = await TOOLS.find((tool) => tool.name === name)!.call(input, context);
          const after = await now();
          if (!outcome.ok) expect(after, `${name} ${JSON.stringify(input)}: ${outcome.text}`).toBe(before);
          if (isBoard(before) && footerOf(before) !== undefined && name !== "str_replace") {
            // A line that is put into the settings themselves is what the caller asked for.
            if (name !== "insert") expect(footerOf(after)?.json, name).toBe(footerOf(before)?.json);
            expect(linesBehindFooter(after), `${name} ${JSON.stringify(input)}`).toEqual([]);
          }
          if (after === before || !isUndone) continue;
          changes += 1;
          await opened.files.undoLast();
          expect(await now(), `undo of ${name} ${JSON.stringify(input)}`).toBe(before);
        }
        await opened.vault.close();
      },
    ),
    { numRuns: 60 * FUZZ_FACTOR },
  );
  expect(changes).toBeGreaterThan(10);
});

it("the top of a board takes no text, which the plugin would drop", async () => {
  const text = `---\n\nkanban-plugin: board\n\n---\n\n## Ideas\n\n- [ ] lamp\n${FOOTER}`;
  const clock = fixedClock("2026-11-23T09:05:00Z");
  const storage = new MemoryStorage({ name: "Study", files: { "Board.md": text }, clock });
  const opened = assembleVault({ storage, name: "Study", clock, ids: sequentialIds() });
  await expect(opened.notes.prepend("Board", "text")).rejects.toThrow("is a Kanban board");
  expect((await opened.vault.read(vaultPath("Board.md"))).text).toBe(text);
  await opened.vault.close();
});
