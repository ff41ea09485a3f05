/** The state of a task's series: its current instance, and whether anything is left (docs: tasks, "Series"). */
import type { LocalDate } from "../../clock.js";
import { looksLikeRRule, parseRRule } from "./recurrence-rule.js";
import { toRuleWords } from "./rule-translation.js";
import { parseRuleWords } from "./rule-words.js";
import type { Series, Task } from "../task.js";

/** In words where words exist, else as written: `every week on Monday`. */
export function describeRule({ rule, anchor }: Series): string {
  if (looksLikeRRule(rule)) {
    const read = parseRRule(rule);
    return (read.understood ? toRuleWords(read.rule, anchor) : undefined) ?? rule;
  }
  const read = parseRuleWords(rule);
  return (read.understood ? toRuleWords(read.rule, read.whenDone ? "completion" : "scheduled") : undefined) ?? rule;
}

/** The day of the next instance; undefined for a task that does not repeat. */
export function currentDay({ series, scheduled, due }: Task, today: LocalDate): LocalDate | undefined {
  return series && (scheduled ?? due ?? today);
}

/** Whether the current instance is done or skipped, as at the end of a series. */
export function isInstanceOver({ series, scheduled, due }: Task): boolean {
  const day = scheduled ?? due;
  return series !== undefined && day !== undefined && (series.completed.includes(day) || series.skipped.includes(day));
}

export function isUnderstood({ rule }: Series): boolean {
  return (looksLikeRRule(rule) ? parseRRule(rule) : parseRuleWords(rule)).understood;
}
