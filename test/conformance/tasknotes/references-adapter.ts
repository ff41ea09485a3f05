/** The cases of tasknotes-spec about dependencies, links and what makes a note a task, answered by our own code: names are translated and nothing is decided. */
import { fixedClock } from "../../../src/clock.js";
import { settingsValues } from "../../../src/obsidian/settings-values.js";
import { readEntry, readReminders, shownReminders } from "../../../src/tasks/fields/reminders.js";
import { taskNotesSettings } from "../../../src/obsidian/plugin-settings.js";
import { VaultError } from "../../../src/errors.js";
import { linkPlace, namesOfPlannedMove, rewriteLinks } from "../../../src/links/move-rewrite.js";
import { filesAmong } from "../../../src/links/resolver.js";
import { readFrontmatter, splitNote } from "../../../src/markdown/frontmatter/frontmatter.js";
import type { Property, PropertyValue } from "../../../src/markdown/frontmatter/property.js";
import { scanLinks } from "../../../src/markdown/visit-note.js";
import { vaultPath } from "../../../src/storage/path.js";
import { fieldNamed } from "../../../src/tasks/fields/field-table.js";
import { conventionsOf } from "../../../src/tasks/note-format/note-settings.js";
import { setReferences } from "../../../src/tasks/note-format/write-field.js";
import { factsOf } from "../../../src/tasks/note-format/facts.js";
import { unknownTask } from "../../../src/tasks/task-references.js";
import { cycleText, readReference, relationsOf } from "../../../src/tasks/relations.js";
import { task } from "../../kit/known-tasks.js";
import { rowsOf } from "../../kit/task-rows.js";

type Input = Readonly<Record<string, unknown>>;
type Result = Readonly<Record<string, unknown>>;
type Operation = (input: Input) => Result | Promise<Result>;

const TODAY = fixedClock("2026-02-20T12:00:00Z").today();

const text = (input: Input, name: string): string => (input[name] ?? "") as string;
const list = (input: Input, name: string): string[] => (input[name] ?? []) as string[];

interface Entry {
  readonly uid: string;
  readonly reltype: string;
}

const entries = (input: Input, name: string): Entry[] => (input[name] ?? []) as Entry[];
const uidsOf = (list: readonly Entry[]): string[] => list.map(({ uid }) => uid);
/** JSON is YAML, so that values stand in the frontmatter as they are given. */
const noteOf = (values: object, body = ""): string =>
  `---\n${Object.entries(values)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("")}---\n${body}`;
const blockersNote = (list: readonly Entry[]): string =>
  `---\nblockedBy:\n${list.map(({ uid, reltype }) => `  - uid: "${uid}"\n    reltype: ${reltype}\n`).join("")}---\n`;

function blockersIn(text: string): Property | undefined {
  return readFrontmatter(text).properties.find(({ key }) => key === "blockedBy");
}

/** What a note says of what it waits for once it waits for these. */
function waitingFor(current: readonly Entry[], uids: readonly string[]) {
  const text = blockersNote(current);
  const written = setReferences(text, uids, {
    old: blockersIn(text),
    key: "blockedBy",
    dialect: { mapped: ["blockedBy"] },
  });
  return { value: blockersIn(written)?.value || [] };
}

/** @throws VaultError for entries that are a problem of their note, or wait for that note itself */
async function validated(list: readonly Entry[], uid = "task"): Promise<void> {
  const property = { key: "blockedBy", value: list as unknown as PropertyValue, text: undefined, line: 1 };
  const { problem } = fieldNamed("blockedBy").read(property);
  const own = task({ title: uid, id: uid, blockedBy: uidsOf(list) });
  const [ring] = relationsOf(await rowsOf([own], TODAY)).cycles();
  const fault = problem ?? (ring && `waits for itself: ${cycleText(ring)}`);
  if (fault !== undefined) throw new VaultError("INVALID_ARGUMENT", `dependency ${fault}`);
}

function noLink(): never {
  throw new VaultError("INVALID_ARGUMENT", "No link stands there.");
}

function parsedLink(raw: string) {
  const [link] = scanLinks(raw, splitNote(raw));
  const { target, form: format } = readReference(raw) ?? noLink();
  return {
    raw,
    target,
    format,
    alias: link?.display,
    anchor: link?.subpath.slice(1),
    is_relative: target.startsWith("."),
  };
}

async function resolved(input: Input) {
  const ids = (input["idIndex"] ?? {}) as Readonly<Record<string, string>>;
  const tasks = list(input, "candidates").map((path) =>
    task({ title: path, path: vaultPath(path), id: ids[path] ?? path }),
  );
  const from = task({ title: "From", path: vaultPath(text(input, "sourcePath")) });
  const relations = relationsOf(await rowsOf([...tasks, from], TODAY));
  const [found] = relations.resolve(from, text(input, "raw"));
  if (found === undefined) throw new VaultError("FILE_NOT_FOUND", `unresolved: ${text(input, "raw")}`);
  return { path: found.path };
}

function updatedReferences(input: Input) {
  const [from, to] = [vaultPath(text(input, "oldPath")), vaultPath(text(input, "newPath"))];
  const names = namesOfPlannedMove(filesAmong([from]), new Map([[from, to]]));
  const place = linkPlace(vaultPath("Links.md"), names);
  const { text: now } = rewriteLinks(list(input, "references").join("\n"), place, names, {
    format: "shortest",
    isReturn: false,
  });
  return { updated: now.split("\n") };
}

/** Whether the note is a task by the vault's TaskNotes settings. */
function isTask(input: Input): boolean {
  const detection = (input["taskDetection"] ?? {}) as Readonly<Record<string, unknown>>;
  const values = settingsValues(
    {
      taskTag: detection["tag"],
      taskIdentificationMethod: detection["method"],
      taskPropertyName: detection["property_name"],
      taskPropertyValue: detection["property_value"],
    },
    () => {},
  );
  const settings = taskNotesSettings({ values, data: "read", found: undefined }, []);
  const conventions = conventionsOf({ taskNotes: settings, fieldNames: new Map() });
  return factsOf(noteOf(input["frontmatter"] as object, text(input, "body")), conventions) !== undefined;
}

function validatedEntry(entry: unknown) {
  const read = readEntry(entry as PropertyValue);
  if (typeof read === "string") throw new VaultError("INVALID_ARGUMENT", `The reminder ${read}.`);
  return { value: "valid" };
}

function validatedSet(input: Input) {
  const entries = input["entries"] as PropertyValue[];
  const { reminders, problem } = readReminders({ key: "reminders", value: entries, text: undefined, line: 1 });
  if (problem !== undefined) throw new VaultError("INVALID_ARGUMENT", `invalid: reminders ${problem}`);
  const shown = shownReminders(reminders, input["frontmatter"] ?? {}, { timeZone: "UTC" });
  if (shown.some(({ at }) => at === undefined))
    throw new VaultError("INVALID_ARGUMENT", "unresolvable: the day that it counts from is missing");
  return { value: "valid_set" };
}

export const REFERENCE_OPERATIONS: Readonly<Record<string, Operation>> = {
  "reminder.validate_entry": (input) => validatedEntry(input["entry"]),
  "reminder.validate_set": validatedSet,
  "dependency.add": (input) => {
    const entry = input["entry"] as Entry;
    return waitingFor(entries(input, "current"), [...uidsOf(entries(input, "current")), entry.uid]);
  },
  "dependency.remove": (input) => {
    const current = entries(input, "current");
    return waitingFor(
      current,
      uidsOf(current).filter((uid) => uid !== input["uid"]),
    );
  },
  "dependency.replace": (input) => waitingFor(entries(input, "current"), uidsOf(entries(input, "entries"))),
  "dependency.validate_entry": async (input) => ({ value: (await validated([input["entry"] as Entry])) ?? "valid" }),
  "dependency.validate_set": async (input) => ({
    value: (await validated(entries(input, "entries"), text(input, "taskUid"))) ?? "valid_set",
  }),
  "dependency.missing_target_behavior": async (input) => {
    const { uid } = input["entry"] as Entry;
    if (input["onWrite"] === true)
      throw unknownTask(`unresolved_dependency_target ${uid}`, await rowsOf([], TODAY), true);
    const waiting = task({ title: "Waiting", blockedBy: [uid] });
    const blocked = relationsOf(await rowsOf([waiting], TODAY)).isBlocked(waiting);
    return { blocked, issue: "unresolved_dependency_target", severity: "warning" };
  },
  "link.parse": (input) => parsedLink(text(input, "raw")),
  "link.resolve": resolved,
  "link.update_references_on_rename": updatedReferences,
  "config.detect_task_file": (input) => ({ value: isTask(input) }),
};
