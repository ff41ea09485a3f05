/** A place in a list of found tasks as text, by which a search goes on. */
import { VaultError } from "../errors.js";

/** A place in a list of results: how many come before it, and the fingerprint of the list it was given for. */
export interface Cursor {
  readonly offset: number;
  readonly fingerprint: string;
}

export function cursorText({ offset, fingerprint }: Cursor): string {
  return `${offset}#${fingerprint}`;
}

/** @throws VaultError INVALID_ARGUMENT for a text that no answer gave */
export function parseCursor(text: string): Cursor {
  const [, offset, fingerprint] = /^\s*(\d{1,9})#([0-9a-f]{8})\s*$/.exec(text) ?? [];
  if (offset !== undefined && fingerprint !== undefined) return { offset: Number(offset), fingerprint };
  throw new VaultError("INVALID_ARGUMENT", `cursor "${text.slice(0, 40)}" is none that an answer gave.`, {
    hint: 'Give it as the last answer did, such as "20#9f3a22c1", or leave it out to begin anew.',
  });
}
