/** `tables/tasknotes-5.json`: vaults of TaskNotes in both forms (docs: tasks, "TaskNotes 5"). */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Clock, fixedClock, randomIds } from "../src/clock.js";
import { isVaultError } from "../src/errors.js";
import { readFrontmatter } from "../src/markdown/frontmatter/frontmatter.js";
import type { TaskNotesSettings } from "../src/obsidian/plugin-settings.js";
import { assembleVault } from "../src/open.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import { FUZZ_FACTOR, LONG } from "./kit/fuzz.js";
import type { PropertyValue } from "../src/markdown/frontmatter/property.js";
import type { TaskDraft, TaskUpdates } from "../src/tasks/service.js";
import { vaultPath } from "../src/storage/path.js";
import { runView } from "../src/views/views.js";
import { isOutstanding } from "../src/tasks/recurrence/series.js";
import { momentOf, readEntry } from "../src/tasks/fields/reminders.js";

type Text = string | { readonly text: string; readonly replace?: readonly (readonly [string, string])[] };
interface Case {
  readonly id: string;
  readonly kind: string;
  readonly what?: string;
  readonly files: Readonly<Record<string, unknown>>;
  readonly type: string;
  readonly path: string;
  readonly text: string;
  readonly task: Readonly<Record<string, string>>;
  readonly reminder: PropertyValue;
  readonly words: string;
  readonly line: string;
  readonly vault: string;
  readonly before: string;
  readonly others?: Readonly<Record<string, string>>;
  readonly updates: TaskUpdates;
  readonly args: TaskDraft;
  readonly expect: unknown;
}
interface Wanted {
  readonly keys: Readonly<Record<string, string>>;
  readonly idKey: string;
  readonly titleIn: string;
  readonly userFields: Readonly<Record<string, string>>;
  readonly [setting: string]: unknown;
}
const table = JSON.parse(readFileSync(new URL("corpus/tables/tasknotes-5.json", import.meta.url), "utf8")) as {
  readonly texts: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, Wanted>>;
  readonly cases: readonly Case[];
};
const CLOCK = fixedClock("2026-11-28T10:00:00+01:00", "Europe/Berlin");
const DATA = ".obsidian/plugins/tasknotes/data.json";
const ENABLED = JSON.stringify({ enableMdbaseSpec: true });

function textOf(given: Text): string {
  if (typeof given === "string") return given;
  return (given.replace ?? []).reduce((text, [old, now]) => text.replace(old, now), table.texts[given.text] ?? "");
}

function fileText(given: unknown): string {
  const isText = typeof given === "string" || (given as { text?: unknown }).text !== undefined;
  return isText ? textOf(given as Text) : JSON.stringify(given);
}

function opened(files: Readonly<Record<string, string>>, clock: Clock = CLOCK) {
  const storage = new MemoryStorage({ files, clock });
  const open = assembleVault({ storage, name: "v", linkName: "v", clock, ids: randomIds() });
  return { ...open, storage, text: async (path: string) => (await open.vault.read(vaultPath(path))).text };
}

/** The files that make a vault of this kind. */
function vaultFiles(kind: string): Record<string, string> {
  if (kind === "data.json") return { [DATA]: "{}" };
  const config = table.texts["config"] ?? "";
  if (kind === "broken") {
    const type = textOf({ text: "small", replace: [["name: aufgabe", "name: [aufgabe"]] });
    return { "mdbase.yaml": config, "_types/task.md": type };
  }
  return { [DATA]: ENABLED, "mdbase.yaml": config, "_types/task.md": textOf({ text: kind }) };
}

const casesOf = (kind: string) =>
  table.cases
    .filter((one) => one.kind === kind)
    .map((one) => [`${one.id} ${one.what ?? one.words ?? ""}`, one] as const);

const DEFAULT_KEYS: Readonly<Record<string, string>> = {
  recurrenceAnchor: "recurrence_anchor",
  completeInstances: "complete_instances",
  skippedInstances: "skipped_instances",
};
const OBSIDIAN_TYPES: Readonly<Record<string, string>> = {
  text: "text",
  number: "number",
  boolean: "checkbox",
  list: "multitext",
  date: "date",
};

function wantedSettings(given: unknown): Wanted {
  const base = table.settings["default"] as Wanted;
  if (typeof given === "string") return { ...base, ...table.settings[given] };
  const { like, ...own } = given as { readonly like: string };
  return { ...wantedSettings(like), ...own };
}

function expectSettings(found: TaskNotesSettings, given: unknown) {
  const wanted = wantedSettings(given);
  for (const [role, key] of Object.entries(wanted.keys)) expect([role, found.keys.get(role)]).toEqual([role, key]);
  const others = [...found.keys].filter(([role]) => !(role in wanted.keys) && role in DEFAULT_KEYS);
  for (const [role, key] of others) expect(key).toBe(DEFAULT_KEYS[role]);
  expect(found.keys.get("id") ?? "id").toBe(wanted.idKey);
  const values = (isChosen: (one: TaskNotesSettings["statuses"][number]) => boolean) =>
    found.statuses.filter(isChosen).map(({ value }) => value);
  expect(values(() => true)).toEqual(wanted["statuses"]);
  expect(values(({ isCompleted }) => isCompleted)).toEqual(wanted["completed"]);
  expect(values(({ isSkipped }) => isSkipped)).toEqual(wanted["skipped"]);
  expect(found.priorities.map(({ value }) => value)).toEqual(wanted["priorities"]);
  expect([found.defaultStatus, found.defaultPriority]).toEqual([wanted["defaultStatus"], wanted["defaultPriority"]]);
  expect(found.recognition).toEqual(wanted["recognition"]);
  expect([found.archiveTag, found.movesDueDates]).toEqual([wanted["archiveTag"], wanted["movesDueDates"]]);
  if (found.type === undefined) return;
  const typed = [...found.userFields].filter(([, type]) => type !== undefined);
  expect(found.type.titleIsFileName ? "file name" : "property").toBe(wanted.titleIn);
  const fields = Object.entries(wanted.userFields);
  expect(Object.fromEntries(typed)).toEqual(
    Object.fromEntries(fields.map(([key, type]) => [key, OBSIDIAN_TYPES[type]])),
  );
}

const PROBLEMS: Readonly<Record<string, RegExp>> = {
  "collection version": /mdbase\.yaml.*version/,
  "mdbase.yaml": /mdbase\.yaml.*could not be read/,
  "several types": /several types/,
  "type invalid": /invalid/,
  "type unreadable": /could not be read/,
  "contract version": /contract has version/,
  "data.json": /data\.json.*valid JSON/,
};

it.each(casesOf("source"))("finds what counts: %s", async (_title, { files, expect: expected }) => {
  const wanted = expected as { source: string; problem?: string; path?: string; writes?: string; settings: unknown };
  const { vault, tasks } = opened(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, fileText(text)])),
  );
  const { taskNotes } = await vault.settings();
  expectSettings(taskNotes, wanted.settings);
  if (wanted.source === "type" && taskNotes.type) expect(taskNotes.type.path).toBe(wanted.path);
  expect(taskNotes.type !== undefined).toBe(
    wanted.source === "type" && (wanted.settings as Partial<Wanted>).titleIn !== "property",
  );
  const problems = (await tasks.agenda()).problems.map(
    ({ path, line, message }) => `${path}, ${line ?? ""}: ${message}`,
  );
  expect(problems.join("\n")).toMatch(PROBLEMS[wanted.problem ?? ""] ?? /^$/);
  if (wanted.problem !== undefined && wanted.path !== undefined && wanted.source !== "type")
    expect(problems.join()).toContain(wanted.path);
  if (wanted.writes === undefined) return;
  const refusal = await tasks.create({ title: "T", area: "A" }).catch((error: unknown) => error);
  expect(isVaultError(refusal) && refusal.message).toMatch(/^Not written: _types\/task\.md, line \d+, is broken/);
});

it.each(casesOf("read"))("reads a note: %s", async (_title, { type, path, text, expect: wanted }) => {
  const { tasks } = opened({ ...vaultFiles(type), [path]: text });
  const { task } = await tasks.get(path);
  const { task: isTask, why, outstanding, ...values } = wanted as Partial<Record<string, unknown>>;
  expect(task).toMatchObject(values);
  if (why !== undefined) expect(task.rule).toBe(why);
  if (outstanding !== undefined) expect(isOutstanding(task)).toBe(outstanding);
  expect(isTask ?? true).toBe(true);
});

it.each(casesOf("moment"))("knows when a reminder fires: %s", (_title, { task, reminder, expect: wanted }) => {
  const entry = readEntry(reminder);
  expect(typeof entry === "string" ? null : (momentOf(entry, task, CLOCK) ?? null)).toBe(wanted);
});

describe("folders that TaskNotes excludes", () => {
  const text = "---\ntags: [task]\nstatus: open\n---\n- [ ] call #task 📅 2026-12-01\n";
  const files = {
    "Notes/A.md": text,
    "Notes/Old/B.md": text,
    "Notes/Older.md": text,
    "notes2/C.md": text,
    "_projects/P/D.md": "---\nstatus: todo\n---\n",
    [DATA]: JSON.stringify({ excludedFolders: " /Notes/Old/, , _projects ,Notes2" }),
  };

  it.each([files, { ...files, [DATA]: JSON.stringify({ excludedFolders: ["Notes\\Old", "_projects"] }) }])(
    "hold no task notes",
    async (given) => {
      const { tasks } = opened(given);
      const { tasks: found } = await tasks.search({ query: "*" });
      const notes = found.filter(({ source }) => source === "note").map(({ path }) => path);
      expect(notes.toSorted()).toEqual(["Notes/A.md", "Notes/Older.md", "notes2/C.md"]);
      await expect(tasks.get("Notes/Old/B.md")).rejects.toMatchObject({
        hint: expect.stringContaining("TaskNotes excludes its folder") as string,
      });
      await expect(tasks.update("Notes/Old/B.md", { status: "Done" })).rejects.toThrow("Item not found");
      await expect(tasks.create({ title: "New", area: "Home" })).rejects.toThrow("TaskNotes excludes it");
    },
  );

  it("hold tasks where the plugin is off", async () => {
    const { tasks } = opened({ ...files, ".obsidian/community-plugins.json": "[]" });
    expect((await tasks.get("Notes/Old/B.md")).task.title).toBe("B");
  });
});

/** What an entry of a note says, without its id. */
const saidBy = ({ id: _id, ...entry }: Record<string, unknown>) => entry;

async function remindersOf(text: string) {
  const { properties } = readFrontmatter(text);
  return (properties.find(({ key }) => key === "reminders")?.value ?? []) as Record<string, unknown>[];
}

it.each(["+99:00", "+24:00", "-0160", "+01:60"])("names a reminder in no time zone (%s) as a problem", async (zone) => {
  const reminder = `{id: a, type: absolute, absoluteTime: "2026-12-01T09:00:00${zone}"}`;
  const text = `---\ntags: [task]\nstatus: open\ndue: 2026-12-04\nreminders: [${reminder}]\n---\n`;
  const { tasks } = opened({ ...vaultFiles("data.json"), "A.md": text });
  const { task, problems } = await tasks.get("A.md");
  expect([task.reminders, problems.map(({ message }) => message)]).toEqual([
    [],
    [expect.stringContaining("has no absoluteTime that can be read")],
  ]);
});

it.each(casesOf("words"))("reads reminders in words: %s", async (_title, { task, words, expect: wanted }) => {
  const days = Object.entries(task).map(([key, day]) => `${key}: ${day}\n`);
  const before = `---\ntags:\n  - task\nstatus: open\n${days.join("")}dateCreated: 2026-11-20T09:00:00.000+01:00\n---\n`;
  const { tasks, text } = opened({ ...vaultFiles("default"), "T.md": before });
  const update = tasks.update("T.md", { reminders: words });
  if (!Array.isArray(wanted)) {
    await expect(update).rejects.toThrow(
      "Write: 15m before due, at scheduled, 18:00 1 day before due, tomorrow 18:30.",
    );
    expect(await text("T.md")).toBe(before);
    return;
  }
  const { task: updated } = await update;
  const list = wanted as Record<string, unknown>[];
  expect((await remindersOf(await text("T.md"))).map(saidBy)).toEqual(list.map(({ at: _at, ...entry }) => entry));
  expect(new Set(updated.reminders.map(({ at }) => at))).toEqual(new Set(list.map(({ at }) => at)));
});

it.each(casesOf("line"))("reads a quick line: %s", async (_title, { line, expect: wanted }) => {
  const { tasks, text } = opened(vaultFiles("default"));
  const { tasks: added } = await tasks.addMany({ text: line });
  const [{ task } = { task: undefined }] = added;
  const { reminders, ...values } = wanted as Record<string, unknown>;
  expect(task).toMatchObject(values);
  expect((await remindersOf(await text(task?.path ?? ""))).map(saidBy)).toEqual(reminders);
});

/** The type of a vault whose schema notes must satisfy. */
function schemaOf(kind: string) {
  const { properties } = readFrontmatter(table.texts[kind] ?? "");
  const schema = properties.find(({ key }) => key === "schema")?.value as { readonly value: object } | undefined;
  if (schema === undefined) return undefined;
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat("date", /^\d{4}-\d{2}-\d{2}$/);
  ajv.addFormat("date-time", /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/);
  return ajv.compile(JSON.parse(JSON.stringify(schema.value)) as object);
}
const SCHEMAS = new Map(["default", "small"].map((kind) => [kind, schemaOf(kind)]));

function expectValid(kind: string, text: string) {
  const validate = SCHEMAS.get(kind);
  if (validate === undefined) return;
  const note = Object.fromEntries(readFrontmatter(text).properties.map(({ key, value }) => [key, value]));
  expect([validate(JSON.parse(JSON.stringify(note))), validate.errors]).toEqual([true, null]);
}

it.each(casesOf("edit"))("edits a note: %s", async (_title, one) => {
  const { vault: kind, path, before, updates, others = {} } = one;
  const wanted = one.expect as { readonly refused?: string; readonly after: string };
  const { tasks, text, vault } = opened({ ...vaultFiles(kind), ...others, [path]: before });
  if (wanted.refused !== undefined) {
    const refusal = await tasks.update(path, updates).catch((error: unknown) => error);
    const message = isVaultError(refusal) ? refusal.message : "";
    const names = wanted.refused.startsWith("names the values ") ? wanted.refused.slice(17) : "_types/task.md, line";
    expect(message).toContain(names);
    expect(await text(path)).toBe(before);
    return;
  }
  await tasks.update(path, updates);
  const after = await text(path);
  const pattern = wanted.after.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("\\{\\{id\\}\\}", "rem_[a-z0-9]{6}");
  expect(after).toMatch(new RegExp(`^${pattern}$`));
  expectValid(kind, after);
  await vault.history.undo(vaultPath(path));
  expect(await text(path)).toBe(before);
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it.each(casesOf("create"))("makes a note: %s", async (_title, { vault: kind, args, expect: expected }) => {
  const wanted = expected as { readonly name: string; readonly properties: Record<string, unknown> };
  const { tasks, text } = opened(vaultFiles(kind));
  const { task } = await tasks.create(args);
  expect(task.path.split("/").at(-1)).toBe(wanted.name);
  const written = await text(task.path);
  const note = Object.fromEntries(readFrontmatter(written).properties.map(({ key, value }) => [key, value]));
  const uuids = Object.entries(wanted.properties).filter(([, value]) => value === "<uuid v4>");
  for (const [key] of uuids) {
    expect(note[key]).toMatch(UUID);
    expect(task.id).toBe(note[key]);
  }
  expect(note).toEqual({ ...wanted.properties, ...Object.fromEntries(uuids.map(([key]) => [key, note[key]])) });
  expectValid(kind, written);
});

const NOTES: Readonly<Record<string, string>> = {
  default:
    "---\ntags: [task] # mine\nstatus: open\npriority: low\ndue: 2026-12-04\nscheduled: 2026-12-03\ndateCreated: 2026-11-20T09:00:00Z\nodd: { a: 1 }\n---\nText.\n",
  small:
    "---\ntags: [aufgabe] # mine\ntitle: Zaun\nzustand: offen\nwichtig: egal\nfrist: 2026-12-04\ngeplant: 2026-12-03\nangelegt: 2026-11-20T09:00:00Z\nodd: { a: 1 }\n---\nText.\n",
};
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: {},
  small: {
    status: "zustand",
    priority: "wichtig",
    due: "frist",
    scheduled: "geplant",
    completedDate: "erledigt_am",
    dateModified: "bearbeitet",
    recurrence: "regel",
    reminders: "erinnerungen",
    blockedBy: "wartet_auf",
  },
};

const updates = fc
  .record(
    {
      status: fc.constantFrom("To Do", "In Progress", "Done"),
      priority: fc.constantFrom("High", "Medium", "Low"),
      dueDate: fc.constantFrom("2026-12-05", "tomorrow"),
      scheduled: fc.constantFrom("", "2026-12-02"),
      reminders: fc.constantFrom("", "at due", "1 day before due, 2026-12-01 09:00", "18:00 1 day before due"),
      recurrence: fc.constantFrom("every week", ""),
      tags: fc.constantFrom(["x"], ["x", "y"]),
      parentProjects: fc.constantFrom(["A"], ["A", "B"]),
      area: fc.constantFrom("Work", "Home"),
    },
    { requiredKeys: [] },
  )
  .filter((one) => Object.keys(one).length > 0) as fc.Arbitrary<TaskUpdates>;

describe.each(["default", "small"])("a note of the type %s", (kind) => {
  it("satisfies the schema after any edits, which change only their lines and can be undone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(updates, { minLength: 1, maxLength: 3 }), async (all) => {
        const { tasks, text, vault } = opened({ ...vaultFiles(kind), "T.md": NOTES[kind] ?? "" });
        const texts = [await text("T.md")];
        for (const one of all) {
          await tasks.update("T.md", one);
          texts.push(await text("T.md"));
          expectValid(kind, texts.at(-1) ?? "");
        }
        for (const kept of ["odd: { a: 1 }\n", "# mine\n", "---\nText.\n"]) expect(texts.at(-1)).toContain(kept);
        for (let at = texts.length - 1; at > 0; at--)
          if (texts[at] !== texts[at - 1]) await vault.history.undo(vaultPath("T.md"));
        expect(await text("T.md")).toBe(texts[0]);
      }),
      { numRuns: (LONG ? 15 : 8) * FUZZ_FACTOR },
    );
  });

  it("gives the same answers and bytes as the same settings in data.json, but for what a type asks besides", async () => {
    const { type } = await opened(vaultFiles(kind))
      .vault.settings()
      .then(({ taskNotes }) => taskNotes);
    const own = await opened(vaultFiles(kind)).vault.settings();
    const { keys, statuses, priorities, defaultStatus, defaultPriority, recognition, movesDueDates } = own.taskNotes;
    const data = JSON.stringify({
      fieldMapping: Object.fromEntries(keys),
      customStatuses: statuses,
      customPriorities: priorities,
      defaultTaskStatus: defaultStatus,
      defaultTaskPriority: defaultPriority,
      taskTag: "tag" in recognition ? recognition.tag : "",
      maintainDueDateOffsetInRecurring: movesDueDates,
    });
    const others = { ".obsidian/community-plugins.json": '["tasknotes"]' };
    const modified = KEYS[kind]?.["dateModified"] ?? "dateModified";
    const note = NOTES[kind]?.replace("odd:", `${modified}: 2026-11-20T09:00:00.000+01:00\nodd:`) ?? "";
    expect(type).toBeDefined();
    for (const one of [{ dueDate: "2026-12-05" }, { priority: "High" }, { status: "In Progress" }] as const) {
      const forms = [{ ...others, [DATA]: data }, vaultFiles(kind)].map((files) => opened({ ...files, "T.md": note }));
      const [before, after] = await Promise.all(
        forms.map(async ({ tasks, text }) => {
          const { task, adjustments } = await tasks.update("T.md", one);
          return [await text("T.md"), { ...task, modified: 0 }, adjustments];
        }),
      );
      expect(after).toEqual(before);
    }
  });
});

it("is a valid type or data.json and a problem, whatever becomes of the type file", async () => {
  const lines = (table.texts["small"] ?? "").split("\n");
  const data = JSON.stringify({ enableMdbaseSpec: true, fieldMapping: { due: "deadline" } });
  const config = table.texts["config"] ?? "";
  const change = fc.record({
    at: fc.nat(lines.length - 1),
    kind: fc.constantFrom("drop", "twice", "indent", "cut", "swap", "junk", "alias"),
    junk: fc.string({ unit: "binary", maxLength: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const mutated = [...lines];
      for (const { at, kind, junk } of changes) {
        const line = mutated[at] ?? "";
        const other = mutated[(at * 7) % mutated.length] ?? "";
        const now: Record<string, string[]> = {
          drop: [],
          twice: [line, line],
          indent: [`  ${line}`],
          cut: [line.slice(0, line.length / 2)],
          swap: [other],
          junk: [line + junk],
          alias: [line.replace(/: .*/, ": *x")],
        };
        mutated.splice(at, 1, ...(now[kind] ?? []));
      }
      const { vault, tasks } = opened({ [DATA]: data, "mdbase.yaml": config, "_types/task.md": mutated.join("\n") });
      const { taskNotes } = await vault.settings();
      if (taskNotes.type === undefined) expect(taskNotes.keys.get("due")).toBe("deadline");
      else expect(taskNotes.problems).toEqual([]);
      await tasks.agenda();
    }),
    { numRuns: (LONG ? 100 : 30) * FUZZ_FACTOR },
  );
});

/** As TaskNotes writes properties of a collection of version 0.2 that it converted. */
const nullable = (type: string, keys: readonly string[]): string =>
  type.replace(new RegExp(`^( +(?:${keys.join("|")}): )(.*)$`, "gm"), '$1{ anyOf: [$2, { type: "null" }] }');

describe("a type file that is hostile", () => {
  const config = table.texts["config"] ?? "";
  const small = table.texts["small"] ?? "";
  const files = (type: string) => ({ [DATA]: ENABLED, "mdbase.yaml": config, "_types/task.md": type });

  it.each([
    ["is 1 MB", small.replace("---\n# Aufgabe", `x: ${"y".repeat(1024 * 1024)}\n---\n`), /larger than 256 KiB/],
    ["is deep", small.replace("version: 1", `version: ${"[".repeat(90)}${"]".repeat(90)}`), /could not be read/],
    ["has a key twice", small.replace("name: aufgabe", "name: aufgabe\nname: andere"), /could not be read/],
    ["ends early", small.slice(0, 400), /^$/],
    ["is not closed", small.replace("\n---\n# Aufgabe", ""), /not closed by a line/],
    ["implements no list", small.replace("implements:\n  -", "implements:\n   "), /implements is no list/],
    [
      "doubles a value",
      small.replace("values: [egal, normal, dringend]", "values: [egal, normal, normal]"),
      /binding\.priority/,
    ],
    ["has no match", small.replace(/match:[\s\S]*?schema:/, "schema:"), /match\.where/],
    ["names no tag", small.replace("contains: aufgabe", 'contains: ""'), /match\.where/],
    ["names no value", small.replace("tags:\n      contains: aufgabe", 'art:\n      eq: ""'), /match\.where/],
    ["has another order of values", small.replace("enum: [offen, läuft", "enum: [läuft, offen"), /binding\.status/],
    ["has another default in its schema", small.replace("default: offen }", "default: wartet }"), /read_defaults/],
    ["has no default in its schema", small.replace("default: offen }", "default: null }"), /read_defaults/],
    ["has no default in read_defaults", small.replace("{ zustand: offen, w", "{ zustand: null, w"), /read_defaults/],
    ["skips by no status", small.replace("skipped: abgesagt", "skipped: null"), /default_skipped/],
    ["skips by a status that is completed", small.replace("skipped: abgesagt", "skipped: erledigt"), /default_skipped/],
    ["completes twice", small.replace("[erledigt]\n        skipped", "[erledigt, erledigt]\n        skipped"), /twice/],
    ["completes nothing", small.replace("        completed_values: [erledigt]\n", ""), /completed_values/],
  ])("because it %s leaves data.json in place", async (_what, type, problem) => {
    const { vault } = opened(files(type));
    const { taskNotes } = await vault.settings();
    expect(taskNotes.type).toBeUndefined();
    expect(taskNotes.problems.map(({ message }) => message).join()).toMatch(problem);
  });

  it.each([
    ["/_types", /types_folder is no folder/],
    ["../_types", /types_folder is no folder/],
    ["C:\\types", /types_folder is no folder/],
    ["./_types/", /^$/],
  ])("is looked for in the vault alone: %s", async (folder, problem) => {
    const collection = config.replace("types_folder: _types", `types_folder: ${folder}`);
    const { taskNotes } = await opened({ ...files(small), "mdbase.yaml": collection }).vault.settings();
    expect(taskNotes.problems.map(({ message }) => message).join()).toMatch(problem);
    expect(taskNotes.type !== undefined).toBe(taskNotes.problems.length === 0);
  });

  it.each([
    ["has defaults in binding alone", small.replace("  read_defaults: { zustand: offen, wichtig: normal }\n", "")],
    ["has no values in binding", small.replace("        values: [egal, normal, dringend]\n", "")],
    ["names its tag as the value of tags", small.replace("contains: aufgabe", "eq: aufgabe")],
    ["was converted, so that values may be null", nullable(small, ["wichtig", "punkte", "abgabe"])],
    ["completes no status", small.replace("completed_values: [erledigt]", "completed_values: []")],
  ])("counts although it %s, as in TaskNotes", async (_what, type) => {
    const { taskNotes } = await opened(files(type)).vault.settings();
    expect(taskNotes.problems).toEqual([]);
    expect(taskNotes.priorities.map(({ value }) => value)).toEqual(["egal", "normal", "dringend"]);
    expect(taskNotes.userFields.get("punkte")).toBe("number");
    expect(taskNotes.userFields.get("abgabe")).toBe("date");
  });

  it("that maps neither id nor tags leaves both what they are", async () => {
    const type = small
      .replace("      id: uid\n", "")
      .replace("      tags: tags\n", "")
      .replace("      uid: {", "      id: {");
    const note = "---\nid: a7\ntags: [aufgabe, b]\ntitle: A\nzustand: offen\nangelegt: 2026-11-20T09:00:00Z\n---\n";
    const { tasks } = opened({ ...files(type), "A.md": note });
    const { task } = await tasks.get("A.md");
    expect([task.id, task.tags]).toEqual(["a7", ["aufgabe", "b"]]);
  });

  it("is read with a BOM, CRLF and up to 256 KiB", async () => {
    const long = `\ufeff${small.replace("---\n# Aufgabe", `x: ${"ü".repeat(60_000)}\n---\n`)}`.replaceAll("\n", "\r\n");
    const { taskNotes } = await opened(files(long)).vault.settings();
    expect([taskNotes.problems, taskNotes.type?.name]).toEqual([[], "aufgabe"]);
  });
});

describe("a type file", () => {
  it("whose fields name no key for a role is invalid", async () => {
    const small = vaultFiles("small");
    for (const key of ["", " null", ' ""', " 5", " [frist]"]) {
      const type = small["_types/task.md"]?.replace("due: frist", `due:${key}`) ?? "";
      const { problems, taskNotes } = await opened({ ...small, "_types/task.md": type }).vault.settings();
      expect([taskNotes.type, problems[0]?.message], key).toEqual([
        undefined,
        expect.stringContaining("the type file is invalid: its fields map due to no key"),
      ]);
    }
  });

  it("says what set_properties may write into its tasks, by its own names", async () => {
    const small = vaultFiles("small");
    const type = (small["_types/task.md"] ?? "")
      .replaceAll("zustand", "st")
      .replaceAll("frist", "ziel")
      .replaceAll("erledigt_am", "fertig")
      .replace("notiz: { type: string }", "deadline: { type: string, format: date }");
    const note = (NOTES["small"] ?? "").replace("zustand", "st").replace("frist", "ziel");
    const files = { ...small, "_types/task.md": type, "T.md": note };
    const after = async (key: string, value: string) => {
      const { notes, text } = opened(files);
      const { leftOut, adjustments } = await notes.setProperties(["T"], { [key]: value });
      return { text: await text("T.md"), reason: leftOut[0]?.reason, said: adjustments?.map(String) };
    };
    expect((await after("st", "done")).text).toMatch(/\nst: erledigt\n[^]*\nfertig: 2026-11-28\n/);
    expect((await after("ziel", "tomorrow")).text).toContain("\nziel: 2026-11-29\n");
    const due = await after("due", "2026-12-24");
    expect(due.text).toContain("\nziel: 2026-12-24\n");
    expect(due.said).toEqual([
      "Written: due under the vault's own name for it.",
      expect.stringMatching(/^By the rules of tasks also: ziel: 2026-12-24; bearbeitet: 2026-11-28T/),
    ]);
    const own = await after("deadline", "2026-12-24");
    expect([own.text.includes("\ndeadline: 2026-12-24\n"), own.text.includes("ziel: 2026-12-04")]).toEqual([
      true,
      true,
    ]);
    for (const [key, value, reason] of [
      ["st", "sometime", "is a task field, which update_task sets"],
      ["st", "", "is a task field, which update_task sets"],
      ["fertig", "2026-01-01", "is a task field, which update_task sets"],
      ["wartet_auf", '{"add": "B"}', "is a task field, which update_task sets"],
      ["angelegt", "2026-01-01", "is kept by the task tools themselves"],
      ["timeEntries", "x", "is a list that a plugin keeps"],
      ["icsEventId", "x", "is kept by TaskNotes"],
    ] as const) {
      const { text, reason: why } = await after(key, value);
      expect([text, why], key).toEqual([note, expect.stringContaining(reason)]);
    }
    files["T.md"] = note.replace("\nst:", "\nstate: offen\nst:");
    expect((await after("st", "sometime")).reason).toContain("is a task field, which update_task sets");
    expect((await after("st", "done")).text).toMatch(/\nstate: offen\nst: erledigt\n[^]*\nfertig: 2026-11-28\n/);
    const { tasks } = opened({ ...vaultFiles("default"), "T.md": NOTES["default"] ?? "" });
    await expect(tasks.update("T.md", { properties: { timeEstimate: "90" } })).rejects.toThrow("give it as estimate");
  });

  const config = table.texts["config"] ?? "";

  it("is read again when it changes, and a plan made before is a conflict", async () => {
    const note = NOTES["default"] ?? "";
    const { tasks, storage, text } = opened({ ...vaultFiles("default"), "T.md": note });
    const { selection } = await tasks.search({ query: "*" });
    const plan = await tasks.updateMany([selection], { dueDate: "2026-12-05" }, { plan: "show" });
    const type = textOf({
      text: "default",
      replace: [
        ["due: due", "due: deadline"],
        ["      due:\n", "      deadline:\n"],
      ],
    });
    await storage.write(vaultPath("_types/task.md"), new TextEncoder().encode(type), { kind: "any" });
    const again = tasks.updateMany(
      [selection],
      { dueDate: "2026-12-05" },
      { plan: plan.kind === "plan" ? plan.plan : "" },
    );
    await expect(again).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await text("T.md")).toBe(note);
    await tasks.update("T.md", { dueDate: "2026-12-05" });
    expect(await text("T.md")).toContain("\ndeadline: 2026-12-05\n");
  });

  it("that changes during a call is a conflict", async () => {
    const note = NOTES["default"] ?? "";
    const { tasks, storage, text } = opened({ ...vaultFiles("default"), "T.md": note });
    const update = storage.update.bind(storage);
    storage.update = async (path, change) => {
      const type = textOf({
        text: "default",
        replace: [
          ["due: due", "due: deadline"],
          ["      due:\n", "      deadline:\n"],
        ],
      });
      await storage.write(vaultPath("_types/task.md"), new TextEncoder().encode(type), { kind: "any" });
      return await update(path, change);
    };
    await expect(tasks.update("T.md", { dueDate: "2026-12-05" })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await text("T.md")).toBe(note);
  });

  it("costs one listing and one read", async () => {
    const { vault, storage } = opened(vaultFiles("default"));
    const asked: string[] = [];
    const [children, readMany] = [storage.children.bind(storage), storage.readMany.bind(storage)];
    storage.children = (folder) => (asked.push(`list ${folder}`), children(folder));
    storage.readMany = (paths, options) => (asked.push(`read ${paths.length}`), readMany(paths, options));
    await vault.settings();
    expect(asked).toEqual(["read 15", "list _types", "read 1"]);
  });

  it("makes nothing below its folders a task, and no task tool writes there", async () => {
    const note = NOTES["default"] ?? "";
    const places = ["_types/a.md", "_contracts/b.md", "_schemas/tasknotes/c.md", "T.tasknotes-backup-1.md"];
    const { tasks } = opened({ ...vaultFiles("default"), ...Object.fromEntries(places.map((path) => [path, note])) });
    expect((await tasks.all()).tasks).toEqual([]);
    const refusedTo = { code: "PERMISSION_DENIED" };
    await expect(tasks.addMany({ text: "x", note: "_types/a.md" })).rejects.toMatchObject(refusedTo);
    const { task } = await tasks.create({ title: "Zaun", area: "Haus" });
    const converted = tasks.update(task.id, { convert: "line", note: "_types/a.md" });
    await expect(converted).rejects.toMatchObject(refusedTo);
  });

  it.each([
    ["a text of tags becomes a list", "tags: task, a\n", { tags: ["b"] }, "tags:\n  - task\n  - b\n"],
    ["a text of contexts becomes a list", "contexts: a, b\n", { contexts: ["a"] }, "contexts: [a]\n"],
    [
      "a blocker beside a plain one is a mapping",
      'blockedBy:\n  - "[[B]]"\n',
      { blockedBy: ["B", "C"] },
      'blockedBy:\n  - "[[B]]"\n  - uid: "[[C]]"\n    reltype: FINISHTOSTART\n',
    ],
    [
      "a done task whose series ends has a completed day",
      "completedDate: 2026-11-20\n",
      { recurrence: "" },
      "completedDate: 2026-11-20\n",
    ],
  ] as const)("asks for the form of what is written: %s", async (_what, given, changes, wanted) => {
    const series =
      "scheduled: 2026-12-04\nrecurrence: DTSTART:20261120;FREQ=WEEKLY\ncomplete_instances: [2026-11-20]\n";
    const isSeries = "recurrence" in changes;
    const note = NOTES["default"] ?? "";
    const before = isSeries
      ? note.replace("status: open\n", "status: done\n").replace("scheduled: 2026-12-03\n", series)
      : note.replace("tags: [task] # mine\n", given.startsWith("tags") ? given : `tags: [task]\n${given}`);
    const { tasks, text } = opened({ ...vaultFiles("default"), "B.md": note, "C.md": note, "T.md": before });
    await tasks.update("T.md", changes);
    const after = await text("T.md");
    expect(after).toContain(wanted);
    if (!("blockedBy" in changes)) expectValid("default", after);
  });

  it("that allows none of what was given leaves the note as it is, its day of change too", async () => {
    const type = textOf({ text: "small", replace: [["additionalProperties: true", "additionalProperties: false"]] });
    const note = NOTES["small"]?.replace("odd: { a: 1 }\n", "") ?? "";
    const { tasks, text } = opened({ ...vaultFiles("small"), "_types/task.md": type, "T.md": note });
    const { adjustments } = await tasks.update("T.md", { area: "Home" });
    expect([await text("T.md"), adjustments]).toEqual([note, ['Left out, as the type has no such property: "area".']]);
  });

  it("without match and explicit keys has tasks by the tag", async () => {
    const type = (table.texts["small"] ?? "").replace(/match:[\s\S]*?schema:/, "schema:");
    const collection = "spec_version: 0.3.0\nsettings:\n  explicit_type_keys: []\n";
    const { tasks } = opened({ "mdbase.yaml": collection, "_types/task.md": type });
    expect((await tasks.create({ title: "Zaun", area: "Haus" })).task.rule).toBe("task-tag");
  });

  it("that names its tag as the value of tags marks new tasks by it, and finds them", async () => {
    const type = textOf({ text: "small", replace: [["contains: aufgabe", "eq: aufgabe"]] });
    const { tasks, text } = opened({
      ...vaultFiles("small"),
      "_types/task.md": type,
      "A.md": "---\ntags: aufgabe\n---\n",
    });
    const { task } = await tasks.create({ title: "Zaun", area: "Haus", tags: ["x"] });
    expect((await tasks.all()).tasks.map(({ path, tags }) => [path, tags])).toEqual(
      expect.arrayContaining([
        ["A.md", ["aufgabe"]],
        [task.path, ["aufgabe", "x"]],
      ]),
    );
    expectValid("small", await text(task.path));
  });

  it("whose definitions say that a status is completed or skipped is read by them, as in TaskNotes", async () => {
    const definitions =
      "definitions:\n          - { value: wartet, is_completed: true }\n          - { value: erledigt, is_completed: false }\n          - { value: abgesagt, is_skipped: false }";
    const type = textOf({ text: "small", replace: [["definitions: []", definitions]] });
    const { vault } = opened({ ...vaultFiles("small"), "_types/task.md": type });
    const { statuses } = (await vault.settings()).taskNotes;
    expect(statuses.flatMap(({ value, isCompleted }) => (isCompleted ? [value] : []))).toEqual(["wartet"]);
    expect(statuses.some(({ isSkipped }) => isSkipped)).toBe(false);
  });

  it("that maps no priority has the priorities of its binding all the same, as in TaskNotes", async () => {
    const type = (table.texts["small"] ?? "").replace("      priority: wichtig\n", "");
    const { vault } = opened({ ...vaultFiles("small"), "_types/task.md": type });
    const { taskNotes } = await vault.settings();
    expect(taskNotes.type).toBeDefined();
    expect([taskNotes.priorities.map(({ value }) => value), taskNotes.defaultPriority]).toEqual([
      ["egal", "normal", "dringend"],
      "normal",
    ]);
  });

  it("whose own field is a list gets the area as a list", async () => {
    const type = textOf({ text: "small", replace: [["kunden: {", "area: {"]] });
    const { tasks, text } = opened({ ...vaultFiles("small"), "_types/task.md": type, "T.md": NOTES["small"] ?? "" });
    const { task } = await tasks.create({ title: "Zaun", area: "Haus" });
    await tasks.update("T.md", { area: "Haus" });
    for (const written of [await text(task.path), await text("T.md")]) {
      expect(written).toContain("\narea:\n  - Haus\n");
      expectValid("small", written);
    }
  });

  it("gets words that are digits as the texts that its schema lists", async () => {
    const type = (table.texts["small"] ?? "").replaceAll("dringend", '"1"');
    const { tasks, text } = opened({ ...vaultFiles("small"), "_types/task.md": type });
    const { task } = await tasks.create({ title: "Zaun", area: "Haus", priority: "High" });
    expect(await text(task.path)).toContain('\nwichtig: "1"\n');
  });

  it("that knows tasks by a field with any value gets it from the caller, never a value of its own", async () => {
    const rule = (key: string) =>
      textOf({ text: "small", replace: [["    tags:\n      contains: aufgabe", `    ${key}:\n      exists: true`]] });
    const made = async (key: string, given: object) => {
      const { tasks, text } = opened({ ...vaultFiles("small"), "_types/task.md": rule(key) });
      const { task } = await tasks.create({ title: "Zaun", area: "Haus", ...given });
      const written = await text(task.path);
      expectValid("small", written);
      return written;
    };
    await expect(made("frist", {})).rejects.toMatchObject({ code: "INVALID_ARGUMENT", hint: "Give dueDate." });
    expect(await made("frist", { dueDate: "2026-12-04" })).toContain("\nfrist: 2026-12-04\n");
    expect((await made("angelegt", {})).match(/^angelegt:/gm)).toHaveLength(1);
  });

  it("sends a new note where its path_glob holds, and leaves out what its schema forbids", async () => {
    const type = textOf({
      text: "small",
      replace: [
        ["match:\n", 'match:\n  path_glob: "Aufgaben/**"\n'],
        ["additionalProperties: true", "additionalProperties: false"],
      ],
    });
    const { tasks, text } = opened({ ...vaultFiles("small"), "_types/task.md": type });
    const { task, adjustments } = await tasks.create({ title: "Zaun", area: "Haus" });
    expect(task.path).toBe("Aufgaben/Zaun.md");
    expect(adjustments).toEqual(['Left out, as the type has no such property: "area".']);
    expectValid("small", await text(task.path));
  });

  it("refuses a note outside a path_glob of many steps at once, however deep its folder", async () => {
    const folder = "a/b/c/d/e/f/g/h/i/j/k/l/m/n";
    const type = textOf({
      text: "small",
      replace: [
        ["match:\n", `match:\n  path_glob: "${"**/".repeat(60)}*.txt"\n`],
        ["folder: Aufgaben", `folder: ${folder}`],
      ],
    });
    const { tasks } = opened({ ...vaultFiles("small"), "_types/task.md": type });
    await expect(tasks.create({ title: "Zaun", area: "Haus" })).rejects.toThrow('is of the type "aufgabe"');
    const long = type.replace("*.txt", "*".repeat(2_000));
    const { vault } = opened({ ...vaultFiles("small"), "_types/task.md": long });
    const [problem] = (await vault.settings()).taskNotes.problems;
    expect(problem?.message).toContain("its match.path_glob is too long");
  });

  it("without match in a vault without TaskNotes marks tasks by their explicit key", async () => {
    const type = (table.texts["small"] ?? "").replace(/match:[\s\S]*?schema:/, "schema:");
    const { tasks, text } = opened({ "mdbase.yaml": config, "_types/task.md": type });
    const { task } = await tasks.create({ title: "Zaun", area: "Haus" });
    expect(task.rule).toBe("mdbase-type");
    expect(await text(task.path)).toContain("\nmdbase_type: aufgabe\n");
  });

  it("without match has its tasks in Tasks.base, by their explicit key in any case", async () => {
    const type = (table.texts["small"] ?? "").replace(/match:[\s\S]*?schema:/, "schema:");
    const named = (word: string) => `---\nmdbase_type: ${word}\n---\n`;
    const notes = { "A.md": named("Aufgabe"), "B.md": named("[note, aufgabe]"), "C.md": named("aufgabe x") };
    const { tasks, notes: found, vault, storage } = opened({ "mdbase.yaml": config, "_types/task.md": type, ...notes });
    await storage.write(vaultPath("Tasks.base"), Buffer.from(await tasks.base()), { kind: "any" });
    const locate = (reference: string) => found.locate(reference, {});
    const { groups } = await runView({ vault, locate }, { source: "Tasks", view: "By project", limit: 9 }, {});
    expect(groups.flatMap(({ rows }) => rows.map(({ path }) => path))).toEqual(["A.md", "B.md"]);
  });

  it("names two titles only where the file is called otherwise, and says that the note keeps its name", async () => {
    const { tasks, text } = opened({ ...vaultFiles("default"), "Paint.md": "x" });
    const { task } = await tasks.create({ title: "Paint", area: "Home" });
    expect([task.path, task.title]).toEqual([expect.stringMatching(/Paint 2\.md$/), "Paint"]);
    expect(await text(task.path)).toContain("\ntitle: Paint\n");
    const { adjustments } = await tasks.update(task.path, { title: "Paint it" });
    expect(adjustments).toEqual(["TaskNotes keeps titles in file names here; rename the note too."]);
    expect((await tasks.update(task.path, { title: "Paint 2" })).adjustments).toEqual([]);
  });

  it("that cannot be read is named by every answer that writes", async () => {
    const { tasks } = opened({ ...vaultFiles("default"), "_types/task.md": "---\nkind: [mdbase.type\n---\n" });
    const { adjustments, task } = await tasks.create({ title: "T", area: "A" });
    const named =
      /^_types\/task\.md, line \d: the type file could not be read \(.*\)\. TaskNotes' data\.json is used instead, as TaskNotes does\.$/;
    expect(adjustments.at(-1)).toMatch(named);
    expect((await tasks.update(task.path, { dueDate: "tomorrow" })).adjustments.at(-1)).toMatch(named);
    expect((await tasks.addMany({ text: "x" })).adjustments.at(-1)).toMatch(named);
  });
});
