/** What a saved view answers, of either kind, and the clauses for which one is refused. */

export interface ViewGroup<Row> {
  /** One label for each level of grouping; none for a view without groups. */
  readonly labels: readonly string[];
  /** Rows in the group, those beyond a page included. */
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Why one clause cannot be answered. */
export interface ViewFault {
  /** The clause as written, cut to 80 characters. */
  readonly clause: string;
  /** Where it stands: `views[2].filters.and[1], line 14`, or `line 3`. */
  readonly place: string;
  readonly reason: string;
  /** The known name closest to an unknown one. */
  readonly nearest?: string;
}

/** Nothing of the view was evaluated; at most five faults are listed. */
export class RefusedView extends Error {
  readonly faults: readonly ViewFault[];

  constructor(faults: readonly ViewFault[]) {
    super(faults.map(({ place, reason }) => `${place}: ${reason}`).join("; "));
    this.faults = faults.slice(0, 5);
  }
}
