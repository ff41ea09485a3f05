/** A change of properties in words, read from its difference. */
import { WORDS } from "../words.js";
import { LATER_WORDS } from "../later-words.js";
import { dayText, isDay } from "./days.js";

/** Bookkeeping that says nothing of the task. */
const KEPT_BY_PROGRAMS = /^(modified|updated|dateModified|lastModified)$/i;

/** Such as `Due today → Fri 4 Dec`; empty if other text changed. @param diff unified */
export function changedFields(diff = "", today: string): string {
  const values = new Map<string, { before: string; after: string }>();
  for (const line of diff.split("\n").filter((one) => /^[-+](?!--|\+\+)/.test(one))) {
    const [, sign, key = "", value = ""] = /^([-+])([\w ]+):[ ]?(.*)$/.exec(line) ?? [];
    if (sign === undefined) return "";
    const pair = values.get(key) ?? { before: "", after: "" };
    values.set(key, { ...pair, [sign === "-" ? "before" : "after"]: shown(value, today) });
  }
  return [...values]
    .filter(([key]) => !KEPT_BY_PROGRAMS.test(key))
    .map(([key, { before, after }]) => LATER_WORDS.fieldChanged(WORDS.capital(key), before, after))
    .join(", ");
}

const shown = (value: string, today: string): string =>
  isDay(value) ? dayText(value, today) : value.replaceAll(/["[\]]/g, "");
