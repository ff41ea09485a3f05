/** A change on a terminal: the task as it is now and what resulted, or what was undone. */
import { linksAsText } from "../../markdown/plain-text.js";
import type { CommandName } from "../options/option-kinds.js";
import { inOwnWords } from "../own-words.js";
import { hanging, wrapped } from "./columns.js";
import type { Paint } from "./style.js";
import { taskLines, type ScreenTask } from "./task-rows.js";
import { counted } from "../../text/sentences.js";

export interface ChangeScreen {
  readonly columns: number;
  readonly today: string;
  readonly paint: Paint;
  readonly command: CommandName;
}

export interface ChangedTaskData extends Partial<ScreenTask> {
  readonly path?: string;
  /** Absent for a new task. */
  readonly updatedFields?: readonly string[];
  readonly changed?: boolean;
  readonly adjustments?: readonly string[];
  readonly series?: { readonly text: string };
  readonly nowReady?: readonly { readonly title: string }[];
  readonly waitedFor?: readonly string[];
  readonly openSubtasks?: number;
  readonly undoable?: boolean;
  readonly durable?: boolean;
}

export function changedTask(data: ChangedTaskData, { columns, today, paint, command }: ChangeScreen): string[] {
  const { title = "", status = "", path = "", updatedFields, changed = true, series, openSubtasks = 0 } = data;
  const { adjustments = [], nowReady = [], waitedFor = [], undoable = true } = data;
  const heading =
    updatedFields === undefined
      ? "Created:"
      : changed
        ? `Changed ${updatedFields.join(", ")}:`
        : "Nothing was changed:";
  const facts = [
    series?.text ?? "",
    ...adjustments.map((adjustment) => inOwnWords(command, adjustment)),
    nowReady.length === 0 ? "" : `Now ready: ${nowReady.map((task) => linksAsText(task.title)).join(", ")}`,
    waitedFor.length === 0 ? "" : `It still waited for: ${waitedFor.map(linksAsText).join(", ")}`,
    openSubtasks === 0 ? "" : `Subtasks still open: ${openSubtasks}`,
    changed && !undoable ? "undo may be unable to take this back." : "",
    unconfirmed(data),
  ].filter((fact) => fact !== "");
  return [
    ...wrapped(inOwnWords("set", heading), columns),
    ...taskLines([{ ...data, title, status }], columns, today, paint),
    ...wrapped(path, columns - 2).map((line) => `  ${paint("dim", line)}`),
    ...(facts.length === 0 ? [] : [""]),
    ...facts.flatMap((fact) => wrapped(fact, columns)),
  ];
}

export interface TakenBackData {
  readonly asked?: string;
  readonly path?: string;
  readonly undone?: string;
  readonly reason?: string;
  readonly trashedTo?: string;
  readonly copyInTrash?: boolean;
  readonly others?: readonly string[];
  readonly otherCount?: number;
  readonly kept?: readonly { readonly path: string; readonly reason: string }[];
  readonly earlier?: readonly string[];
  readonly stopped?: string;
  readonly durable?: boolean;
}

export function takenBack(data: TakenBackData, { columns }: ChangeScreen): string[] {
  const { undone, others = [], otherCount = 0, kept = [], earlier = [], stopped, copyInTrash } = data;
  const list = [
    ...others.map((path) => `- ${path}`),
    ...(otherCount > others.length ? [`… and ${otherCount - others.length} more`] : []),
  ];
  return [
    ...earlier.map((one) => `Took back ${one}.`),
    whatWasTakenBack(data),
    ...(undone !== "operation" && list.length > 0 ? ["Taken back with it:"] : []),
    ...list,
    ...kept.map(({ path, reason }) => `Left as it is: '${path}': ${reason}`),
    copyInTrash === true ? "The trash still holds a copy." : "",
    stopped === undefined ? "" : `Nothing earlier was taken back: ${stopped}`,
    unconfirmed(data),
  ]
    .filter((line) => line !== "")
    .flatMap((line) => hanging(line, columns));
}

function whatWasTakenBack({
  asked = "",
  path = asked,
  undone = "edit",
  reason: change = "",
  trashedTo,
  otherCount = 0,
}: TakenBackData): string {
  const reason = inOwnWords("set", change);
  switch (undone) {
    case "operation":
      return `Took back ${asked} (${reason}) in ${counted(otherCount, "file")}:`;
    case "create":
      return `'${path}' was new and is gone${trashedTo === undefined ? "" : `, to '${trashedTo}'`} (${reason}).`;
    case "delete":
      return `'${path}' is there again (${reason}).`;
    case "move":
      return `'${asked}' is '${path}' again (${reason}).`;
    default:
      return `'${path}' is as it was before its last change (${reason}).`;
  }
}

function unconfirmed({ durable = true }: { readonly durable?: boolean }): string {
  return durable ? "" : "The disk did not confirm that this would survive a power cut.";
}
