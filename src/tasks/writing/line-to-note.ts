/** Converts a checkbox line to a task note (docs: tasks, "Converting"). */
import { changedMeanwhile } from "../../storage/errors.js";
import { relationsOf } from "../relations.js";
import { call, said, counted } from "../../text/wording.js";
import { VaultError, NOTHING_CHANGED, invalidArgument } from "../../errors.js";
import { NOTHING_NAMED } from "../../markdown/nothing-dropped.js";
import { isBoard, readBoard } from "../../markdown/kanban/board.js";
import { labelsApart } from "../../markdown/links/labels.js";
import { folderPath, joinPath, type VaultPath } from "../../storage/path.js";
import { fillTemplate, findTemplate, templateRemarks } from "../../templates/templates.js";
import type { Note } from "../../vault/vault.js";
import type { TaskUpdates } from "../api.js";
import type { Values } from "../fields/field-table.js";
import type { CleanDraft } from "../format.js";
import { depthOf, NoteLines } from "../line-format/line-facts.js";
import { withoutTrailingTags } from "../line-format/task-line.js";
import type { Task } from "../task.js";
import type { TaskRows } from "../rows/task-rows.js";
import { noLongerTask } from "../task-references.js";
import { cleanUpdates } from "./arguments.js";
import type { PlannedRequest, Step } from "./change-set.js";
import { checkedNote, createdTask, type CreationContext, noteStep } from "./create.js";
import type { EditedLines, NoteLinks, WriteContext } from "./edit-note.js";
import type { WrittenTask } from "./update.js";

export type LinkedContext = WriteContext & { readonly links: NoteLinks };

const ONLY_LINES: Readonly<Record<string, string>> = {
  id: "🆔 (other lines may wait for it)",
  onCompletion: "🏁",
  cancelled: "❌",
  time: "its time",
};
/** Any name: links depend on the folder only. */
const NAME_OF_NOTE = "New task.md";

export interface Asked extends Pick<TaskUpdates, "note"> {
  readonly task: Task;
  readonly updates: TaskUpdates;
  readonly rows: TaskRows;
  /** Notes after the preceding conversions. */
  readonly pages: Map<VaultPath, Note>;
}

export type Conversion = PlannedRequest<WrittenTask>;

export interface ReadConversion {
  /** The changed line; 0 for an added one. */
  readonly line: number;
  readonly plan: () => Promise<Conversion>;
}

export const readToNote = (context: LinkedContext, creation: CreationContext, asked: Asked): ReadConversion => ({
  line: asked.task.line ?? 0,
  plan: async () => await planNote(context, creation, asked),
});

export async function pageAt({ vault }: WriteContext, path: VaultPath, { pages }: Asked): Promise<Note> {
  const page = pages.get(path) ?? (await vault.read(path));
  pages.set(path, page);
  return page;
}

async function planNote(context: LinkedContext, creation: CreationContext, asked: Asked): Promise<Conversion> {
  const { links } = context;
  const { task, note, pages } = asked;
  const { path } = task;
  if (task.source !== "line")
    throw invalidArgument(`"${task.title}" is a note already.`, 'convert "line" makes it a line.');
  if (note !== undefined)
    throw invalidArgument(
      'note is for convert "line".',
      said`Leave it out: the note is made as ${call("create_task")} would.`,
    );
  const page = await pageAt(context, path, asked);
  const { text } = page;
  const { draft: given, at, count } = draftOf(context, asked, page);
  const draft = await checkedNote(context, creation, given);
  const { lacking = [], ...board } = isBoard(text) ? await boardPlaces(context, text, draft.title) : {};
  const carried = (moved: string, folder: VaultPath): Promise<string> =>
    links.carried(moved, { from: path, to: joinPath(folder, NAME_OF_NOTE) });
  const made = await noteStep(context, creation, draft, () => ({ ...board, carried }));
  const to = made.note.path;
  const link = await links.linkText(to, path);
  const lost = count === 0 ? 0 : await links.lost(path, withoutLines(text, at, count));
  const own = text.split("\n").slice(at - 1, at + count);
  const edit = async (now: string): Promise<EditedLines> => {
    const known = made.note.path === to ? link : await links.linkText(made.note.path, path);
    const changed = linkedLine(now, { at: findLines(own, at, now, path), count }, known);
    return { text: changed, named: { ...NOTHING_NAMED, lines: count }, places: [] };
  };
  pages.set(path, { ...page, text: (await edit(text)).text });
  const lines: Step = { kind: "lines", path, line: at, edit };
  const left = `to blocks below it ${lost === 1 ? "stays as it is" : "stay as they are"}: they are in '${to}' now`;
  const remarks = [
    ...(lost === 0 ? [] : [`${counted(lost, "link")} ${left}`]),
    // The line moves, too.
    ...labelsApart(withoutLines(text, at - 1, count + 1), { from: path, to }),
  ];
  return {
    reason: `convert '${task.id}' to a note`,
    steps: [made, lines],
    answer: (results, isWritten) => ({
      ...createdTask(made, results, asked.rows),
      durable: [made, lines].every((step) => results.get(step)?.durable),
      changed: true,
      alsoChanged: [path],
      adjustments: [
        ...made.note.adjustments,
        ...lacking,
        isWritten
          ? `the line in '${path}' is a link to the note now`
          : `the line in '${path}' becomes a link to the note`,
        ...remarks,
      ],
    }),
  };
}

/** @throws CONFLICT */
export function findLines(lines: readonly string[], at: number, text: string, path: VaultPath): number {
  const all = text.split("\n");
  const isAt = (place: number): boolean => lines.every((line, below) => all[place - 1 + below] === line);
  if (isAt(at)) return at;
  const [found, ...others] = all.flatMap((_, index) => (isAt(index + 1) ? [index + 1] : []));
  if (found === undefined || others.length > 0) throw changedMeanwhile(path);
  return found;
}

function draftOf(context: WriteContext, { task: known, updates, rows }: Asked, page: Note) {
  const format = context.index.formatOf("line");
  const detail = format.detail(page, known, rows.context);
  if (detail === undefined) throw noLongerTask(known);
  const { task, properties, description } = detail;
  const relations = relationsOf(rows);
  const lost = [
    ...Object.entries(ONLY_LINES).flatMap(([name, sign]) => (name in properties ? [sign] : [])),
    // Links to its block will lead to no task.
    ...relations
      .waitingFor(known)
      .flatMap((one) => (one.source === "note" ? [`"${one.title}", which waits for it`] : [])),
  ];
  if (lost.length > 0) throw wouldLose(task, "a note", lost);
  const today = context.vault.clock.today();
  const given = Object.keys(updates).length === 0 ? undefined : cleanUpdates(updates, { today });
  if (given?.clean.occurrence ?? given?.clean.lane)
    throw invalidArgument("occurrence and lane cannot be changed with convert.", "Change them in another call.");
  const blockers = relations.blockersOf(task).flatMap(({ tasks }) => tasks.map(({ id }) => id));
  const values: Values = {
    status: task.status,
    priority: task.priority,
    ...defined({
      due: task.due,
      scheduled: task.scheduled,
      start: task.start,
      completed: task.completed,
      created: task.created,
      recurrence: task.series?.rule,
      area: task.areaOf === undefined ? task.area : undefined,
      tags: nonEmpty(task.tags),
      projects: nonEmpty(task.parentProjects),
      blockedBy: nonEmpty(blockers),
    }),
    ...given?.clean.values,
  };
  const title = values.title ?? withoutTrailingTags(task.title);
  const at = task.line ?? 0;
  const carried = unindented(withoutQuotes(description, lineAt(page.text, at)));
  const draft: CleanDraft = {
    title,
    values: { ...values, title },
    keepsDays: true,
    // The lines below are stored only here.
    description: [given?.clean.description ?? "", carried].filter((part) => part.trim() !== "").join("\n\n"),
    properties: given?.clean.properties,
    adjustments: given?.adjustments ?? [],
  };
  return { draft, at, count: new NoteLines(page.text).below({ number: at, text: lineAt(page.text, at) }).length };
}

async function boardPlaces({ vault }: WriteContext, text: string, title: string) {
  const { kanban } = await vault.settings();
  const settings: Readonly<Record<string, unknown>> = { ...kanban.plugin, ...readBoard(text).settings };
  const [folder, template] = [settings["new-note-folder"], settings["new-note-template"]];
  const filled =
    typeof template === "string" && template !== ""
      ? await fillTemplate((await vault.read(await findTemplate(vault, template))).text, title, vault)
      : undefined;
  return {
    ...(typeof folder === "string" && folder !== "" && { folder: folderPath(folder, vault.pathRules) }),
    ...(filled && { template: filled.text, lacking: templateRemarks(filled) }),
  };
}

/** `moved`: the text of these lines, from `start` to `end`; `rest`: all other text. */
function withoutLines(text: string, first: number, count: number) {
  const rows = text.split("\n").map((row) => `${row}\n`);
  const [start, end] = [rows.slice(0, first).join("").length, rows.slice(0, first + count).join("").length];
  return { text, start, end, moved: text.slice(start, end), rest: text.slice(0, start) + text.slice(end) };
}

/** Removes the lines below; a card keeps its box. */
function linkedLine(
  text: string,
  { at, count }: { readonly at: number; readonly count: number },
  link: string,
): string {
  const lines = new NoteLines(text);
  const line = lines.at(at)?.text ?? "";
  const [, head = "", box = ""] = /^([\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(\[.\][ \t]+)?/u.exec(line) ?? [];
  const [block = ""] = /[ \t]+\^[A-Za-z0-9-]+[ \t]*$/.exec(line) ?? [];
  for (let below = at + count; below > at; below--)
    lines.replace({ number: below, text: lines.at(below)?.text ?? "" }, []);
  lines.replace({ number: at, text: line }, [`${head}${isBoard(text) ? box : ""}[[${link}]]${block}`]);
  return lines.text;
}

export function wouldLose(task: Task, as: string, lost: readonly string[]): VaultError {
  return new VaultError("INVALID_ARGUMENT", `As ${as} "${task.title}" would lose: ${lost.join("; ")}.`, {
    path: task.path,
    hint: ["Remove these first if they are not needed.", NOTHING_CHANGED],
  });
}

export const lineAt = (text: string, number: number): string => new NoteLines(text).at(number)?.text ?? "";

const nonEmpty = <Item>(list: readonly Item[]): readonly Item[] | undefined => (list.length === 0 ? undefined : list);

function defined<Given extends object>(given: Given) {
  type Known = { readonly [Key in keyof Given]?: Exclude<Given[Key], undefined> };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Known;
}

/** Without the quote marks of the line itself. */
function withoutQuotes(text: string, line: string): string {
  return text.replace(new RegExp(`^(?:[ \\t]*>){${depthOf(line).quotes}}`, "gm"), "");
}

function unindented(text: string): string {
  const rows = text.split("\n");
  const filled = rows.filter((row) => row.trim() !== "");
  const least = Math.min(...filled.map((row) => /^[ \t]*/.exec(row)?.[0].length ?? 0));
  return rows.map((row) => row.slice(Number.isFinite(least) ? least : 0)).join("\n");
}
