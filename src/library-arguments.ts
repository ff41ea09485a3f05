/** Checks what callers without TypeScript pass to the library, so that no misspelt option is ignored. */
import { VaultError } from "./errors.js";
import type { Files } from "./files/service.js";
import type { Links } from "./links/service.js";
import type { Notes } from "./notes/service.js";
import type { OpenOptions, VaultRules } from "./open.js";
import type { LivesyncConfiguration } from "./storage/livesync/storage.js";
import { argumentSchemas, type ArgumentValues, type ArgumentUse, DAY_FILTERS } from "./tasks/fields/task-fields.js";
import { PRIORITIES, STATUS_FILTERS } from "./tasks/fields/vocabulary.js";
import { TASK_STATES } from "./tasks/query/task-query.js";
import { TASK_SORTS } from "./tasks/query/task-query.js";
import type { Tasks } from "./tasks/service.js";
import { INLINE_TASKS } from "./tasks/task.js";
import { nearest } from "./text/nearest.js";

const isText = (value: unknown): boolean => typeof value === "string";
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

interface Check {
  /** The words after "must be" in an error. */
  readonly says: string;
  accepts(value: unknown): boolean;
}

function oneOf(words: readonly string[]): Check {
  return { says: `one of ${words.join(", ")}`, accepts: (value) => words.some((word) => word === value) };
}

function allOf(words: readonly string[]): Check {
  const says = `a list of ${words.join(", ")}`;
  return { says, accepts: (value) => Array.isArray(value) && value.every((each) => words.includes(String(each))) };
}

function anyOf(words: readonly string[]): Check {
  const [one, all] = [oneOf(words), allOf(words)];
  return { says: `${one.says}, or ${all.says}`, accepts: (value) => one.accepts(value) || all.accepts(value) };
}

const KINDS = {
  text: { says: "text", accepts: isText },
  texts: { says: "a list of texts", accepts: areTexts },
  properties: { says: "an object of texts", accepts: (value) => isObject(value) && areTexts(Object.values(value)) },
  count: { says: "a whole number from 0", accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
  number: { says: "a number", accepts: Number.isFinite },
  flag: { says: "true or false", accepts: (value) => typeof value === "boolean" },
  function: { says: "a function", accepts: (value) => typeof value === "function" },
  object: { says: "an object", accepts: isObject },
  list: { says: "a list", accepts: Array.isArray },
  inlineTasks: oneOf(INLINE_TASKS),
  statuses: allOf(STATUS_FILTERS),
  states: allOf(TASK_STATES),
  priority: oneOf(PRIORITIES),
  priorities: anyOf(PRIORITIES),
  textOrTexts: { says: "text or a list of texts", accepts: (value) => isText(value) || areTexts(value) },
  taskSort: oneOf(TASK_SORTS),
  noteSort: oneOf(["mtime", "ctime", "path", "relevance"]),
  sortOrder: oneOf(["asc", "desc"]),
} as const satisfies Readonly<Record<string, Check>>;

type Kind = keyof typeof KINDS | `${keyof typeof KINDS}?`;
type ShapeOf<T> = { readonly [Name in keyof T]-?: Kind };
type Shape = Readonly<Record<string, Kind>>;
type Plain = string | number | boolean | readonly unknown[] | AbortSignal | ((...given: never[]) => unknown);
type WantedFor<T> = [NonNullable<T>] extends [Plain | Readonly<Record<string, string>>]
  ? Kind
  : ShapeOf<Exclude<NonNullable<T>, Plain>>;
type ListFor<Given extends readonly unknown[]> = { readonly [At in keyof Given]-?: WantedFor<Given[At]> };
/** Optional methods are not for callers. */
type Methods<Service> = {
  readonly [Name in keyof Service as undefined extends Service[Name] ? never : Name]: Service[Name] extends (
    ...given: infer Given
  ) => unknown
    ? ListFor<Given>
    : never;
};

const PROGRESS = { signal: "object?", onProgress: "function?" } as const;
const PAGE = each("count?", "limit", "offset", "titles");
const CHANGE = { ...PROGRESS, expected: "text?" } as const;
const PLAN = { ...PROGRESS, plan: "text?" } as const;
const MOVE = { ...PROGRESS, isNamed: "function?" } as const;
const DRAFT = {
  ...fields("create"),
  ...each("text", "title", "area"),
  description: "text?",
  properties: "properties?",
} as const;
const UPDATES = {
  ...fields("update"),
  ...each("text?", "description", "occurrence", "lane", "convert", "note"),
  properties: "properties?",
} as const;
const QUICK = { text: "text", ...each("text?", "note", "heading", "area", "template") } as const;
const QUERY = {
  query: "text",
  status: "statuses?",
  ...each("text?", ...DAY_FILTERS.map(({ name }) => name)),
  ...each("text?", "area", "context", "note", "cursor"),
  project: "textOrTexts?",
  priority: "priorities?",
  sort: "taskSort?",
  tags: "texts?",
  is: "states?",
  includeArchived: "flag?",
  limit: "count?",
} as const;
const SEARCH = {
  ...PROGRESS,
  ...each("text?", "query", "folder", "linksTo"),
  ...each("text?", "modifiedAfter", "modifiedBefore", "dateFrom", "dateTo"),
  ...each("flag?", "orphan", "includeContent", "countOnly", "hasAttachments"),
  ...each("count?", "limit", "offset", "snippetLength"),
  sinceDays: "number?",
  sortBy: "noteSort?",
  sortOrder: "sortOrder?",
  ...each("texts?", "tags", "show"),
  properties: "properties?",
} as const;

/** Or a list of notes. */
const NOTES = { ...SEARCH } as const;
const REQUIRED: ReadonlySet<Shape> = new Set<Shape>([UPDATES, NOTES]);

export const TASK_METHODS: Methods<Tasks> = {
  all: [PROGRESS],
  agenda: [{ ...PROGRESS, limit: "count?" }],
  search: [QUERY, PROGRESS],
  days: [{ date: "text?", days: "count?", week: "flag?", ...PAGE }, PROGRESS],
  review: [{ date: "text?", days: "count?", ...PAGE }, PROGRESS],
  base: [PROGRESS],
  viewBase: [{ selection: "text", name: "text", group: "text?" }, PROGRESS],
  projects: [{ ...PROGRESS, shown: "function?" }],
  get: ["text", PROGRESS],
  create: [DRAFT],
  addMany: [QUICK],
  planMany: [QUICK],
  update: ["text", UPDATES, { expectedRevision: "text?" }],
  updateMany: ["texts", UPDATES, { ...PROGRESS, plan: "text?" }],
};

export const NOTE_METHODS: Methods<Notes> = {
  locate: ["text", PROGRESS],
  find: [SEARCH],
  findAttachments: [SEARCH],
  tags: ["function?", PROGRESS],
  read: ["text", PROGRESS],
  create: [
    { name: "text", ...each("text?", "folder", "content", "section", "template", "expected"), overwrite: "flag?" },
  ],
  append: ["text", "text", { ...CHANGE, create: "flag?", heading: "text?" }],
  prepend: ["text", "text", { ...CHANGE, create: "flag?" }],
  replaceSection: ["text", "text", "text", CHANGE],
  setProperties: [NOTES, "properties", PLAN],
  renameTag: ["text", "text", PLAN],
  renamePart: ["text", "text", "text", PROGRESS],
  merge: ["text", "text", PROGRESS],
  patch: ["text", "text", CHANGE],
  delete: ["text", { ...CHANGE, permanent: "flag?" }],
  summarise: ["text", "count", PROGRESS],
};

export const LINK_METHODS: Methods<Links> = {
  graph: [PROGRESS],
  ask: [PROGRESS, "function"],
  find: ["text", PROGRESS],
  fromRoot: ["text"],
  move: ["text", "text", MOVE],
  merge: ["text", "text", "function", MOVE],
};

export const FILE_METHODS: Methods<Files> = {
  view: ["text"],
  create: ["text", "text"],
  replace: ["text", "text", "text", { expected: "text?" }],
  insert: ["text", "count", "text", { expected: "text?" }],
  undo: ["text"],
  undoOperation: ["text"],
  undoLast: [],
  history: [{ ...each("text?", "path", "by", "cursor"), since: "number?", limit: "count?" }],
  syncCopies: ["object?"],
  likelyCopies: ["object?"],
  diff: ["text"],
  list: [{ ...PROGRESS, pattern: "text?" }],
  delete: ["text", { permanent: "flag?", expected: "text?" }],
  rename: ["text", "text", PROGRESS],
};

const OPTIONS: ShapeOf<OpenOptions> = {
  ...each("text?", "id", "timeZone", "locale", "cacheFolder", "stateFolder", "globalFilter"),
  ...each("count?", "maxFileSize", "maxImageSize", "undoLimit", "undoSize"),
  ...each("flag?", "readOnly", "allowHidden", "undo", "session"),
  ...each("object?", "log", "clock", "ids"),
  access: "list?",
  fieldNames: "texts?",
  inlineTasks: "inlineTasks?",
};
const RULES: ShapeOf<VaultRules> = each("texts?", "deny", "denyTags", "denyProperties", "only", "allowWrite");
const LIVESYNC: ShapeOf<LivesyncConfiguration> = {
  ...each("text", "url", "database"),
  ...each("text?", "user", "password", "passphrase"),
  headers: "properties?",
  reread: "function?",
  usePathObfuscation: "flag?",
};

/** @throws VaultError INVALID_ARGUMENT */
export function checkFolderOptions(folder: string, options: OpenOptions): void {
  check("openVault", ["text", OPTIONS], [folder, options]);
  checkRules(options);
}

/** @throws VaultError INVALID_ARGUMENT */
export function checkDatabaseOptions(configuration: LivesyncConfiguration, options: OpenOptions): void {
  check("openLivesyncVault", [LIVESYNC, OPTIONS], [configuration, options]);
  checkRules(options);
}

function checkRules({ access = [] }: OpenOptions): void {
  for (const rules of access) assertShape(rules, RULES, "An access rule");
}

/** The service's methods with checks. They reject with UNAVAILABLE when the vault is closed. */
export function checked<Service extends object>(
  name: string,
  service: Service,
  methods: Methods<Service>,
  isClosed: () => boolean,
): Service {
  const lists = methods as Readonly<Record<string, readonly (Kind | Shape)[]>>;
  const made = Object.entries(lists).map(([method, wanted]) => [
    method,
    async (...given: unknown[]) => {
      if (isClosed()) throw closed();
      const known = wanted.map((each, at) => withoutNull(given[at], each));
      check(`${name}.${method}`, wanted, known);
      // Among updates null has a meaning.
      const read = known.map((value, at) => (wanted[at] === UPDATES ? given[at] : value));
      return Reflect.apply(Reflect.get(service, method) as () => unknown, service, read);
    },
  ]);
  return Object.fromEntries(made) as Service;
}

export function closed(): VaultError {
  return new VaultError("UNAVAILABLE", "The vault was closed.", { hint: "Open it again." });
}

/** Null of anything optional is not given. */
function withoutNull(value: unknown, wanted: Kind | Shape): unknown {
  if (typeof wanted === "string") {
    if (value === null && wanted.endsWith("?")) return undefined;
    return wanted.startsWith("properties") && isObject(value) ? withoutNulls(value, () => true) : value;
  }
  if (value === null && isOptional(wanted)) return undefined;
  if (!isObject(value) || Array.isArray(value)) return value;
  return withoutNulls(value, (name) => wanted[name]?.endsWith("?") === true);
}

const isOptional = (shape: Shape): boolean =>
  !REQUIRED.has(shape) && Object.values(shape).every((kind) => kind.endsWith("?"));

function withoutNulls(value: object, mayLack: (name: string) => boolean): object {
  const entries = Object.entries(value);
  const given = entries.filter(([name, inner]) => inner !== null || !mayLack(name));
  return given.length === entries.length ? value : Object.fromEntries(given);
}

function check(name: string, wanted: readonly (Kind | Shape)[], given: readonly unknown[]): void {
  for (const [at, each] of wanted.entries()) {
    const [value, place] = [given[at], `Argument ${at + 1} of ${name}`];
    if (typeof each === "string") assertKind(value, each, place);
    else if (Array.isArray(value) && each === NOTES) assertKind(value, "texts", place);
    else assertShape(value, each, place);
  }
}

function assertShape(value: unknown, shape: Shape, place: string): void {
  const kinds = Object.entries(shape);
  if (value === undefined && isOptional(shape)) return;
  assertKind(value, "object", place);
  const names = kinds.map(([name]) => name);
  const unknown = Object.keys(value as object).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const [meant] = nearest(unknown, names, 1);
    const hint = meant === undefined ? `It may have: ${names.join(", ")}.` : `Did you mean ${JSON.stringify(meant)}?`;
    throw refusal(`${place} has an unknown property ${JSON.stringify(unknown.slice(0, 80))}.`, hint);
  }
  for (const [name, kind] of kinds) assertKind(Reflect.get(value as object, name), kind, `${place}: "${name}"`);
}

function assertKind(value: unknown, kind: Kind, place: string): void {
  if (value === undefined && kind.endsWith("?")) return;
  const check: Check = KINDS[kind.replace(/\?$/, "") as keyof typeof KINDS];
  if (check.accepts(kind === "statuses?" && isText(value) ? [value] : value)) return;
  throw refusal(`${place} must be ${check.says}.`, "The library's declarations describe all arguments.");
}

function refusal(message: string, hint: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", message, { hint });
}

function fields<By extends ArgumentUse>(by: By) {
  const kinds = Object.entries(argumentSchemas(by)).map(([name, { type }]) => [
    name,
    type === "array" ? "texts?" : "text?",
  ]);
  return Object.fromEntries(kinds) as ShapeOf<ArgumentValues<By>>;
}

function each<Of extends Kind, Name extends string>(kind: Of, ...names: readonly Name[]): Readonly<Record<Name, Of>> {
  return Object.fromEntries(names.map((name) => [name, kind])) as Readonly<Record<Name, Of>>;
}
