/** One task in full: fields, note, dependencies, and why it is a task (docs: web, "Views"). */
import type { JSX } from "preact";
import type { ToolAnswers } from "../carrier/carrier.js";
import { Dialog } from "../parts/dialog.js";
import { CopyButton } from "../parts/copy-button.js";
import { EditField } from "../parts/field.js";
import { Icon } from "../parts/icon.js";
import { NoteEditor } from "../parts/note-editor.js";
import { type TasksPage, usePage, useQuery } from "../state/page.js";
import { canChange, setStatus, statusName } from "../state/task-actions.js";
import { asShown, COLUMN_STATUSES, isColumnStatus, ROW_PRIORITIES, type RowUpdates } from "../state/task-row.js";
import { WORDS } from "../words.js";

type FullTask = ToolAnswers["get_task"];

/** Texts are loaded up to this length; a longer one is shown in part and not edited. */
const MAX_TEXT_LENGTH = 200_000;

export function TaskDrawer({ id }: { readonly id: string }): JSX.Element {
  const page = usePage();
  const query = useQuery(id, (from, signal) => wholeTask(from, id, signal));
  const task = query.data.value;
  const failure = query.failure.value;
  return (
    <Dialog label={task?.title ?? WORDS.task} name="drawer" onClose={() => page.address.close()}>
      {task ? <TaskSheet key={id} task={task} /> : !failure && <p class="empty">{WORDS.loading}</p>}
      {failure && <p class="problem">{failure.message}</p>}
    </Dialog>
  );
}

async function wholeTask({ connection }: TasksPage, taskId: string, signal: AbortSignal): Promise<FullTask> {
  const first = await connection.call("get_task", { taskId }, { signal });
  const texts = [first.description];
  let { nextOffset } = first;
  while (nextOffset !== undefined && nextOffset < MAX_TEXT_LENGTH) {
    const next = await connection.call("get_task", { taskId, offset: nextOffset }, { signal });
    // The text has changed: the notice of the change reads it again.
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
  const field = (name: keyof RowUpdates, value: string, read: (text: string) => RowUpdates, hint?: string) => (
    <EditField
      label={WORDS.fieldNames[name]}
      value={value}
      draft={`${task.id}:${name}`}
      isDisabled={!mayChange}
      hint={hint}
      onSave={(text, was) => save(read(text), asShown(task, name, was))}
    />
  );
  return (
    <article class="sheet">
      <h2 class="unseen">{seen.title}</h2>
      <EditField
        label={WORDS.fieldNames.title}
        value={task.title}
        draft={`${task.id}:title`}
        isDisabled={!mayChange}
        isTitle
        onSave={(title, was) => save({ title }, asShown(task, "title", was))}
      />
      <div class="statuses" role="group" aria-label={WORDS.fieldNames.status}>
        {COLUMN_STATUSES.map((status) => (
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
        {!isColumnStatus(seen.status) && <span class="chip">{statusName(seen.status)}</span>}
      </div>
      <div class="fields">
        {field("dueDate", task.due ?? "", (dueDate) => ({ dueDate }), WORDS.dayHint)}
        {field("scheduled", task.scheduled ?? "", (scheduled) => ({ scheduled }), WORDS.dayHint)}
        {field("recurrence", task.repeats ?? "", (recurrence) => ({ recurrence }), WORDS.ruleHint)}
        <div class="field">
          <label for="field-priority">{WORDS.fieldNames.priority}</label>
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
        {field("area", task.area ?? "", (area) => ({ area }))}
        {field(
          "parentProjects",
          task.parentProjects?.join(", ") ?? "",
          (text) => ({ parentProjects: listed(text) }),
          WORDS.listHint,
        )}
        {field("tags", task.tags?.join(", ") ?? "", (text) => ({ tags: listed(text) }), WORDS.listHint)}
      </div>
      <NoteEditor task={task} isWhole={task.nextOffset === undefined} />
      <Ties task={task} />
      <footer class="origin">
        <p>
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
        <p class="hint">{WORDS.why(task.why)}</p>
        <Facts task={task} />
      </footer>
    </article>
  );
}

function listed(text: string): readonly string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** Blockers, blocked tasks and subtasks; each opens. */
function Ties({ task }: { readonly task: FullTask }): JSX.Element {
  const { blockedBy = [], blocks = [], subtasks = [], series } = task;
  const waits = blockedBy.map(({ name, id, open }) => ({ title: name, id, isDone: !open }));
  const others = (list: typeof blocks) =>
    list.map(({ title, id, status }) => ({ title, id, isDone: status === "Done" }));
  return (
    <>
      {series && (
        <section class="ties">
          <h3>{WORDS.series}</h3>
          <p>{series.text}</p>
        </section>
      )}
      <TieList heading={WORDS.blockedBy} ties={waits} />
      <TieList heading={WORDS.blocks} ties={others(blocks)} />
      <TieList heading={WORDS.subtasks} ties={others(subtasks)} />
    </>
  );
}

interface TieListProps {
  readonly heading: string;
  readonly ties: readonly { readonly title: string; readonly id?: string | undefined; readonly isDone: boolean }[];
}

function TieList({ heading, ties }: TieListProps): JSX.Element | null {
  const page = usePage();
  if (ties.length === 0) return null;
  return (
    <section class="ties">
      <h3>{heading}</h3>
      <ul>
        {ties.map(({ title, id, isDone }) => (
          <li key={title}>
            {id === undefined ? (
              title
            ) : (
              <button type="button" class="link" onClick={() => page.address.open("task", id)}>
                {title}
              </button>
            )}
            {isDone && <span class="chip">{WORDS.isDone}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Other properties of the note, and problems. */
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
          <dl class="properties">
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
