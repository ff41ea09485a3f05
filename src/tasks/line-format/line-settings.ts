/**
 * How a vault reads and writes checkbox lines: by the options, else by the Tasks plugin's settings (docs: tasks,
 * "Checkbox lines").
 */
import type { VaultSettings } from "../../index/settings.js";
import type { LocalDate } from "../../clock.js";
import { dayReader } from "../../dates/day-format.js";
import type { BoardDefaults } from "../../markdown/kanban/card-dates.js";
import type { InlineTasks } from "../task.js";
import { type Status, STATUSES } from "../fields/vocabulary.js";
import { CheckboxSymbols } from "./checkbox-symbols.js";
import type { LineStyle } from "./edit-line.js";

export interface LineOptions {
  readonly inlineTasks?: InlineTasks | undefined;
  /** Overrides the plugin's setting. */
  readonly globalFilter?: string | undefined;
  readonly readsPlain?: boolean;
}

export interface LineSettings extends LineStyle {
  readonly kanban: BoardDefaults;
  /** `plain`: all checkboxes; those without a task's mark get the rule `plain-checkbox`. */
  readonly reads: Exclude<InlineTasks, "auto"> | "plain";
  readonly symbols: CheckboxSymbols;
  /** Statuses with a symbol; undefined: all. */
  readonly statuses: readonly Status[] | undefined;
  readonly setCreatedDate: boolean;
  /** Undefined without the plugin: follow the vault's other lines. */
  readonly setDoneDate: boolean | undefined;
  readonly newLineBelow: boolean;
  readonly removeScheduledDateOnRecurrence: boolean;
  /** Folders of notes with a scheduled day in their names; empty: all; undefined: none. */
  readonly dayFolders: readonly string[] | undefined;
  /** Reads a day from a file name in the plugin's format. */
  readonly dayOfName: (name: string) => LocalDate | undefined;
}

export function lineSettings({ tasksPlugin, kanban }: VaultSettings, options: LineOptions): LineSettings {
  const { inlineTasks = "auto", globalFilter = tasksPlugin.globalFilter } = options;
  const { enabled, useFilenameAsScheduledDate, filenameAsDateFolders, filenameAsScheduledDateFormat } = tasksPlugin;
  const symbols = new CheckboxSymbols(tasksPlugin.statuses);
  const hasSymbol = (status: Status): boolean => symbols.symbolFor(status) !== undefined;
  return {
    kanban,
    reads:
      options.readsPlain === true && inlineTasks !== "all" ? "plain" : inlineTasks === "auto" ? "marked" : inlineTasks,
    globalFilter: globalFilter.trim(),
    form: tasksPlugin.taskFormat === "dataview" ? "bracket" : "emoji",
    symbols,
    statuses: STATUSES.every(hasSymbol) ? undefined : STATUSES.filter(hasSymbol),
    setCreatedDate: tasksPlugin.setCreatedDate,
    setDoneDate: enabled ? tasksPlugin.setDoneDate : undefined,
    newLineBelow: tasksPlugin.recurrenceOnNextLine,
    removeScheduledDateOnRecurrence: tasksPlugin.removeScheduledDateOnRecurrence,
    dayFolders: useFilenameAsScheduledDate ? filenameAsDateFolders.map(bareFolder) : undefined,
    dayOfName: dayReader(filenameAsScheduledDateFormat),
  };
}

const bareFolder = (folder: string): string => folder.trim().replace(/^\/+|\/+$/g, "");
