/** The prompt that adds a Bases file showing the vault's tasks. */
import { paragraphs, type Prompt } from "./prompt.js";

export const tasksBase: Prompt = {
  name: "tasks-base",
  title: "Tasks.base",
  description:
    "Makes an Obsidian Bases file with tables of the vault's tasks: today, this week, waiting, by project, done.",
  needs: ["create"],
  arguments: [{ name: "path", description: "Where in the vault; default Tasks.base" }],
  async text({ given, vault }) {
    const { path = "Tasks.base" } = given;
    const base = await vault?.tasks.base();
    return paragraphs(
      `Make the file ${JSON.stringify(path)} in my vault with create, exactly as follows. If it exists already, leave it as it is and tell me.`,
      base === undefined ? "First find out which vault it is, with scan_vault." : `~~~yaml\n${base}~~~`,
    );
  },
};
