/** Scores how well a document matches a query. */
import { fold, isAscii } from "../text/fold.js";
import { type Query, type Term, SEPARATOR, SPACED, classAt, classBefore } from "./words.js";

export interface SearchField<Doc> {
  readonly name: string;
  /** An integer, 1 for the least important field. */
  readonly weight: number;
  /** Empty when the document has none. */
  text(doc: Doc): string;
}

/** All fields in one text, heaviest first. */
export interface FoldedDocument {
  readonly text: string;
  /** Of each field; the last entry is the text's end plus one. */
  readonly starts: readonly number[];
}

/** No term contains white space, so none matches across fields. */
const BETWEEN_FIELDS = "\n";

/** `fields` must be ordered by falling weight, and be the same whenever scores are compared. */
export function foldDocument<Doc>(fields: readonly SearchField<Doc>[], doc: Doc): FoldedDocument {
  const texts = fields.map((field) => field.text(doc));
  const plain = joinFields(texts);
  // Most tasks are ASCII, and folding all fields at once is faster.
  if (isAscii(plain)) return { text: plain.toLowerCase(), starts: fieldStarts(texts) };
  const parts = texts.map(fold);
  return { text: joinFields(parts), starts: fieldStarts(parts) };
}

function joinFields(texts: readonly string[]): string {
  return [...texts, ""].join(BETWEEN_FIELDS);
}

function fieldStarts(texts: readonly string[]): number[] {
  const starts = [0];
  let end = 0;
  for (const text of texts) starts.push((end += text.length + BETWEEN_FIELDS.length));
  // The copy takes less memory.
  return starts.slice();
}

/** Points of a match, multiplied by the field's weight. */
const EXACT = 100;
const INSIDE = 80;
const PREFIX = 60;
const AT_START = 20;
const PHRASE = 50;
const WHOLE_FIELD = 100;

/** A positive integer; 0 when the term does not occur. */
export function asTyped({ text, starts }: FoldedDocument, term: Term, weights: readonly number[]): number {
  let best = 0;
  let field = 0;
  for (let at = text.indexOf(term.text); at !== -1; at = text.indexOf(term.text, at + 1)) {
    while (at >= (starts[field + 1] ?? Infinity)) field++;
    const weight = weights[field] ?? 0;
    // Fields come heaviest first, so no later match is better.
    if (best >= weight * (EXACT + AT_START)) break;
    const points = matchPoints(text, at, term);
    if (points > 0) best = Math.max(best, weight * (points + (at === starts[field] ? AT_START : 0)));
  }
  return best;
}

function matchPoints(text: string, at: number, term: Term): number {
  if (term.kind === "inside") return INSIDE;
  if (classBefore(text, at) === SPACED) return 0;
  if (classAt(text, at + term.text.length) !== SPACED) return EXACT;
  return term.kind === "whole" ? 0 : PREFIX;
}

/** For a word in a body. */
export const POINTS = { exact: EXACT, beginning: PREFIX, inside: INSIDE } as const;

/** Whether a text has the term as typed, not misspelt. */
export function hasTerm(folded: string, term: Term): boolean {
  return asTyped({ text: folded, starts: [0, folded.length + 1] }, term, [1]) > 0;
}

/** For a field that contains or equals the query as one phrase. */
export function togetherness({ text, starts }: FoldedDocument, query: Query, weights: readonly number[]): number {
  const { phrase, terms } = query;
  const at = text.indexOf(phrase);
  if (at === -1) return 0;
  let best = 0;
  for (let field = 0; field < weights.length; field++) {
    const weight = weights[field] ?? 0;
    const start = starts[field] ?? 0;
    const end = (starts[field + 1] ?? 0) - BETWEEN_FIELDS.length;
    if (end - start === phrase.length && text.startsWith(phrase, start)) best = Math.max(best, weight * WHOLE_FIELD);
    if (terms.length < 2) continue;
    const within = text.indexOf(phrase, start);
    if (within !== -1 && within + phrase.length <= end && classBefore(text, within) === SEPARATOR) {
      best = Math.max(best, weight * PHRASE);
    }
  }
  return best;
}
