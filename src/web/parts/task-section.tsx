/** Tasks under a heading with their number: what a page of lists is made of. */
import type { ComponentChildren, JSX } from "preact";
import { usePage } from "../state/page.js";
import type { TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { TaskList } from "./task-list.js";

export interface TaskSectionProps {
  readonly name: string;
  readonly heading: string;
  readonly note?: string | undefined;
  readonly tasks: readonly TaskRow[];
  /** How many there are, with those that are not listed. */
  readonly total: number;
  readonly today: string;
  /** Said where there are none. */
  readonly empty: string;
  readonly remarkOf?: ((task: TaskRow) => string | undefined) | undefined;
  /** Whether those that have just been completed stay. */
  readonly keepsDone?: boolean;
  /** What leads to those that are not listed. */
  readonly children?: ComponentChildren;
}

export function TaskSection(props: TaskSectionProps): JSX.Element {
  const { name, heading, note, total, today, empty, remarkOf, keepsDone = false, children } = props;
  const { changes } = usePage();
  const isThere = ({ id }: TaskRow) => keepsDone || changes.drawn.value.get(id)?.status !== "Done";
  const tasks = props.tasks.filter(isThere).map((task) => changes.seen(task));
  const rest = total - props.tasks.length;
  return (
    <section class={`task-section ${name}`} aria-labelledby={`section-${name}`}>
      <h2 id={`section-${name}`}>
        {heading} {note !== undefined && note !== heading && <small>{note}</small>}{" "}
        <span class="count">{WORDS.number(total)}</span>
      </h2>
      {tasks.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <TaskList name={name} label={heading} tasks={tasks} today={today} remarkOf={remarkOf} />
      )}
      {rest > 0 && (
        <p class="hint">
          {WORDS.more(rest)} {children}
        </p>
      )}
    </section>
  );
}
