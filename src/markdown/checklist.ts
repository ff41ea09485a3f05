/** Counts the checkboxes of a note's text. */
import { scanBlocks } from "./blocks.js";

export interface Checklist {
  readonly done: number;
  /** Without those that were cancelled (`[-]`). */
  readonly total: number;
}

/** What begins a list item that is a checkbox, quote marks included. */
const CHECKBOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\](?=[ \t]|$)/u;
const CANCELLED = "-";

/** @param bodyStart where the text behind the frontmatter begins */
export function checklistIn(text: string, bodyStart: number): Checklist {
  let [done, total] = [0, 0];
  const item = (start: number, end: number): void => {
    const symbol = CHECKBOX.exec(text.slice(start, Math.min(end, start + MAX_READ)))?.[1];
    if (symbol === undefined || symbol === CANCELLED) return;
    total++;
    if (symbol === "x" || symbol === "X") done++;
  };
  scanBlocks(text, bodyStart, { item });
  return { done, total };
}

/** A checkbox is near the beginning of its line. */
const MAX_READ = 200;
