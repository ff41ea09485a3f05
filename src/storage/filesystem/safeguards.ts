/** The parts of the writing protocol, each of which a test can leave out to show that its rig notices (reliability, promise 13). */

export interface Safeguards {
  /** Locks out the other writers of this user. */
  readonly lock: boolean;
  /** Flushes the file and its folder to disk. */
  readonly flush: boolean;
  /** Makes sure right before the rename that the file is still what was read. */
  readonly check: boolean;
  /** Looks at the replaced file again after the rename. */
  readonly lookAgain: boolean;
}

export const ALL_SAFEGUARDS: Safeguards = { lock: true, flush: true, check: true, lookAgain: true };
