/**
 * Maps checkbox characters to statuses, by the Tasks plugin's settings or the built-in words (docs: tasks, "Checkbox
 * lines").
 */
import type { CheckboxStatus } from "../../index/plugin-settings.js";
import { statusOf, type Status } from "../fields/vocabulary.js";

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
