/**
 * The steps of the writing protocol. Tests switch them off one by one to show that they notice (reliability, promise
 * 13).
 */

export interface Safeguards {
  /** Locks out the other writers of this user. */
  readonly lock: boolean;
  /** Flushes the file and its folder to disk. */
  readonly flush: boolean;
  /** Checks right before the rename that the file is still what was read. */
  readonly check: boolean;
  /** Checks the replaced file again after the rename. */
  readonly lookAgain: boolean;
}

export const ALL_SAFEGUARDS: Safeguards = { lock: true, flush: true, check: true, lookAgain: true };
