/** Creates many tasks from quick text: notes, or checkboxes in a note (docs: tasks, "Making"). */
import { isVaultError, orIfFailed, VaultError } from "../../errors.js";
import { distinct, joined, said, type Wording } from "../../text/said.js";
import { PERIODICITY } from "../../dates/calendar-terms.js";
import { isMarkdown, vaultPath, type VaultPath } from "../../storage/path.js";
import { newPeriodicText, type PeriodicNote, periodicNote } from "../../templates/periodic-notes.js";
import { brokenProperties } from "../../markdown/frontmatter/frontmatter.js";
import { fillTemplate, findTemplate, templateRemarks } from "../../templates/templates.js";
import type { Vault } from "../../vault/vault.js";
import type { AddedTask, AddedTasks, CreatedTask, PlannedTask, QuickDraft, RefusedLine } from "../api.js";
import { type CleanDraft, appenderAmong, type NewCheckbox } from "../format.js";
import { cleanQuickLine, cleanQuickTask } from "./arguments.js";
import { findTask } from "../references.js";
import { requireHoldsTasks } from "../note-format/conventions.js";
import type { LinePlace, Task } from "../task.js";
import type { QuickEntry } from "../quick-add/quick-text.js";
import type { WrittenBlockers } from "./blockers.js";
import type { WriteContext } from "./change-set.js";
import { checkedNote, creationContext, type CreationContext, makeNote, newBlockers } from "./create.js";
import { projectNames } from "../known-names.js";
import { counted } from "../../text/plural.js";
import { fold } from "../../text/fold.js";
import { accepted, applyChanges, filesOf, planSigns } from "./update.js";

/** All that is decided before anything is written. */
interface AddPlan extends ReadLines<unknown> {
  readonly entries: readonly QuickEntry[];
  /** Before these tasks are written. */
  readonly openTask: (title: string) => Task | undefined;
  readonly add: () => Promise<Omit<AddedTasks, "remarks" | "refused">>;
}

interface NoteOfLines {
  readonly path: VaultPath;
  readonly missing?: PeriodicNote;
}

const NO_NAMES: ReadonlySet<string> = new Set();

export async function addQuickTasks(context: WriteContext, draft: QuickDraft): Promise<AddedTasks> {
  return await context.creating.runExclusive(async () => {
    const { lines, refused, openTask, add } = await planned(context, draft);
    assertAny(lines, refused);
    const added = await add();
    return { refused, ...added, remarks: lines.flatMap(({ entry }) => remarksOn(entry, openTask)) };
  });
}

/** @throws VaultError when no line can be added */
export async function planQuickTasks(context: WriteContext, draft: QuickDraft): Promise<readonly PlannedTask[]> {
  const { entries, refused, openTask } = await planned(context, draft);
  const problems = new Map(refused.map(({ line, reason }) => [line, String(reason)]));
  return entries.map(({ line, task: { title, read, unread } }) => {
    const problem = problems.get(line);
    return { line, title, read, unread, problem, open: problem === undefined ? openTask(title) : undefined };
  });
}

async function planned(context: WriteContext, draft: QuickDraft): Promise<AddPlan> {
  const { vault } = context;
  const { text, note } = draft;
  const creation = await creationContext(context);
  const { rows } = creation;
  const projects = note === undefined ? await projectNames(vault, creation.listing) : NO_NAMES;
  const isProject = (name: string): boolean => projects.has(fold(name));
  const { readQuickText } = await import("../quick-add/quick-text.js");
  const entries = readQuickText(text, { today: vault.clock.today(), isProject });
  const open = new Map(entries.map(({ task: { title } }) => [title, rows.openTask(title)]));
  const plan =
    note === undefined ? planNotes(context, creation, entries, draft) : planLines(context, entries, note, draft);
  return { ...(await plan), entries, openTask: (title) => open.get(title) };
}

type PartialPlan = Pick<AddPlan, "lines" | "refused" | "add">;

async function planNotes(
  context: WriteContext,
  creation: CreationContext,
  entries: readonly QuickEntry[],
  { heading, template, area }: QuickDraft,
): Promise<PartialPlan> {
  const { vault } = context;
  if (heading !== undefined) throw needsNote("heading");
  const templateText =
    template === undefined ? undefined : (await vault.read(await findTemplate(vault, template))).text;
  const read = await readyLines(entries, ({ task }) =>
    checkedNote(context, creation, cleanQuickTask(task, area, { today: vault.clock.today() })),
  );
  return { ...read, add: () => addNotes(context, creation, read.lines, templateText) };
}

async function addNotes(
  context: WriteContext,
  creation: CreationContext,
  lines: readonly ReadyLine<CleanDraft>[],
  templateText: string | undefined,
) {
  const { vault } = context;
  const made: CreatedTask[] = [];
  const lacking = new Set<string>();
  const plan = { reason: `add ${counted(lines.length, "task")}`, files: [] };
  const { operation, undoable } = await vault.history.runOperation(plan, async (operation) => {
    for (const { entry, ready: draft } of lines) {
      const parent = entry.parent === undefined ? undefined : made[entry.parent]?.task.path;
      const text = templateText === undefined ? undefined : await fillTemplate(templateText, draft.title, vault);
      for (const remark of text ? templateRemarks(text) : []) lacking.add(remark);
      const earlier = entry.after.flatMap((at) => made[at]?.task.path ?? []);
      const links = await newBlockers(context, earlier, "note");
      const blockedBy = [...(draft.values.blockedBy ?? []), ...links.references];
      const waiting = blockedBy.length === 0 ? draft : withBlockers(draft, blockedBy);
      made.push(await makeNote(context, creation, waiting, { operation, parent, template: text?.text }));
    }
  });
  const added = ({ task }: CreatedTask, at: number): AddedTask => ({
    task,
    title: task.title,
    place: task.path,
    line: lines[at]?.entry.line ?? 0,
  });
  return {
    tasks: made.map(added),
    adjustments: distinct([...made.flatMap(({ adjustments }) => adjustments), ...lacking]),
    operation,
    undoable,
    durable: made.every(({ durable }) => durable),
  };
}

async function planLines(
  context: WriteContext,
  entries: readonly QuickEntry[],
  note: string,
  draft: QuickDraft,
): Promise<PartialPlan> {
  for (const name of ["area", "template"] as const) if (draft[name] !== undefined) throw onlyForNotes(name);
  const place = await noteFor(context.vault, note);
  const { text } = await (place.missing
    ? newPeriodicText(context.vault, place.missing)
    : context.vault.read(place.path));
  // A repeated heading, or no lane.
  await append(context, place.path, text, draft.heading, []);
  const read = await readyLines(entries, async ({ task }) => {
    const box = cleanQuickLine(task);
    const blockers = await newBlockers(context, task.blockedBy, "line");
    await append(context, place.path, "", undefined, [box]);
    return { box, blockers };
  });
  return { ...read, add: () => addLines(context, read.lines, place, draft.heading) };
}

async function addLines(
  context: WriteContext,
  lines: readonly ReadyLine<CheckboxDraft>[],
  { path, missing }: NoteOfLines,
  heading: string | undefined,
) {
  const { vault } = context;
  const waitedFor = new Set(lines.flatMap(({ entry }) => entry.after));
  const own = lines.map((_, at) => (waitedFor.has(at) ? vault.ids.next() : undefined));
  const drafts = lines.map(({ entry, ready: { box, blockers } }, at) => ({
    box: { ...box, parent: entry.parent, sign: own[at] },
    earlier: entry.after.flatMap((place) => own[place] ?? []),
    blockers,
  }));
  const steps = drafts.flatMap(({ blockers }) => blockers.steps);
  // Checks the lines before anything is written.
  const boxes = waitingBoxes(drafts);
  await append(context, path, "", heading, boxes);
  const signs = await planSigns(context, steps);
  const files = [...new Set([path, ...filesOf(signs)])];
  const plan = { reason: `add ${counted(drafts.length, "task")}`, files };
  const { result, operation, undoable } = await vault.history.runOperation(plan, async (operation) => {
    const signed = (await applyChanges(context, signs, { operation })).map(accepted);
    const made = missing && (await newPeriodicText(vault, missing));
    if (missing && made)
      await vault.writing.create(missing.path, made.text, `${PERIODICITY[missing.period]} note`, { operation });
    let places: readonly LinePlace[] = [];
    const change = async (text: string): Promise<string> => {
      const added = await append(context, path, text, heading, boxes);
      places = added.places;
      return added.text;
    };
    const edit = await vault.writing.edit(path, change, "add tasks", { operation });
    const lost = made && brokenProperties("", made.text);
    const lacking = [
      ...(made ? templateRemarks(made) : []),
      ...(lost === undefined ? [] : [`The properties of '${path}' cannot be read: ${lost}`]),
    ];
    return { signed, lacking, places, durable: edit.file?.durable ?? true };
  });
  const { signed, lacking, places, durable } = result;
  const changed = signed.flatMap((one) => (one.changed && one.task.path !== path ? [one.task.path] : []));
  const tasks = await orIfFailed(tasksAt(context, places), []);
  const linksTaken = missing && (await context.links?.linksTaken(path));
  const added = ({ title }: NewCheckbox, at: number): AddedTask => ({
    task: tasks[at],
    title,
    place: places[at]?.id ?? path,
    line: lines[at]?.entry.line ?? 0,
  });
  return {
    tasks: boxes.map(added),
    adjustments: [
      ...[...new Set(changed)].map((one) => `'${one}' was changed too: a line that is waited for has a 🆔 now`),
      ...lacking,
      ...(linksTaken === undefined ? [] : [linksTaken]),
    ],
    operation,
    undoable,
    durable,
  };
}

async function append(
  { vault, index }: WriteContext,
  path: VaultPath,
  text: string,
  heading: string | undefined,
  boxes: readonly NewCheckbox[],
) {
  const [settings, today] = [await vault.settings(), vault.clock.today()];
  return appenderAmong(index.formats).append(text, heading, boxes, { settings, today, path, mayBePlain: true });
}

/** By id: another program may have inserted lines since. */
async function tasksAt({ index }: WriteContext, places: readonly LinePlace[]): Promise<readonly (Task | undefined)[]> {
  const rows = await index.refresh({}, "lines");
  return places.map(({ id }) => {
    try {
      return findTask(id, rows, index.formats)?.task;
    } catch (error) {
      if (isVaultError(error, "AMBIGUOUS_NAME")) return undefined;
      throw error;
    }
  });
}

async function noteFor(vault: Vault, note: string): Promise<NoteOfLines> {
  const bare = note.trim();
  const periodic = await periodicNote(vault, bare);
  if (periodic) return periodic.exists ? { path: periodic.path } : { path: periodic.path, missing: periodic };
  // An empty name is refused as such, not as the hidden file `.md`.
  const isWhole = bare === "" || isMarkdown(bare as VaultPath);
  const path = vaultPath(isWhole ? bare : `${bare}.md`, vault.pathRules);
  await vault.stat(path);
  requireHoldsTasks(path, await vault.settings());
  return { path };
}

/** A line and its result. Places of `parent` and `after` count these lines. */
interface ReadyLine<Result> {
  readonly entry: QuickEntry;
  readonly ready: Result;
}

interface ReadLines<Result> {
  readonly lines: readonly ReadyLine<Result>[];
  readonly refused: readonly RefusedLine[];
}

/** A refused line takes the lines below it along, and those that wait for it. */
async function readyLines<Result>(
  entries: readonly QuickEntry[],
  read: (entry: QuickEntry) => Promise<Result>,
): Promise<ReadLines<Result>> {
  const lines: ReadyLine<Result>[] = [];
  const refused: RefusedLine[] = [];
  const places = new Map<number, number>();
  const missing = (at: number | undefined): number | undefined =>
    at === undefined || places.has(at) ? undefined : entries[at]?.line;
  for (const [at, entry] of entries.entries()) {
    const { line, task, parent, after } = entry;
    const above = missing(parent);
    const awaited = after.map(missing).find((one) => one !== undefined);
    let reason: Wording | undefined = entry.problem;
    if (above !== undefined) reason ??= `It is below line ${above}, which is not added.`;
    if (awaited !== undefined) reason ??= `It waits for line ${awaited}, which is not added.`;
    try {
      if (reason === undefined) {
        const ready = await read(entry);
        const placeOf = (one: number): number => places.get(one) ?? 0;
        places.set(at, lines.length);
        const moved = {
          ...entry,
          parent: parent === undefined ? undefined : placeOf(parent),
          after: after.map(placeOf),
        };
        lines.push({ entry: moved, ready });
      }
    } catch (error) {
      reason = problemIn(error);
    }
    if (reason !== undefined) refused.push({ line, title: task.title, reason });
  }
  return { lines, refused };
}

function assertAny(lines: readonly ReadyLine<unknown>[], refused: readonly RefusedLine[]): void {
  if (lines.length > 0) return;
  const bad = joined(
    refused.map(({ line, reason }) => said`line ${line}: ${reason}`),
    " ",
  );
  throw new VaultError("INVALID_ARGUMENT", said`These lines make no task; nothing was added: ${bad}`, {
    hint: 'Put words that are no day, rule or link in "quotes" so that they are not read.',
  });
}

function problemIn(error: unknown): Wording {
  if (!isVaultError(error)) throw error;
  return error.inSentences({ isPart: true });
}

interface CheckboxDraft {
  readonly box: NewCheckbox;
  readonly blockers: WrittenBlockers;
}

function waitingBoxes(drafts: readonly (CheckboxDraft & { readonly earlier: readonly string[] })[]): NewCheckbox[] {
  return drafts.map(({ box, earlier, blockers: { references } }) => {
    const blockedBy = [...references, ...earlier];
    return blockedBy.length === 0 ? box : { ...box, blockedBy };
  });
}

function withBlockers(draft: CleanDraft, blockedBy: readonly string[]): CleanDraft {
  return {
    ...draft,
    values: { ...draft.values, blockedBy },
    given: draft.given && new Set([...draft.given, "blockedBy"]),
  };
}

function remarksOn({ task, line }: QuickEntry, openTask: AddPlan["openTask"]): string[] {
  const open = openTask(task.title);
  return [
    ...task.unread.map(({ text, reason }) => `Line ${line}: not read: "${text}" (${reason}).`),
    ...(open === undefined ? [] : [`"${task.title}" is open already (id ${open.id}); added all the same.`]),
  ];
}

function needsNote(argument: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${argument} says where checkboxes go, and note is missing.`, {
    hint: 'Give note (a path, or "daily"), or leave heading out.',
  });
}

function onlyForNotes(argument: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `A checkbox has no ${argument} of its own.`, {
    hint: `Leave ${argument} out, or leave note out to make a note of each task.`,
  });
}
