/**
 * How a vault reads and writes checkbox lines, and which status each symbol means: by the options, else by the Tasks
 * plugin's settings, else by the built-in words (docs: tasks, "Checkbox lines").
 */
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
    reads: inlineTasks === "auto" ? "marked" : inlineTasks,
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

export class CheckboxSymbols {
  readonly #statuses: readonly CheckboxStatus[];

  /** @param statuses core ones first */
  constructor(statuses: readonly CheckboxStatus[]) {
    this.#statuses = statuses;
  }

  /** Undefined for boxes that are not tasks. */
  statusOf(symbol: string): Status | undefined {
    const known = this.#find(symbol);
    if (known !== undefined) return meaningOf(known);
    // Of capitals, only `[X]` is common.
    return (/^\p{Lu}$/u.test(symbol) && symbol !== "X" ? undefined : statusOf(symbol)) ?? "To Do";
  }

  symbolFor(status: Status): string | undefined {
    return this.#statuses.find((known) => meaningOf(known) === status)?.symbol;
  }

  /** The first To Do after the finished symbol, else the first In Progress, else blank. */
  afterDone(done: string): string {
    const chain = this.#chainFrom(done);
    const next = (type: StatusType) => chain.find((status) => status.type === type)?.symbol;
    return next("TODO") ?? next("IN_PROGRESS") ?? " ";
  }

  #chainFrom(symbol: string): CheckboxStatus[] {
    const chain: CheckboxStatus[] = [];
    let status = this.#find(this.#find(symbol)?.nextSymbol ?? " ");
    while (status !== undefined && !chain.includes(status)) {
      chain.push(status);
      status = this.#find(status.nextSymbol);
    }
    return chain;
  }

  #find(symbol: string): CheckboxStatus | undefined {
    return this.#statuses.find((status) => status.symbol === symbol);
  }
}

/** On a task board the lane gives the status; the box is only ticked, crossed out or empty. */
export class CardSymbols extends CheckboxSymbols {
  readonly #own: CheckboxSymbols;

  constructor(own: CheckboxSymbols) {
    super([]);
    this.#own = own;
  }

  override statusOf(symbol: string): Status | undefined {
    return this.#own.statusOf(symbol);
  }

  override symbolFor(status: Status): string {
    return status === "Done" ? "x" : status === "Cancelled" ? "-" : " ";
  }

  override afterDone(): string {
    return " ";
  }
}

/** As in the plugin, unknown types are To Do. */
function meaningOf({ type }: CheckboxStatus): Status | undefined {
  return isStatusType(type) ? MEANINGS[type] : "To Do";
}
