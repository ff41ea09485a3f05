/** The prompt that reviews the week: what was done, what is stuck, what comes next. */
import { areasOf } from "./argument-values.js";
import { paragraphs, todayIs, type Prompt } from "./prompt.js";

export const weeklyReview: Prompt = {
  name: "weekly-review",
  title: "Weekly review",
  description: "Goes through the week: what moved, what is stuck, what comes next.",
  needs: ["get_agenda", "search_tasks"],
  arguments: [{ name: "area", description: "Only this area of life", values: areasOf }],
  async text(context) {
    const { given, show } = context;
    const { area } = given;
    return paragraphs(
      `Do my weekly review with me.${todayIs(context)}`,
      area === undefined ? undefined : `Only the area ${JSON.stringify(area)} counts.`,
      await show("get_agenda", { view: "review" }),
      await show("get_agenda", { view: "projects" }),
      await show("get_agenda", { view: "week" }),
      `Go through it in this order, one part at a time, and wait for my answer after each:
1. Done: what was finished this week. Two or three sentences.
2. Overdue, waiting and stale tasks. For each: do, move, delegate or drop?
3. Projects: does each have a next task that is ready? Name those without one, and propose one.
4. Next week: what is due, and what I should begin.
Change nothing before I have agreed; then use update_task and create_task.`,
    );
  },
};
