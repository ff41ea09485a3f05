/** How checkbox lines are read and written in a vault: by the options, else by the Tasks plugin's settings (spec: tasks-2, section 6). */
import type { VaultSettings } from "../../catalog/settings.js";
import type { InlineTasks } from "../task.js";
import { CheckboxSymbols } from "./checkbox-symbols.js";
import type { LineStyle } from "./edit-line.js";

export interface LineOptions {
  /** Which checkboxes are tasks; default `auto`. */
  readonly inlineTasks?: InlineTasks | undefined;
  /** In place of the plugin's setting; for vaults whose settings cannot be read. */
  readonly globalFilter?: string | undefined;
}

export interface LineSettings extends LineStyle {
  readonly reads: Exclude<InlineTasks, "auto">;
  readonly symbols: CheckboxSymbols;
  readonly setCreatedDate: boolean;
  /** Undefined without the plugin: then as other lines of the vault have it. */
  readonly setDoneDate: boolean | undefined;
  readonly newLineBelow: boolean;
  readonly removeScheduledDateOnRecurrence: boolean;
  /** The folders whose notes may tell a scheduled day by their names; an empty list means all, undefined none. */
  readonly dayFolders: readonly string[] | undefined;
}

export function lineSettings({ tasksPlugin }: VaultSettings, options: LineOptions): LineSettings {
  const { inlineTasks = "auto", globalFilter = tasksPlugin.globalFilter } = options;
  const { enabled, useFilenameAsScheduledDate, filenameAsDateFolders } = tasksPlugin;
  return {
    reads: inlineTasks !== "auto" ? inlineTasks : enabled ? "marked" : "off",
    globalFilter: globalFilter.trim(),
    form: tasksPlugin.taskFormat === "dataview" ? "bracket" : "emoji",
    symbols: new CheckboxSymbols(tasksPlugin.statuses),
    setCreatedDate: tasksPlugin.setCreatedDate,
    setDoneDate: enabled ? tasksPlugin.setDoneDate : undefined,
    newLineBelow: tasksPlugin.recurrenceOnNextLine,
    removeScheduledDateOnRecurrence: tasksPlugin.removeScheduledDateOnRecurrence,
    dayFolders: useFilenameAsScheduledDate ? filenameAsDateFolders.map(bareFolder) : undefined,
  };
}

const bareFolder = (folder: string): string => folder.trim().replace(/^\/+|\/+$/g, "");
