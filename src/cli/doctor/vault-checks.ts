/** Checks a vault and its notes. */
import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isVaultError } from "../../errors.js";
import type { Dialect } from "../../tasks/fields/dialect.js";
import { dialectOf } from "../../tasks/note-format/dialect-count.js";
import type { Agenda } from "../../tasks/api.js";
import { FIELD_NAMES, FIELDS } from "../../tasks/fields/field-table.js";
import type { Spelling } from "../../tasks/fields/spelling.js";
import { normaliseWord, STATUS_WORDS, STATUSES } from "../../tasks/fields/vocabulary.js";
import { conventionsOf } from "../../tasks/note-format/note-settings.js";
import type { Task, TaskProblem } from "../../tasks/task.js";
import { droppedLines } from "../../markdown/kanban/board.js";
import { editDistance, nearest } from "../../text/nearest.js";
import type { OpenVault } from "../../tools/workspace.js";
import type { IndexView } from "../../index/view.js";
import type { Progress } from "../../index/refresh.js";
import { PARA_BUCKETS, projectsFolder } from "../../obsidian/para.js";
import { waysOut } from "../../history/journal-records.js";
import { leftOut, unfollowedLinks, type UnlistedNotice } from "../../obsidian/unlisted.js";
import { finding, type Finding } from "./finding.js";
import { ADVICE_FULL, isFull, isUsable, nearestFolder } from "./machine-checks.js";
import type { Log } from "../../log.js";
import type { Vault } from "../../vault/vault.js";
import type { LivesyncReport, LivesyncStorage } from "../../storage/livesync/storage.js";
import { livesyncConfiguration } from "../livesync-settings.js";
import type { Settings } from "../options/options.js";
import { speechOf } from "../speech.js";
import { stateFolderOf } from "../vault-opener.js";
import { counted } from "../../text/wording.js";

const MAX_LISTED = 100;

/** @param folder as from the opener's `resolve` */
export function checkFolder(folder: string, name: string): Finding[] {
  const findings: Finding[] = [finding("ok", "vault", `found: ${name}`)];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    findings.push(finding("ok", "vault", "can be read and written"));
  } catch {
    const advice =
      "Check the folder's permissions and that its disk is not mounted read-only; reading tools work all the same.";
    findings.push(finding("error", "vault", "cannot be written", advice));
  }
  if (isFull(folder))
    findings.push(finding("error", "vault", "is on a full disk: nothing can be written", ADVICE_FULL));
  const settings = join(folder, ".obsidian");
  if (!existsSync(settings)) {
    const advice =
      "If this is not the folder you open in Obsidian, use that one, so that links and settings are found.";
    findings.push(finding("note", "vault", "holds no .obsidian folder", advice));
  } else if (!isUsable(settings, constants.R_OK | constants.X_OK)) {
    const advice = "Make .obsidian a folder you may read. Until then Obsidian's default settings count.";
    findings.push(finding("warning", "settings", "cannot be read", advice, { path: ".obsidian" }));
  }
  return findings;
}

export async function checkNotes(
  { vault, tasks }: Pick<OpenVault, "vault" | "tasks">,
  onProgress?: (progress: Progress) => void,
): Promise<Finding[]> {
  const agenda = await tasks.agenda(onProgress ? { onProgress } : {});
  const settings = await vault.settings();
  const view = await vault.index.refresh({ rows: ["tasks"] });
  const { tasks: all } = await tasks.all();
  const folders = PARA_BUCKETS.flatMap((bucket) => agenda.paraFolders[bucket].map((path) => `${bucket}: ${path}`));
  const home = projectsFolder(agenda.paraFolders);
  return [
    agenda.noteCount === 0
      ? finding("warning", "notes", "none", "Name the folder that you open in Obsidian; in a new vault, write a note.")
      : finding("ok", "notes", `${counted(agenda.noteCount, "note")}, ${counted(agenda.taskCount, "task")}`),
    folders.length > 0
      ? finding("ok", "PARA folders", folders.join(", "))
      : finding("note", "PARA folders", "none", `Nothing needs to be done: ${home} is made with the first new task.`),
    ...settings.problems.map(({ file, line, message }) =>
      finding("warning", "settings", message, OF_SETTINGS, { path: file, line }),
    ),
    ...settings.taskNotes.differences.map((message) => finding("note", "TaskNotes", message)),
    ...settings.taskNotes.excludedFolders.map((folder) =>
      finding("note", "TaskNotes", `its setting excludes ${folder}: no note there is a task`),
    ),
    ...inlineFindings(agenda),
    ...describeDialect(dialectOf(view)),
    ...problemFindings(
      agenda.problems.filter(({ path }) => !settings.problems.some(({ file }) => file === path)),
      view,
    ),
    ...unknownStatuses(all),
    ...misspeltKeys(all, conventionsOf(settings).spelling),
    ...linkFindings(unfollowedLinks(view.unlisted), home),
  ];
}

const DROPPED = "the Kanban plugin drops this line when it saves the board";
const ADVICE_DROPPED = "Make it a list item below a lane, or move it to another note.";

export async function checkBoards({ vault, notes }: Pick<OpenVault, "vault" | "notes">): Promise<readonly Finding[]> {
  const properties = { "kanban-plugin": "*" };
  const boards = await notes.find({ properties, limit: Infinity, sortBy: "path", includeContent: false });
  const findings: Finding[] = [];
  for (const { path } of boards.notes) {
    const { text } = await vault.read(path);
    for (const line of droppedLines(text))
      findings.push(finding("warning", "board", DROPPED, ADVICE_DROPPED, { path, line }));
  }
  return firstOf(findings, "lines of boards");
}

export async function checkCopies({ files }: Pick<OpenVault, "files">): Promise<readonly Finding[]> {
  const advice =
    "Take over what is missing, then delete one of them. An assistant merges two notes by rename with into.";
  const copies = (await files.syncCopies()).map(({ path, comparison }) =>
    finding("warning", "sync conflict", `a copy that counts nowhere: ${comparison}`, advice, { path }),
  );
  const likely = (await files.likelyCopies()).map(({ path, comparison }) =>
    finding("note", "note", `perhaps a copy: ${comparison}`, advice, { path }),
  );
  return firstOf([...copies, ...likely], "copies");
}

function inlineFindings({ inline, unreadInline = 0 }: Agenda): Finding[] {
  const [subject, boxes] = ["checkboxes", "checkboxes are marked as tasks"];
  if (inline.tasks > 0)
    return [finding("ok", subject, `${counted(inline.tasks, "outstanding task")} in ${counted(inline.notes, "note")}`)];
  if (unreadInline === 0) return [];
  const advice = "With --inline-tasks marked, the default, they count.";
  return [finding("note", subject, `${unreadInline} ${boxes} and do not count`, advice)];
}

function describeDialect({ tasks, keys, marker, lists, mixed }: Dialect): readonly Finding[] {
  if (tasks === 0) return [finding("note", "dialect", "no tasks yet: new ones get the plain style")];
  if (mixed.length > 0)
    return mixed.map(({ field, keys: used }) => {
      const shown = used.map(([key, uses]) => `"${key}" (${counted(uses, "task")})`).join(", ");
      const advice = `New tasks get "${keys[field] ?? field}". Rename the other property in Obsidian if it is not meant.`;
      return finding("note", "dialect", `${field} is written as ${shown}: which is meant?`, advice);
    });
  const spelled = ["status", "due", "priority", "area", "projects"].flatMap((field) => keys[field] ?? []);
  const by = marker === "tag" ? "a tag" : "a type key";
  const message = `tasks are marked by ${by}, lists are ${lists}${spelled.length > 0 ? `, keys: ${spelled.join(", ")}` : ""}`;
  return [finding("ok", "dialect", message)];
}

function unknownStatuses(all: readonly Task[]): Finding[] {
  const words = all.map(({ status }) => status).filter((status) => !STATUSES.some((known) => known === status));
  return grouped(words).map(([word, count]) => {
    const [near] = nearest(word, Object.values(STATUS_WORDS).flat(), 1);
    const advice = near === undefined ? "" : `Is it ${JSON.stringify(near)}? `;
    const message = `${JSON.stringify(word)} is no status that is known (${counted(count, "task")}); it counts as outstanding`;
    return finding("warning", "status", message, `${advice}Use a word such as ${STATUSES.join(", ")}.`);
  });
}

const FIELD_KEYS = FIELD_NAMES.flatMap((name) => FIELDS[name].spellings);
/** Shorter keys are often words. */
const MIN_MISSPELT_KEY = 4;

/** Their values are not read. */
function misspeltKeys(all: readonly Task[], spelling: Spelling): Finding[] {
  const keys = all
    .filter(({ source }) => source === "note")
    .flatMap(({ properties }) => Object.keys(properties))
    .filter((key) => spelling.fieldsSpelled(key).length === 0);
  return grouped(keys).flatMap(([key, count]) => {
    const word = normaliseWord(key);
    const near = FIELD_KEYS.find((known) => known[0] === word[0] && editDistance(word, known, 1) === 1);
    if (near === undefined || word.length < MIN_MISSPELT_KEY) return [];
    const message = `${JSON.stringify(key)} is read as no field of a task (${counted(count, "task")})`;
    return [finding("warning", "key", message, `Is it ${JSON.stringify(near)}? Rename the property in Obsidian.`)];
  });
}

function grouped(words: readonly string[]): (readonly [word: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one).slice(0, MAX_WORDS);
}

const MAX_WORDS = 20;

function problemFindings(problems: readonly TaskProblem[], { unlisted }: IndexView): readonly Finding[] {
  const unseen = leftOut(unlisted);
  const unseenPaths = new Set(unseen.map(({ path }) => path));
  const inNotes = problems.filter(({ path }) => !unseenPaths.has(path));
  const findings = [
    ...unseen.map(({ path, message, advice }) => finding("warning", "vault", message, advice, { path })),
    ...inNotes.map(({ path, line, column, message }) =>
      finding("warning", "note", message, line === undefined ? OF_NOTE : IN_NOTE, { path, line, column }),
    ),
  ];
  return firstOf(findings, "problems");
}

const OF_SETTINGS = "Set it again in Obsidian, or correct the file. Until then the default counts.";
const OF_NOTE = "Until this is fixed, tasks of this note may be missing or held up.";
const IN_NOTE = "Fix this place in Obsidian; until then the value is ignored and edits of the note may be refused.";

/** @param home may be hidden by such a link */
function linkFindings(links: readonly UnlistedNotice[], home: string): readonly Finding[] {
  const blocked = "New tasks cannot be made: their folder is a link to a place where nothing may be written.";
  const findings = links.map(({ path, message, advice }) =>
    path === home
      ? finding("warning", "link", blocked, "Fix or remove the link.", { path })
      : finding("note", "link", message, advice, { path }),
  );
  return firstOf(findings, "links that are not followed", "They are left alone on purpose.");
}

function firstOf(
  findings: readonly Finding[],
  what: string,
  advice = "Fix the first ones and run doctor again.",
): readonly Finding[] {
  const rest = findings.slice(MAX_LISTED);
  const [first] = rest;
  if (first === undefined) return findings;
  const level = rest.some((one) => one.level === "warning") ? "warning" : first.level;
  return [...findings.slice(0, MAX_LISTED), finding(level, first.subject, `and ${rest.length} more ${what}`, advice)];
}

export function failureFinding(error: unknown): Finding {
  if (!isVaultError(error)) return finding("error", "vault", "cannot be read", "DEBUG=true logs the cause.");
  return finding("error", "vault", error.message, error.hint);
}

export async function checkInterrupted(vault: Vault): Promise<Finding[]> {
  return (await vault.history.unfinished()).map((operation) => {
    const { plan, done, missing } = operation;
    const message = `interrupted: ${plan.reason}; made: ${counted(done.length, "change")}, missing: ${counted(missing.length, "file")}`;
    return finding("warning", "undo", message, `What to do: ${waysOut(operation).in(speechOf("doctor"))}.`, {
      path: plan.to ?? done[0]?.path,
    });
  });
}

/** @param isAccepted a person says that the journal is this vault's */
export async function checkJournal({ history }: Vault, isAccepted = false): Promise<Finding[]> {
  const confirmed = isAccepted && (await history.confirmJournal());
  // The second inspection finds what is left.
  const report = await history.inspect().catch(() => history.inspect().catch(() => "unreadable" as const));
  if (report === "unreadable")
    return [finding("warning", "undo", "the journal of this vault cannot be read", "Check the disk it is on.")];
  if (!report) return [];
  const { changes, damaged, isOurs, aside } = report;
  const findings = [finding("ok", "undo", `the journal of this vault holds ${counted(changes, "change")}`)];
  if (confirmed) findings.push(finding("ok", "undo", "confirmed as this vault's"));
  if (!isOurs)
    findings.push(
      finding(
        "warning",
        "undo",
        "the journal may be of another vault: none of the files it changed last is here, so nothing is undone",
        "If it is this vault's, run doctor with --accept-journal. The next change begins a new one.",
      ),
    );
  if (damaged > 0)
    findings.push(
      finding(
        "warning",
        "undo",
        `${counted(damaged, "record")} of the journal cannot be read; what they hold cannot be undone`,
        "Check the disk it is on. They go with the oldest changes.",
      ),
    );
  for (const path of aside) {
    const isOthers = path.includes("other-vault");
    const what = isOthers ? "another vault's, whose folder this place was" : "damaged: its changes cannot be undone";
    const advice = `${isOthers ? "" : "Check the disk it is on. "}It holds former texts of notes. Delete it when you do not need it.`;
    findings.push(finding(isOthers ? "note" : "warning", "undo", `${path} is a former journal, ${what}`, advice));
  }
  return findings;
}

/** @throws naming why it is unusable */
export async function checkDatabase(settings: Settings, log: Log): Promise<Finding[]> {
  const stateFolder = resolve(await stateFolderOf(settings));
  const { livesyncStorage } = await import("../../storage/livesync/storage.js");
  const { systemClock } = await import("../../clock.js");
  const exposed: Finding[] = [];
  const storage = livesyncStorage(await livesyncConfiguration(settings), {
    clock: systemClock(settings.timeZone),
    stateFolder,
    isCheck: true,
    warn: (message) => exposed.push(finding("warning", "database", message, "Fix it before notes are read.")),
  });
  const accepted = settings.acceptRebuilt ? await acceptRebuilt(storage) : [];
  const report = await storage.report();
  log.debug("The database was checked", { requests: storage.requests });
  await storage.close();
  return [...exposed, ...accepted, described(report), ...untyped(report), ...writing(report, stateFolder)];
}

async function acceptRebuilt(storage: LivesyncStorage): Promise<Finding[]> {
  try {
    await storage.acceptRebuilt();
    return [
      finding("ok", "database", "accepted as it is now: what was locked or rebuilt before is no reason any more"),
    ];
  } catch (error) {
    if (!isVaultError(error, "PERMISSION_DENIED")) throw error;
    return [finding("error", "database", error.message, error.hint)];
  }
}

function described(report: LivesyncReport): Finding {
  const { host, database, files, conflicts, encryption, hasHiddenNames, accepted } = report;
  const names = hasHiddenNames ? ", names hidden" : "";
  const lock = accepted === undefined ? "" : `, locked but for ${counted(accepted, "accepted device")}`;
  const message = `${database} on ${host}: ${files} files, ${encryption}${names}${lock}`;
  if (conflicts === 0) return finding("ok", "database", message);
  const advice = `${conflicts} in conflict: resolve them in Obsidian; the tool obsidian_list_conflicts shows them.`;
  return finding("warning", "database", message, advice);
}

function untyped({ untyped: count }: LivesyncReport): Finding[] {
  if (count === 0) return [];
  const message = `${count} ${count === 1 ? "document has" : "documents have"} no type: of LiveSync's first versions, or of another program`;
  const advice = "If another program uses this database, give LiveSync one of its own; else let LiveSync rebuild it.";
  return [finding("warning", "database", message, advice)];
}

function writing({ readOnly, accepted }: LivesyncReport, stateFolder: string): Finding[] {
  if (!readOnly && accepted !== undefined && !isUsable(nearestFolder(stateFolder))) {
    const message = `nothing is written to it: it is locked, and ${stateFolder} cannot remember since when`;
    return [finding("warning", "database", message, "Name another folder with --state-folder.")];
  }
  if (!readOnly) return [];
  const advice = readOnly.hint ?? "Reading works.";
  return [finding("warning", "database", readOnly.message, advice)];
}
