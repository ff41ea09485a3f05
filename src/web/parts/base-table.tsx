/** Rows of a base as a table: one Tab stop, whose rows open a note or a task. */
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useState } from "preact/hooks";
import type { ToolAnswers } from "../carrier/carrier.js";
import { dayText } from "../state/days.js";
import { noteName } from "../state/names.js";
import { usePage } from "../state/page.js";
import { pressOnCard } from "../state/shortcuts.js";
import { toggleDone } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { VIEW_WORDS } from "../state/view-words.js";
import { WORDS } from "../words.js";
import { OpeningLink, TaskTick } from "./task-line.js";

type Group = NonNullable<ToolAnswers["run_view"]["groups"]>[number];
type Row = Group["rows"][number];

interface BaseTableProps {
  readonly columns: readonly string[];
  readonly groups: readonly Group[];
}

/** A row that is a task has one in every field. */
export const taskOf = ({ task }: Row): TaskRow | undefined => task as TaskRow | undefined;

/** `file.mtime`, or the name that the base gives it. */
const plainColumn = (column: string): string => {
  const name = column.replace(/^(?:file|note|formula)\./, "");
  return VIEW_WORDS.columns[name as "mtime"] ?? WORDS.capital(name);
};

export function BaseTable({ columns, groups }: BaseTableProps): JSX.Element {
  const page = usePage();
  const today = page.connection.today.value;
  const [stop, setStop] = useState<string | undefined>(undefined);
  const rows = groups.flatMap((group) => group.rows);
  const stopAt = rows.some(({ path }) => path === stop) ? stop : rows[0]?.path;
  const named = columns.findIndex((_, at) => rows[0]?.cells?.[at] === noteName(rows[0]?.path ?? ""));
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTableElement>) => {
    const item = (event.target as Element).closest<HTMLElement>("[data-path]");
    const row = rows.find(({ path }) => path === item?.dataset["path"]);
    const task = row && taskOf(row);
    if ((task && pressOnCard(page, task, today, event)) || moveFocus(event, item)) event.preventDefault();
  };
  return (
    <div class="table panel">
      <table
        onKeyDown={onKeyDown}
        onFocusIn={(event) => setStop((event.target as Element).closest<HTMLElement>("[data-path]")?.dataset["path"])}
      >
        <thead>
          <tr>
            <th scope="col">{plainColumn(columns[named] ?? VIEW_WORDS.file)}</th>
            {columns.map((column, at) => at !== named && <th scope="col">{plainColumn(column)}</th>)}
          </tr>
        </thead>
        {groups.map(({ labels, total, rows: members, summaries }) => (
          <tbody key={labels.join("\n")}>
            {labels.length > 0 && (
              <tr>
                <th scope="rowgroup" colSpan={columns.length + Number(named < 0)}>
                  <span class="row wrap">
                    <span dir="auto">{groupName(labels)}</span> <span class="count">{WORDS.number(total)}</span>
                    <Summaries of={summaries} />
                  </span>
                </th>
              </tr>
            )}
            {members.map((row) => (
              <tr key={row.path} data-path={row.path} data-task={taskOf(row)?.id}>
                <RowHead row={row} isStop={row.path === stopAt} />
                {row.cells?.map(
                  (value, at) =>
                    at !== named && <Cell value={value} column={plainColumn(columns[at] ?? "")} today={today} />,
                )}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

export const groupName = (labels: readonly string[]): string =>
  labels.map((label) => label || VIEW_WORDS.emptyLabel).join(" / ");

/** Those that have a value. */
export function Summaries({ of = {} }: { readonly of?: Group["summaries"] }): JSX.Element {
  const today = usePage().connection.today.value;
  const shown = Object.entries(of).map(
    ([property, value]) => [plainColumn(property), plainText(value, today)] as const,
  );
  return (
    <>
      {shown.map(
        ([name, text]) =>
          text !== "" && (
            <span class="hint" key={name}>
              {WORDS.readAs(name, text)}
            </span>
          ),
      )}
    </>
  );
}

function moveFocus({ key, currentTarget }: TargetedKeyboardEvent<Element>, item: Element | null): boolean {
  const items = [...currentTarget.querySelectorAll("[data-path]")];
  const at = item === null ? -1 : items.indexOf(item);
  const row = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[key];
  if (row === undefined) return false;
  items[row]?.querySelector<HTMLElement>(".row-title")?.focus();
  return true;
}

/** The file's name, with a circle if it is a task. */
function RowHead({ row, isStop }: { readonly row: Row; readonly isStop: boolean }): JSX.Element {
  const page = usePage();
  const { path } = row;
  const listed = taskOf(row);
  const task = listed && page.changes.seen(listed);
  const title = task?.titleText ?? task?.title ?? noteName(path);
  return (
    <th scope="row">
      <span class="row" data-status={task && (task.ticked ?? task.status)}>
        {task && <TaskTick task={task} title={title} onTick={() => toggleDone(page, task)} />}
        <OpeningLink kind={task ? "task" : "note"} name={task?.id ?? path} class="row-title" isStop={isStop}>
          {title}
        </OpeningLink>
      </span>
    </th>
  );
}

function Cell({ value, column, today }: CellProps): JSX.Element {
  if (typeof value !== "boolean") return <td dir="auto">{plainText(value, today)}</td>;
  return (
    <td>
      <input type="checkbox" checked={value} disabled aria-label={column} />
    </td>
  );
}

interface CellProps {
  readonly value: unknown;
  readonly column: string;
  readonly today: string;
}

/** On one line; days as everywhere. */
function plainText(value: unknown, today: string): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => plainText(one, today)).join(", ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const [, day, hours] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  const shown = dayText(day, today);
  return hours === undefined || hours === "00:00" ? shown : `${shown} ${hours}`;
}
