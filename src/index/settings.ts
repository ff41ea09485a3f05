/** The settings Obsidian and its plugins keep in a vault, as far as we honour them; read only (docs: obsidian, "Vault settings to honour"). */
import {
  periodicNotesSettings,
  type PeriodicNotesSettings,
  taskNotesSettings,
  tasksPluginSettings,
  type TaskNotesSettings,
  type TasksPluginSettings,
} from "./plugin-settings.js";
import { type BoardDefaults, BOARD_DEFAULTS } from "../markdown/kanban/card-dates.js";
import { ROOT, vaultPath, type VaultPath } from "../storage/path.js";
import { isUnreadable, type Storage } from "../storage/storage.js";
import { type IgnoreFilter, readIgnoreFilter } from "./ignore.js";
import { type SettingsProblem, SettingsValues } from "./settings-values.js";

export interface VaultSettings {
  readonly newLinkFormat: "shortest" | "relative" | "absolute";
  readonly useMarkdownLinks: boolean;
  readonly newFileLocation: "root" | "current" | "folder";
  /** Where new notes go when `newFileLocation` is `folder`. */
  readonly newFileFolder: VaultPath;
  /** As Obsidian writes it: `/`, a folder, or `./` and a folder below the note's own. */
  readonly attachmentFolder: string;
  readonly trashOption: "system" | "local" | "none";
  /** Those of `userIgnoreFilters` that are understood. */
  readonly ignoreFilters: readonly IgnoreFilter[];
  /** The template folders of the core plugin, Templater and QuickAdd; never the whole vault. */
  readonly templateFolders: readonly VaultPath[];
  /** moment.js formats of a template's `{{date}}` and `{{time}}`. */
  readonly templateDateFormat: string;
  readonly templateTimeFormat: string;
  readonly periodicNotes: PeriodicNotesSettings;
  /** The type Obsidian gives a property, such as `date`, by the property's name. */
  readonly propertyTypes: ReadonlyMap<string, string>;
  readonly tasksPlugin: TasksPluginSettings;
  readonly taskNotes: TaskNotesSettings;
  /** Keys that the program's options name, and the task fields they hold. */
  readonly fieldNames: ReadonlyMap<string, string>;
  /** What holds for every Kanban board that does not say otherwise itself. */
  readonly kanban: BoardDefaults;
  readonly problems: readonly SettingsProblem[];
}

/** Files of one folder stand together, so that it is opened once. */
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
/** The only hidden paths the program itself reads; callers are still refused them. */
const PATHS = NAMES.map((name) => vaultPath(FILES[name], { allowHidden: true }));
const MAX_BYTES = 1024 * 1024;

/** What the program's options say, in addition to the vault. */
export interface SettingsOptions {
  /** That of periodic notes where no plugin names one; default `en`. */
  readonly locale?: string | undefined;
  readonly fieldNames?: ReadonlyMap<string, string> | undefined;
}

/** Keeps the settings up to date: the small files are read before every use, and parsed only when they changed. */
export class SettingsKeeper {
  readonly #storage: Storage;
  readonly #options: SettingsOptions;
  #texts: ReadonlyMap<string, string> | undefined;
  /** Made of these texts; who asks while they are made waits for the same ones. */
  #settings: Promise<VaultSettings> | undefined;

  constructor(storage: Storage, options: SettingsOptions = {}) {
    this.#storage = storage;
    this.#options = options;
  }

  /** The settings as they stand now; the same object while nothing changed. Never throws for what a settings file holds. */
  async current(): Promise<VaultSettings> {
    const texts = await readTexts(this.#storage, PATHS);
    if (this.#settings === undefined || this.#texts === undefined || !sameTexts(texts, this.#texts))
      [this.#texts, this.#settings] = [texts, settingsOf(texts, this.#options)];
    return await this.#settings;
  }
}

async function readTexts(storage: Storage, paths: readonly VaultPath[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for await (const batch of storage.readMany(paths, { limit: MAX_BYTES + 1 }))
    for (const file of batch) {
      // Latin-1 keeps every byte, so that equal texts are equal files; the JSON is decoded when it is read.
      if (isUnreadable(file)) texts.set(file.path, UNREADABLE);
      else
        texts.set(
          file.stat.path,
          Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length).toString("latin1"),
        );
    }
  return texts;
}

/** Stands for a file that cannot be read; no file holds it, because it is no Latin-1 character. */
const UNREADABLE = "\u{fffd}";

function sameTexts(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
}

async function settingsOf(
  texts: ReadonlyMap<string, string>,
  { locale = "en", fieldNames = new Map() }: SettingsOptions,
): Promise<VaultSettings> {
  const problems: SettingsProblem[] = [];
  const files = Object.fromEntries(NAMES.map((name) => [name, readFile(name, texts, problems)]));
  const { app, templates, types, plugins, templater, quickAdd, tasksPlugin, taskNotes } = files as Record<
    SettingsFile,
    SettingsValues
  >;
  return {
    newLinkFormat: app.oneOf("newLinkFormat", ["shortest", "relative", "absolute"]),
    useMarkdownLinks: app.raw("useMarkdownLinks") === true,
    newFileLocation: app.oneOf("newFileLocation", ["root", "current", "folder"]),
    newFileFolder: app.folder("newFileFolderPath") ?? ROOT,
    attachmentFolder: app.text("attachmentFolderPath") ?? "/",
    trashOption: app.oneOf("trashOption", ["system", "local", "none"]),
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
    periodicNotes: periodicNotesSettings(files as Record<SettingsFile, SettingsValues>, plugins.list(LIST), locale),
    propertyTypes: new Map(types.entries("types")),
    tasksPlugin: tasksPluginSettings(tasksPlugin, plugins.list(LIST)),
    taskNotes: taskNotesSettings(taskNotes),
    fieldNames,
    kanban: boardDefaults(files as Record<SettingsFile, SettingsValues>),
    problems,
  };
}

/** The plugin takes its formats from other plugins that are on; core plugins are, unless the list says otherwise. */
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

/** The key under which a file that is a JSON list is kept. */
const LIST = "list";

function readFile(name: SettingsFile, texts: ReadonlyMap<string, string>, problems: SettingsProblem[]): SettingsValues {
  const file = FILES[name];
  const report = (message: string) => void problems.push({ file, message });
  const text = texts.get(file);
  if (text === undefined) return new SettingsValues({}, report);
  if (text === UNREADABLE || text.length > MAX_BYTES) {
    report(text === UNREADABLE ? "The file cannot be read." : "The file is larger than 1 MiB.");
    return new SettingsValues({}, report);
  }
  try {
    const value: unknown = JSON.parse(
      Buffer.from(text, "latin1")
        .toString("utf8")
        .replace(/^\ufeff/u, ""),
    );
    if ((name === "plugins" || name === "corePlugins") && Array.isArray(value))
      return new SettingsValues({ [LIST]: value }, report);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return new SettingsValues(value, report);
    report("The file holds no JSON object.");
  } catch {
    report("The file is not valid JSON.");
  }
  return new SettingsValues({}, report);
}
