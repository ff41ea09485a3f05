/** Keeps a series going: its status would end it, and finishing one instance of it is not known yet (spec: tasks-2, section 4). */
import { VaultError } from "../../errors.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { isEmpty } from "../fields/kinds.js";
import { oneLine, readFlag, textsOf } from "../fields/property-values.js";
import { normaliseWord } from "../fields/vocabulary.js";

/** Keys that hold a recurrence rule, as `normaliseWord` gives them. */
const RULE_KEYS = new Set(["recurrence", "rrule", "repeat", "repeats", "recurring", "every"]);
/** Words that are no rule besides those of a flag. */
const NO_RULE = new Set(["none", "never", "null"]);
const LONGEST_SHOWN = 100;

/** @throws VaultError INVALID_ARGUMENT naming the rule, when the note holds one: finished, its task would never come again */
export function assertNoSeries(properties: readonly Property[]): void {
  const rule = properties.find(isRule);
  if (rule === undefined) return;
  const key = oneLine(rule.key);
  const said = [key, textsOf(rule).join(", ").slice(0, LONGEST_SHOWN)].filter(Boolean).join(": ");
  throw new VaultError("INVALID_ARGUMENT", `This task repeats ("${said}"): Done would end the whole series.`, {
    hint: `To finish only this instance, set dueDate to the next day instead, or complete it in Obsidian. To end the series, take "${key}" out of the note first.`,
    line: rule.line,
  });
}

function isRule(property: Property): boolean {
  if (!RULE_KEYS.has(normaliseWord(property.key)) || isEmpty(property) || property.value === null) return false;
  return readFlag(property) !== false && !NO_RULE.has(normaliseWord(property.text ?? ""));
}
