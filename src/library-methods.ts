/** The library's methods, whose arguments are checked by the schemas of the tools that do the same. */
import { VaultError } from "./errors.js";
import type { VaultRules } from "./access/rules.js";
import type { Files, ListFilesOptions } from "./files/service.js";
import type { ProgressOptions } from "./index/refresh.js";
import type { Links } from "./links/service.js";
import type { MoveOptions } from "./links/api.js";
import type { AddOptions, AppendOptions, ChangeOptions, DeleteNoteOptions, PlanOptions } from "./notes/api.js";
import type { Notes } from "./notes/service.js";
import type { OpenOptions } from "./open.js";
import type { LivesyncConfiguration } from "./storage/livesync/storage.js";
import type { BulkOptions } from "./tasks/api.js";
import type { AgendaOptions, DaysQuery, ProjectsOptions, ReviewQuery, Tasks, UpdateOptions } from "./tasks/service.js";
import { INLINE_TASKS } from "./tasks/task.js";
import { TOOLS } from "./tools/all-tools.js";
import {
  type ObjectSchema,
  type Optional,
  type PropertySchema,
  type Schema,
  array,
  boolean,
  integer,
  object,
  optional,
  string,
} from "./tools/schema.js";
import { type Wording, distinct, quotedArgument, said } from "./text/wording.js";
import { argumentPlace, describeValue, expectation } from "./tools/arguments/argument-errors.js";
import { invalidArguments, missingName, propertySchema, unknownName } from "./tools/arguments/arguments.js";

/** By name, in the order of the method. */
type Parameters = Readonly<Record<string, PropertySchema>>;
/** Optional methods are not for callers. */
type Methods<Service> = {
  readonly [Name in keyof Service as undefined extends Service[Name] ? never : Name]:
    | Parameters
    | ((first: unknown) => Parameters);
};
type Own<T> = { readonly [Name in keyof T]-?: PropertySchema };

const inputOf = (tool: string): ObjectSchema => TOOLS.find(({ name }) => name === tool)?.input ?? object({});

/** Some of the tool's arguments, and the library's own. */
function fields(tool: string, own: Parameters, ...without: readonly string[]): ObjectSchema {
  const { properties, required = [] } = inputOf(tool);
  const entries = Object.entries(properties).flatMap(([name, schema]) =>
    without.includes(name) ? [] : [[libraryName(name), required.includes(name) ? schema : optional(schema)]],
  );
  return object({ ...(Object.fromEntries(entries) as Parameters), ...own });
}

const libraryName = (name: string): string =>
  name === "expected_hash" ? "expected" : name.replaceAll(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase());

/** Optional properties. */
function each<Name extends string>(
  schema: Schema,
  ...names: readonly Name[]
): Readonly<Record<Name, Optional<Schema>>> {
  return Object.fromEntries(names.map((name) => [name, optional(schema)])) as Record<Name, Optional<Schema>>;
}

const TEXT = string();
const TEXTS = array(TEXT);
const COUNT = integer();
const FLAG = boolean();
const NUMBER = { type: "number" } as const;
const SIGNAL = having("throwIfAborted");
const FUNCTION = { is: "function" } as const;
const MAP = { type: "object", properties: {}, additionalProperties: TEXT } as const;

function having(...methods: readonly string[]) {
  return { is: "object", methods } as const;
}

/** Names every property of `T`. */
const shape = <T>(own: Own<T>): ObjectSchema => object(own);
const options = <T>(own: Own<T>) => ({ options: optional(shape<T>(own)) });
const PROGRESS = { ...each(SIGNAL, "signal"), ...each(FUNCTION, "onProgress") };
const EXPECTED = each(TEXT, "expected");
const REMOVE = { ...EXPECTED, ...each(FLAG, "permanent") };
const ADD = { ...PROGRESS, ...EXPECTED, ...each(FLAG, "create") };
const PAGE = { ...each(TEXT, "date"), ...each(COUNT, "days", "limit", "offset", "titles") };

const CALL = options<ProgressOptions>(PROGRESS);
const CHANGE = options<ChangeOptions>({ ...PROGRESS, ...EXPECTED });
const PLAN = options<PlanOptions>({ ...PROGRESS, ...each(TEXT, "plan") });
const MOVE = options<MoveOptions>({ ...PROGRESS, ...each(FUNCTION, "isNamed") });
const NOTE = { reference: TEXT };
const PATH = { path: TEXT };
const NAMES = { from: TEXT, to: TEXT };
const { updates = {} } = inputOf("update_task").properties;
const { properties = {} } = inputOf("set_properties").properties;
const QUICK = { draft: fields("add_tasks", {}, "plan", "allFields") };
const SEARCH = fields(
  "find_notes",
  { ...PROGRESS, ...each(NUMBER, "sinceDays"), ...each(COUNT, "snippetLength") },
  "kind",
  "exists_only",
);
const FOUND = { search: optional(SEARCH) };

export const TASK_METHODS: Methods<Tasks> = {
  all: CALL,
  agenda: options<AgendaOptions>({ ...PROGRESS, ...each(COUNT, "limit") }),
  search: { query: fields("search_tasks", {}, "allFields"), ...CALL },
  days: { query: optional(shape<DaysQuery>({ ...PAGE, ...each(FLAG, "week") })), ...CALL },
  review: { query: optional(shape<ReviewQuery>(PAGE)), ...CALL },
  base: CALL,
  viewBase: { view: fields("create_base", { name: TEXT }, "path"), ...CALL },
  projects: options<ProjectsOptions>({ ...PROGRESS, ...each(FUNCTION, "shown") }),
  get: { ...NOTE, ...CALL },
  create: { draft: inputOf("create_task") },
  addMany: QUICK,
  planMany: QUICK,
  update: { ...NOTE, updates, ...options<UpdateOptions>(each(TEXT, "expectedRevision")) },
  updateMany: {
    tasks: TEXTS,
    updates,
    ...options<BulkOptions>({ ...PROGRESS, ...each(TEXT, "plan"), ...each(MAP, "expectedRevisions") }),
  },
};

export const NOTE_METHODS: Methods<Notes> = {
  locate: { ...NOTE, ...CALL },
  find: FOUND,
  findAttachments: FOUND,
  tags: { folder: optional(TEXT), ...CALL },
  read: { ...NOTE, ...CALL },
  create: { draft: fields("obsidian_create_note", each(TEXT, "folder"), "path") },
  append: { ...NOTE, content: TEXT, ...options<AppendOptions>({ ...ADD, ...each(TEXT, "heading") }) },
  prepend: { ...NOTE, content: TEXT, ...options<AddOptions>(ADD) },
  replaceSection: { ...NOTE, heading: TEXT, content: TEXT, ...CHANGE },
  setProperties: (notes) => ({ notes: Array.isArray(notes) ? TEXTS : SEARCH, properties, ...PLAN }),
  renameTag: { ...NAMES, ...PLAN },
  renamePart: { ...NOTE, subpath: TEXT, to: TEXT, ...CALL },
  merge: { ...NOTE, into: TEXT, ...CALL },
  patch: { ...NOTE, patch: TEXT, ...CHANGE },
  delete: { ...NOTE, ...options<DeleteNoteOptions>({ ...PROGRESS, ...REMOVE }) },
  summarise: { ...NOTE, maxWords: COUNT, ...CALL },
};

export const LINK_METHODS: Methods<Links> = {
  graph: CALL,
  ask: { ...CALL, work: FUNCTION },
  find: { ...NOTE, ...CALL },
  fromRoot: NOTE,
  move: { ...NAMES, ...MOVE },
  merge: { ...NAMES, join: FUNCTION, ...MOVE },
};

export const FILE_METHODS: Methods<Files> = {
  view: PATH,
  create: { ...PATH, text: TEXT },
  replace: { ...PATH, sought: TEXT, replacement: TEXT, ...options<typeof EXPECTED>(EXPECTED) },
  insert: { ...PATH, after: COUNT, addition: TEXT, ...options<typeof EXPECTED>(EXPECTED) },
  undo: PATH,
  undoOperation: NOTE,
  undoLast: {},
  history: { request: optional(fields("get_history", each(NUMBER, "since"), "diff")) },
  syncCopies: { signal: optional(SIGNAL) },
  likelyCopies: { signal: optional(SIGNAL) },
  diff: NOTE,
  list: options<ListFilesOptions>({ ...PROGRESS, ...each(TEXT, "pattern") }),
  delete: { ...PATH, ...options<typeof REMOVE>(REMOVE) },
  rename: { from: TEXT, wanted: TEXT, ...CALL },
};

const OPENING = shape<OpenOptions>({
  ...each(TEXT, "id", "timeZone", "locale", "cacheFolder", "stateFolder", "globalFilter"),
  ...each(COUNT, "maxFileSize", "maxImageSize", "undoLimit", "undoSize"),
  ...each(FLAG, "readOnly", "allowHidden", "undo", "session"),
  ...each(having("error", "warn", "info", "debug"), "log"),
  ...each(having("now", "today", "dayOf"), "clock"),
  ...each(having("next", "uuid"), "ids"),
  ...each(array(shape<VaultRules>(each(TEXTS, "deny", "denyTags", "denyProperties", "only", "allowWrite"))), "access"),
  ...each(TEXTS, "fieldNames"),
  ...each(string(undefined, { enum: INLINE_TASKS }), "inlineTasks"),
});
const DATABASE = shape<LivesyncConfiguration>({
  url: TEXT,
  database: TEXT,
  ...each(TEXT, "user", "password", "passphrase"),
  ...each(MAP, "headers"),
  ...each(FUNCTION, "reread"),
  ...each(FLAG, "usePathObfuscation"),
});

/** @throws VaultError INVALID_ARGUMENT */
export function givenFolder(folder: string, given: OpenOptions): OpenOptions {
  return openingCall("openVault", { folder: TEXT }, [folder, given])[1] as OpenOptions;
}

/** @throws VaultError INVALID_ARGUMENT */
export function givenOptions(given: ProgressOptions | undefined): ProgressOptions {
  return checkedCall("call", CALL, [given])[0] ?? {};
}

/** @throws VaultError INVALID_ARGUMENT */
export function givenDatabase(...given: [LivesyncConfiguration, OpenOptions]) {
  return openingCall("openLivesyncVault", { configuration: DATABASE }, given) as typeof given;
}

/** Null in place of all options is refused. */
function openingCall(method: string, place: Parameters, given: readonly [unknown, unknown]): readonly unknown[] {
  if (given[1] === null)
    throw new VaultError("INVALID_ARGUMENT", `Invalid arguments of ${method}: "options" must be an object, got null.`, {
      hint: "Leave it out for the defaults.",
    });
  return checkedCall(method, { ...place, options: optional(OPENING) }, given);
}

/** Runs a call, unless the vault is closed. */
export type WhileOpen = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The service's methods with checks. Calls aborted before they begin do nothing. */
export function checked<Service extends object>(
  name: string,
  service: Service,
  methods: Methods<Service>,
  run: WhileOpen,
): Service {
  const made = Object.entries<Parameters | ((first: unknown) => Parameters)>(methods).map(([method, row]) => [
    method,
    (...given: unknown[]) =>
      run(async () => {
        const parameters = typeof row === "function" ? row(given[0]) : row;
        const known = checkedCall(`${name}.${method}`, parameters, given);
        for (const signal of known.flatMap((one) => [one, (Object(one) as { readonly signal?: unknown }).signal]))
          if (signal instanceof AbortSignal) signal.throwIfAborted();
        return Reflect.apply(Reflect.get(service, method) as () => unknown, service, known);
      }),
  ]);
  return Object.fromEntries(made) as Service;
}

export function closed(): VaultError {
  return new VaultError("UNAVAILABLE", "The vault was closed.", { hint: "Open it again." });
}

function checkedCall(method: string, parameters: Parameters, given: readonly unknown[]): readonly unknown[] {
  const names = Object.keys(parameters);
  const named = Object.fromEntries(names.map((name, at) => [name, given[at]]));
  const known = checkedArguments(named, object(parameters), method);
  return [...names.map((name) => known[name]), ...given.slice(names.length)];
}

const MAX_FAULTS = 100;
const FROM_ZERO = { type: "integer", minimum: 0 } as const;

type Place = readonly (string | number)[];

interface Check {
  readonly root: ObjectSchema;
  readonly faults: Wording[];
  /** The last object with an unknown name; the hint lists its names. */
  misnamed?: ObjectSchema;
}

/**
 * Null means not given. Limits, defaults and patterns apply to tools alone.
 * @param method in the error, such as `tasks.update`
 * @throws VaultError INVALID_ARGUMENT naming up to six errors
 */
function checkedArguments(
  given: Readonly<Record<string, unknown>>,
  root: ObjectSchema,
  method: string,
): Readonly<Record<string, unknown>> {
  const check: Check = { root, faults: [] };
  const value = checkedObject(given, root, [], check);
  if (check.faults.length > 0) throw invalidArguments(distinct(check.faults), check.misnamed ?? root, ` of ${method}`);
  return value;
}

function checkedValue(value: unknown, schema: Schema, place: Place, check: Check): unknown {
  if (schema.type === "object" && isObject(value) && !Array.isArray(value))
    return checkedObject(value, schema, place, check);
  if (schema.type === "array" && Array.isArray(value))
    return value.map((item: unknown, at) => checkedValue(item, schema.items, [...place, at], check));
  if (schema.type === "array" && schema.orOne) return checkedValue(value, schema.items, place, check);
  if (!accepts(value, schema)) fault(wrongValue(value, schema, place), check);
  return value;
}

function checkedObject(value: object, schema: ObjectSchema, place: Place, check: Check) {
  const entries = Object.entries(value).flatMap(([key, inner]): [key: string, value: unknown][] => {
    const property = propertySchema(key, schema);
    if (property === undefined) {
      fault(unknownName(key, schema, place, check.root), check);
      check.misnamed = schema;
    }
    // Among fields to change null has a meaning.
    if (inner === null && schema.role === "fields") return [[key, inner]];
    if (property === undefined || inner === undefined || inner === null) return [];
    return [[key, checkedValue(inner, property, [...place, key], check)]];
  });
  const checked = Object.fromEntries(entries);
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(checked, name)) fault(missingName([...place, name], schema.properties[name]), check);
  return checked;
}

function accepts(value: unknown, schema: Schema): boolean {
  if (schema.type === "string") return typeof value === "string" && (schema.enum?.includes(value) ?? true);
  if (schema.type === "boolean") return typeof value === "boolean";
  if (schema.type === "integer") return Number.isSafeInteger(value) && Number(value) >= FROM_ZERO.minimum;
  if (schema.type === "number") return Number.isFinite(value);
  if (schema.type !== undefined) return false;
  if (schema.is === "function") return typeof value === "function";
  const has = (name: string): boolean => isObject(value) && typeof Reflect.get(value, name) === "function";
  return schema.is === undefined || (isObject(value) && (schema.methods ?? []).every(has));
}

/** Never quotes text that may be a password or a note's. */
function wrongValue(value: unknown, schema: Schema, place: Place): Wording {
  const isShown = schema.type === "integer" || schema.type === "number" || "enum" in schema;
  const got = isShown ? describeValue(value) : kindOf(value);
  return said`${quotedArgument(argumentPlace(place))} must be ${expectation(schema.type === "integer" ? FROM_ZERO : schema)}, got ${got}`;
}

function kindOf(value: unknown): string {
  if (value === null || isObject(value)) return describeValue(value);
  return value === undefined ? "nothing" : `a ${typeof value}`;
}

function fault(words: Wording, { faults }: Check): void {
  if (faults.length < MAX_FAULTS) faults.push(words);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
