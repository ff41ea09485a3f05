/** Replaces link targets or subpaths in a note or canvas, and no other byte. */
import { splitNote } from "../frontmatter/frontmatter.js";
import { quotePiece, readCells, unquote, type Cell, type Cells } from "../frontmatter/cells.js";
import { scanLinks } from "../visit-note.js";
import { type LinkSpan, subpathPlace, writeSubpath, writeTarget } from "./wikilink.js";
import { canvasLinks, jsonText, type CanvasLink } from "./canvas.js";
import { applySplices, type Splice } from "../line-edit.js";

/** A link from `scanLinks`, and its new decoded path, name or subpath (with its `#`). */
interface Retarget {
  readonly span: LinkSpan;
  readonly target?: string;
  readonly subpath?: string;
}

interface Refused {
  readonly span: LinkSpan;
  readonly reason: string;
}

interface RetargetOutcome {
  readonly text: string;
  readonly made: readonly Retarget[];
  readonly refused: readonly Refused[];
}

const NOT_IN_FORM = "the new name holds a character that this form of link cannot";
const NOT_IN_PROPERTY = "its property cannot hold the new name as it is quoted";
const UNUSUAL_PROPERTY = "it is in a property of unusual layout";
const NOT_READ_BACK = "the link did not read back as it should";

/**
 * Form, alias, encoding and quoting stay. Reads the result back, and refuses a link that would differ from the request
 * or change the rest of its property. Never throws.
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

/** All edits of a kind when it is unclear which was misread. */
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

/** Such as an image's, which a change of the image's target changes too. */
function holdsLink(display: string | undefined): boolean {
  return display !== undefined && /\[\[|\]\(/.test(display);
}

/** All edits when other properties change too. */
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

/** As `Retarget`, from `canvasLinks`. */
interface CanvasRetarget {
  readonly link: CanvasLink;
  readonly target?: string;
  readonly subpath?: string;
}

interface CanvasOutcome {
  readonly text: string;
  readonly made: number;
  readonly refused: readonly { readonly link: CanvasLink; readonly reason: string }[];
}

/** Reads the result back: if any link differs from the request, all are refused. Never throws. */
export function retargetCanvas(text: string, retargets: readonly CanvasRetarget[]): CanvasOutcome {
  const edits: (Splice & CanvasRetarget)[] = [];
  const refused: { link: CanvasLink; reason: string }[] = [];
  for (const retarget of retargets) {
    const { link, subpath } = retarget;
    const place = subpath === undefined ? { start: link.targetStart, end: link.targetEnd } : link.subpathPlace;
    const written = place && writtenIn(text.slice(place.start, place.end), retarget);
    if (place === undefined || written === undefined) refused.push({ link, reason: NOT_IN_FORM });
    else edits.push({ ...place, text: jsonText(written), ...retarget });
  }
  const result = applySplices(text, edits);
  if (readsAs(canvasLinks(text), canvasLinks(result), edits)) return { text: result, made: edits.length, refused };
  return { text, made: 0, refused: [...refused, ...edits.map(({ link }) => ({ link, reason: NOT_READ_BACK }))] };
}

function writtenIn(json: string, { link, target, subpath }: CanvasRetarget): string | undefined {
  const { span } = link;
  if (span === undefined) return subpath ?? target;
  const raw: unknown = JSON.parse(`"${json}"`);
  if (span.property !== undefined || typeof raw !== "string") return undefined;
  return subpath === undefined ? writeTarget(span, raw, target ?? span.target) : writeSubpath(span, raw, subpath);
}

function readsAs(
  before: readonly CanvasLink[],
  after: readonly CanvasLink[],
  edits: readonly CanvasRetarget[],
): boolean {
  const made = new Map(edits.map((edit) => [edit.link.targetStart, edit]));
  return (
    after.length === before.length &&
    before.every((link, index) => {
      const now = after[index];
      const { kind, subpath, embed, target } = { ...link, ...made.get(link.targetStart) };
      return now?.kind === kind && now.subpath === subpath && now.embed === embed && now.target === target;
    })
  );
}

/** A link as a note says it. */
export interface WrittenTarget {
  /** With a leading slash in a canvas's file node, which in a link means a path from the root. */
  readonly target: string;
  readonly subpath: string;
  readonly form: LinkSpan["form"];
  /** Of a canvas's file node: only a whole path may replace it. */
  readonly isPath?: boolean;
}

export interface RewrittenLinks {
  readonly text: string;
  readonly links: number;
  /** One sentence for each link that could not be rewritten. */
  readonly refused: readonly string[];
}

export function targetsIn(text: string, isCanvas: boolean): readonly WrittenTarget[] {
  return isCanvas ? canvasLinks(text).map(targetInCanvas) : scanLinks(text, splitNote(text));
}

function targetInCanvas({ span, target, subpath }: CanvasLink): WrittenTarget {
  return span ?? { target: `/${target}`, subpath, form: "wikilink", isPath: true };
}

/** @param change undefined when the link stays; a text says why it cannot change */
export function changeLinks(
  text: string,
  isCanvas: boolean,
  change: (link: WrittenTarget) => { readonly target?: string; readonly subpath?: string } | string | undefined,
): RewrittenLinks {
  const refused: string[] = [];
  const refuse = (reason: string, line?: number): void =>
    void refused.push(`${line === undefined ? "A link" : `The link in line ${line}`} stays as it is: ${reason}.`);
  const wanted = <Item extends object>(item: Item, link: WrittenTarget, line?: number) => {
    const made = change(link);
    if (typeof made === "string") refuse(made, line);
    return typeof made === "object" ? [{ ...item, ...made }] : [];
  };
  if (isCanvas) {
    const outcome = retargetCanvas(
      text,
      canvasLinks(text).flatMap((link) => wanted({ link }, targetInCanvas(link))),
    );
    for (const { reason } of outcome.refused) refuse(reason);
    return { text: outcome.text, links: outcome.made, refused };
  }
  const outcome = retargetLinks(
    text,
    scanLinks(text, splitNote(text)).flatMap((span) => wanted({ span }, span, span.line)),
  );
  for (const { span, reason } of outcome.refused) refuse(reason, span.line);
  return { text: outcome.text, links: outcome.made.length, refused };
}
