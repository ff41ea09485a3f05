/** A position in a list, as text with a fingerprint of what the list held. */
import { VaultError } from "../errors.js";
import { hashText } from "../text/hash.js";

export interface Cursor {
  readonly offset: number;
  readonly fingerprint: string;
}

/**
 * Names a list by what was asked for, so that a cursor of another list is refused. Searches have no name: their cursors end
 * in the fingerprint of their selection.
 */
export const listName = (...asked: readonly unknown[]): string => hashText(JSON.stringify(asked)).slice(0, 4);

/** @param list by `listName` */
export const cursorText = ({ offset, fingerprint }: Cursor, list = ""): string => `${offset}#${fingerprint}${list}`;

/** @throws VaultError INVALID_ARGUMENT for other text, and for a cursor of another list */
export function parseCursor(text: string, list = ""): Cursor {
  const [, offset, fingerprint, of] = /^\s*(\d{1,9})#([0-9a-f]{8})([0-9a-f]{4}|)\s*$/.exec(text) ?? [];
  if (offset !== undefined && fingerprint !== undefined && of === list) return { offset: Number(offset), fingerprint };
  const what = of === undefined ? "is none that an answer gave" : "is of another list";
  throw new VaultError("INVALID_ARGUMENT", `cursor "${text.slice(0, 40)}" ${what}.`, {
    hint: "Repeat the call whose answer gave it, with that cursor, or leave it out to begin again.",
  });
}

interface CursorPage {
  readonly offset: number;
  /** Says that the list has changed. */
  readonly remarks: readonly string[];
}

/** Starts again if the list is now too short. */
export function pageFrom(total: number, cursor: Cursor | undefined, fingerprint: string): CursorPage {
  const offset = cursor === undefined || cursor.offset >= total ? 0 : cursor.offset;
  const isSame = cursor === undefined || cursor.fingerprint === fingerprint;
  const place = offset === cursor?.offset ? "the list goes on at the same place" : "the list begins again";
  return {
    offset,
    remarks: isSame ? [] : [`The result has changed since this cursor was given; ${place}.`],
  };
}
