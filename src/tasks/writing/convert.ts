/** Converts checkbox lines to task notes and back (docs: tasks, "Converting"). */
import { invalidArgument } from "../../errors.js";
import { TimeSlice } from "../../async/timers.js";
import { type VaultPath, fileTitle, foldName } from "../../storage/path.js";
import type { Note } from "../../vault/vault.js";
import type { TaskUpdates, UpdatedTask, UpdateOptions } from "../api.js";
import type { Reference } from "../task-references.js";
import type { TaskRows } from "../rows/task-rows.js";
import { applyWhole, planChanges, refusalIn, type Step } from "./change-set.js";
import { creationContext } from "./create.js";
import { assertRevision, type WriteContext } from "./edit-note.js";
import {
  type Conversion,
  readToNote,
  type ReadConversion,
  type Asked,
  type LinkedContext,
  pageAt,
  findLines,
  wouldLose,
  lineAt,
} from "./line-to-note.js";
import { call, said } from "../../text/wording.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import { scanLinks } from "../../markdown/visit-note.js";
import { titleAndDescription } from "../../markdown/outline.js";
import type { FieldName } from "../fields/field-table.js";
import { isStatus } from "../fields/vocabulary.js";
import { appenderAmong, type NewCheckbox } from "../format.js";
import { NoteLines } from "../line-format/line-facts.js";
import { conventionsOf, isMarkerTag, requireHoldsTasks } from "../note-format/note-settings.js";
import { looksLikeRRule } from "../recurrence/recurrence-rule.js";
import type { Task } from "../task.js";
import { relationsOf } from "../relations.js";

/** @throws INVALID_ARGUMENT naming what would be lost */
export async function convertTask(
  context: WriteContext,
  reference: string,
  updates: TaskUpdates,
  options: UpdateOptions,
): Promise<UpdatedTask> {
  const rows = await context.index.refreshFor([reference]);
  const found = await context.index.find(reference, rows);
  assertRevision(found.task, options.expectedRevision);
  const convert = async () => {
    const requests = await planConversions(context, [found], updates, rows);
    const made = await applyWhole(context, await planChanges(context, requests, rows));
    const { convert: _, note: _note, ...others } = updates;
    return { ...made, updated: ["convert", ...Object.keys(others)] };
  };
  return await context.creating.runExclusive(() => context.vault.withLock(convert));
}

/** The caller holds `creating`. */
export async function planConversions(
  context: WriteContext,
  found: readonly Reference[],
  { convert, note, ...updates }: TaskUpdates,
  rows: TaskRows,
  signal?: AbortSignal,
): Promise<readonly (Conversion | Error)[]> {
  const { links } = context;
  if (links === undefined) throw new Error("Tasks are converted where links are known.");
  const linked = { ...context, links };
  const creation = convert === "note" ? await creationContext(context) : undefined;
  const pages = new Map<VaultPath, Note>();
  const slice = new TimeSlice(signal);
  const made: (Conversion | Error | undefined)[] = [];
  const ready: (ReadConversion & { readonly at: number })[] = [];
  for (const [at, { task }] of found.entries())
    try {
      const asked = { task, updates, note, rows, pages };
      ready.push({ at, ...(creation ? readToNote(linked, creation, asked) : await readToLine(linked, asked)) });
    } catch (error) {
      made[at] = refusalIn(error);
    }
  // Last line first: a conversion moves the lines below.
  for (const { at, plan } of ready.toSorted((a, b) => b.line - a.line)) {
    if (slice.isOver) await slice.yield();
    made[at] = await plan().catch(refusalIn);
  }
  return made.flatMap((one) => one ?? []);
}

/** Fields that lines also have, or that mark the note. */
const OF_LINES: ReadonlySet<FieldName> = new Set<FieldName>([
  ...(["id", "type", "title", "status", "priority", "due", "scheduled", "start", "completed", "recurrence"] as const),
  ...(["tags", "created", "modified"] as const),
]);
/** Means something else below a list item. */
const NOT_BELOW_A_LINE = /^(?:#{1,6}\s|```|~~~|\||\$\$|%%|---\s*$)/m;
const LINK_LINE = /^([\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?:\[.\][ \t]+)?\[\[[^\]]*\]\]([ \t]+\^[A-Za-z0-9-]+)?[ \t]*$/u;
const MAX_NAMED = 5;

async function readToLine(context: LinkedContext, asked: Asked): Promise<ReadConversion> {
  const { vault, links } = context;
  const { task, updates, note, rows } = asked;
  if (task.source !== "note")
    throw invalidArgument(`"${task.title}" is a line already.`, 'convert "note" makes it a note.');
  if (note === undefined)
    throw invalidArgument('convert "line" needs note, which gets it.', 'Give a path, or "daily".');
  if (Object.keys(updates).length > 0)
    throw invalidArgument(
      'With convert "line" nothing else can be changed.',
      "Change the other fields in another call.",
    );
  const to = await links.find(note);
  if (to === task.path) throw invalidArgument("A note cannot become a line of itself.", "Name another note.");
  requireHoldsTasks(to, rows.settings);
  const page = await vault.read(task.path);
  const { text } = await pageAt(context, to, asked);
  const linking = await links.backlinks(task.path);
  const place = linking.find(({ from, line = 0 }) => from === to && LINK_LINE.test(lineAt(text, line)))?.line;
  const relations = relationsOf(rows);
  const others = [
    ...linking.flatMap(({ from, line }) => (from === to && line === place ? [] : [from])),
    // By an id or a plain name.
    ...[...relations.waitingFor(task), ...relations.subtasksOf(task)].map(({ path }) => path),
  ];
  const read = { page, to, place, others: others.filter((path) => path !== task.path) };
  return { line: place ?? 0, plan: async () => await planLine(context, asked, read) };
}

interface NoteToLine {
  readonly page: Note;
  readonly to: VaultPath;
  /** The line that is only a link to the note. */
  readonly place: number | undefined;
  /** Notes with other links to it. */
  readonly others: readonly VaultPath[];
}

async function planLine(
  context: LinkedContext,
  asked: Asked,
  { page, to, place, others }: NoteToLine,
): Promise<Conversion> {
  const { task, rows, pages } = asked;
  const target = await pageAt(context, to, asked);
  const { description } = titleAndDescription(page.text, splitNote(page.text).bodyStart);
  const body = await context.links.carried(page.text.slice(description.start).trim(), { from: task.path, to });
  const isOwn = (target: string): boolean =>
    foldName(fileTitle(target as VaultPath)) === foldName(fileTitle(task.path));
  const namesItself = scanLinks(body, splitNote(body)).some(({ target }) => target !== "" && isOwn(target));
  const linking = namesItself ? [...others, task.path] : others;
  const link = place === undefined ? "" : lineAt(target.text, place);
  const write = async (text: string) => {
    const now = place === undefined ? undefined : findLines([link], place, text.replaceAll("\r\n", "\n"), to);
    const made = await withLine(context, text, to, boxOf(task, rows), now, body);
    const find = appenderAmong(context.index.formats).finder(made.text, target.stat, rows.context);
    const line = find({ id: "", path: to, source: "line", line: made.line });
    if (line?.line === undefined)
      throw invalidArgument(`Line ${made.line} of '${to}' cannot be a checkbox.`, "Remove the link from it.");
    const lost = [...lostOnLine(task, page, rows.withArea(line), rows), ...linkLoss(linking)];
    if (lost.length > 0) throw wouldLose(task, "a line", lost);
    return { text: made.text, line, places: [{ ...line, line: line.line }] };
  };
  const { text, line } = await write(target.text);
  pages.set(to, { ...target, text });
  const lines: Step = { kind: "lines", path: to, line: place, edit: write, showsTask: true };
  const deleted: Step = { kind: "delete", path: task.path, expected: page.revision };
  const gone = said`'${task.path}' was deleted; ${call("undo_edit")} restores it`.or(`'${task.path}' was deleted`);
  return {
    reason: `convert '${task.path}' to a line`,
    steps: [lines, deleted],
    answer: (results, isWritten) => {
      const made = [results.get(lines), results.get(deleted)];
      return {
        task: rows.withArea(made[0]?.task ?? line),
        changed: true,
        undoable: made.every((one) => one?.undoable),
        durable: made.every((one) => one?.durable),
        alsoChanged: [task.path],
        adjustments: [isWritten ? gone : `'${task.path}' goes to the trash`],
      };
    },
  };
}

function lostOnLine(task: Task, page: Note, line: Task, { settings }: TaskRows): string[] {
  const conventions = conventionsOf(settings);
  const parts = splitNote(page.text);
  const { properties } = readFrontmatter(page.text, parts);
  const fields = new Map([...conventions.spelling.fieldProperties(properties)].map(([name, { key }]) => [key, name]));
  const isOfTarget = task.parentProjects.every((project) => foldName(project) === foldName(fileTitle(line.path)));
  const lost = properties.flatMap(({ key, value, text }) => {
    const field = fields.get(key);
    const isEmpty = text === "" || value === null || (Array.isArray(value) && value.length === 0);
    const isHeld =
      key === conventions.property?.name ||
      (field !== undefined && OF_LINES.has(field)) ||
      (field === "projects" && isOfTarget) ||
      (field === "area" && foldName(task.area ?? "") === foldName(line.area ?? "")) ||
      (field === "archived" && !task.archived);
    return isEmpty || isHeld ? [] : [key];
  });
  const { series, status } = task;
  // A checkbox may have no symbol for Blocked, or a lane decides.
  if (line.status !== status) lost.push(`the status ${status}`);
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
