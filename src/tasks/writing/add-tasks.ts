/** Creates many tasks from quick text: notes, or checkboxes in a note (docs: tasks, "Making"). */
import { isVaultError, orIfFailed, invalidArgument } from "../../errors.js";
import { distinct, joined, said, type Wording, counted } from "../../text/wording.js";
import { PERIODICITY } from "../../dates/calendar-terms.js";
import { fileTitle, isMarkdown, vaultPath, type VaultPath } from "../../storage/path.js";
import { newPeriodicText, type PeriodicNote, periodicNote } from "../../templates/periodic-notes.js";
import { brokenProperties } from "../../markdown/frontmatter/frontmatter.js";
import { fillTemplate, findTemplate, templateRemarks } from "../../templates/templates.js";
import type { Vault } from "../../vault/vault.js";
import type { AddedTasks, PlannedTask, QuickDraft, RefusedLine } from "../api.js";
import { appenderAmong, type NewCheckbox } from "../format.js";
import { cleanQuickLine, cleanQuickTask } from "./arguments.js";
import { findTask } from "../task-references.js";
import { requireHoldsTasks } from "../note-format/note-settings.js";
import type { LinePlace, Task } from "../task.js";
import type { QuickEntry } from "../quick-add/quick-text.js";
import {
  accepted,
  applyWhole,
  type ChangeSet,
  planChanges,
  type PlannedRequest,
  type Results,
  type Step,
} from "./change-set.js";
import {
  checkedNote,
  createdTask,
  creationContext,
  type CreationContext,
  newBlockers,
  noteStep,
  type NoteStep,
} from "./create.js";
import type { EditedLines, WriteContext } from "./edit-note.js";
import { projectNames, projectNote } from "../known-names.js";
import { fold } from "../../text/fold.js";
import { signStep } from "./update.js";

type Added = Omit<AddedTasks, "remarks" | "refused" | "operation">;

interface AddPlan extends ReadLines<unknown> {
  readonly request: PlannedRequest<Added> | undefined;
  readonly finish?: (added: Added) => Promise<Added>;
}

interface QuickPlan extends AddPlan {
  readonly entries: readonly QuickEntry[];
  readonly openTask: (title: string) => Task | undefined;
  readonly set: ChangeSet<Added>;
}

interface NoteOfLines {
  readonly path: VaultPath;
  readonly missing?: PeriodicNote;
}

const NO_NAMES: ReadonlySet<string> = new Set();

export async function addQuickTasks(context: WriteContext, draft: QuickDraft): Promise<AddedTasks> {
  return await context.creating.runExclusive(async () => {
    const { lines, refused, openTask, set, finish } = await planned(context, draft);
    assertAny(lines, refused);
    const added = await applyWhole(context, set, { asOne: undefined });
    const remarks = lines.flatMap(({ entry }) => remarksOn(entry, openTask));
    return { refused, operation: undefined, ...added, ...(await finish?.(added)), remarks };
  });
}

export async function planQuickTasks(context: WriteContext, draft: QuickDraft): Promise<readonly PlannedTask[]> {
  const { entries, refused, openTask, set } = await planned(context, draft);
  set.outcomes.forEach(accepted);
  const problems = new Map(refused.map(({ line, reason }) => [line, String(reason)]));
  return entries.map(({ line, task: { title, read, unread } }) => {
    const problem = problems.get(line);
    return { line, title, read, unread, problem, open: problem === undefined ? openTask(title) : undefined };
  });
}

async function planned(context: WriteContext, draft: QuickDraft): Promise<QuickPlan> {
  const { vault, index } = context;
  const { text, note } = draft;
  const creation = await creationContext(context);
  const projects = note === undefined ? await projectNames(vault, creation.listing) : NO_NAMES;
  const isProject = (name: string): boolean => projects.has(fold(name));
  const { readQuickText } = await import("../quick-add/quick-text.js");
  const entries = readQuickText(text, { today: vault.clock.today(), isProject });
  const open = new Map(entries.map(({ task: { title } }) => [title, creation.rows.openTask(title)]));
  const plan = await (note === undefined
    ? planNotes(context, creation, entries, draft)
    : planLines(context, entries, note, draft));
  const signed = plan.request?.steps.flatMap((step) => (step.kind === "sign" ? [step.found.task.id] : [])) ?? [];
  const rows = signed.length > 0 ? await index.refreshFor(signed) : creation.rows;
  const set = await planChanges(context, plan.request === undefined ? [] : [plan.request], rows);
  return { ...plan, entries, openTask: (title) => open.get(title), set };
}

async function planNotes(
  context: WriteContext,
  creation: CreationContext,
  entries: readonly QuickEntry[],
  { heading, template, area }: QuickDraft,
): Promise<AddPlan> {
  const { vault } = context;
  if (heading !== undefined)
    throw invalidArgument(
      "heading says where checkboxes go, and note is missing.",
      'Give note (a path, or "daily"), or leave heading out.',
    );
  const templateText =
    template === undefined ? undefined : (await vault.read(await findTemplate(vault, template))).text;
  const read = await readyLines(entries, ({ task }) =>
    checkedNote(context, creation, cleanQuickTask(task, area, { today: vault.clock.today() })),
  );
  const steps: NoteStep[] = [];
  const lacking = new Set<string>();
  for (const { entry, ready: draft } of read.lines) {
    const text = templateText === undefined ? undefined : await fillTemplate(templateText, draft.title, vault);
    for (const remark of text ? templateRemarks(text) : []) lacking.add(remark);
    const above = entry.parent === undefined ? undefined : steps[entry.parent];
    const awaited = entry.after.flatMap((at) => steps[at] ?? []);
    const options = () => ({
      parent: above?.note.path,
      template: text?.text,
      // No other note has a new note's name.
      blockedBy: awaited.map(({ note }) => `[[${fileTitle(note.path)}]]`),
    });
    steps.push(await noteStep(context, creation, draft, options));
  }
  const answer = (results: Results): Added => {
    const made = steps.map((step) => createdTask(step, results, creation.rows));
    return {
      tasks: made.map(({ task }, at) => ({
        task,
        title: task.title,
        place: task.path,
        line: read.lines[at]?.entry.line ?? 0,
      })),
      adjustments: distinct([...made.flatMap(({ adjustments }) => adjustments), ...lacking]),
      undoable: made.every(({ undoable }) => undoable),
      durable: made.every(({ durable }) => durable),
    };
  };
  return { ...read, request: requestOf(steps, steps.length, answer) };
}

const requestOf = (steps: readonly Step[], count: number, answer: (results: Results) => Added): AddPlan["request"] =>
  count === 0 ? undefined : { reason: `add ${counted(count, "task")}`, steps, answer };

async function planLines(
  context: WriteContext,
  entries: readonly QuickEntry[],
  note: string,
  draft: QuickDraft,
): Promise<AddPlan> {
  const { vault } = context;
  const { heading } = draft;
  for (const name of ["area", "template"] as const)
    if (draft[name] !== undefined)
      throw invalidArgument(
        `A checkbox has no ${name} of its own.`,
        `Leave ${name} out, or leave note out to make a note of each task.`,
      );
  const { path, missing } = await noteFor(vault, note);
  const made = missing && (await newPeriodicText(vault, missing));
  const { text } = made ?? (await vault.read(path));
  // Fails for a repeated heading, or without lane.
  await append(context, path, text, heading, []);
  const read = await readyLines(entries, async ({ task }) => {
    const [project] = task.projects;
    const projectsNote = project === undefined ? undefined : await projectNote(vault, project);
    const box = cleanQuickLine(task, projectsNote === path ? undefined : projectsNote);
    const blockers = await newBlockers(context, task.blockedBy, "line");
    await append(context, path, "", undefined, [box]);
    return { box, blockers };
  });
  const { lines } = read;
  const waitedFor = new Set(lines.flatMap(({ entry }) => entry.after));
  const own = lines.map((_, at) => (waitedFor.has(at) ? vault.ids.next() : undefined));
  const boxes = lines.map(({ entry, ready: { box, blockers } }, at): NewCheckbox => {
    const blockedBy = [...blockers.references, ...entry.after.flatMap((place) => own[place] ?? [])];
    return { ...box, parent: entry.parent, sign: own[at], ...(blockedBy.length > 0 && { blockedBy }) };
  });
  const edit = async (now: string): Promise<EditedLines> => await append(context, path, now, heading, boxes);
  const adding: Step =
    missing && made
      ? { kind: "make", note: { path, reason: `${PERIODICITY[missing.period]} note`, ...(await edit(made.text)) } }
      : { kind: "lines", path, edit };
  const signing = lines.flatMap(({ ready }) => ready.blockers.steps.map(signStep));
  const placesIn = (results: Results): readonly LinePlace[] =>
    (adding.kind === "make" ? adding.note.places : results.get(adding)?.places) ?? [];
  const lost = made && brokenProperties("", made.text);
  const answer = (results: Results): Added => {
    const signed = signing.map((step) => results.get(step));
    const changed = signed.flatMap((one) =>
      one?.changed && one.task && one.task.path !== path ? [one.task.path] : [],
    );
    const places = placesIn(results);
    return {
      tasks: boxes.map(({ title }, at) => ({
        task: undefined,
        title,
        place: places[at]?.id ?? path,
        line: lines[at]?.entry.line ?? 0,
      })),
      adjustments: [
        ...[...new Set(changed)].map((one) => `'${one}' was changed too: a line that is waited for has a 🆔 now`),
        ...(made ? templateRemarks(made) : []),
        ...(lost === undefined ? [] : [`The properties of '${path}' cannot be read: ${lost}`]),
      ],
      undoable: results.get(adding)?.undoable ?? false,
      durable: [...signing, adding].every((step) => results.get(step)?.durable),
    };
  };
  return { ...read, request: requestOf([...signing, adding], boxes.length, answer), finish };

  async function finish(added: Added): Promise<Added> {
    const ids = added.tasks.map(({ place }) => place);
    const tasks = await orIfFailed(tasksWith(context, ids), []);
    const linksTaken = missing && (await context.links?.linksTaken(path));
    return {
      ...added,
      tasks: added.tasks.map((one, at) => ({ ...one, task: tasks[at] })),
      adjustments: [...added.adjustments, ...(linksTaken === undefined ? [] : [linksTaken])],
    };
  }
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
async function tasksWith({ index }: WriteContext, ids: readonly string[]): Promise<readonly (Task | undefined)[]> {
  const rows = await index.refresh({}, "lines");
  return ids.map((id) => {
    try {
      const task = findTask(id, rows, index.formats)?.task;
      return task && rows.withArea(task);
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
  // An empty name is not the hidden file `.md`.
  const isWhole = bare === "" || isMarkdown(bare as VaultPath);
  const path = vaultPath(isWhole ? bare : `${bare}.md`, vault.pathRules);
  await vault.stat(path);
  requireHoldsTasks(path, await vault.settings());
  return { path };
}

/** `parent` and `after` index these lines. */
interface ReadyLine<Result> {
  readonly entry: QuickEntry;
  readonly ready: Result;
}

interface ReadLines<Result> {
  readonly lines: readonly ReadyLine<Result>[];
  readonly refused: readonly RefusedLine[];
}

/** Refusing a line also refuses those below it and those that wait for it. */
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
      if (!isVaultError(error)) throw error;
      reason = error.inSentences({ isPart: true });
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
  throw invalidArgument(
    said`These lines make no task; nothing was added: ${bad}`,
    'Put words that are no day, rule or link in "quotes" so that they are not read.',
  );
}

function remarksOn({ task, line }: QuickEntry, openTask: QuickPlan["openTask"]): string[] {
  const open = openTask(task.title);
  return [
    ...task.unread.map(({ text, reason }) => `Line ${line}: not read: "${text}" (${reason}).`),
    ...(open === undefined ? [] : [`"${task.title}" is open already (id ${open.id}); added all the same.`]),
  ];
}
