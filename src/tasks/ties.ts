/** What a task has to do with others, and how its series stands, for those who look at one task (spec: tasks-2, sections 4 and 5). */
import type { LocalDate } from "../clock.js";
import type { TaskTies } from "./api.js";
import type { Relations } from "./relations.js";
import { currentDay, describeRule, isInstanceOver, isUnderstood } from "./series.js";
import type { Task } from "./task.js";

export function tiesOf(task: Task, relations: Relations, today: LocalDate): TaskTies {
  const { series } = task;
  return {
    series: series && {
      rule: describeRule(series),
      understood: isUnderstood(series),
      current: currentDay(task, today),
      isOver: isInstanceOver(task),
    },
    blockers: relations.blockersOf(task),
    isBlocked: relations.isBlocked(task),
    isReady: relations.isReady(task),
    blocks: relations.waitingFor(task),
    subtasks: relations.subtasksOf(task),
  };
}
