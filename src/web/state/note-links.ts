/** Opens the target of a note's link: a task if it is one, else a note. */
import type { TasksPage } from "./page.js";

export async function openLinked(page: TasksPage, target: string): Promise<void> {
  const name = target.replace(/#.*$/s, "").trim();
  if (name === "") return;
  try {
    const { id } = await page.connection.call("get_task", { taskId: `[[${name}]]` });
    page.address.open("task", id);
  } catch {
    page.address.open("note", name);
  }
}
