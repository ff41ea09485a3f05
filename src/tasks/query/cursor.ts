/** A position in a list of results as text, for the next page. */
import { VaultError } from "../../errors.js";

export interface Cursor {
  readonly offset: number;
  readonly fingerprint: string;
}

export function cursorText({ offset, fingerprint }: Cursor): string {
  return `${offset}#${fingerprint}`;
}

export function parseCursor(text: string): Cursor {
  const [, offset, fingerprint] = /^\s*(\d{1,9})#([0-9a-f]{8})\s*$/.exec(text) ?? [];
  if (offset !== undefined && fingerprint !== undefined) return { offset: Number(offset), fingerprint };
  throw new VaultError("INVALID_ARGUMENT", `cursor "${text.slice(0, 40)}" is none that an answer gave.`, {
    hint: 'Give it as the last answer did, such as "20#9f3a22c1", or leave it out to begin again.',
  });
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly offset: number;
  /** Says that the list has changed. */
  readonly remarks: readonly string[];
}

/** Starts again if the list is now too short. */
export function pageFrom<Item>(
  items: readonly Item[],
  cursor: Cursor | undefined,
  fingerprint: string,
): ListPage<Item> {
  const offset = cursor === undefined || cursor.offset >= items.length ? 0 : cursor.offset;
  const isSame = cursor === undefined || cursor.fingerprint === fingerprint;
  const place = offset === cursor?.offset ? "the list goes on at the same place" : "the list begins again";
  return {
    items: items.slice(offset),
    offset,
    remarks: isSame ? [] : [`The result has changed since this cursor was given; ${place}.`],
  };
}
