/** How a vault reads and writes checkbox lines (docs: tasks, "Checkbox lines"). */
import type { VaultSettings } from "../../obsidian/settings.js";
import type { LocalDate } from "../../clock.js";
import { dayReader } from "../../dates/day-format.js";
import type { BoardDefaults } from "../../markdown/kanban/card-dates.js";
import type { InlineTasks } from "../task.js";
import { type Status, STATUSES, statusOf } from "../fields/vocabulary.js";
import type { LineStyle } from "./edit-line.js";
import type { CheckboxStatus } from "../../obsidian/plugin-settings.js";

export interface LineOptions {
  readonly inlineTasks?: InlineTasks | undefined;
  /** Overrides the plugin's setting. */
  readonly globalFilter?: string | undefined;
}

export interface LineSettings extends LineStyle {
  readonly kanban: BoardDefaults;
  /** `plain`: all; unmarked ones get the rule `plain-checkbox`. */
  readonly reads: Exclude<InlineTasks, "auto"> | "plain";
  readonly symbols: CheckboxSymbols;
  /** Statuses with a symbol; undefined: all. */
  readonly statuses: readonly Status[] | undefined;
  readonly setCreatedDate: boolean;
  /** Undefined without the plugin: follow the vault's other lines. */
  readonly setDoneDate: boolean | undefined;
  /** Undefined without the plugin: follow the line. */
  readonly setCancelledDate: boolean | undefined;
  readonly newLineBelow: boolean;
  readonly removeScheduledDateOnRecurrence: boolean;
  /** Folders of notes named by a scheduled day; empty: all; undefined: none. */
  readonly dayFolders: readonly string[] | undefined;
  /** In the plugin's format. */
  readonly dayOfName: (name: string) => LocalDate | undefined;
}

export function lineSettings(settings: VaultSettings, options: LineOptions): LineSettings {
  const { tasksPlugin, kanban } = settings;
  const { inlineTasks = "auto", globalFilter = tasksPlugin.globalFilter } = options;
  const { enabled, useFilenameAsScheduledDate, filenameAsDateFolders, filenameAsScheduledDateFormat } = tasksPlugin;
  const symbols = checkboxSymbols(tasksPlugin.statuses);
  return {
    kanban,
    reads: inlineTasks === "auto" ? "marked" : inlineTasks,
    globalFilter: globalFilter.trim(),
    form: tasksPlugin.taskFormat === "dataview" ? "bracket" : "emoji",
    symbols,
    statuses: statusesOfLines(settings),
    setCreatedDate: tasksPlugin.setCreatedDate,
    setDoneDate: enabled ? tasksPlugin.setDoneDate : undefined,
    setCancelledDate: enabled ? tasksPlugin.setCancelledDate : undefined,
    newLineBelow: tasksPlugin.recurrenceOnNextLine,
    removeScheduledDateOnRecurrence: tasksPlugin.removeScheduledDateOnRecurrence,
    dayFolders: useFilenameAsScheduledDate ? filenameAsDateFolders.map(bareFolder) : undefined,
    dayOfName: dayReader(filenameAsScheduledDateFormat),
  };
}

/** Keeps the last ones. */
export function lineSettingsReader(options: LineOptions): (settings: VaultSettings) => LineSettings {
  let known: { readonly of: VaultSettings; readonly settings: LineSettings } | undefined;
  return (settings) => {
    if (known?.of !== settings) known = { of: settings, settings: lineSettings(settings, options) };
    return known.settings;
  };
}

const statusesOf = new WeakMap<VaultSettings, readonly Status[] | undefined>();

/** The same for the same settings. */
export function statusesOfLines(settings: VaultSettings): readonly Status[] | undefined {
  if (!statusesOf.has(settings)) {
    const { symbolFor } = checkboxSymbols(settings.tasksPlugin.statuses);
    const some = STATUSES.filter((status) => symbolFor(status) !== undefined);
    statusesOf.set(settings, some.length === STATUSES.length ? undefined : some);
  }
  return statusesOf.get(settings);
}

const bareFolder = (folder: string): string => folder.trim().replace(/^\/+|\/+$/g, "");

const MEANINGS = {
  TODO: "To Do",
  IN_PROGRESS: "In Progress",
  ON_HOLD: "Blocked",
  DONE: "Done",
  CANCELLED: "Cancelled",
  EMPTY: undefined,
  NON_TASK: undefined,
} as const satisfies Record<string, Status | undefined>;

type StatusType = keyof typeof MEANINGS;
const isStatusType = (word: string): word is StatusType => Object.hasOwn(MEANINGS, word);

export interface CheckboxSymbols {
  /** Undefined for boxes that are not tasks. */
  readonly statusOf: (symbol: string) => Status | undefined;
  readonly symbolFor: (status: Status) => string | undefined;
  /** The first To Do after `done`, else In Progress, else blank. */
  readonly afterDone: (done: string) => string;
}

/** @param statuses core ones first */
export function checkboxSymbols(statuses: readonly CheckboxStatus[]): CheckboxSymbols {
  const find = (symbol: string): CheckboxStatus | undefined => statuses.find((status) => status.symbol === symbol);
  return {
    statusOf(symbol) {
      const known = find(symbol);
      if (known !== undefined) return meaningOf(known);
      return (/^\p{Lu}$/u.test(symbol) && symbol !== "X" ? undefined : statusOf(symbol)) ?? "To Do";
    },
    symbolFor: (status) => statuses.find((known) => meaningOf(known) === status)?.symbol,
    afterDone(done) {
      const chain: CheckboxStatus[] = [];
      for (let status = find(find(done)?.nextSymbol ?? " "); status; status = find(status.nextSymbol)) {
        if (chain.includes(status)) break;
        chain.push(status);
      }
      const next = (type: StatusType) => chain.find((status) => status.type === type)?.symbol;
      return next("TODO") ?? next("IN_PROGRESS") ?? " ";
    },
  };
}

/** The lane gives the status; the box is only ticked, crossed out or empty. */
export const cardSymbols = ({ statusOf }: Pick<CheckboxSymbols, "statusOf">): CheckboxSymbols => ({
  statusOf,
  symbolFor: (status) => ({ Done: "x", Cancelled: "-" })[status as string] ?? " ",
  afterDone: () => " ",
});

/** As in the plugin, unknown types are To Do. */
const meaningOf = ({ type }: CheckboxStatus): Status | undefined => (isStatusType(type) ? MEANINGS[type] : "To Do");
