/** Actions on all selected tasks. */
import type { JSX } from "preact";
import { Button, type Options, Select } from "./controls.js";
import { type Question, usePage } from "../state/page.js";
import { canChange, namesBetween, statusName, updateMany } from "../state/task-actions.js";
import { ROW_PRIORITIES, OFFERED_STATUSES } from "../state/task-row.js";
import { WORDS } from "../words.js";

export function SelectionBar(): JSX.Element | null {
  const page = usePage();
  const { selection } = page;
  const tasks = [...selection.tasks.value.values()];
  if (tasks.length === 0) return null;
  const change = async (updates: Readonly<Record<string, string>>) => {
    const isDone = await updateMany(page, [...selection.tasks.value.keys()], updates);
    if (isDone) selection.clear();
    return isDone;
  };
  const ask = (field: string, name: string, question: Omit<Question, "onAnswer">) => (
    <Button
      onClick={() => {
        const onAnswer = (text: string) =>
          change({ [field]: question.kind === "tag" ? namesBetween(text, "tag").join() : text });
        page.overlay.value = { kind: "ask", question: { ...question, onAnswer } };
      }}
    >
      {name}
    </Button>
  );
  /** A menu that shows its label again after a choice. */
  const choose = (field: "status" | "priority", options: Options) => (
    <Select
      aria-label={WORDS.fieldNames[field]}
      value=""
      options={[["", WORDS.fieldNames[field]], ...options]}
      onChoose={(value, select) => {
        select.value = "";
        if (value !== "") void change({ [field]: value });
      }}
    />
  );
  const tags = [...new Set(tasks.flatMap((task) => task.tags ?? []))].join(", ");
  return (
    <div class="selection row wrap" role="toolbar" aria-label={WORDS.selected(tasks.length)}>
      <strong role="status">{WORDS.selected(tasks.length)}</strong>
      {canChange(page) && (
        <>
          {choose(
            "status",
            OFFERED_STATUSES.map((one) => [one, statusName(one)]),
          )}
          {ask("dueDate", WORDS.fieldNames.dueDate, { kind: "day", label: WORDS.pickDay })}
          {choose(
            "priority",
            ROW_PRIORITIES.map((one) => [one, WORDS.priorities[one]]),
          )}
          {ask("parentProjects", WORDS.project, { kind: "project", label: WORDS.project })}
          {ask("tags", WORDS.fieldNames.tags, { kind: "tag", label: WORDS.replaceTags, value: tags })}
        </>
      )}
      <Button class="quiet" onClick={() => selection.clear()}>
        {WORDS.clearSelection}
      </Button>
    </div>
  );
}
