/** A file as the pieces it is stored in, preferring those that the database has already (spec: livesync, section 6). */
import { VaultError } from "../../../errors.js";
import type { VaultPath } from "../../path.js";
import { isTextPath } from "./content.js";
import { pieceEnds, type SplitRules } from "./splitter.js";

/** A piece as its chunk holds it: text, or base64. */
export type Piece = string;

/** What is cut anew takes its neighbours in until no piece is shorter than this, or edits would leave crumbs. */
const CRUMB = 128;
/** So many bytes must be spared before the client's own borders are given up: only these are shared with copies of the file. */
const WORTH = 32 * 1024;

/**
 * Cuts a file where the client would. `before` are the pieces that the file is stored in now: one edit moves nearly every border of
 * the client's behind it, so in a long file only what changed is cut anew. Any cut is valid.
 * @throws VaultError NOT_TEXT when a file that clients store as text is not UTF-8
 */
export function cut(
  path: VaultPath,
  bytes: Uint8Array,
  rules: SplitRules,
  before: readonly Piece[] = [],
): readonly Piece[] {
  const isText = isTextPath(path);
  if (isText) assertText(path, bytes);
  const encoding = isText ? "utf8" : "base64";
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fresh = slices(content, pieceEnds(bytes, isText, rules));
  const old = content.length > WORTH ? kept(before, encoding) : [];
  const chosen = old.length > 1 ? cheaper(fresh, patched(content, isText, rules, old), before, encoding) : fresh;
  return chosen.map((piece) => piece.toString(encoding));
}

/** The old pieces as bytes. Those of another form (the file was stored as text before) give nothing that fits. */
function kept(before: readonly Piece[], encoding: "utf8" | "base64"): readonly Buffer[] {
  return before.map((piece) => Buffer.from(piece, encoding)).filter(({ length }) => length > 0);
}

/** Of two cuts the client's own, unless the other spares the database much. */
function cheaper(
  fresh: readonly Buffer[],
  patch: readonly Buffer[],
  before: readonly Piece[],
  encoding: "utf8" | "base64",
): readonly Buffer[] {
  const known = new Set(before);
  const cost = (pieces: readonly Buffer[]): number =>
    pieces.reduce((sum, piece) => sum + (known.has(piece.toString(encoding)) ? 0 : piece.length), 0);
  return cost(patch) + WORTH < cost(fresh) ? patch : fresh;
}

/** Keeps the old pieces at both ends and cuts what lies between. */
function patched(content: Buffer, isText: boolean, rules: SplitRules, old: readonly Buffer[]): readonly Buffer[] {
  const { pieces: head, end } = leading(content, old);
  const { pieces: tail, start } = trailing(content, end, old.slice(head.length));
  let [from, to] = [end, start];
  while (to - from < CRUMB && head.length > 0) from -= head.pop()?.length ?? 0;
  for (;;) {
    const middle = content.subarray(from, to);
    const pieces = slices(middle, pieceEnds(middle, isText, rules));
    const next = (pieces.at(-1)?.length ?? 0) < CRUMB ? tail.shift() : undefined;
    if (next === undefined) return [...head, ...pieces, ...tail];
    to += next.length;
  }
}

function leading(content: Buffer, old: readonly Buffer[]): { readonly pieces: Buffer[]; readonly end: number } {
  const pieces: Buffer[] = [];
  let end = 0;
  for (const piece of old) {
    if (!content.subarray(end, end + piece.length).equals(piece)) break;
    pieces.push(piece);
    end += piece.length;
  }
  return { pieces, end };
}

function trailing(
  content: Buffer,
  from: number,
  old: readonly Buffer[],
): { readonly pieces: Buffer[]; readonly start: number } {
  const pieces: Buffer[] = [];
  let start = content.length;
  for (const piece of old.toReversed()) {
    if (start - piece.length < from || !content.subarray(start - piece.length, start).equals(piece)) break;
    pieces.unshift(piece);
    start -= piece.length;
  }
  return { pieces, start };
}

function slices(content: Buffer, ends: readonly number[]): readonly Buffer[] {
  return ends.map((end, index) => content.subarray(ends[index - 1] ?? 0, end));
}

function assertText(path: VaultPath, bytes: Uint8Array): void {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new VaultError("NOT_TEXT", `'${path}' would not be UTF-8 text; LiveSync stores files of its kind as text.`, {
      path,
      hint: "Write it as UTF-8.",
      cause,
    });
  }
}
