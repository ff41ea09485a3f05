/** Tasks are known by identity and place: a format that keeps several in one note needs no other wall moved. */
import { taskSubject } from "../tasks/rows/task-subject.js";
import { expect, it } from "vitest";
import { task } from "../../test/kit/known-tasks.js";
import { note, refusal } from "../../test/kit/task-vault.js";
import { fixedClock, sequentialIds } from "../clock.js";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { Vault } from "../vault/vault.js";
import type { TaskFormat } from "./format.js";
import { noteFormat } from "./note-format/format.js";
import { taskService } from "./service.js";
import type { Task } from "./task.js";

const LINE = /^- \[(.)\] (.*)$/;

function tasksIn(lines: readonly string[], { path, modified }: FileStat): Task[] {
  return lines.flatMap((text, index): Task[] => {
    const [, symbol, title = ""] = LINE.exec(text) ?? [];
    if (symbol === undefined) return [];
    const line = index + 1;
    const status = symbol === "x" ? "Done" : "To Do";
    return [task({ id: `${path}:${line}`, path, source: "line", line, title, status, modified })];
  });
}

const toyFormat: TaskFormat = {
  source: "line",
  epoch: () => undefined,
  read: ({ text, stat }) => ({ tasks: tasksIn(text.split("\n"), stat), problems: [] }),
  finder: (text, stat) => {
    const tasks = tasksIn(text.split("\n"), stat);
    return (place) => tasks.find(({ id }) => id === place.id);
  },
  edit(text) {
    const lines = text.split("\n");
    return {
      get text() {
        return lines.join("\n");
      },
      update({ values }, { task }) {
        const title = values.title ?? task.title;
        lines[(task.line ?? 0) - 1] = `- [${values.status === "Done" ? "x" : " "}] ${title}`;
        return { changed: true, place: task, linesAdded: 0 };
      },
    };
  },
  detail: () => undefined,
};

function serviceOver(files: Readonly<Record<string, string>>) {
  const clock = fixedClock("2025-08-30T12:00:00Z", "UTC");
  const storage = new MemoryStorage({ files, clock });
  const formats: readonly TaskFormat[] = [noteFormat, toyFormat];
  const vault = new Vault({ storage, clock, ids: sequentialIds(), subjects: [taskSubject(formats, clock)] });
  return { vault, tasks: taskService(vault, { formats }) };
}

const FILES = { "a.md": note("type: task", "- [ ] one\n- [ ] two\ntext\n"), "b.md": "- [ ] three\n- [x] four\n" };

it("finds all tasks of a note, and none of them by the note's path", async () => {
  const { tasks } = serviceOver(FILES);
  const { outstanding, taskCount } = await tasks.agenda();
  expect(outstanding.map(({ id }) => id)).toEqual(["a.md", "a.md:4", "b.md:1", "a.md:5"]);
  expect(taskCount).toBe(5);
  expect((await tasks.search({ query: "thr" })).tasks.map(({ id }) => id)).toEqual(["b.md:1"]);
  expect((await refusal(tasks.get("b.md"))).code).toBe("FILE_NOT_FOUND");
});

it("changes the one that is meant, and follows the others", async () => {
  const { vault, tasks } = serviceOver(FILES);
  const { task } = await tasks.update("a.md:4", { status: "Done" });
  expect([task.id, task.status]).toEqual(["a.md:4", "Done"]);
  expect((await vault.read(vaultPath("a.md"))).text).toBe(note("type: task", "- [x] one\n- [ ] two\ntext\n"));
  expect((await tasks.agenda()).outstanding.map(({ id }) => id)).toEqual(["a.md", "b.md:1", "a.md:5"]);
  await tasks.update("two", { title: "deux" });
  expect((await tasks.search({ query: "*" })).tasks.map(({ title }) => title)).toContain("deux");
});
