/** Reads the settings of Obsidian and its plugins (docs: obsidian). */
import {
  periodicNotesSettings,
  type PeriodicNotesSettings,
  taskNotesSettings,
  tasksPluginSettings,
  tasksQuerySettings,
  type TaskNotesSettings,
  type TasksPluginSettings,
  type TasksQuerySettings,
} from "./plugin-settings.js";
import { type BoardDefaults, BOARD_DEFAULTS } from "../markdown/kanban/card-dates.js";
import { isVaultError } from "../errors.js";
import { isHidden, isMarkdown, ROOT, vaultPath, type VaultPath } from "../storage/path.js";
import { isUnreadable, type Storage } from "../storage/storage.js";
import { type IgnoreFilter, readIgnoreFilter } from "./ignore.js";
import {
  COLLECTION_FILE,
  MAX_TYPE_BYTES,
  type SettingsProblem,
  type SettingsValues,
  settingsValues,
} from "./settings-values.js";
import type { FoundType } from "./tasknotes-type.js";

export interface VaultSettings {
  readonly newLinkFormat: "shortest" | "relative" | "absolute";
  readonly newFileLocation: "root" | "current" | "folder";
  readonly newFileFolder: VaultPath;
  /** Those that were understood. */
  readonly ignoreFilters: readonly IgnoreFilter[];
  /** Never the whole vault. */
  readonly templateFolders: readonly VaultPath[];
  /** moment.js, for `{{date}}` and `{{time}}`. */
  readonly templateDateFormat: string;
  readonly templateTimeFormat: string;
  readonly periodicNotes: PeriodicNotesSettings;
  /** By name, such as `date`. */
  readonly propertyTypes: ReadonlyMap<string, string>;
  readonly tasksPlugin: TasksPluginSettings;
  readonly tasksQueries: TasksQuerySettings;
  readonly taskNotes: TaskNotesSettings;
  /** Keys from the options, with their task fields. */
  readonly fieldNames: ReadonlyMap<string, string>;
  readonly kanban: BoardDefaults;
  readonly problems: readonly SettingsProblem[];
}

/** By folder: each is opened once. */
const FILES = {
  app: ".obsidian/app.json",
  templates: ".obsidian/templates.json",
  dailyNotes: ".obsidian/daily-notes.json",
  types: ".obsidian/types.json",
  plugins: ".obsidian/community-plugins.json",
  templater: ".obsidian/plugins/templater-obsidian/data.json",
  quickAdd: ".obsidian/plugins/quickadd/data.json",
  tasksPlugin: ".obsidian/plugins/obsidian-tasks-plugin/data.json",
  taskNotes: ".obsidian/plugins/tasknotes/data.json",
  kanban: ".obsidian/plugins/obsidian-kanban/data.json",
  periodicNotes: ".obsidian/plugins/periodic-notes/data.json",
  calendar: ".obsidian/plugins/calendar/data.json",
  naturalDates: ".obsidian/plugins/nldates-obsidian/data.json",
  corePlugins: ".obsidian/core-plugins.json",
} as const;
type SettingsFile = keyof typeof FILES;
const NAMES = Object.keys(FILES) as SettingsFile[];
/** The only hidden paths read here. */
const PATHS = [COLLECTION_FILE, ...NAMES.map((name) => vaultPath(FILES[name], { allowHidden: true }))];
const MAX_BYTES = 1024 * 1024;

export interface SettingsOptions {
  /** Default `en`. */
  readonly locale?: string | undefined;
  readonly fieldNames?: ReadonlyMap<string, string> | undefined;
}

/** Parsed only when changed. */
export class SettingsKeeper {
  readonly #storage: Storage;
  readonly #options: SettingsOptions;
  #texts: ReadonlyMap<string, string> | undefined;
  #settings: Promise<VaultSettings> | undefined;

  constructor(storage: Storage, options: SettingsOptions = {}) {
    this.#storage = storage;
    this.#options = options;
  }

  /** The same object while nothing changed. Never throws. */
  async current(): Promise<VaultSettings> {
    const texts = await this.#readTexts();
    if (this.#settings === undefined || this.#texts === undefined || !sameTexts(texts, this.#texts)) {
      this.#texts = texts;
      this.#settings = settingsOf(texts, this.#options);
    }
    return await this.#settings;
  }

  async #readTexts(): Promise<ReadonlyMap<string, string>> {
    const texts = await readTexts(this.#storage, PATHS, MAX_BYTES);
    const [data, collection] = [FILES.taskNotes, COLLECTION_FILE].map((file) => texts.get(file));
    // Most vaults have neither.
    if (collection === undefined && data?.includes('"enableMdbaseSpec"') !== true) return texts;
    const isOn = readFile("taskNotes", texts, []).raw("enableMdbaseSpec") === true;
    const { typesFolderOf } = await import("./tasknotes-type.js");
    const folder = typesFolderOf(isOn, decoded(collection));
    if (folder === undefined || (!isOn && dataState(texts) === "read")) return texts;
    const types = await typeFiles(this.#storage, folder);
    return new Map([...texts, ...(await readTexts(this.#storage, types, MAX_TYPE_BYTES))]);
  }
}

const MAX_TYPES = 200;
const MAX_DEPTH = 8;

async function typeFiles(storage: Storage, folder: VaultPath, depth = 0): Promise<readonly VaultPath[]> {
  const found: VaultPath[] = [];
  try {
    for (const { path, kind } of (await storage.children(folder)) ?? [])
      if (kind === "file" && isMarkdown(path)) found.push(path);
      else if (kind === "folder" && !isHidden(path) && depth < MAX_DEPTH)
        found.push(...(await typeFiles(storage, path, depth + 1)));
  } catch (error) {
    if (!isVaultError(error)) throw error;
  }
  return found.sort().slice(0, MAX_TYPES);
}

async function readTexts(
  storage: Storage,
  paths: readonly VaultPath[],
  limit: number,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for await (const batch of storage.readMany(paths, { limit: limit + 1 }))
    for (const file of batch) {
      // Latin-1 keeps every byte.
      if (isUnreadable(file)) texts.set(file.path, UNREADABLE);
      else
        texts.set(
          file.stat.path,
          Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length).toString("latin1"),
        );
    }
  return texts;
}

/** An unreadable file; no Latin-1 text holds this. */
const UNREADABLE = "\u{fffd}";

const decoded = (text: string | undefined): string | undefined =>
  text === undefined || text === UNREADABLE ? text : Buffer.from(text, "latin1").toString("utf8");

const isTooLong = (text: string): boolean => text === UNREADABLE || text.length > MAX_TYPE_BYTES;

const dataState = (texts: ReadonlyMap<string, string>): "read" | "none" | SettingsProblem => {
  if (!texts.has(FILES.taskNotes)) return "none";
  const problems: SettingsProblem[] = [];
  readFile("taskNotes", texts, problems);
  return problems[0] ?? "read";
};

function sameTexts(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
}

async function settingsOf(
  texts: ReadonlyMap<string, string>,
  { locale = "en", fieldNames = new Map() }: SettingsOptions,
): Promise<VaultSettings> {
  const problems: SettingsProblem[] = [];
  const read = NAMES.map((name) => [name, readFile(name, texts, problems)]);
  const files = Object.fromEntries(read) as Record<SettingsFile, SettingsValues>;
  const { app, templates, types, plugins, templater, quickAdd, tasksPlugin, taskNotes } = files;
  const data = dataState(texts);
  const notesSettings = taskNotesSettings(
    { values: taskNotes, data, found: await foundType(texts, data === "read", taskNotes) },
    texts.has(FILES.plugins) ? plugins.list(LIST) : undefined,
  );
  problems.push(...notesSettings.problems.filter(({ file }) => file !== FILES.taskNotes));
  return {
    newLinkFormat: app.oneOf("newLinkFormat", ["shortest", "relative", "absolute"]),
    newFileLocation: app.oneOf("newFileLocation", ["root", "current", "folder"]),
    newFileFolder: app.folder("newFileFolderPath") ?? ROOT,
    ignoreFilters: await ignoreFiltersOf(app),
    templateFolders: [
      ...new Set([
        templates.folder("folder"),
        templater.folder("templates_folder"),
        quickAdd.folder("templateFolderPath"),
      ]),
    ].filter((folder): folder is VaultPath => folder !== undefined && folder !== ROOT),
    templateDateFormat: templates.text("dateFormat") ?? "YYYY-MM-DD",
    templateTimeFormat: templates.text("timeFormat") ?? "HH:mm",
    periodicNotes: periodicNotesSettings(files, plugins.list(LIST), locale),
    // TaskNotes says what the user's own fields are.
    propertyTypes: new Map([
      ...types.entries("types"),
      ...[...notesSettings.userFields].flatMap(([key, type]) => (type === undefined ? [] : [[key, type] as const])),
    ]),
    tasksPlugin: tasksPluginSettings(tasksPlugin, plugins.list(LIST)),
    tasksQueries: tasksQuerySettings(tasksPlugin),
    taskNotes: notesSettings,
    fieldNames,
    kanban: boardDefaults(files),
    problems: [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()],
  };
}

/** Loads only for vaults with types. */
async function foundType(
  texts: ReadonlyMap<string, string>,
  hasData: boolean,
  values: SettingsValues,
): Promise<FoundType | undefined> {
  const collection = decoded(texts.get(COLLECTION_FILE));
  if (collection === undefined && values.raw("enableMdbaseSpec") !== true) return undefined;
  const known = new Set<string>(PATHS);
  const types = [...texts].flatMap(([path, text]) =>
    known.has(path) ? [] : [[path as VaultPath, isTooLong(text) ? undefined : decoded(text)] as const],
  );
  const { findType } = await import("./tasknotes-type.js");
  return findType({ collection, types: new Map(types) }, hasData);
}

/** Core plugins are on by default. */
function boardDefaults({
  app,
  kanban,
  dailyNotes,
  naturalDates,
  templates,
  corePlugins,
}: Record<SettingsFile, SettingsValues>): BoardDefaults {
  const isOn = (id: string): boolean => corePlugins.raw(id) !== false && !isMissing(corePlugins.raw(LIST), id);
  const daily = isOn("daily-notes") ? dailyNotes.text("format") : undefined;
  const filled = isOn("templates") ? templates : undefined;
  const tabSize = app.raw("tabSize");
  return {
    plugin: kanban.all,
    dateFormat: daily ?? naturalDates.text("format") ?? filled?.text("dateFormat") ?? BOARD_DEFAULTS.dateFormat,
    timeFormat: filled?.text("timeFormat") ?? naturalDates.text("timeFormat") ?? BOARD_DEFAULTS.timeFormat,
    usesMarkdownLinks: app.raw("useMarkdownLinks") === true,
    dailyFolder: dailyNotes.folder("folder") ?? "",
    indent: app.raw("useTab") === false ? " ".repeat(typeof tabSize === "number" ? tabSize : 4) : "\t",
  };
}

const isMissing = (list: unknown, id: string): boolean => Array.isArray(list) && !list.includes(id);

async function ignoreFiltersOf(app: SettingsValues): Promise<IgnoreFilter[]> {
  const filters: IgnoreFilter[] = [];
  for (const entry of app.list("userIgnoreFilters")) {
    const filter = await readIgnoreFilter(entry);
    if (filter) filters.push(filter);
    else if (entry !== "")
      app.report(`The excluded-files pattern ${JSON.stringify(entry)} is not understood and not applied.`);
  }
  return filters;
}

/** For a file that is a JSON list. */
const LIST = "list";

function readFile(name: SettingsFile, texts: ReadonlyMap<string, string>, problems: SettingsProblem[]): SettingsValues {
  const file = FILES[name];
  const report = (message: string) => void problems.push({ file, message });
  const text = texts.get(file);
  if (text === undefined) return settingsValues({}, report);
  if (text === UNREADABLE || text.length > MAX_BYTES) {
    report(text === UNREADABLE ? "The file cannot be read." : "The file is larger than 1 MiB.");
    return settingsValues({}, report);
  }
  try {
    const value: unknown = JSON.parse(
      Buffer.from(text, "latin1")
        .toString("utf8")
        .replace(/^\ufeff/u, ""),
    );
    if ((name === "plugins" || name === "corePlugins") && Array.isArray(value))
      return settingsValues({ [LIST]: value }, report);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return settingsValues(value, report);
    report("The file holds no JSON object.");
  } catch {
    report("The file is not valid JSON.");
  }
  return settingsValues({}, report);
}
