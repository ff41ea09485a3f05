/** The prompt that goes through the week: what was done, what is stuck, what comes. */
import { areasOf } from "./argument-values.js";
import { paragraphs, todayIs, type Prompt } from "./prompt.js";

export const weeklyReview: Prompt = {
  name: "weekly-review",
  title: "Weekly review",
  description: "Goes through the week: what moved, what is stuck, what comes next.",
  needs: ["scan_vault", "search_tasks"],
  arguments: [{ name: "area", description: "Only this area of life", values: areasOf }],
  async text(context) {
    const { given, show } = context;
    const { area } = given;
    const recent = await show("find_notes", { since_days: 7, limit: 20, include_content: false });
    return paragraphs(
      `Do my weekly review with me.${todayIs(context)}`,
      area === undefined ? undefined : `Only the area ${JSON.stringify(area)} counts.`,
      await show("scan_vault", {}),
      recent === "" ? undefined : `What changed in the last seven days:\n\n${recent}`,
      `Go through it in this order, one part at a time, and wait for my answer after each:
1. Done: what was finished this week (search_tasks with status "Done"). Two or three sentences.
2. Overdue and stuck: tasks past their date, blocked, or in progress for long. For each: do, move, delegate or drop?
3. Projects: does each have a next step? Name those without one.
4. Next week: what is due, and what I should begin.
Change nothing before I have agreed; then use update_task and create_task.`,
    );
  },
};
