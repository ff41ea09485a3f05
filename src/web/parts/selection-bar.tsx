/** Actions on all selected tasks. */
import type { JSX } from "preact";
import { Button, type Options, Select } from "./controls.js";
import { dayAfter } from "../state/days.js";
import { usePage } from "../state/page.js";
import {
  type AskedField,
  askForSelected,
  canChange,
  deleteTasks,
  statusName,
  updateSelected,
} from "../state/task-actions.js";
import { ROW_PRIORITIES, OFFERED_STATUSES } from "../state/task-row.js";
import { WORDS } from "../words.js";

export function SelectionBar(): JSX.Element | null {
  const page = usePage();
  const { selection } = page;
  const tasks = [...selection.tasks.value.values()];
  if (tasks.length === 0) return null;
  const change = (updates: Readonly<Record<string, string>>) => updateSelected(page, updates);
  const ask = (field: AskedField, name: string, label = name, value = "") => (
    <Button onClick={() => askForSelected(page, field, label, value)}>{name}</Button>
  );
  /** Shows its label again after a choice. */
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
          <Button icon="check" onClick={() => void change({ status: "Done" })}>
            {WORDS.statuses.Done}
          </Button>
          <Button onClick={() => void change({ dueDate: dayAfter(page.connection.today.value, 1) })}>
            {WORDS.capital(WORDS.dayTomorrow)}
          </Button>
          {ask("dueDate", WORDS.fieldNames.dueDate)}
          {ask("scheduled", WORDS.fieldNames.scheduled)}
          {choose(
            "status",
            OFFERED_STATUSES.map((one) => [one, statusName(one)]),
          )}
          {choose(
            "priority",
            ROW_PRIORITIES.map((one) => [one, WORDS.priorities[one]]),
          )}
          {ask("area", WORDS.area)}
          {ask("parentProjects", WORDS.project)}
          {ask("tags", WORDS.fieldNames.tags, WORDS.replaceTags, tags)}
          {page.connection.offers("obsidian_delete_note") && (
            <Button onClick={() => void deleteTasks(page, tasks)}>{WORDS.deleteNote}</Button>
          )}
        </>
      )}
      <Button icon="close" class="quiet" aria-label={WORDS.clearSelection} onClick={() => selection.clear()} />
    </div>
  );
}
