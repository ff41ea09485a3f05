/** All prompts in their fixed order. */
import type { ToolBox } from "../tools/registry.js";
import { breakDownProject } from "./break-down-project.js";
import { planMyDay } from "./plan-my-day.js";
import type { Prompt } from "./prompt.js";
import { tasksBase } from "./tasks-base.js";
import { triageInbox } from "./triage-inbox.js";
import { weeklyReview } from "./weekly-review.js";

/** Every prompt. A new one is a line here and a file in this folder. */
export const PROMPTS: readonly Prompt[] = [planMyDay, weeklyReview, triageInbox, breakDownProject, tasksBase];

/** The prompts that make sense with these tools. */
export function promptsFor({ tools }: ToolBox): readonly Prompt[] {
  const on = new Set(tools.map(({ name }) => name));
  return PROMPTS.filter(({ needs }) => needs.every((tool) => on.has(tool)));
}
