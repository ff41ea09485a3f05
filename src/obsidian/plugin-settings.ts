/**
 * The task plugins' settings; absent or invalid ones have the plugin's default (docs: tasks, "The vault's settings").
 */
import { type Period, PERIODICITY, PERIODS } from "../dates/calendar-terms.js";
import { ROOT, type VaultPath } from "../storage/path.js";
import {
  foldersIn,
  objectsIn,
  type SettingsProblem,
  settingsValues,
  type SettingsValues,
  textIn,
  ownFieldsIn,
  valueIn,
} from "./settings-values.js";
import type { FoundType, TypeSettings } from "./tasknotes-type.js";

export interface CheckboxStatus {
  readonly symbol: string;
  readonly name: string;
  readonly nextSymbol: string;
  /** `TODO`, `IN_PROGRESS`, `ON_HOLD`, `DONE`, `CANCELLED` or `NON_TASK`. */
  readonly type: string;
}

export interface TasksPluginSettings {
  /** In the vault's list of plugins. */
  readonly enabled: boolean;
  readonly globalFilter: string;
  readonly taskFormat: "tasksPluginEmoji" | "dataview";
  readonly statuses: readonly CheckboxStatus[];
  readonly setCreatedDate: boolean;
  readonly setDoneDate: boolean;
  readonly setCancelledDate: boolean;
  readonly recurrenceOnNextLine: boolean;
  readonly removeScheduledDateOnRecurrence: boolean;
  readonly useFilenameAsScheduledDate: boolean;
  readonly filenameAsDateFolders: readonly string[];
  /** Of moment.js, besides `YYYY-MM-DD`. */
  readonly filenameAsScheduledDateFormat: string;
}

/** Rows of the index do not depend on these. */
export interface TasksQuerySettings {
  readonly globalQuery: string;
  /** The plugin's own where the user has none. */
  readonly presets: ReadonlyMap<string, string>;
}

/** As the plugin stores them. */
export interface DefaultReminder {
  readonly relatedTo?: "due" | "scheduled";
  readonly offset?: string;
  readonly absoluteTime?: string;
  readonly description?: string;
}

/** `keys`: where the type is off, those of `fieldMapping`. */
export interface TaskNotesSettings extends Omit<TypeSettings, "path" | "archiveTag"> {
  /** By the list of plugins, a type file, or without a list by `data.json`. */
  readonly enabled: boolean;
  /** By the plugin's name, where they differ. */
  readonly fieldMapping: ReadonlyMap<string, string>;
  /** Undefined where it is off. */
  readonly archiveTag: string | undefined;
  readonly defaultReminders: readonly DefaultReminder[];
  /** Why nothing is added: the file that names the keys cannot be read. */
  readonly unsure: string | undefined;
  /** Types' folders, without tasks. */
  readonly reserved: readonly VaultPath[];
  readonly excludedFolders: readonly string[];
  readonly problems: readonly SettingsProblem[];
  /** Between type file and `data.json`, in sentences. */
  readonly differences: readonly string[];
}

export interface PeriodSettings {
  readonly folder: VaultPath;
  readonly format: string;
  readonly template: VaultPath | undefined;
}

export interface PeriodicNotesSettings extends Readonly<Partial<Record<Period, PeriodSettings>>> {
  readonly day: PeriodSettings;
  /** Set by Periodic Notes, not the core plugin. */
  readonly isPluginDaily: boolean;
  readonly locale: string;
  /** 0: Sunday; undefined: the locale's. */
  readonly weekStart: number | undefined;
}

const TASKS_PLUGIN = "obsidian-tasks-plugin";
const TASK_NOTES = "tasknotes";

const TASK_NOTES_STATUSES = ["none", "open", "in-progress", "done"].map((value) => ({
  value,
  label: "",
  isCompleted: value === "done",
  isSkipped: false,
}));
const TASK_NOTES_PRIORITIES = ["none", "low", "normal", "high"].map((value, weight) => ({ value, label: "", weight }));

const STATUSES: readonly CheckboxStatus[] = [
  { symbol: " ", name: "Todo", nextSymbol: "x", type: "TODO" },
  { symbol: "x", name: "Done", nextSymbol: " ", type: "DONE" },
  { symbol: "/", name: "In Progress", nextSymbol: "x", type: "IN_PROGRESS" },
  { symbol: "-", name: "Cancelled", nextSymbol: " ", type: "CANCELLED" },
];

const TASK_NOTES_KEYS: Readonly<Record<string, string>> = {
  recurrenceAnchor: "recurrence_anchor",
  completeInstances: "complete_instances",
  skippedInstances: "skipped_instances",
  recurrenceParent: "recurrence_parent",
  occurrenceDate: "occurrence_date",
  sortOrder: "tasknotes_manual_order",
};
const TASK_NOTES_FIELDS = Object.keys(TASK_NOTES_KEYS).concat(
  ["title", "status", "priority", "due", "scheduled", "contexts", "projects", "timeEstimate", "completedDate"],
  ["dateCreated", "dateModified", "recurrence", "timeEntries", "pomodoros", "blockedBy", "reminders", "attachments"],
  ["icsEventId", "googleCalendarEventId"],
);

export function tasksPluginSettings(values: SettingsValues, plugins: readonly string[]): TasksPluginSettings {
  const flag = (key: string, otherwise: boolean): boolean => {
    const value = values.raw(key);
    return typeof value === "boolean" ? value : otherwise;
  };
  return {
    enabled: plugins.includes(TASKS_PLUGIN),
    globalFilter: values.text("globalFilter")?.trim() ?? "",
    taskFormat: values.oneOf("taskFormat", ["tasksPluginEmoji", "dataview"]),
    statuses: statusesOf(values.raw("statusSettings")),
    setCreatedDate: flag("setCreatedDate", false),
    setDoneDate: flag("setDoneDate", true),
    setCancelledDate: flag("setCancelledDate", true),
    recurrenceOnNextLine: flag("recurrenceOnNextLine", false),
    removeScheduledDateOnRecurrence: flag("removeScheduledDateOnRecurrence", false),
    useFilenameAsScheduledDate: flag("useFilenameAsScheduledDate", false),
    filenameAsDateFolders: values.list("filenameAsDateFolders"),
    filenameAsScheduledDateFormat: values.text("filenameAsScheduledDateFormat") ?? "",
  };
}

const DAY_PARTS = ["due", "scheduled", "start", "created", "done", "cancelled"].map((day) => `${day} date`);
const hide = (parts: readonly string[]): string => parts.map((part) => `hide ${part}`).join("\n");
const TASKS_PRESETS: Readonly<Record<string, string>> = {
  this_file: "path includes {{query.file.path}}",
  this_folder: "folder includes {{query.file.folder}}",
  this_folder_only: "filter by function task.file.folder === query.file.folder",
  this_root: "root includes {{query.file.root}}",
  hide_date_fields: hide(DAY_PARTS),
  hide_non_date_fields: hide(["id", "depends on", "recurrence rule", "on completion", "priority"]),
  hide_query_elements: hide(["toolbar", "postpone button", "edit button", "backlinks", "task count"]),
  hide_everything: "preset hide_date_fields\npreset hide_non_date_fields\npreset hide_query_elements",
};

export function tasksQuerySettings(values: SettingsValues): TasksQuerySettings {
  // `includes` is the older name.
  const key = ["presets", "includes"].find((one) => typeof values.raw(one) === "object" && values.raw(one) !== null);
  const presets = key === undefined ? Object.entries(TASKS_PRESETS) : values.entries(key);
  return { globalQuery: values.text("globalQuery") ?? "", presets: new Map(presets) };
}

/** The first state of a symbol counts. */
function statusesOf(settings: unknown): readonly CheckboxStatus[] {
  const listed = ["coreStatuses", "customStatuses"].flatMap((key) => objectsIn(valueIn(settings, key)));
  const statuses = new Map<string, CheckboxStatus>();
  for (const one of listed) {
    const [symbol, name, nextSymbol, type] = ["symbol", "name", "nextStatusSymbol", "type"].map((key) =>
      valueIn(one, key),
    );
    if (typeof symbol !== "string" || Array.from(symbol).length !== 1 || typeof type !== "string") continue;
    const next = typeof nextSymbol === "string" && Array.from(nextSymbol).length === 1 ? nextSymbol : "x";
    if (!statuses.has(symbol))
      statuses.set(symbol, { symbol, name: typeof name === "string" ? name : "", nextSymbol: next, type });
  }
  return statuses.size > 0 ? [...statuses.values()] : STATUSES;
}

interface TaskNotesFiles {
  readonly values: SettingsValues;
  /** Undefined where nothing names types. */
  readonly found: FoundType | undefined;
  /** `data.json`: readable, missing, or unreadable. */
  readonly data: "read" | "none" | SettingsProblem;
}

/** @param plugins undefined without a list */
export function taskNotesSettings(
  { values, data, found: inFiles }: TaskNotesFiles,
  plugins: readonly string[] | undefined,
): TaskNotesSettings {
  const isOn = plugins?.includes(TASK_NOTES) ?? data === "read";
  const namesType = data === "read" && values.raw("enableMdbaseSpec") === true;
  const mayCount = namesType || (data !== "read" && inFiles !== undefined);
  const { settings: found, problem, unsure, reserved = [] } = inFiles ?? {};
  if (!mayCount)
    return { ...dataSettings(values, isOn), reserved, problems: isOn && typeof data === "object" ? [data] : [] };
  const refusal =
    unsure === undefined || data === "read" ? undefined : `Not written: ${unsure} how this vault names its keys.`;
  const own = dataSettings(values, isOn || refusal !== undefined);
  const named = problem && { ...problem, message: withConsequence(problem.message, namesType, refusal) };
  const problems = [typeof data === "string" ? undefined : data, named].filter((one) => one !== undefined);
  if (found === undefined) return { ...own, unsure: refusal, problems, reserved };
  const { path, archiveTag, ...rest } = found;
  const full = found.type === undefined ? withDefaults(rest) : rest;
  return {
    ...own,
    ...full,
    enabled: true,
    fieldMapping: differing(full.keys),
    archiveTag: data === "read" ? (own.archiveTag ?? archivedBy(values)) : archiveTag,
    problems,
    reserved,
    differences: data === "read" ? differencesOf(found, dataSettings(values, true), path) : [],
  };
}

function withConsequence(message: string, hasData: boolean, refusal: string | undefined): string {
  if (hasData) return `${message}. TaskNotes' data.json is used instead, as TaskNotes does.`;
  return `${message}. Default keys are read${refusal === undefined ? "" : ", and none are added to notes"}.`;
}

/** Version 0.2 names only what it has. */
function withDefaults(found: Omit<TypeSettings, "path" | "archiveTag">): Omit<TypeSettings, "path" | "archiveTag"> {
  const { statuses, priorities, defaultStatus, defaultPriority } = found;
  return {
    ...found,
    keys: new Map([...defaultKeys(), ...found.keys]),
    statuses: statuses.length > 0 ? statuses : TASK_NOTES_STATUSES,
    priorities: priorities.length > 0 ? priorities : TASK_NOTES_PRIORITIES,
    defaultStatus: defaultStatus || "open",
    defaultPriority: defaultPriority || "normal",
  };
}

function differencesOf({ keys }: TypeSettings, data: TaskNotesSettings, path: string): readonly string[] {
  return [...keys].flatMap(([role, key]) => {
    const other = data.keys.get(role);
    if (other === undefined || other === key) return [];
    return [`${role} is "${key}" in ${path}, "${other}" in data.json; the type counts.`];
  });
}

const defaultKeys = (): [string, string][] => TASK_NOTES_FIELDS.map((name) => [name, TASK_NOTES_KEYS[name] ?? name]);

const differing = (keys: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...keys].filter(([name, key]) => key !== (TASK_NOTES_KEYS[name] ?? name)));

const ARCHIVE_TAG = "archiveTag";
function archivedBy(values: SettingsValues): string {
  const tag = values.entries("fieldMapping").find(([name]) => name === ARCHIVE_TAG)?.[1] ?? "";
  return tag.trim().replace(/^#/, "") || "archived";
}

function dataSettings(values: SettingsValues, enabled: boolean): TaskNotesSettings {
  const mapping = values
    .entries("fieldMapping")
    .map(([name, key]) => [name, key.trim()] as const)
    .filter(([name, key]) => key !== "" && name !== ARCHIVE_TAG);
  const fieldMapping = differing(new Map(mapping));
  const property = values.text("taskPropertyName")?.trim() ?? "";
  const byProperty = values.raw("taskIdentificationMethod") === "property" && property !== "";
  const statuses = objectsIn(values.listed("customStatuses"))
    .map((from) => ({
      value: textIn(from, "value"),
      label: textIn(from, "label"),
      isCompleted: valueIn(from, "isCompleted") === true,
      isSkipped: valueIn(from, "isSkipped") === true,
    }))
    .filter(({ value }) => value !== "");
  const priorities = objectsIn(values.listed("customPriorities"))
    .map((from) => {
      const weight = valueIn(from, "weight");
      const [value, label] = [textIn(from, "value"), textIn(from, "label")];
      return { value, label, weight: typeof weight === "number" ? weight : 0 };
    })
    .filter(({ value }) => value !== "");
  return {
    enabled,
    keys: enabled ? new Map([...defaultKeys(), ...mapping]) : fieldMapping,
    fieldMapping,
    statuses: statuses.length > 0 || !enabled ? statuses : TASK_NOTES_STATUSES,
    priorities: priorities.length > 0 || !enabled ? priorities : TASK_NOTES_PRIORITIES,
    defaultStatus: values.text("defaultTaskStatus")?.trim() || "open",
    defaultPriority: values.text("defaultTaskPriority")?.trim() || "normal",
    defaultSkipped: undefined,
    recognition: byProperty
      ? { property, value: values.text("taskPropertyValue")?.trim() ?? "" }
      : { tag: values.text("taskTag")?.trim().replace(/^#/, "") ?? "task" },
    movesDueDates: values.raw("maintainDueDateOffsetInRecurring") === true,
    archiveTag: enabled ? archivedBy(values) : undefined,
    defaultReminders: objectsIn(valueIn(values.raw("taskCreationDefaults"), "defaultReminders")).flatMap(
      (from) => defaultReminder(from) ?? [],
    ),
    userFields: ownFieldsIn(enabled ? values.listed("userFields") : undefined),
    type: undefined,
    unsure: undefined,
    reserved: [],
    excludedFolders: enabled ? foldersIn(values.raw("excludedFolders")) : [],
    problems: [],
    differences: [],
  };
}

const DURATIONS: ReadonlyMap<string, readonly [before: string, after: string]> = new Map([
  ["minutes", ["PT", "M"]],
  ["hours", ["PT", "H"]],
  ["days", ["P", "D"]],
]);

function defaultReminder(from: object): DefaultReminder | undefined {
  const description = textIn(from, "description");
  const more = description === "" ? {} : { description };
  const [day, time] = [textIn(from, "absoluteDate"), textIn(from, "absoluteTime")];
  if (/^\d{4}-\d{2}-\d{2}$/.test(day) && /^\d{2}:\d{2}$/.test(time))
    return { absoluteTime: `${day}T${time}:00`, ...more };
  const [relatedTo, offset] = [valueIn(from, "relatedTo"), valueIn(from, "offset")];
  const [before, after] = DURATIONS.get(textIn(from, "unit")) ?? [];
  if ((relatedTo !== "due" && relatedTo !== "scheduled") || before === undefined) return undefined;
  if (!Number.isInteger(offset) || Number(offset) < 0) return undefined;
  const sign = valueIn(from, "direction") === "after" || offset === 0 ? "" : "-";
  return { relatedTo, offset: `${sign}${before}${Number(offset)}${after}`, ...more };
}

/** Defaults of Periodic Notes. */
const PERIOD_FORMATS: Readonly<Record<Period, string>> = {
  day: "YYYY-MM-DD",
  week: "gggg-[W]ww",
  month: "YYYY-MM",
  quarter: "YYYY-[Q]Q",
  year: "YYYY",
};
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

interface PeriodicFiles {
  readonly periodicNotes: SettingsValues;
  readonly calendar: SettingsValues;
  readonly app: SettingsValues;
  readonly dailyNotes: SettingsValues;
}

/** @param locale where no plugin names one */
export function periodicNotesSettings(
  { periodicNotes, calendar, app, dailyNotes }: PeriodicFiles,
  plugins: readonly string[],
  locale: string,
): PeriodicNotesSettings {
  const isOn = plugins.includes("periodic-notes");
  const sets = objectsIn(periodicNotes.listed("calendarSets"));
  const set = sets.find((one) => valueIn(one, "id") === periodicNotes.raw("activeCalendarSet")) ?? sets[0];
  const settingsOf = (values: SettingsValues, period: Period): PeriodSettings => ({
    folder: values.folder("folder") ?? ROOT,
    format: values.text("format") ?? PERIOD_FORMATS[period],
    template: (values.folder("templatePath") ?? values.folder("template")) || undefined,
  });
  const ofPlugin = PERIODS.flatMap((period) => {
    const given = set ? valueIn(set, period) : periodicNotes.raw(PERIODICITY[period]);
    const values = settingsValues(typeof given === "object" && given !== null ? given : {}, periodicNotes.report);
    return isOn && values.raw("enabled") === true ? [[period, settingsOf(values, period)] as const] : [];
  });
  // Later versions of the plugin use Obsidian's settings.
  const sources = [...(isOn ? [periodicNotes, app] : []), ...(plugins.includes("calendar") ? [calendar] : [])];
  const chosen = (key: string): string[] => sources.flatMap((values) => values.text(key) ?? []);
  return {
    day: settingsOf(dailyNotes, "day"),
    ...Object.fromEntries(ofPlugin),
    isPluginDaily: ofPlugin.some(([period]) => period === "day"),
    locale: chosen("localeOverride").find((name) => name !== "system-default") ?? locale,
    weekStart: chosen("weekStart")
      .map((name) => WEEKDAYS.indexOf(name))
      .find((weekday) => weekday >= 0),
  };
}
