/** One task in full (docs: web, "Views"). */
import type { JSX } from "preact";
import type { ToolAnswers } from "../carrier/carrier.js";
import { Dialog } from "../parts/dialog.js";
import { CopyButton } from "../parts/copy-button.js";
import { EditField, type EditFieldProps } from "../parts/field.js";
import { Icon } from "../parts/icon.js";
import { Backlinks } from "../parts/note-body.js";
import { NoteEditor } from "../parts/note-editor.js";
import { QueryState } from "../parts/query-state.js";
import { type Question, usePage } from "../state/page.js";
import { type CallTool, useQuery } from "../state/queries.js";
import { addFromText, canChange, deleteTask, namesBetween, setStatus, statusName } from "../state/task-actions.js";
import {
  asShown,
  canHold,
  COLUMN_STATUSES,
  isColumnStatus,
  ROW_PRIORITIES,
  type RowUpdates,
  shownValue,
} from "../state/task-row.js";
import { WORDS } from "../words.js";

type FullTask = ToolAnswers["get_task"];

/** A longer text is shown in part, and not edited. */
const MAX_TEXT_LENGTH = 200_000;

export function TaskDrawer({ id }: { readonly id: string }): JSX.Element {
  const page = usePage();
  const query = useQuery(`task:${id}`, (call) => wholeTask(call, id));
  const task = query.data.value;
  return (
    <Dialog label={task?.title ?? WORDS.task} name="drawer" onClose={() => page.address.close()}>
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
    // The text has changed; that change's notice reloads it.
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
  const { priority, link, path, line } = task;
  const save = (updates: RowUpdates, shown = task) =>
    page.changes.update(shown, updates, ({ title }) => WORDS.saved(title));
  const field = (name: keyof RowUpdates, value: string, more: FieldRow) => {
    const { read = (text) => ({ [name]: more.isList ? namesBetween(text) : text }), isDay, ...rest } = more;
    const pick = (onAnswer: Question["onAnswer"]) =>
      (page.overlay.value = {
        kind: "ask",
        question: { kind: "day", label: WORDS.fieldOf(WORDS.fieldNames[name], task.title), value, onAnswer },
      });
    return (
      <EditField
        {...rest}
        label={WORDS.fieldNames[name]}
        value={value}
        draft={`${task.id}:${name}`}
        isDisabled={!mayChange}
        hint={isDay ? WORDS.dayHint : rest.hint}
        onPick={isDay && (() => pick(async (day) => (await save(read(day))) !== "failed"))}
        onSave={(text, was) => save(read(text), was === value ? task : asShown(task, name, was))}
      />
    );
  };
  const estimate = task.properties.find(({ key }) => ESTIMATE_KEYS.has(key.toLowerCase().replaceAll(/[\W_]/g, "")));
  return (
    <article class="sheet stack">
      <h2 class="unseen">{seen.title}</h2>
      <EditField
        label={WORDS.fieldNames.title}
        value={task.title}
        draft={`${task.id}:title`}
        isDisabled={!mayChange}
        isTitle
        onSave={(title, was) => save({ title }, asShown(task, "title", was))}
      />
      <div class="statuses row wrap" role="group" aria-label={WORDS.fieldNames.status}>
        {[...COLUMN_STATUSES, "Cancelled" as const]
          .filter((one) => canHold(task, one))
          .map((status) => (
            <button
              type="button"
              key={status}
              data-status={status}
              aria-pressed={seen.status === status}
              disabled={!mayChange}
              onClick={() => void setStatus(page, task, status)}
            >
              <span class="status-dot" />
              {statusName(status)}
            </button>
          ))}
        {!isColumnStatus(seen.status) && seen.status !== "Cancelled" && (
          <span class="chip">{statusName(seen.status)}</span>
        )}
      </div>
      <div class="fields">
        {field("dueDate", task.due ?? "", { isDay: true })}
        {field("scheduled", task.scheduled ?? "", { isDay: true })}
        {field("start", shownValue(task, "start"), { isDay: true })}
        {field("recurrence", task.repeats ?? "", { hint: WORDS.ruleHint })}
        <div class="field stack">
          <label class="label" for="field-priority">
            {WORDS.fieldNames.priority}
          </label>
          <select
            id="field-priority"
            value={seen.priority}
            disabled={!mayChange}
            onChange={(event) => {
              const chosen = ROW_PRIORITIES.find((one) => one === event.currentTarget.value);
              if (chosen !== undefined && chosen !== priority) void save({ priority: chosen });
            }}
          >
            {ROW_PRIORITIES.map((one) => (
              <option key={one} value={one}>
                {WORDS.priorities[one]}
              </option>
            ))}
          </select>
        </div>
        {line === undefined &&
          field("properties", estimate?.value ?? "", {
            read: (text) => ({ properties: { [estimate?.key ?? "estimate"]: text } }),
            hint: WORDS.estimateHint,
          })}
        {field("area", task.area ?? "", { kind: "area" })}
        {field("parentProjects", shownValue(task, "parentProjects"), {
          kind: "project",
          isList: true,
          hint: WORDS.listHint,
        })}
        {field("tags", shownValue(task, "tags"), { kind: "tag", isList: true, hint: WORDS.listHint })}
      </div>
      <NoteEditor task={task} isWhole={task.nextOffset === undefined} />
      <Ties task={task} />
      {line === undefined && <Backlinks path={path} />}
      <footer class="origin stack">
        <p class="row hint">
          <Icon name="note" /> {line === undefined ? path : `${path}:${line}`}
        </p>
        {link !== undefined && (
          <div class="buttons">
            <a class="button" href={link}>
              <Icon name="obsidian" /> {WORDS.openInObsidian}
            </a>
            <CopyButton label={WORDS.copyLinkTo} copied={WORDS.linkCopied} textOf={() => link} />
          </div>
        )}
        {mayChange && <NoteActions task={task} onSave={save} />}
        <p class="hint">{WORDS.why(task.why)}</p>
        <Facts task={task} />
      </footer>
    </article>
  );
}

/** Properties that hold an estimate. */
const ESTIMATE_KEYS = new Set(["timeestimate", "estimate", "duration", "effort"]);

type FieldRow = Pick<EditFieldProps, "hint" | "kind" | "isList"> & {
  readonly isDay?: true;
  /** Default: the text, or its names. */
  readonly read?: (text: string) => RowUpdates;
};

function NoteActions({
  task,
  onSave,
}: {
  readonly task: FullTask;
  readonly onSave: (updates: RowUpdates) => unknown;
}): JSX.Element {
  const page = usePage();
  const { line, board, archived, properties } = task;
  const isMarked = properties.some(({ key }) => /^archived?$/i.test(key));
  const canArchive = board === undefined ? line === undefined && (!archived || isMarked) : !archived;
  const archive = () => {
    const properties = { archived: archived ? "false" : "true" };
    return board === undefined ? { properties } : { lane: "Archive" };
  };
  return (
    <div class="buttons">
      {canArchive && (
        <button type="button" onClick={() => void onSave(archive())}>
          {archived ? WORDS.restore : WORDS.archive}
        </button>
      )}
      {line === undefined && page.connection.offers("obsidian_delete_note") && (
        <button
          type="button"
          onClick={() => void deleteTask(page, task).then((isGone) => isGone && page.address.close())}
        >
          {WORDS.deleteNote}
        </button>
      )}
    </div>
  );
}

function Ties({ task }: { readonly task: FullTask }): JSX.Element {
  const page = usePage();
  const { blockedBy = [], blocks = [], subtasks = [], series, line, title } = task;
  const waits = blockedBy.map(({ name, id, open }) => ({ title: name, id, isDone: !open }));
  const others = (list: typeof blocks) =>
    list.map(({ title, id, status }) => ({ title, id, isDone: status === "Done" }));
  const save = (names: readonly string[]) =>
    void page.changes.update(task, { blockedBy: names }, (written) => WORDS.saved(written.title));
  const names = blockedBy.map(({ name, id }) => id ?? name);
  const onChoose = ({ id }: { readonly id: string }) => save([...names, id]);
  const addSubtask = async (text: string) => {
    const name = task.path.replace(/^.*\//s, "").replace(/\.md$/i, "");
    const isAdded = text === "" || (await addFromText(page, { text: `${text} +[[${name}]]` })) !== undefined;
    await page.reread();
    return isAdded;
  };
  const mayChange = canChange(page);
  return (
    <>
      {series && (
        <section class="ties">
          <h3>{WORDS.series}</h3>
          <p>{series.text}</p>
        </section>
      )}
      <DependencyList
        heading={WORDS.fieldNames.blockedBy}
        items={waits}
        onRemove={mayChange ? (at) => save(names.toSpliced(at, 1)) : undefined}
        onAdd={mayChange ? () => (page.overlay.value = { kind: "search", onChoose }) : undefined}
        add={WORDS.addBlocker}
      />
      <DependencyList heading={WORDS.blocks} items={others(blocks)} />
      <DependencyList
        heading={WORDS.subtasks}
        items={others(subtasks)}
        add={WORDS.addSubtask}
        onAdd={
          line === undefined && page.connection.offers("add_tasks")
            ? () =>
                (page.overlay.value = {
                  kind: "ask",
                  question: {
                    kind: "text",
                    label: WORDS.fieldOf(WORDS.addSubtask, title),
                    onAnswer: addSubtask,
                  },
                })
            : undefined
        }
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
  const page = usePage();
  if (items.length === 0 && onAdd === undefined) return null;
  return (
    <section class="ties" aria-label={heading}>
      <h3>{heading}</h3>
      {items.length > 0 && (
        <ul class="stack">
          {items.map(({ title, id, isDone }, index) => (
            <li key={id ?? title}>
              {id === undefined ? (
                title
              ) : (
                <button type="button" class="link" onClick={() => page.address.open("task", id)}>
                  {title}
                </button>
              )}
              {isDone && <span class="chip">{WORDS.isDone}</span>}
              {onRemove && (
                <button type="button" class="quiet" aria-label={WORDS.remove(title)} onClick={() => onRemove(index)}>
                  <Icon name="close" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {onAdd && (
        <button type="button" class="quiet add" onClick={onAdd}>
          <Icon name="add" /> {add}
        </button>
      )}
    </section>
  );
}

function Facts({ task }: { readonly task: FullTask }): JSX.Element {
  const { checklist, properties, problems } = task;
  return (
    <>
      {checklist && <p class="hint">{WORDS.checklist(checklist.done, checklist.total)}</p>}
      {problems.length > 0 && (
        <section class="problem">
          <h3>{WORDS.problems}</h3>
          {problems.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
        </section>
      )}
      {properties.length > 0 && (
        <details>
          <summary>{WORDS.properties}</summary>
          <dl class="properties stack">
            {properties.map(({ key, value }) => (
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
