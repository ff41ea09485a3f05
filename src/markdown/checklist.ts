/** Counts a note's checkboxes. */
import { scanBlocks } from "./blocks.js";

export interface Checklist {
  readonly done: number;
  /** Without cancelled ones (`[-]`). */
  readonly total: number;
}

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

/** In UTF-16 units; a checkbox is near its line's beginning. */
const MAX_READ = 200;
