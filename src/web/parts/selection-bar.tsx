/** Actions on all selected tasks. */
import type { JSX } from "preact";
import { type Question, usePage } from "../state/page.js";
import { canChange, statusName, updateMany } from "../state/task-actions.js";
import { COLUMN_STATUSES, ROW_PRIORITIES } from "../state/task-row.js";
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
  const ask = (question: Question) => {
    page.overlay.value = { kind: "ask", question };
  };
  const tagsOf = () => [...new Set(tasks.flatMap(({ tags = [] }) => tags))];
  return (
    <div class="selection row wrap" role="toolbar" aria-label={WORDS.selected(tasks.length)}>
      <strong role="status">{WORDS.selected(tasks.length)}</strong>
      {canChange(page) && (
        <>
          <Choice
            label={WORDS.fieldNames.status}
            options={[...COLUMN_STATUSES, "Cancelled"].map((one) => [one, statusName(one)])}
            onChoose={(status) => void change({ status })}
          />
          <button
            type="button"
            onClick={() => ask({ kind: "day", label: WORDS.pickDay, onAnswer: (dueDate) => change({ dueDate }) })}
          >
            {WORDS.fieldNames.dueDate}
          </button>
          <Choice
            label={WORDS.fieldNames.priority}
            options={ROW_PRIORITIES.map((one) => [one, WORDS.priorities[one]])}
            onChoose={(priority) => void change({ priority })}
          />
          <button
            type="button"
            onClick={() =>
              ask({
                kind: "project",
                label: WORDS.project,
                onAnswer: (parentProjects) => change({ parentProjects }),
              })
            }
          >
            {WORDS.project}
          </button>
          <button
            type="button"
            onClick={() =>
              ask({
                kind: "tag",
                label: WORDS.replaceTags,
                value: tagsOf().join(", "),
                onAnswer: (tags) => change({ tags }),
              })
            }
          >
            {WORDS.fieldNames.tags}
          </button>
        </>
      )}
      <button type="button" class="quiet" onClick={() => selection.clear()}>
        {WORDS.clearSelection}
      </button>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

/** A select that acts, then shows its label again. */
function Choice({ label, options, onChoose }: ChoiceProps): JSX.Element {
  return (
    <select
      aria-label={label}
      value=""
      onChange={(event) => {
        const { value } = event.currentTarget;
        event.currentTarget.value = "";
        if (value !== "") onChoose(value);
      }}
    >
      <option value="">{label}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
