/** How settings change the reading of notes: keys for fields, and what marks a task. */
import { VaultError, invalidArgument } from "../../errors.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { type Dialect, ownWords } from "../fields/dialect.js";
import { FIELD_NAMES, type FieldName } from "../fields/field-table.js";
import { textsOf } from "../fields/property-values.js";
import { foldName, type VaultPath } from "../../storage/path.js";
import { COMMON_SPELLING, type Spelling, spellingWith } from "../fields/spelling.js";
import { normaliseWord } from "../fields/vocabulary.js";

export interface Conventions {
  readonly spelling: Spelling;
  /** In addition to `task`. */
  readonly tag: string | undefined;
  /** An empty value means any. */
  readonly property: { readonly name: string; readonly value: string } | undefined;
  /** Keys that may name TaskNotes' type. */
  readonly explicit: { readonly keys: readonly string[]; readonly name: string } | undefined;
  /** Normalised keys of TaskNotes that are no fields. */
  readonly kept: ReadonlySet<string>;
}

export const NO_CONVENTIONS: Conventions = {
  spelling: COMMON_SPELLING,
  tag: undefined,
  property: undefined,
  explicit: undefined,
  kept: new Set(),
};

/** By TaskNotes' field names. */
const RENAMED: ReadonlyMap<string, FieldName> = new Map([
  ["completedDate", "completed"],
  ["dateCreated", "created"],
  ["dateModified", "modified"],
]);

type KeySettings = Pick<VaultSettings, "taskNotes" | "fieldNames">;
const known = new WeakMap<KeySettings, Conventions>();

export function conventionsOf(settings: KeySettings | undefined): Conventions {
  if (settings === undefined) return NO_CONVENTIONS;
  let conventions = known.get(settings);
  if (conventions === undefined) known.set(settings, (conventions = readConventions(settings)));
  return conventions;
}

/** That the plugin cannot name. */
const NOT_NAMED: ReadonlySet<string> = new Set(["area", "id", "tags", "type"]);

function readConventions({ taskNotes, fieldNames }: KeySettings): Conventions {
  const { keys, recognition, type, userFields } = taskNotes;
  const own: (readonly [FieldName, string])[] = [];
  const kept = new Set<string>();
  for (const [role, key] of keys) {
    const field = RENAMED.get(role) ?? FIELD_NAMES.find((one) => one === role);
    if (field === undefined) kept.add(normaliseWord(key));
    else own.push([field, key]);
  }
  const others = [...userFields.keys()].filter((key) => !NOT_NAMED.has(normaliseWord(key)));
  const tag = "tag" in recognition && !/^(?:task)?$/.test(recognition.tag) ? recognition.tag : undefined;
  const property = "property" in recognition ? { name: recognition.property, value: recognition.value } : undefined;
  const named = [...fieldNames].flatMap(([key, name]) => {
    const field = FIELD_NAMES.find((one) => one === name);
    return field === undefined ? [] : [[key, field] as const];
  });
  const hasKeys = own.length > 0 || named.length > 0;
  if (!hasKeys && tag === undefined && property === undefined) return NO_CONVENTIONS;
  const spelling = hasKeys ? spellingWith(new Map(own), new Map(named), others) : COMMON_SPELLING;
  return { spelling, tag, property, explicit: type && { keys: type.explicitKeys, name: type.name }, kept };
}

/** @param texts `termin=due`, several with commas between */
export function readFieldNames(texts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = texts.flatMap((text) => text.split(",")).filter((text) => text.trim() !== "");
  return new Map(
    pairs.map((pair) => {
      const [, key = "", name = ""] = /^\s*(.*?)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      const field = FIELD_NAMES.find((one) => one.toLowerCase() === name.toLowerCase());
      if (key !== "" && field !== undefined) return [key, field] as const;
      throw invalidArgument(
        `"${pair.trim().slice(0, 60)}" in --field-names names no field.`,
        `Write key=field, such as termin=due. Fields: ${FIELD_NAMES.join(", ")}.`,
      );
    }),
  );
}

/** Equal while TaskNotes' settings mean the same. */
export const settingsMark = ({ keys, userFields, type, ...others }: VaultSettings["taskNotes"]): string =>
  JSON.stringify([[...keys], [...userFields], type, [...(type?.allowedKeys ?? [])], others]);

/** TaskNotes' types and copies: nothing is a task, no task tool writes. */
export function isReserved(path: VaultPath, { taskNotes }: Pick<VaultSettings, "taskNotes">): boolean {
  const { reserved } = taskNotes;
  if (reserved.length === 0) return false;
  const folded = foldName(path);
  return reserved.some((folder) => isBelow(folded, foldName(folder))) || /\.tasknotes-(?:backup|stage)-/.test(folded);
}

/** @throws PERMISSION_DENIED for TaskNotes' own notes */
export function requireHoldsTasks(path: VaultPath, settings: Pick<VaultSettings, "taskNotes">): void {
  if (!isReserved(path, settings)) return;
  const message = `'${path}' belongs to TaskNotes, and holds no tasks.`;
  throw new VaultError("PERMISSION_DENIED", message, { hint: "Give another note." });
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

export function isMarkerTag(tag: string, { tag: own }: Conventions): boolean {
  return isWithin(tag, "task") || (own !== undefined && isWithin(tag, own));
}

function isWithin(tag: string, above: string): boolean {
  const [inner, outer] = [tag.toLowerCase(), above.toLowerCase()];
  return inner === outer || inner.startsWith(`${outer}/`);
}

export function namesType(properties: readonly Property[], { explicit }: Conventions): boolean {
  if (explicit === undefined) return false;
  const name = explicit.name.toLowerCase();
  return properties.some(
    (property) => explicit.keys.includes(property.key) && textsOf(property).some((text) => text.toLowerCase() === name),
  );
}

export function hasMarkerProperty(properties: readonly Property[], { property: own }: Conventions): boolean {
  if (own === undefined) return false;
  const property = properties.find(({ key }) => key.toLowerCase() === own.name.toLowerCase());
  const texts = property === undefined ? [] : textsOf(property).map((text) => text.toLowerCase());
  return own.value === "" ? texts.length > 0 : texts.includes(own.value.toLowerCase());
}

/** TaskNotes' keys override the vault's. */
export function inOwnKeys(dialect: Dialect, { spelling: { own } }: Conventions): Dialect {
  if (own.size === 0) return dialect;
  // TaskNotes lists a task below its project only by a link.
  const isFree = own.has("projects") && dialect.keys["projects"] === undefined;
  const linked = isFree ? [...dialect.linked, "projects"] : dialect.linked;
  return { ...dialect, linked, keys: { ...dialect.keys, ...Object.fromEntries(own) } };
}

export function withOwnWords(
  dialect: Dialect,
  { taskNotes, propertyTypes }: Pick<VaultSettings, "taskNotes" | "propertyTypes">,
): Dialect {
  const key = taskNotes.fieldMapping.get("status") ?? "status";
  const own = ownWords(taskNotes, propertyType(key, propertyTypes) === "checkbox");
  const ruled = taskNotes.keys.has("recurrence") ? { ...dialect, ...FOR_TASK_NOTES } : dialect;
  const worded = own === undefined ? ruled : { ...ruled, own };
  return taskNotes.type === undefined ? worded : { ...worded, ...OF_TYPE };
}

/** The forms that TaskNotes reads. */
const FOR_TASK_NOTES = { isForTaskNotes: true, rules: "rrule", estimates: "minutes" } as const;

/** A type's schema knows no other forms. */
const OF_TYPE = {
  ...FOR_TASK_NOTES,
  isStrict: true,
  dates: "plain",
  fieldDates: {},
  mapped: ["blockedBy"],
} as const;

/** Case is ignored. */
export function propertyType(key: string, types: ReadonlyMap<string, string>): string | undefined {
  return types.get(key) ?? [...types].find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1];
}
