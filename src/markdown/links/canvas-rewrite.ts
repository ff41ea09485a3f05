/** Replaces link targets or subpaths in a `.canvas` file, and no other byte. */
import { canvasLinks, jsonText, type CanvasLink } from "./canvas.js";
import { NOT_IN_FORM, NOT_READ_BACK } from "./rewrite.js";
import { writeSubpath, writeTarget } from "./target.js";
import { applySplices, type Splice } from "../line-edit.js";

/** A link from `canvasLinks`, and its new decoded path, name or subpath (with its `#`). */
export interface CanvasRetarget {
  readonly link: CanvasLink;
  readonly target?: string;
  readonly subpath?: string;
}

export interface CanvasOutcome {
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
