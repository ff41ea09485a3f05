/** Counts the checkboxes of a note's text. */
import { scanBlocks } from "./blocks.js";

export interface Checklist {
  readonly done: number;
  /** Without cancelled ones (`[-]`). */
  readonly total: number;
}

/** The beginning of a list item with a checkbox, quote marks included. */
const CHECKBOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\](?=[ \t]|$)/u;
const CANCELLED = "-";

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

/** Units of a line to read: a checkbox is near its beginning. */
const MAX_READ = 200;
