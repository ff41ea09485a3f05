/** The prompt that breaks a project down into tasks that can be done. */
import { projectsOf } from "./argument-values.js";
import { paragraphs, todayIs, type Prompt } from "./prompt.js";

export const breakDownProject: Prompt = {
  name: "break-down-project",
  title: "Break down a project",
  description: "Makes a project into small tasks, each with a clear end.",
  needs: ["search_tasks", "create_task"],
  arguments: [
    { name: "project", description: "The project's name or note", required: true, values: projectsOf },
    { name: "deadline", description: "When it must be finished, YYYY-MM-DD" },
  ],
  async text(context) {
    const { given, show } = context;
    const { project = "", deadline } = given;
    return paragraphs(
      `Break my project ${JSON.stringify(project)} down into tasks.${todayIs(context)}`,
      deadline === undefined ? undefined : `It must be finished by ${JSON.stringify(deadline)}.`,
      await show("obsidian_read_note", { note: project }),
      await show("search_tasks", { query: project, limit: 20 }),
      `Ask me at most three questions about what is unclear. Then propose up to ten tasks that:
- begin with a verb, take one sitting each, and have a clear end
- do not repeat tasks that are there already
- stand in the order they have to be done, with dates that fit the deadline
After my yes make them with create_task, parentProjects [${JSON.stringify(project)}], and tell me the first one to begin with.`,
    );
  },
};
