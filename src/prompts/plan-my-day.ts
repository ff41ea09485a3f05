/** The prompt that makes a plan for today out of the agenda. */
import { areasOf } from "./argument-values.js";
import { paragraphs, todayIs, type Prompt } from "./prompt.js";

export const planMyDay: Prompt = {
  name: "plan-my-day",
  title: "Plan my day",
  description: "A realistic plan for today out of what is overdue, due and in progress.",
  needs: ["get_agenda", "search_tasks"],
  arguments: [
    { name: "area", description: "Only this area of life", values: areasOf },
    {
      name: "hours",
      description: "How many hours there are for tasks",
      values: async () => ["2", "4", "6", "8"],
    },
  ],
  async text(context) {
    const { given, show } = context;
    const { area, hours } = given;
    const inArea = area === undefined ? {} : { area };
    return paragraphs(
      `Plan my day.${todayIs(context)}`,
      area === undefined ? undefined : `Only tasks of the area ${JSON.stringify(area)} count.`,
      hours === undefined ? undefined : `I have ${JSON.stringify(hours)} hours for tasks; leave a fifth of them free.`,
      await show("get_agenda", { view: "day" }),
      await show("search_tasks", { query: "*", is: ["ready"], limit: 20, ...inArea }),
      `Find what else you need with search_tasks and get_task. Then give me:
1. At most three things that must be done today, and why those (overdue and due today first, then high priority, then what others wait for).
2. What else fits, in the order I should do it, with a guess of how long each takes.
3. What to move to another day or drop, as questions to me.
Leave out what waits for something else. Change nothing before I have agreed; then set new dates and statuses with update_task.`,
    );
  },
};
