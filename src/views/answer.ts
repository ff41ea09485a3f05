/** What a saved view answers, and why one is refused. */
import type { ClauseFault } from "../errors.js";
import { RefusedPattern } from "../text/javascript-pattern.js";

export interface ViewGroup<Row> {
  /** One for each level of grouping. */
  readonly labels: readonly string[];
  /** Those beyond a page included. */
  readonly total: number;
  readonly rows: readonly Row[];
  /** By property, of all rows in the group. */
  readonly summaries?: Readonly<Record<string, unknown>>;
}

/** Nothing was evaluated; at most five faults are listed. */
export class RefusedView extends Error {
  readonly faults: readonly ClauseFault[];

  constructor(faults: readonly ClauseFault[]) {
    super(faults.map(({ place, reason }) => `${place}: ${reason}`).join("; "));
    this.faults = faults.slice(0, 5);
  }
}

export interface ViewPage {
  readonly offset: number;
  readonly limit: number;
}

/** Why a query's statement, or a base's expression, is refused. */
export class Misread extends Error {
  readonly nearest: string | undefined;

  constructor(reason: string, nearest?: string) {
    super(reason);
    this.nearest = nearest;
  }
}

/** @throws Misread for a pattern that is refused */
export function patternOrMisread<Pattern>(read: () => Pattern): Pattern {
  try {
    return read();
  } catch (error) {
    throw error instanceof RefusedPattern ? new Misread(error.message) : error;
  }
}

export function faultOf(clause: string, place: string, { message: reason, nearest }: Misread): ClauseFault {
  const cut = clause.length > 80 ? `${clause.slice(0, 79)}…` : clause;
  return { clause: cut, place, reason, ...(nearest !== undefined && { nearest }) };
}

export const MISREAD = {
  between: "AND, OR, XOR, AND NOT or OR NOT stands between filters",
  javaScript: "JavaScript is not run here",
  /** The plugin ignores the rest of some statements, which would be silently wrong. */
  ignored: (words: string): string => `the Tasks plugin ignores "${words.trim().slice(0, 80)}" here`,
};
