/** Replaces the targets of links in a `.canvas` file, and no other byte. */
import { canvasLinks, jsonText, type CanvasLink } from "./canvas.js";
import { NOT_IN_FORM, NOT_READ_BACK } from "./rewrite.js";
import { writeTarget } from "./target.js";
import { applySplices, type Splice } from "../line-edit.js";

/** A link from `canvasLinks`, and its new decoded path or name. */
export interface CanvasRetarget {
  readonly link: CanvasLink;
  readonly target: string;
}

export interface CanvasOutcome {
  readonly text: string;
  readonly made: number;
  readonly refused: readonly { readonly link: CanvasLink; readonly reason: string }[];
}

/**
 * Replaces the targets of links. The result is read back: if any link then differs from the request, nothing is changed and all
 * are refused. Never throws, whatever the file contains.
 */
export function retargetCanvas(text: string, retargets: readonly CanvasRetarget[]): CanvasOutcome {
  const edits: (Splice & CanvasRetarget)[] = [];
  const refused: { link: CanvasLink; reason: string }[] = [];
  for (const { link, target } of retargets) {
    const written = targetOf(text, link, target);
    if (written === undefined) refused.push({ link, reason: NOT_IN_FORM });
    else edits.push({ start: link.targetStart, end: link.targetEnd, text: jsonText(written), link, target });
  }
  const result = applySplices(text, edits);
  if (readsAs(canvasLinks(text), canvasLinks(result), edits)) return { text: result, made: edits.length, refused };
  return { text, made: 0, refused: [...refused, ...edits.map(({ link }) => ({ link, reason: NOT_READ_BACK }))] };
}

function targetOf(text: string, { span, targetStart, targetEnd }: CanvasLink, target: string): string | undefined {
  if (span === undefined) return target;
  const raw: unknown = JSON.parse(`"${text.slice(targetStart, targetEnd)}"`);
  return span.property === undefined && typeof raw === "string" ? writeTarget(span, raw, target) : undefined;
}

function readsAs(
  before: readonly CanvasLink[],
  after: readonly CanvasLink[],
  edits: readonly CanvasRetarget[],
): boolean {
  const targets = new Map(edits.map(({ link, target }) => [link.targetStart, target]));
  return (
    after.length === before.length &&
    before.every((link, index) => {
      const now = after[index];
      const { kind, subpath, embed } = link;
      const said = targets.get(link.targetStart) ?? link.target;
      return now?.kind === kind && now.subpath === subpath && now.embed === embed && now.target === said;
    })
  );
}
