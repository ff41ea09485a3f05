import { expect, it } from "vitest";
import { note, taskVault } from "../../test/kit/task-vault.js";
import { KeyedTasks, type TaskKey, type Task } from "./task.js";

const NOTES = Array.from({ length: 200 }, (_, at): [string, string] => [
  `n${at}.md`,
  note(`type: task\nid: task-${at}\ntitle: Title ${at % 50}`),
]);
const vault = taskVault(Object.fromEntries(NOTES));

it("finds the same by the first look and by those after it", async () => {
  const { tasks } = await vault.tasks.all();
  const keyed = new KeyedTasks(tasks);
  const byTitle: TaskKey = ({ title }) => title;
  const expected = tasks.filter(({ title }) => title === "Title 7");
  expect(expected).toHaveLength(4);
  for (let look = 1; look <= 3; look++) expect(keyed.with(byTitle, "Title 7")).toEqual(expected);
  expect(keyed.with(byTitle, "Title 51")).toEqual([]);
});

it("asks each task twice at most for a name, however many are looked up", async () => {
  const { tasks } = await vault.tasks.all();
  let asked = 0;
  const key = ({ id }: Task): string => (asked++, id);
  const keyed = new KeyedTasks(tasks);
  for (let at = 0; at < 200; at++) expect(keyed.with(key, `task-${at}`)).toHaveLength(1);
  expect(asked).toBe(2 * tasks.length);
});
