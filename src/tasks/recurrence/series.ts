/** What a task's series comes to: the day of its current instance, and whether anything is left of it (docs: tasks, "Series"). */
import type { LocalDate } from "../../clock.js";
import { looksLikeRRule, parseRRule } from "./recurrence-rule.js";
import { toRuleWords } from "./rule-translation.js";
import { parseRuleWords } from "./rule-words.js";
import type { Series, Task } from "../task.js";

/** A rule in words where there are words for it, else as it stands: `every week on Monday`. */
export function describeRule({ rule, anchor }: Series): string {
  if (looksLikeRRule(rule)) {
    const read = parseRRule(rule);
    return (read.understood ? toRuleWords(read.rule, anchor) : undefined) ?? rule;
  }
  const read = parseRuleWords(rule);
  return (read.understood ? toRuleWords(read.rule, read.whenDone ? "completion" : "scheduled") : undefined) ?? rule;
}

/** The day of the instance that is next to be done; undefined for a task that does not repeat. */
export function currentDay({ series, scheduled, due }: Task, today: LocalDate): LocalDate | undefined {
  return series && (scheduled ?? due ?? today);
}

/** Whether the current instance is done or skipped already, which is so at the end of a series. */
export function isInstanceOver({ series, scheduled, due }: Task): boolean {
  const day = scheduled ?? due;
  return series !== undefined && day !== undefined && (series.completed.includes(day) || series.skipped.includes(day));
}

/** Whether the rule can be followed. */
export function isUnderstood({ rule }: Series): boolean {
  return (looksLikeRRule(rule) ? parseRRule(rule) : parseRuleWords(rule)).understood;
}
