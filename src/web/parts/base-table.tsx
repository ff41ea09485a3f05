/** A base's rows as a table: one Tab stop; rows open a note or a task. */
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact";
import type { ToolAnswers } from "../transport/transport.js";
import { dayText } from "../state/days.js";
import { noteName } from "../state/names.js";
import { plainTitle } from "../state/title.js";
import { usePage } from "../state/page.js";
import { moveInRows, pressOnCard, useStop } from "../state/shortcuts.js";
import { toggleDone } from "../state/task-actions.js";
import type { TaskRow } from "../state/task-row.js";
import { VIEW_WORDS } from "../later-words.js";
import { WORDS } from "../words.js";
import { Button } from "./controls.js";
import { openLinked } from "./note-body.js";
import { OpeningLink, TaskTick, TaskTitle } from "./task-line.js";

type Group = NonNullable<ToolAnswers["run_view"]["groups"]>[number];
type Row = Group["rows"][number];

/** A row's name and links. */
const PLACES = ".row-title, td :is(a, .link)";

interface BaseTableProps {
  readonly columns: readonly string[];
  readonly groups: readonly Group[];
}

/** A task row has one in every field. */
export const taskOf = ({ task }: Row): TaskRow | undefined => task as TaskRow | undefined;

/** @param column `file.mtime`, `timeEstimate`, or the base's name for it */
function plainColumn(column: string): string {
  const name = column.replace(/^(?:file|note|formula)\./, "");
  const known: Readonly<Record<string, string>> = VIEW_WORDS.columns;
  if (Object.hasOwn(known, name)) return known[name] ?? name;
  const isCamelCase = /^[a-z]+(?:[A-Z][a-z]+)+$/.test(name);
  return WORDS.capital(isCamelCase ? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : name);
}

export function BaseTable({ columns, groups }: BaseTableProps): JSX.Element {
  const page = usePage();
  const rows = groups.flatMap((group) => group.rows);
  const [stopAt, setStop] = useStop(rows.map(({ path }) => path));
  const named = columns.findIndex((_, at) => rows[0]?.cells?.[at] === noteName(rows[0]?.path ?? ""));
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTableElement>) => {
    const item = (event.target as Element).closest<HTMLElement>("[data-path]");
    const row = rows.find(({ path }) => path === item?.dataset["path"]);
    const task = row && taskOf(row);
    const isOnTitle = (event.target as Element).matches(".row-title");
    const drawn = [...event.currentTarget.querySelectorAll("[data-path]")];
    if ((task && isOnTitle && pressOnCard(page, task, event)) || moveInRows(event, drawn, PLACES))
      event.preventDefault();
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
                    at !== named && (
                      <Cell
                        value={value}
                        target={(row.targets as readonly unknown[] | undefined)?.[at]}
                        column={plainColumn(columns[at] ?? "")}
                      />
                    ),
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
  labels.map((label) => plainTitle(label) || WORDS.nothingThere).join(" / ");

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

/** With a circle for a task. */
function RowHead({ row, isStop }: { readonly row: Row; readonly isStop: boolean }): JSX.Element {
  const page = usePage();
  const { path } = row;
  const listed = taskOf(row);
  const task = listed && page.changes.seen(listed);
  return (
    <th scope="row">
      <span class="row" data-status={task && (task.ticked ?? task.status)}>
        {task && <TaskTick task={task} onTick={() => toggleDone(page, task)} />}
        <OpeningLink kind={task ? "task" : "note"} name={task?.id ?? path} class="row-title" isStop={isStop}>
          {task ? <TaskTitle text={task.title} /> : noteName(path)}
        </OpeningLink>
      </span>
    </th>
  );
}

interface CellProps {
  readonly value: unknown;
  /** Where its links lead, in its form. */
  readonly target: unknown;
  readonly column: string;
}

function Cell({ value, target, column }: CellProps): JSX.Element {
  if (typeof value !== "boolean")
    return (
      <td dir="auto">
        <CellText value={value} target={target} />
      </td>
    );
  return (
    <td>
      <input type="checkbox" checked={value} disabled aria-label={column} />
    </td>
  );
}

function CellText({ value, target }: Omit<CellProps, "column">): ComponentChildren {
  const page = usePage();
  if (Array.isArray(value))
    return value.flatMap((one: unknown, at) => [
      at > 0 && ", ",
      <CellText key={at} value={one} target={Array.isArray(target) ? target[at] : null} />,
    ]);
  const text = plainText(value, page.connection.today.value);
  const address = typeof target === "string" ? target : text;
  if (/^https?:\/\/\S+$/i.test(address))
    return (
      <a href={address} tabIndex={-1} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    );
  // Only notes open here.
  if (typeof target !== "string" || !/\.md$/i.test(target)) return text;
  return (
    <Button class="link" tabIndex={-1} onClick={() => void openLinked(page, target)}>
      {noteName(text) === noteName(target) ? noteName(text) : text}
    </Button>
  );
}

/** On one line. */
function plainText(value: unknown, today: string): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => plainText(one, today)).join(", ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const [, day, hours] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  const shown = WORDS.capital(dayText(day, today));
  return hours === undefined || hours === "00:00" ? shown : `${shown} ${hours}`;
}
