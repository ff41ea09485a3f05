/** Replaces link targets or subpaths in a note, and no other byte. */
import { splitNote } from "../frontmatter/frontmatter.js";
import { quotePiece, readCells, unquote, type Cell, type Cells } from "../frontmatter/cells.js";
import { scanLinks } from "./scan.js";
import type { LinkSpan } from "./wikilink.js";
import { subpathPlace, writeSubpath, writeTarget } from "./target.js";
import { applySplices, type Splice } from "../line-edit.js";

/** A link from `scanLinks`, and its new decoded path, name or subpath (with its `#`). */
export interface Retarget {
  readonly span: LinkSpan;
  readonly target?: string;
  readonly subpath?: string;
}

export interface Refused {
  readonly span: LinkSpan;
  readonly reason: string;
}

export interface RetargetOutcome {
  readonly text: string;
  readonly made: readonly Retarget[];
  readonly refused: readonly Refused[];
}

export const NOT_IN_FORM = "the new name holds a character that this form of link cannot";
const NOT_IN_PROPERTY = "its property cannot hold the new name as it is quoted";
const UNUSUAL_PROPERTY = "it is in a property of unusual layout";
export const NOT_READ_BACK = "the link did not read back as it should";

/**
 * Form, alias, encoding and quoting stay. Reads the result back: a link that would differ from the request, or change
 * the rest of its property, is refused. Never throws.
 */
export function retargetLinks(text: string, retargets: readonly Retarget[]): RetargetOutcome {
  const refused: Refused[] = [];
  const cells = retargets.some(({ span }) => span.property !== undefined) ? readCells(text) : undefined;
  let edits = retargets
    .toSorted((one, other) => one.span.start - other.span.start)
    .flatMap((retarget) => {
      const edit = editOf(text, retarget, cells);
      if (typeof edit !== "string") return [edit];
      refused.push({ span: retarget.span, reason: edit });
      return [];
    });
  for (;;) {
    const result = applySplices(text, edits);
    const wrong = edits.length === 0 ? undefined : misread(text, result, edits, cells);
    if (wrong === undefined) return { text: result, made: edits.map(({ retarget }) => retarget), refused };
    refused.push(...wrong.map(({ retarget, cell }) => refusal(retarget, cell)));
    edits = edits.filter((edit) => !wrong.includes(edit));
  }
}

interface Edit extends Splice {
  readonly retarget: Retarget;
  readonly cell: Cell | undefined;
}

function refusal({ span }: Retarget, cell: Cell | undefined): Refused {
  return { span, reason: cell === undefined ? NOT_READ_BACK : NOT_IN_PROPERTY };
}

function editOf(text: string, retarget: Retarget, cells: Cells | undefined): Edit | string {
  const { span, target, subpath } = retarget;
  const place = subpath === undefined ? { start: span.targetStart, end: span.targetEnd } : subpathPlace(text, span);
  if (place === undefined) return NOT_READ_BACK;
  const raw = text.slice(place.start, place.end);
  const write = (old: string): string | undefined =>
    subpath === undefined ? writeTarget(span, old, target ?? span.target) : writeSubpath(span, old, subpath);
  if (span.property === undefined) {
    const written = write(raw);
    return written === undefined ? NOT_IN_FORM : { ...place, text: written, retarget, cell: undefined };
  }
  const cell = cells?.cells.find(({ start, end }) => start <= place.start && place.end <= end);
  const said = cell && unquote(raw, cell.style);
  const fault = cells?.faults.find(({ start, end }) => start <= span.start && span.end <= end);
  if (fault !== undefined) return `its property cannot be read (${fault.reason})`;
  if (cell === undefined || said === undefined) return UNUSUAL_PROPERTY;
  const written = write(said);
  const quoted = written === undefined ? undefined : quotePiece(written, cell.style);
  if (quoted === undefined) return written === undefined ? NOT_IN_FORM : NOT_IN_PROPERTY;
  return { ...place, text: quoted, retarget, cell };
}

/** Edits that were misread; all edits of a kind when it is unclear which. */
function misread(
  text: string,
  result: string,
  edits: readonly Edit[],
  cells: Cells | undefined,
): readonly Edit[] | undefined {
  const inProperties = edits.filter(({ cell }) => cell !== undefined);
  if (cells !== undefined && inProperties.length > 0) {
    const wrong = misreadProperties(text, result, inProperties, cells);
    if (wrong.length > 0) return wrong;
  }
  const before = scanLinks(text, splitNote(text));
  const after = scanLinks(result, splitNote(result));
  const made = new Map(edits.map((edit) => [edit.retarget.span.targetStart, edit]));
  if (after.length !== before.length) return edits;
  const wrong = before.flatMap((span, index) => {
    const edit = made.get(span.targetStart);
    return sameBut({ ...span, ...edit?.retarget }, after[index]) ? [] : [edit];
  });
  if (wrong.length === 0) return undefined;
  const named = wrong.filter((edit) => edit !== undefined);
  return named.length > 0 ? named : edits;
}

function sameBut(span: LinkSpan, other: LinkSpan | undefined): boolean {
  return (
    other !== undefined &&
    other.form === span.form &&
    other.embed === span.embed &&
    other.subpath === span.subpath &&
    (other.display === span.display || holdsLink(span.display)) &&
    other.property === span.property &&
    other.line === span.line &&
    other.target === span.target
  );
}

/** Whether the shown text has a link, such as an image's, which a change of the image's target changes too. */
function holdsLink(display: string | undefined): boolean {
  return display !== undefined && /\[\[|\]\(/.test(display);
}

/** Misread edits of properties; all edits when other properties change too. */
function misreadProperties(text: string, result: string, edits: readonly Edit[], before: Cells): readonly Edit[] {
  const after = readCells(result);
  if (after.cells.length !== before.cells.length || after.faults.length !== before.faults.length) return edits;
  return before.cells.flatMap((cell, index) => {
    const mine = edits.filter((edit) => edit.cell === cell);
    const wanted = mine.length > 0 ? unquote(rewritten(text, cell, mine), cell.style) : cell.text;
    if (after.cells[index]?.text === wanted) return [];
    return mine.length > 0 ? mine : edits;
  });
}

function rewritten(text: string, cell: Cell, edits: readonly Edit[]): string {
  const moved = edits.map((edit) => ({ ...edit, start: edit.start - cell.start, end: edit.end - cell.start }));
  return applySplices(text.slice(cell.start, cell.end), moved);
}
