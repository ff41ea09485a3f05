/** The type file of TaskNotes 5 and its app (docs: tasks, "TaskNotes 5"). */
import { beginsWithFence, type Property, type PropertyValue } from "../markdown/frontmatter/frontmatter.js";
import { fileTitle, folderPath, type VaultPath } from "../storage/path.js";
import {
  asMapping,
  at,
  Broken,
  type Collection,
  lineOf,
  listAt,
  readCollection,
  readType,
  textAt,
  textEntries,
  textsAt,
} from "./mdbase.js";
import { COLLECTION_FILE, type SettingsProblem, type OwnFields } from "./settings-values.js";

const CONTRACT = "tasknotes.task";

/** Besides settings that `data.json` has too. */
export interface TaskNotesType {
  readonly path: VaultPath;
  readonly name: string;
  readonly explicitKeys: readonly string[];
  readonly titleIsFileName: boolean;
  readonly hasUuid: boolean;
  /** Set to now, and at every change. */
  readonly stampedNew: readonly string[];
  readonly stampedAlways: readonly string[];
  /** Undefined: any. */
  readonly allowedKeys: ReadonlySet<string> | undefined;
  /** None: anywhere. */
  readonly globs: readonly string[];
  readonly folder: VaultPath | undefined;
}

export interface CustomStatus {
  readonly value: string;
  readonly label: string;
  readonly isCompleted: boolean;
  readonly isSkipped: boolean;
}

export interface CustomPriority {
  readonly value: string;
  readonly label: string;
  readonly weight: number;
}

type Recognition = { readonly tag: string } | { readonly property: string; readonly value: string };

export interface TypeSettings {
  /** By TaskNotes' names of fields. */
  readonly keys: ReadonlyMap<string, string>;
  /** Its own where it lists none. */
  readonly statuses: readonly CustomStatus[];
  readonly priorities: readonly CustomPriority[];
  readonly defaultStatus: string;
  readonly defaultPriority: string;
  readonly defaultSkipped: string | undefined;
  /** A tag, or a property (with any value unless one is named) makes a task. */
  readonly recognition: Recognition;
  /** With a series, the due day keeps its distance to the scheduled day. */
  readonly movesDueDates: boolean;
  readonly archiveTag: string;
  /** No fields of tasks, whatever their keys mean elsewhere. */
  readonly userFields: OwnFields;
  /** Undefined where `data.json` counts. */
  readonly type: TaskNotesType | undefined;
  readonly path: VaultPath;
}

/** Undefined without types. */
export function typesFolderOf(isOn: boolean, text: string | undefined): VaultPath | undefined {
  if (!isOn && text === undefined) return undefined;
  try {
    const { version, typesFolder } = readCollection(text);
    return version === "other" || (isOn && version === "0.2") ? undefined : typesFolder;
  } catch {
    return undefined;
  }
}

interface TypeFiles {
  readonly collection: string | undefined;
  /** Undefined for a file that could not be read. */
  readonly types: ReadonlyMap<VaultPath, string | undefined>;
}

export interface FoundType {
  readonly settings?: TypeSettings | undefined;
  readonly problem?: SettingsProblem | undefined;
  /** The faulty clause. */
  readonly unsure?: string;
  readonly reserved: readonly VaultPath[];
}

/** @param hasData data.json can be read, and says that the type counts */
export function findType({ collection: text, types }: TypeFiles, hasData: boolean): FoundType {
  let collection: Collection;
  try {
    collection = readCollection(text);
  } catch (error) {
    return { problem: problemOf(COLLECTION_FILE, error), reserved: [] };
  }
  const { version, found, reserved } = collection;
  if (version === "other") {
    const message = `the collection has version ${found.slice(0, 40)}, and 0.3.0 or a later 0.3 is known`;
    return { problem: { file: COLLECTION_FILE, message }, reserved };
  }
  if (version === "0.2") {
    const roles = hasData ? [] : [...types].flatMap(([path, type]) => oldType(path, type) ?? []);
    return { settings: roles[0], reserved };
  }
  const type = ofVersion3(collection, types, hasData);
  return { ...type, reserved: text === undefined && type.settings === undefined ? [] : reserved };
}

function ofVersion3(collection: Collection, types: TypeFiles["types"], hasData: boolean): Omit<FoundType, "reserved"> {
  const ours: { readonly path: VaultPath; readonly properties: readonly Property[]; readonly entry: PropertyValue }[] =
    [];
  const [unreadable, others]: [SettingsProblem[], SettingsProblem[]] = [[], []];
  let namesContract = false;
  for (const [path, text] of types) {
    try {
      const properties = readType(text);
      if (properties.length === 0 && text !== undefined && beginsWithFence(text) && text.includes(CONTRACT))
        throw new Broken("the type file could not be read (its frontmatter is not closed by a line of `---`)", 1);
      if (!properties.some(({ key, text: kind }) => key === "kind" && kind === "mdbase.type")) continue;
      const line = lineOf(properties, "implements");
      const list = properties.find(({ key }) => key === "implements")?.value;
      if (at(list, "contract") === CONTRACT) throw new Broken("the type file is invalid: implements is no list", line);
      const entries = listAt(properties, "implements").filter((entry) => at(entry, "contract") === CONTRACT);
      const entry = entries.find((one) => /^0\.3\.\d/.test(textAt(one, "version") ?? ""));
      const [known] = entries;
      if (entry !== undefined) ours.push({ path, properties, entry });
      else if (known !== undefined)
        others.push({
          file: path,
          message: `the contract has version ${(textAt(known, "version") ?? "none").slice(0, 40)}, and 0.3 is known`,
          ...(line !== undefined && { line }),
        });
    } catch (error) {
      unreadable.push(problemOf(path, error));
      namesContract ||= text?.includes(CONTRACT) === true;
    }
  }
  if (ours.length > 1) {
    const paths = ours.map(({ path }) => path).sort();
    const message = `several types are TaskNotes' (${paths.join(", ")})`;
    return { problem: { file: paths[0] ?? "", message }, unsure: `${message}, and they say` };
  }
  const [only] = ours;
  if (only === undefined || namesContract) {
    const [problem] = [...unreadable, ...others];
    return problem === undefined ? {} : { problem, unsure: unusable(problem) };
  }
  try {
    return { settings: validType(only.path, only.properties, only.entry, collection, hasData) };
  } catch (error) {
    const problem = problemOf(only.path, error);
    return { problem, unsure: unusable(problem) };
  }
}

const unusable = ({ file, line }: SettingsProblem): string =>
  `${file}${line === undefined ? "" : `, line ${line},`} is broken, and it says`;

function problemOf(file: VaultPath, error: unknown): SettingsProblem {
  if (!(error instanceof Broken)) throw error;
  return { file, ...error.problem };
}

/** By the plugin's checks. @throws Broken */
function validType(
  path: VaultPath,
  top: readonly Property[],
  entry: PropertyValue,
  { explicitKeys }: Collection,
  hasData: boolean,
): TypeSettings {
  const invalid = (message: string, key: string): Broken =>
    new Broken(`the type file is invalid: ${message}`, lineOf(top, key));
  const value = (key: string): PropertyValue => top.find((one) => one.key === key)?.value ?? null;
  const fields = asMapping(at(entry, "fields"));
  const nowhere = Object.keys(fields).find((role) => textAt(fields, role) === undefined);
  if (nowhere !== undefined) throw invalid(`its fields map ${nowhere.slice(0, 60)} to no key`, "implements");
  const keys = new Map(textEntries(fields));
  for (const role of ["status", "dateCreated"])
    if (!keys.has(role)) throw invalid(`its fields do not map ${role}`, "implements");
  const schema = at(value("schema"), "value");
  const properties = at(schema, "properties");
  for (const [role, key] of keys)
    if (at(properties, key) === undefined)
      throw invalid(`${role} is mapped to "${key.slice(0, 60)}", and the schema has no such property`, "implements");
  const where = at(value("match"), "where");
  const recognition = recognitionOf(where);
  if (recognition === undefined && (hasData || where !== undefined))
    throw invalid("its match.where is no single tag or property", "match");
  const binding = at(entry, "binding");
  const defaults = at(value("collection"), "read_defaults");
  const words = (role: "status" | "priority") => {
    const [own, key = role] = [at(binding, role), keys.get(role)];
    const property = propertyIn(properties, key);
    const [given, listed] = [textsAt(own, "values"), textsAt(property, "enum")];
    const values = given.length > 0 ? given : listed;
    const standards = [at(own, "default"), at(property, "default"), at(defaults, key)].filter(
      (one) => one !== undefined,
    );
    const [standard] = standards;
    if (!keys.has(role) && values.length === 0) return { own, values, standard: undefined };
    if (values.length === 0 || (listed.length > 0 && !isSame(values, listed)) || isDoubled(values))
      throw invalid(`the values of binding.${role} are not those of the schema`, "implements");
    if (typeof standard !== "string" || !values.includes(standard) || standards.some((one) => one !== standard))
      throw invalid(`the default of binding.${role} is not that of the schema and read_defaults`, "collection");
    return { own, values, standard };
  };
  const [status, priority] = [words("status"), words("priority")];
  const completed = textsAt(status.own, "completed_values");
  const skipped = textsAt(status.own, "skipped_values");
  const defaultSkipped = at(status.own, "default_skipped");
  if (!Array.isArray(at(status.own, "completed_values")))
    throw invalid("its binding.status lists no completed_values", "implements");
  if (![...completed, ...skipped].every((one) => status.values.includes(one)))
    throw invalid("completed or skipped values are not among the statuses", "implements");
  if (isDoubled([...completed, ...skipped]))
    throw invalid("a status is completed or skipped twice, or both", "implements");
  if (defaultSkipped !== undefined && !(typeof defaultSkipped === "string" && skipped.includes(defaultSkipped)))
    throw invalid("default_skipped is not among the skipped values", "implements");
  const definitions = definitionsOf(status.own);
  const weights = definitionsOf(priority.own);
  const named = new Set(keys.values());
  const idKey = keys.get("id") ?? "id";
  const lifecycle = value("lifecycle");
  const created = at(at(lifecycle, "on_create"), "set");
  const stamped = (set: PropertyValue | undefined): string[] =>
    Object.keys(asMapping(set)).filter((key) => at(at(set, key), "now") === true);
  const glob = at(value("match"), "path_glob");
  const globs = typeof glob === "string" ? [glob] : textsAt(value("match"), "path_glob");
  if (globs.join("").length > MAX_GLOBS) throw invalid("its match.path_glob is too long", "match");
  const archive = textAt(at(binding, "archive"), "archived_tag");
  const folder = textAt(at(value("collection"), "path"), "folder");
  return {
    path,
    keys,
    statuses: status.values.map((one): CustomStatus => ({
      value: one,
      label: textAt(definitions.get(one), "label") ?? "",
      // A definition wins over the lists, as in TaskNotes.
      isCompleted: flagAt(definitions.get(one), "is_completed") ?? completed.includes(one),
      isSkipped: flagAt(definitions.get(one), "is_skipped") ?? skipped.includes(one),
    })),
    priorities: priority.values.map((one, place): CustomPriority => {
      const weight = at(weights.get(one), "weight");
      const label = textAt(weights.get(one), "label") ?? "";
      return { value: one, label, weight: typeof weight === "number" ? weight : place };
    }),
    defaultStatus: status.standard ?? "",
    defaultPriority: priority.standard ?? "",
    defaultSkipped,
    recognition: recognition ?? { tag: "" },
    movesDueDates: at(at(binding, "recurrence"), "maintain_due_date_offset") === true,
    archiveTag: archive ?? "archived",
    userFields: userFieldsOf(properties, named),
    type: {
      path,
      name: textAt(Object.fromEntries(top.map((one) => [one.key, one.value])), "name") ?? fileTitle(path),
      explicitKeys,
      titleIsFileName: textAt(at(binding, "title"), "storage") === "filename",
      hasUuid: at(at(created, idKey), "uuid") === true,
      stampedNew: stamped(created),
      stampedAlways: stamped(at(at(lifecycle, "on_update"), "set")),
      allowedKeys:
        at(schema, "additionalProperties") === false ? new Set(Object.keys(asMapping(properties))) : undefined,
      globs,
      folder: folder === undefined ? undefined : folderWithin(folder),
    },
  };
}

function recognitionOf(where: PropertyValue | undefined): Recognition | undefined {
  const [first, ...others] = Object.entries(asMapping(where));
  if (first === undefined || others.length > 0) return undefined;
  const [key, rule] = first;
  const [tag, value] = [textAt(rule, "contains")?.trim().replace(/^#/, ""), at(rule, "eq")];
  if (key === "tags" && tag) return { tag };
  if (value === undefined || value === null)
    return at(rule, "exists") === true ? { property: key, value: "" } : undefined;
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isScalar && value !== "" ? { property: key, value: String(value) } : undefined;
}

/** One that may be missing is the first branch of `anyOf`. */
function propertyIn(properties: PropertyValue | undefined, key: string): PropertyValue | undefined {
  let schema = at(properties, key);
  for (let depth = 0; depth < MAX_BRANCHES; depth++) {
    const branches = at(schema, "anyOf");
    if (!Array.isArray(branches)) break;
    schema = branches.find((one) => textAt(one, "type") !== "null");
  }
  return schema;
}

const MAX_BRANCHES = 4;
/** In characters. */
const MAX_GLOBS = 2_000;

const NEVER_USERS: ReadonlySet<string> = new Set(["id", "tags"]);

function userFieldsOf(properties: PropertyValue | undefined, named: ReadonlySet<string>): OwnFields {
  const own = Object.keys(asMapping(properties)).filter((key) => !named.has(key) && !NEVER_USERS.has(key));
  return new Map(own.map((key) => [key, fieldType(propertyIn(properties, key))]));
}

function fieldType(schema: PropertyValue | undefined) {
  const type = textAt(schema, "type");
  if (textAt(schema, "format") === "date") return "date";
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "checkbox";
  return type === "array" ? "multitext" : undefined;
}

/** TaskNotes 4.x wrote types of version 0.2 and read none. */
function oldType(path: VaultPath, text: string | undefined): TypeSettings | undefined {
  let properties: readonly Property[];
  try {
    properties = readType(text);
  } catch {
    return undefined;
  }
  const fields = properties.find(({ key }) => key === "fields")?.value;
  const byRole = new Map(
    Object.entries(asMapping(fields)).flatMap(([key, field]) => {
      const role = textAt(field, "tn_role");
      return role === undefined ? [] : [[role, { key, field }] as const];
    }),
  );
  const status = byRole.get("status")?.field;
  if (status === undefined) return undefined;
  const priority = byRole.get("priority")?.field;
  const completed = textsAt(status, "tn_completed_values");
  const match = properties.find(({ key }) => key === "match")?.value;
  return {
    path,
    keys: new Map([...byRole].map(([role, { key }]) => [role, key])),
    statuses: textsAt(status, "values").map((value) => ({
      value,
      label: "",
      isCompleted: completed.includes(value),
      isSkipped: false,
    })),
    priorities: textsAt(priority, "values").map((value, weight) => ({ value, label: "", weight })),
    defaultStatus: textAt(status, "default") ?? "",
    defaultPriority: textAt(priority, "default") ?? "",
    defaultSkipped: undefined,
    recognition: recognitionOf(at(match, "where")) ?? { tag: "" },
    movesDueDates: false,
    archiveTag: "archived",
    userFields: new Map(),
    type: undefined,
  };
}

function folderWithin(text: string): VaultPath | undefined {
  try {
    return folderPath(text);
  } catch {
    return undefined;
  }
}

function definitionsOf(own: PropertyValue | undefined): ReadonlyMap<string, PropertyValue> {
  const list = at(own, "definitions");
  return new Map((Array.isArray(list) ? list : []).map((one) => [textAt(one, "value") ?? "", one]));
}

function flagAt(value: PropertyValue | undefined, key: string): boolean | undefined {
  const flag = at(value, key);
  return typeof flag === "boolean" ? flag : undefined;
}

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join("\n") === other.join("\n");

const isDoubled = (values: readonly string[]): boolean => new Set(values).size < values.length;
