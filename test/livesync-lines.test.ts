/** Tasks on checkbox lines over a database: made, changed, finished, changed many at once and taken back, to the same bytes as on disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { fixedClock } from "../src/clock.js";
import { openLivesyncVault, openVault, type VaultHandle } from "../src/library.js";
import { wordsOf } from "../src/tools/outcome.js";
import { newDatabase, type TestDatabase } from "./kit/couch-server.js";

vi.setConfig({ testTimeout: 120_000 });

const OPTIONS = { clock: fixedClock("2026-11-21T12:00:00Z"), inlineTasks: "marked", globalFilter: "#task" } as const;
const PASSPHRASE = "correct horse 馬";
/** Operations are named by chance, and a hash is what its storage tells texts apart by. */
const NAMED_BY_PLACE = /\bop-[0-9a-z]+-[0-9a-z]+|(?<=\bHash: )[0-9a-f-]+/g;
const NOTE = "# Log\r\n\r\n- [ ] plain\r\n- [ ] #task Order paint\r\n- [ ] #task Water 🔁 every week 📅 2026-11-21\r\n";

let folder: string;
let database: TestDatabase;
let places: readonly (readonly [name: string, vault: VaultHandle])[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "livesync-lines-"));
  database = await newDatabase({ encrypt: true, usePathObfuscation: true });
  const { url, name, user, password } = database;
  const configuration = { url, database: name, user, password, passphrase: PASSPHRASE };
  places = [
    ["disk", await openVault(folder, OPTIONS)],
    ["database", await openLivesyncVault(configuration, OPTIONS)],
  ];
});
afterAll(async () => {
  for (const [, vault] of places) await vault.close();
  await database.remove();
  rmSync(folder, { recursive: true });
});

/** Does the same in both places. @returns what both said and left, which must not differ */
async function inBoth(tool: string, args: Readonly<Record<string, unknown>>): Promise<{ said: string; text: string }> {
  const outcomes: { said: string; text: string }[] = [];
  for (const [place, vault] of places) {
    const outcome = await vault.call(tool, args);
    const said = wordsOf(outcome);
    expect(outcome.ok, `${place}: ${said}`).toBe(true);
    const { text } = await vault.call("read_note", { path: "Log.md" });
    outcomes.push({ said: said.replace(NAMED_BY_PLACE, "…"), text });
  }
  const [onDisk, inDatabase] = outcomes;
  expect(inDatabase).toEqual(onDisk);
  return onDisk ?? { said: "", text: "" };
}

it("leaves the same bytes and says the same in both places", async () => {
  await inBoth("create", { path: "Log.md", file_text: NOTE });
  const found = await inBoth("search_tasks", { query: "*" });
  expect(found.said).toContain("Found 2 tasks.");

  const added = await inBoth("add_tasks", { text: "Paint tomorrow !high", note: "Log.md" });
  expect(added.text).toBe(`${NOTE}- [ ] #task Paint ⏫ 📅 2026-11-22\r\n`);

  const waiting = await inBoth("update_task", { taskId: "Paint", updates: { blockedBy: ["Order paint"] } });
  expect(waiting.text).toMatch(/Order paint 🆔 (\S{6})\r\n[^]*Paint ⏫ 📅 2026-11-22 ⛔ \1\r\n$/u);
  expect((await inBoth("undo_edit", {})).text).toBe(added.text);

  const finished = await inBoth("update_task", { taskId: "Water", updates: { status: "Done" } });
  expect(finished.text).toContain("- [ ] #task Water 🔁 every week 📅 2026-11-28\r\n- [x] #task Water 🔁 every week");
  expect((await inBoth("undo_edit", { path: "Log.md" })).text).toBe(added.text);

  const { said } = await inBoth("search_tasks", { query: "*", is: ["inline"] });
  const [, selection = ""] = /Selection: (\S+)/.exec(said) ?? [];
  const change = { tasks: [selection], updates: { dueDate: "monday" } };
  const planned = await inBoth("update_tasks", { ...change, plan: "show" });
  expect(planned.text).toBe(added.text);
  const [, plan = ""] = /Plan: (p-\w+)/.exec(planned.said) ?? [];
  const moved = await inBoth("update_tasks", { ...change, plan });
  expect(moved.text.match(/📅 2026-11-23/gu)).toHaveLength(3);
  expect((await inBoth("undo_edit", {})).text).toBe(added.text);
});
