/** What the character between a checkbox's brackets means: by the Tasks plugin's settings, else by the vocabulary (spec: tasks-2, section 6). */
import { statusOf } from "../fields/vocabulary.js";
import type { Status } from "../task.js";

/** A row of the plugin's `statusSettings`. */
export interface CheckboxStatus {
  readonly symbol: string;
  readonly next: string;
  readonly type: StatusType;
}

const MEANINGS = {
  TODO: "To Do",
  IN_PROGRESS: "In Progress",
  ON_HOLD: "Blocked",
  DONE: "Done",
  CANCELLED: "Cancelled",
  EMPTY: undefined,
  NON_TASK: undefined,
} as const satisfies Record<string, Status | undefined>;

export type StatusType = keyof typeof MEANINGS;

export const isStatusType = (word: unknown): word is StatusType =>
  typeof word === "string" && Object.hasOwn(MEANINGS, word);

/** As the plugin ships them. */
export const CORE_STATUSES: readonly CheckboxStatus[] = [
  { symbol: " ", next: "x", type: "TODO" },
  { symbol: "x", next: " ", type: "DONE" },
  { symbol: "/", next: "x", type: "IN_PROGRESS" },
  { symbol: "-", next: " ", type: "CANCELLED" },
];

export class CheckboxSymbols {
  readonly #statuses: readonly CheckboxStatus[];

  /** @param statuses those of the plugin's settings, the core ones first; empty without the plugin */
  constructor(statuses: readonly CheckboxStatus[] = []) {
    this.#statuses = statuses.length > 0 ? statuses : CORE_STATUSES;
  }

  /** The status a symbol means; undefined for one whose boxes are no tasks. */
  statusOf(symbol: string): Status | undefined {
    const known = this.#find(symbol);
    if (known !== undefined) return MEANINGS[known.type];
    return statusOf(symbol) ?? "To Do";
  }

  /** The symbol to write for a status; undefined where the settings have none of that type. */
  symbolFor(status: Status): string | undefined {
    return this.#statuses.find(({ type }) => MEANINGS[type] === status)?.symbol;
  }

  /** The symbol of a series' next line: the first To Do that follows the finished one, else the first In Progress, else a blank. */
  afterDone(done: string): string {
    const chain = this.#chainFrom(done);
    const next = (type: StatusType) => chain.find((status) => status.type === type)?.symbol;
    return next("TODO") ?? next("IN_PROGRESS") ?? " ";
  }

  #chainFrom(symbol: string): CheckboxStatus[] {
    const chain: CheckboxStatus[] = [];
    let status = this.#find(this.#find(symbol)?.next ?? " ");
    while (status !== undefined && !chain.includes(status)) {
      chain.push(status);
      status = this.#find(status.next);
    }
    return chain;
  }

  #find(symbol: string): CheckboxStatus | undefined {
    return this.#statuses.find((status) => status.symbol === symbol);
  }
}
