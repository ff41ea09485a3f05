/** Converts a checkbox line to a task note and back, in one operation (docs: tasks, "Converting"). */
import { relationsOf } from "../relations.js";
import { call, said, type Wording } from "../../text/said.js";
import { orIfFailed, VaultError, NOTHING_CHANGED } from "../../errors.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { NOTHING_NAMED } from "../../markdown/nothing-dropped.js";
import { isBoard, readBoard } from "../../markdown/kanban/board.js";
import { labelsApart } from "../../markdown/links/labels.js";
import { titleAndDescription } from "../../markdown/outline.js";
import { fileTitle, folderPath, foldName, joinPath, type VaultPath } from "../../storage/path.js";
import { counted } from "../../text/plural.js";
import { fillTemplate, findTemplate, templateRemarks } from "../../templates/templates.js";
import type { Operation } from "../../history/journal-records.js";
import type { Note } from "../../vault/vault.js";
import type { TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import type { FieldName, Values } from "../fields/fields.js";
import { isStatus } from "../fields/vocabulary.js";
import { appenderAmong, type NewCheckbox, type CleanDraft } from "../format.js";
import { depthOf } from "../line-format/line-facts.js";
import { NoteLines } from "../line-format/note-lines.js";
import { withoutTrailingTags } from "../line-format/task-line.js";
import { conventionsOf, isMarkerTag, requireHoldsTasks } from "../note-format/conventions.js";
import { looksLikeRRule } from "../recurrence/recurrence-rule.js";
import type { Task } from "../task.js";
import type { TaskRows } from "../rows/task-rows.js";
import { noLongerTask } from "../unknown-reference.js";
import { cleanUpdates } from "./arguments.js";
import {
  inOneOperation,
  withoutFirst,
  type NoteChange,
  type NoteLinks,
  type WriteContext,
  writeNote,
  type MadeChange,
} from "./change-set.js";
import { checkedNote, type CreationContext, creationContext, planNote, withFreeName } from "./create.js";
import { assertRevision } from "./edit-note.js";
import { changeTask } from "./update.js";

type LinkedContext = WriteContext & { readonly links: NoteLinks };

const ONLY_LINES: Readonly<Record<string, string>> = {
  id: "🆔 (other lines may wait for it)",
  onCompletion: "🏁",
  cancelled: "❌",
  time: "its time",
};
/** Fields that lines also have, or that mark the note. */
const OF_LINES: ReadonlySet<FieldName> = new Set<FieldName>([
  ...(["id", "type", "title", "status", "priority", "due", "scheduled", "start", "completed", "recurrence"] as const),
  ...(["tags", "created", "modified"] as const),
]);
/** Text with another meaning below a list item. */
const NOT_BELOW_A_LINE = /^(?:#{1,6}\s|```|~~~|\||\$\$|%%|---\s*$)/m;
const LINK_LINE = /^([\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?:\[.\][ \t]+)?\[\[[^\]]*\]\]([ \t]+\^[A-Za-z0-9-]+)?[ \t]*$/u;
const MAX_NAMED = 5;
/** Any name: the form of its links depends on the folder alone. */
const NAME_OF_NOTE = "New task.md";

interface Asked {
  readonly task: Task;
  readonly updates: TaskUpdates;
  readonly note: string | undefined;
  readonly rows: TaskRows;
}

/** Planned from the notes read, which must be unchanged when it is written. */
interface Conversion {
  readonly reason: string;
  readonly changes: readonly [NoteChange, NoteChange];
  readonly adjustments: readonly Wording[];
  readonly alsoChanged: readonly VaultPath[];
  /** @param first of the changes, as it was written */
  readonly taskIn: (first: MadeChange | undefined) => Task | Promise<Task>;
}

/** @throws VaultError INVALID_ARGUMENT naming what would be lost */
export async function convertTask(
  context: WriteContext,
  reference: string,
  given: TaskUpdates,
  options: UpdateOptions,
  within?: Operation,
): Promise<UpdatedTask> {
  const { links, creating } = context;
  if (links === undefined) return await changeTask(context, reference, given, options);
  const { convert, note, ...updates } = given;
  const rows = await context.index.refreshFor([reference]);
  const { task } = await context.index.find(reference, rows);
  assertRevision(task, options.expectedRevision);
  const linked = { ...context, links };
  const asked = { task, updates, note, rows };
  const toNote = async () => {
    const creation = await creationContext(context);
    return await withFreeName(context, creation, async () => {
      const conversion = await planNoteOf(linked, creation, asked);
      return { path: conversion.changes[0].path, write: async () => await apply(context, conversion, within) };
    });
  };
  const made =
    convert === "note"
      ? await creating.runExclusive(toNote)
      : await apply(context, await planLineOf(linked, asked), within);
  return { ...made, changed: true, updated: ["convert", ...Object.keys(updates)] };
}

async function apply(
  context: WriteContext,
  { reason, changes, taskIn, ...said }: Conversion,
  within: Operation | undefined,
) {
  const files = changes.flatMap(({ kind, path }) => (kind === "create" ? [] : [path]));
  const plan = { reason, asOne: true, files };
  const { notes, ...written } = await inOneOperation(context.vault, plan, within, async (operation) => {
    const [first, second] = changes;
    const notes = [await writeNote(context, first, operation)];
    try {
      return { notes: [...notes, await writeNote(context, second, operation)] };
    } catch (error) {
      // An operation of its own is undone; one of several conversions continues.
      throw within ? await withoutFirst(context, first, operation, error) : error;
    }
  });
  return { ...said, ...written, durable: notes.every(({ durable }) => durable), task: await taskIn(notes[0]) };
}

async function planNoteOf(context: LinkedContext, creation: CreationContext, asked: Asked): Promise<Conversion> {
  const { vault, links } = context;
  const { task, note } = asked;
  const { path } = task;
  if (task.source !== "line") throw refused(`"${task.title}" is a note already.`, 'convert "line" makes it a line.');
  if (note !== undefined)
    throw refused('note is for convert "line".', said`Leave it out: the note is made as ${call("create_task")} would.`);
  const page = await vault.read(path);
  const { text, revision } = page;
  const { draft: given, at, count } = draftOf(context, asked, page);
  const draft = await checkedNote(context, creation, given);
  const { lacking = [], ...board } = isBoard(text) ? await boardPlaces(context, text, draft.title) : {};
  const carried = (moved: string, folder: VaultPath): Promise<string> =>
    links.carried(moved, { from: path, to: joinPath(folder, NAME_OF_NOTE) });
  const { change, adjustments, taskIn } = await planNote(context, creation, draft, { ...board, carried });
  const to = change.path;
  const link = await links.linkText(to, path);
  const lost = count === 0 ? 0 : await links.lost(path, withoutLines(text, at, count));
  const reason = `convert '${task.id}' to a note`;
  const edited = { text: linkedLine(text, { at, count }, link), named: { ...NOTHING_NAMED, lines: count } };
  const left = `to blocks below it ${lost === 1 ? "stays as it is" : "stay as they are"}: they are in '${to}' now`;
  return {
    reason,
    changes: [change, { kind: "edit", path, reason, change: () => edited, expected: revision }],
    adjustments: [
      ...adjustments,
      ...lacking,
      `the line in '${path}' is a link to the note now`,
      ...(lost === 0 ? [] : [`${counted(lost, "link")} ${left}`]),
      // The line moves, too.
      ...labelsApart(withoutLines(text, at - 1, count + 1), { from: path, to }),
    ],
    alsoChanged: [path],
    taskIn,
  };
}

/** With its place and the number of lines below it. */
function draftOf(context: WriteContext, { task: known, updates, rows }: Asked, page: Note) {
  const format = context.index.formatOf("line");
  const detail = format.detail(page, known, rows.context);
  if (detail === undefined) throw noLongerTask(known);
  const { task, properties, description } = detail;
  const lost = Object.entries(ONLY_LINES).flatMap(([name, sign]) => (name in properties ? [sign] : []));
  if (lost.length > 0) throw wouldLose(task, "a note", lost);
  const today = context.vault.clock.today();
  const given = Object.keys(updates).length === 0 ? undefined : cleanUpdates(updates, { today });
  if (given?.clean.occurrence ?? given?.clean.lane)
    throw refused("occurrence and lane cannot be changed with convert.", "Change them in another call.");
  const blockers = relationsOf(rows)
    .blockersOf(task)
    .flatMap(({ tasks }) => tasks.map(({ id }) => id));
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
    // The lines below are in no other place.
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

async function planLineOf(context: LinkedContext, { task, updates, note, rows }: Asked): Promise<Conversion> {
  const { vault, index, links } = context;
  if (task.source !== "note") throw refused(`"${task.title}" is a line already.`, 'convert "note" makes it a note.');
  if (note === undefined) throw refused('convert "line" needs note, which gets it.', 'Give a path, or "daily".');
  if (Object.keys(updates).length > 0)
    throw refused('With convert "line" nothing else can be changed.', "Change the other fields in another call.");
  const to = await links.find(note);
  if (to === task.path) throw refused("A note cannot become a line of itself.", "Name another note.");
  requireHoldsTasks(to, rows.settings);
  const [page, target] = [await vault.read(task.path), await vault.read(to)];
  const linking = await links.backlinks(task.path);
  const place = linking.find(({ from, line = 0 }) => from === to && LINK_LINE.test(lineAt(target.text, line)))?.line;
  const others = linking.filter(({ from, line }) => from !== task.path && !(from === to && line === place));
  const body = page.text.slice(titleAndDescription(page.text, splitNote(page.text).bodyStart).description.start).trim();
  const { text, line: number } = await withLine(context, target.text, to, boxOf(task, rows), place, body);
  const find = appenderAmong(index.formats).finder(text, target.stat, rows.context);
  const line = find({ id: "", path: to, source: "line", line: number });
  if (line === undefined) throw new Error("A task's new line is no checkbox.");
  const { area } = rows.withArea(line);
  const lost = [...lostOnLine(task, page, { to, area }, rows), ...linkLoss(others.map(({ from }) => from))];
  if (lost.length > 0) throw wouldLose(task, "a line", lost);
  // A checkbox may have no symbol for Blocked, or a lane decides.
  if (line.status !== task.status) throw wouldLose(task, "a line", [`the status ${task.status}`]);
  const reason = `convert '${task.path}' to a line`;
  return {
    reason,
    changes: [
      { kind: "edit", path: to, reason, change: () => ({ text }), expected: target.revision },
      { kind: "delete", path: task.path, reason, expected: page.revision },
    ],
    adjustments: [said`'${task.path}' was deleted; ${call("undo_edit")} restores it`.or(`'${task.path}' was deleted`)],
    alsoChanged: [task.path],
    taskIn: async () => {
      const made = async () => (await index.find(line.id, await index.refreshFor([line.id]))).task;
      return await orIfFailed(made(), rows.withArea(line));
    },
  };
}

function lostOnLine(
  task: Task,
  page: Note,
  { to, area }: { readonly to: VaultPath; readonly area: string | undefined },
  { settings }: TaskRows,
): string[] {
  const conventions = conventionsOf(settings);
  const parts = splitNote(page.text);
  const { properties } = readFrontmatter(page.text, parts);
  const fields = new Map([...conventions.spelling.fieldProperties(properties)].map(([name, { key }]) => [key, name]));
  const isOfTarget = task.parentProjects.every((project) => foldName(project) === foldName(fileTitle(to)));
  const lost = properties.flatMap(({ key, value, text }) => {
    const field = fields.get(key);
    const isEmpty = text === "" || value === null || (Array.isArray(value) && value.length === 0);
    const isHeld =
      key === conventions.property?.name ||
      (field !== undefined && OF_LINES.has(field)) ||
      (field === "projects" && isOfTarget) ||
      (field === "area" && foldName(task.area ?? "") === foldName(area ?? "")) ||
      (field === "archived" && !task.archived);
    return isEmpty || isHeld ? [] : [key];
  });
  const { series, status } = task;
  if (!isStatus(status)) lost.push(`the status "${status}"`);
  if (series?.anchor === "completion" && looksLikeRRule(series.rule)) lost.push("the rule from completion");
  const { title, description } = titleAndDescription(page.text, parts.bodyStart);
  const above = page.text.slice(parts.bodyStart, title?.start ?? parts.bodyStart);
  const body = page.text.slice(description.start, description.end);
  if (above.trim() !== "" || NOT_BELOW_A_LINE.test(body)) lost.push("the body, which has more than lines and lists");
  return lost;
}

async function withLine(
  { vault, index }: WriteContext,
  text: string,
  path: VaultPath,
  box: NewCheckbox,
  place: number | undefined,
  body: string,
) {
  const added = appenderAmong(index.formats).append(text, undefined, [box], {
    settings: await vault.settings(),
    today: vault.clock.today(),
    path,
  });
  const line = added.places[0]?.line ?? 0;
  const lines = new NoteLines(place === undefined ? added.text : text);
  const at = place ?? line;
  const written = new NoteLines(added.text).at(line)?.text ?? "";
  const [, head = "", block = ""] = LINK_LINE.exec(lineAt(lines.text, at)) ?? [];
  const own = place === undefined ? written : head + written.replace(/^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+/, "") + block;
  const [lead = ""] = /^[\s>]*/.exec(own) ?? [];
  const step = /^( +)(?:[-*+]|\d{1,9}[.)])[ \t]/m.exec(text)?.[1] ?? "\t";
  const below =
    body === "" ? [] : body.split(/\r?\n/).map((row) => (row.trim() === "" ? lead.trimEnd() : lead + step + row));
  lines.replace({ number: at, text: lineAt(lines.text, at) }, [own, ...below]);
  return { text: lines.text, line: at };
}

/** What moves with these lines: `moved` is the text from `start` to `end`, `rest` all other text. */
function withoutLines(text: string, first: number, count: number) {
  const rows = text.split("\n");
  const [start = 0, end = 0] = [first, first + count].map((at) =>
    Math.min(
      rows.slice(0, at).reduce((length, row) => length + row.length + 1, 0),
      text.length,
    ),
  );
  return { text, start, end, moved: text.slice(start, end), rest: text.slice(0, start) + text.slice(end) };
}

/** Replaces the line by a link and removes the lines below; a card keeps its box. */
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

function boxOf(task: Task, { settings }: TaskRows): NewCheckbox {
  const conventions = conventionsOf(settings);
  const words = new Set(task.title.split(/\s+/));
  const { due, scheduled, start, completed, created, priority, series, title } = task;
  const status = isStatus(task.status) ? task.status : undefined;
  const tags = task.tags.filter(
    (tag) => !(task.rule === "task-tag" && isMarkerTag(tag, conventions)) && !words.has(`#${tag}`),
  );
  return { title, due, scheduled, start, completed, created, priority, recurrence: series?.rule, tags, status };
}

function linkLoss(from: readonly VaultPath[]): string[] {
  const notes = [...new Set(from)];
  if (notes.length === 0) return [];
  const more = notes.length > MAX_NAMED ? ` and ${notes.length - MAX_NAMED} more` : "";
  return [`links to it in ${notes.slice(0, MAX_NAMED).join(", ")}${more}`];
}

function wouldLose(task: Task, as: string, lost: readonly string[]): VaultError {
  return new VaultError("INVALID_ARGUMENT", `As ${as} "${task.title}" would lose: ${lost.join("; ")}.`, {
    path: task.path,
    hint: ["Remove these first if they are not needed.", NOTHING_CHANGED],
  });
}

const refused = (message: string, hint: Wording): VaultError => new VaultError("INVALID_ARGUMENT", message, { hint });

const lineAt = (text: string, number: number): string => new NoteLines(text).at(number)?.text ?? "";

const nonEmpty = <Item>(list: readonly Item[]): readonly Item[] | undefined => (list.length === 0 ? undefined : list);

function defined<Given extends object>(given: Given) {
  type Known = { readonly [Key in keyof Given]?: Exclude<Given[Key], undefined> };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Known;
}

/** Without the quote marks that the lines below share with their line. */
function withoutQuotes(text: string, line: string): string {
  return text.replace(new RegExp(`^(?:[ \\t]*>){${depthOf(line).quotes}}`, "gm"), "");
}

function unindented(text: string): string {
  const rows = text.split("\n");
  const filled = rows.filter((row) => row.trim() !== "");
  const least = Math.min(...filled.map((row) => /^[ \t]*/.exec(row)?.[0].length ?? 0));
  return rows.map((row) => row.slice(Number.isFinite(least) ? least : 0)).join("\n");
}
