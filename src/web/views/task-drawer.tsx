/** One task in full (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button, ObsidianLink, Select } from "../parts/controls.js";
import type { ToolAnswers } from "../transport/transport.js";
import { Dialog } from "../parts/dialog.js";
import { CopyButton } from "../parts/copy-button.js";
import { EditField, type EditFieldProps } from "../parts/field.js";
import { Icon } from "../parts/icon.js";
import { Backlinks } from "../parts/note-body.js";
import { NoteEditor } from "../parts/note-editor.js";
import { QueryState } from "../parts/query-state.js";
import { TaskLink } from "../parts/task-line.js";
import { datedText, dayText, timeText } from "../state/days.js";
import { ARCHIVE, type NameKind, noteName, useNames } from "../state/names.js";
import { usePage } from "../state/page.js";
import { type CallTool, useQuery } from "../state/queries.js";
import { pressOnCard } from "../state/shortcuts.js";
import { storedDraft } from "../state/stored.js";
import {
  addFromText,
  ASKED_FIELDS,
  type AskedField,
  askFor,
  askForBlocker,
  canChange,
  deleteTasks,
  namesBetween,
  setStatus,
  statusName,
} from "../state/task-actions.js";
import {
  asShown,
  canHold,
  isColumnStatus,
  ROW_PRIORITIES,
  type RowField,
  type RowUpdates,
  OFFERED_STATUSES,
  shownValue,
} from "../state/task-row.js";
import { plainTitle } from "../state/title.js";
import { WORDS } from "../words.js";

type FullTask = ToolAnswers["get_task"];

/** A longer text is shown in part, and not edited. */
const MAX_TEXT_LENGTH = 200_000;

export function TaskDrawer({ id }: { readonly id: string }): JSX.Element {
  const page = usePage();
  const query = useQuery(`task:${id}`, (call) => wholeTask(call, id));
  const task = query.data.value;
  return (
    <Dialog
      label={task ? plainTitle(task.title) : WORDS.task}
      name="drawer"
      hasHeading={false}
      onClose={() => page.address.close()}
    >
      <QueryState query={query} />
      {task && <TaskSheet key={id} task={task} />}
    </Dialog>
  );
}

async function wholeTask(call: CallTool, taskId: string): Promise<FullTask> {
  const first = await call("get_task", { taskId });
  const texts = [first.description];
  let { nextOffset } = first;
  while (nextOffset !== undefined && nextOffset < MAX_TEXT_LENGTH) {
    const next = await call("get_task", { taskId, offset: nextOffset });
    // The text has changed; that change's event reloads it.
    if (next.revision !== first.revision) break;
    texts.push(next.description);
    ({ nextOffset } = next);
  }
  return { ...first, description: texts.join(""), nextOffset };
}

function TaskSheet({ task }: { readonly task: FullTask }): JSX.Element {
  const page = usePage();
  const mayChange = canChange(page);
  const seen = page.changes.seen(task);
  const { link, path, line } = task;
  const save = (updates: RowUpdates, shown = task) => page.changes.update(shown, updates);
  const projects = useNames(mayChange ? "project" : undefined);
  const revealed = useSignal<readonly string[]>([]);
  const lacking: RowField[] = [];
  const field = (name: RowField, more: FieldRow = {}) => {
    const value = shownValue(task, name);
    const { kind, isList }: { kind?: "day" | NameKind; isList?: boolean } = ASKED_FIELDS[name as AskedField] ?? {};
    const draft = `${task.id}:${name}`;
    if (value === "" && !revealed.value.includes(name) && storedDraft(draft).value === undefined) {
      if (mayChange) lacking.push(name);
      return null;
    }
    const read = (text: string): RowUpdates => ({ [name]: isList ? namesBetween(text, kind) : text });
    const time = { dueDate: task.dueTime, scheduled: task.scheduledTime }[name as "dueDate"];
    const label = timeText(WORDS.fieldNames[name], time);
    return (
      <EditField
        {...more}
        {...(kind === "day"
          ? {
              hint: WORDS.dayHint,
              edited: datedText(value),
              shown: WORDS.capital(dayText(value, page.connection.today.value)),
              onPick: () => askFor(page, task, name as AskedField),
            }
          : { kind, isList })}
        label={label}
        value={value}
        draft={draft}
        takesFocus={revealed.value.at(-1) === name}
        onSave={(text, was) => save(read(text), was === value ? task : asShown(task, name, was))}
      />
    );
  };
  return (
    <article
      class="sheet stack"
      onKeyDown={(event) => {
        const { tagName } = event.target as Element;
        // Space and Enter belong to the focused element.
        if (event.key === " " || /^(INPUT|TEXTAREA|SELECT)$/.test(tagName)) return;
        if (pressOnCard(page, task, event)) event.preventDefault();
      }}
    >
      <h2 class="unseen">{plainTitle(seen.title)}</h2>
      {field("title", { isTitle: true })}
      <div class="statuses row wrap" role="group" aria-label={WORDS.fieldNames.status}>
        {OFFERED_STATUSES.filter((one) => canHold(task, one)).map((status) => (
          <Button
            key={status}
            data-status={status}
            aria-pressed={seen.status === status}
            disabled={!mayChange}
            onClick={() => void setStatus(page, task, status)}
          >
            <span class="status-dot" />
            {statusName(status)}
          </Button>
        ))}
        {!isColumnStatus(seen.status) && seen.status !== "Cancelled" && (
          <span class="chip">{statusName(seen.status)}</span>
        )}
      </div>
      <div class="fields">
        {field("dueDate")}
        {field("scheduled")}
        {field("start")}
        {field("recurrence", { hint: WORDS.ruleHint })}
        <div class="field stack">
          <label class="label" for="field-priority">
            {WORDS.fieldNames.priority}
          </label>
          <Select
            id="field-priority"
            value={seen.priority}
            disabled={!mayChange}
            options={ROW_PRIORITIES.map((one) => [one, WORDS.priorities[one]])}
            onChoose={(priority) => void save({ priority: priority as (typeof ROW_PRIORITIES)[number] })}
          />
        </div>
        {line === undefined &&
          field("estimate", {
            edited: task.timeEstimate === undefined ? "" : WORDS.duration(task.timeEstimate),
            hint: WORDS.estimateHint,
          })}
        {field("area")}
        {field("parentProjects", {
          hint: WORDS.listHint,
          problemOf: async (text) => {
            if (projects.data.peek() === undefined) await projects.refresh();
            const unknown = namesBetween(text).find((one) => !isAmong(one, projects.data.peek() ?? [one]));
            return unknown && WORDS.noProjectYet(unknown);
          },
        })}
        {field("tags", { hint: WORDS.listHint })}
      </div>
      {lacking.length > 0 && (
        <div class="lacking row wrap">
          {lacking.map((name) => (
            <Button key={name} icon="add" class="quiet" onClick={() => (revealed.value = [...revealed.value, name])}>
              {WORDS.fieldNames[name]}
            </Button>
          ))}
        </div>
      )}
      {task.problems.length > 0 && (
        <section class="problem">
          <h3>{WORDS.problems}</h3>
          {task.problems.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
        </section>
      )}
      <NoteEditor task={task} />
      <Ties task={task} />
      {line === undefined && <Backlinks path={path} />}
      <footer class="origin stack">
        <p class="row hint">
          <Icon name="note" /> {line === undefined ? path : `${path}:${line}`}
        </p>
        {link !== undefined && (
          <div class="buttons">
            <ObsidianLink link={link} />
            <CopyButton label={WORDS.copyLinkTo} copied={WORDS.linkCopied} textOf={() => link} />
          </div>
        )}
        {mayChange && <NoteActions task={task} />}
        <p class="hint">{WORDS.why(task.why)}</p>
        <Facts task={task} />
      </footer>
    </article>
  );
}

const isAmong = (name: string, names: readonly string[]) =>
  names.some((one) => one.toLocaleLowerCase() === name.replaceAll(/^\[\[|\]\]$/g, "").toLocaleLowerCase());

type FieldRow = Partial<Pick<EditFieldProps, "hint" | "isTitle" | "edited" | "problemOf">>;

function NoteActions({ task }: { readonly task: FullTask }): JSX.Element {
  const page = usePage();
  const { line, board, archived, properties } = task;
  const isMarked = Object.keys(properties).some((key) => /^archived?$/i.test(key));
  const canArchive = board === undefined ? line === undefined && (!archived || isMarked) : !archived;
  const mark = { properties: { archived: archived ? "false" : "true" } };
  const archive = () => void page.changes.update(task, board === undefined ? mark : { lane: ARCHIVE });
  return (
    <div class="buttons">
      {canArchive && <Button onClick={archive}>{archived ? WORDS.restore : WORDS.archive}</Button>}
      {line === undefined && page.connection.offers("obsidian_delete_note") && (
        <Button onClick={() => void deleteTasks(page, [task]).then((isGone) => isGone && page.address.close())}>
          {WORDS.deleteNote}
        </Button>
      )}
    </div>
  );
}

function Ties({ task }: { readonly task: FullTask }): JSX.Element {
  const page = usePage();
  const { blockedBy = [], blocks = [], subtasks = [], series, reminders = [], line, title } = task;
  const waits = blockedBy.map(({ name, id, open }) => ({ title: name, id, isDone: !open }));
  const others = (list: typeof blocks) =>
    list.map(({ title, id, status }) => ({ title, id, isDone: status === "Done" }));
  const save = (names: readonly string[]) => void page.changes.update(task, { blockedBy: names });
  const names = blockedBy.map(({ name, id }) => id ?? name);
  const onAnswer = async (text: string) => {
    const added = text === "" || (await addFromText(page, { text: `${text} +[[${noteName(task.path)}]]` }));
    await page.reread();
    return added !== undefined;
  };
  const label = WORDS.fieldOf(WORDS.addSubtask, plainTitle(title));
  const askSubtask = () => (page.overlay.value = { kind: "ask", question: { kind: "text", label, onAnswer } });
  const mayChange = canChange(page);
  return (
    <>
      {series && (
        <section class="ties">
          <h3>{WORDS.series}</h3>
          <p>{series.text}</p>
        </section>
      )}
      {reminders.length > 0 && (
        <section class="ties">
          <h3>{WORDS.reminders}</h3>
          {reminders.map(({ text, at }) => (
            <p key={text}>{at === undefined || at === text ? text : `${at} (${text})`}</p>
          ))}
        </section>
      )}
      <DependencyList
        heading={WORDS.fieldNames.blockedBy}
        items={waits}
        onRemove={mayChange ? (at) => save(names.toSpliced(at, 1)) : undefined}
        onAdd={mayChange ? () => askForBlocker(page, task) : undefined}
        add={WORDS.addBlocker}
      />
      <DependencyList heading={WORDS.blocks} items={others(blocks)} />
      <DependencyList
        heading={WORDS.subtasks}
        items={others(subtasks)}
        add={WORDS.addSubtask}
        onAdd={line === undefined && page.connection.offers("add_tasks") ? askSubtask : undefined}
      />
    </>
  );
}

interface DependencyListProps {
  readonly heading: string;
  readonly items: readonly { readonly title: string; readonly id?: string | undefined; readonly isDone: boolean }[];
  readonly onRemove?: ((at: number) => void) | undefined;
  readonly onAdd?: (() => void) | undefined;
  readonly add?: string;
}

function DependencyList({ heading, items, onRemove, onAdd, add }: DependencyListProps): JSX.Element | null {
  if (items.length === 0 && onAdd === undefined) return null;
  return (
    <section class="ties" aria-label={heading}>
      <h3>{heading}</h3>
      {items.length > 0 && (
        <ul class="stack">
          {items.map(({ title, id, isDone }, index) => (
            <li key={id ?? title}>
              <TaskLink id={id} title={title} />
              {isDone && <span class="chip">{WORDS.isDone}</span>}
              {onRemove && (
                <Button
                  icon="close"
                  class="quiet"
                  aria-label={WORDS.remove(plainTitle(title))}
                  onClick={() => onRemove(index)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {onAdd && (
        <Button icon="add" class="quiet add" onClick={onAdd}>
          {add}
        </Button>
      )}
    </section>
  );
}

function Facts({ task }: { readonly task: FullTask }): JSX.Element {
  const { checklist } = task;
  const properties = Object.entries(task.properties);
  return (
    <>
      {checklist && <p class="hint">{WORDS.checklist(checklist.done, checklist.total)}</p>}
      {properties.length > 0 && (
        <details>
          <summary>{WORDS.properties}</summary>
          <dl class="properties stack">
            {properties.map(([key, value]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}
