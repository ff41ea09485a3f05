/** Explains why a reference means no task: an unreadable note, a note without a task, or nothing. */
import { isVaultError, VaultError, NOTHING_CHANGED } from "../errors.js";
import { argument, call, said } from "../text/said.js";
import { readFrontmatter } from "../markdown/frontmatter/frontmatter.js";
import { HIDDEN } from "../search/nothing-found.js";
import { fileTitle, foldName, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { withLocation } from "./note-format/update-note.js";
import { readLineName } from "./line-format/line-identity.js";
import { pathOfReference, unknownTask } from "./references.js";
import type { TaskRows } from "./rows/task-rows.js";
import { projectNote } from "./known-names.js";
import { FIELDS } from "./fields/fields.js";
import { normaliseWord } from "./fields/vocabulary.js";

const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

const MAX_BROKEN = 50;

interface BrokenNote {
  /** Folded: path, file name, and ids and titles in its lines. */
  readonly names: ReadonlySet<string>;
  readonly refusal: VaultError | undefined;
}

/** Reads unreadable notes once for all references. @returns what explains one reference */
export function unknownReferences(rows: TaskRows, vault: Vault, { suggests = true } = {}) {
  let broken: Promise<readonly BrokenNote[]> | undefined;

  /** @throws VaultError always, with that reason */
  async function explain(reference: string): Promise<never> {
    await refuseOtherLine(reference);
    const path = pathOfReference(reference);
    const name = bareName(reference);
    for (const { names, refusal } of await (broken ??= brokenNotes()))
      if (refusal !== undefined && names.has(name)) throw refusal;
    const project = suggests ? await projectNote(vault, reference) : undefined;
    if (project !== undefined)
      throw new VaultError("FILE_NOT_FOUND", `'${project}' is a project, not a task.`, {
        path: project,
        hint: [
          said`${call("update_task")} takes it as ${argument("taskId")}: updates {"status": "Done"} closes it, {"status": "In Progress"} opens it again, {"properties": {"archived": "true"}} archives it.`,
          said`List its tasks with ${call("search_tasks", { project }, "search_tasks and project")}.`,
        ],
      });
    const { view } = rows;
    const unknown = unknownTask(reference, rows, suggests);
    const isMeant = (one: VaultPath) => [one.replace(/\.md$/i, ""), fileTitle(one)].map(foldName).includes(name);
    const named = () => view.filesNamed(name).find((file) => !view.isHidden(file.path) && isMeant(file.path))?.path;
    const note = path !== undefined && view.has(path) ? path : suggests ? named() : undefined;
    if (note === undefined) throw unknown;
    if (view.isHidden(note)) throw unknown.with({ hint: `'${note}' is no task: ${HIDDEN} are none.` });
    throw unknown.with({
      hint: `'${note}' is a note but no task: it has neither a property "type: task" nor the tag "task". A status alone makes a task only of a note in a PARA folder that is nothing else, and only when it is one of tasks, such as "todo" or "done".`,
    });
  }

  /** @throws VaultError with the line's text, if the reference is a line number without checkbox */
  async function refuseOtherLine(reference: string): Promise<void> {
    const { path = "", line, digits } = readLineName(reference.trim()) ?? {};
    const note = line === undefined || digits !== undefined ? undefined : pathOfReference(path);
    if (note === undefined || !rows.view.has(note)) return;
    const { text: whole = "" } = await read(note);
    const text = whole.split("\n")[(line ?? 1) - 1];
    const what =
      text === undefined ? "is behind the note's end" : `is no checkbox: ${JSON.stringify(excerpt(text.trim()))}`;
    throw new VaultError("INVALID_ARGUMENT", `Line ${line} of '${note}' ${what}.`, {
      hint: said`List checkboxes with ${call("search_tasks", { is: ["checkbox"] }, 'search_tasks and is ["checkbox"]')}, or make this line one with ${call("str_replace")}.`.or(
        said`List checkboxes with ${call("search_tasks", { is: ["checkbox"] })}.`,
      ),
    });
  }

  async function brokenNotes(): Promise<readonly BrokenNote[]> {
    const notes: BrokenNote[] = [];
    for (const { path } of rows.view.problems().slice(0, MAX_BROKEN)) {
      const { text = "", refusal } = await read(path);
      notes.push({ names: namesOf(path, text), refusal: refusal ?? unreadable(text, { path }) });
    }
    return notes;
  }

  async function read(path: VaultPath): Promise<{ readonly text?: string; readonly refusal?: VaultError }> {
    try {
      return await vault.read(path).then(({ text }) => ({ text }));
    } catch (error) {
      if (isVaultError(error)) return { refusal: error };
      throw error;
    }
  }

  return explain;
}

function bareName(reference: string): string {
  return foldName(
    reference
      .trim()
      .replace(/^\/|^!?\[\[|\]\]$/g, "")
      .replace(/\.md$/i, ""),
  );
}

function namesOf(path: VaultPath, text: string): ReadonlySet<string> {
  const names = new Set([foldName(path.replace(/\.md$/i, "")), foldName(fileTitle(path))]);
  const keys = [...FIELDS.id.spellings, ...FIELDS.title.spellings] as readonly string[];
  for (const line of text.slice(0, 4096).split("\n")) {
    const [, key = "", value = ""] = /^([^:#]+):\s+(.+)$/.exec(line.trim()) ?? [];
    if (keys.includes(normaliseWord(key))) names.add(foldName(value.replace(/^(["'])(.*)\1$/, "$2")));
  }
  return names;
}

export function unreadable(text: string, { path }: { readonly path: VaultPath }): VaultError | undefined {
  const { problem } = readFrontmatter(text);
  if (problem === undefined) return undefined;
  const { message, line, column } = problem;
  const hint = "Fix the frontmatter in Obsidian (source mode) and try again; nothing was changed.";
  return withLocation(new VaultError("INVALID_ARGUMENT", message, { line, column, hint }), path);
}

export function noLongerTask({ path }: { readonly path: VaultPath }): VaultError {
  return new VaultError("CONFLICT", `${path} is no longer the task it was; another program changed it meanwhile.`, {
    path,
    hint: "Search for the task again; nothing was changed.",
  });
}

export function wouldBeNoTask({ path }: { readonly path: VaultPath }): VaultError {
  return new VaultError("INVALID_ARGUMENT", `After that change nothing in ${path} would say that it is a task.`, {
    path,
    hint: [said`Change it with ${call("edit_note")} if that is meant.`, NOTHING_CHANGED],
  });
}

/** Rethrows all other errors. */
export function reasonOf(error: unknown): string {
  if (isVaultError(error)) return String(error.inSentences());
  if (error instanceof Error && error.name === "AbortError") return "The call was stopped before its turn.";
  throw error;
}
