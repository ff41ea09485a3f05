/** Says why a reference means no task: a note that cannot be read, a note that is no task, or nothing at all. */
import { isVaultError, VaultError } from "../errors.js";
import { readFrontmatter } from "../markdown/frontmatter/frontmatter.js";
import { foldName, type VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import { fileTitle } from "./note-format/derivation.js";
import { located } from "./note-format/update.js";
import { pathOfReference, unknownTask } from "./references.js";
import type { TaskLook } from "./task-look.js";
import { FIELDS } from "./fields/fields.js";
import { normaliseWord } from "./fields/vocabulary.js";

/** More broken notes than this are not searched for an id. */
const MOST_BROKEN = 50;

/**
 * Never returns.
 * @throws VaultError INVALID_ARGUMENT with line and column when the note meant has unreadable frontmatter, PERMISSION_DENIED
 *   when the reference is a path that leaves the vault, what reading it throws (NOT_TEXT, TOO_LARGE, PERMISSION_DENIED) when
 *   the note meant cannot be read, otherwise FILE_NOT_FOUND with the closest candidates
 */
export async function explainUnknown(reference: string, look: TaskLook, vault: Vault): Promise<never> {
  const path = pathOfReference(reference);
  for (const { path: broken } of look.view.problems().slice(0, MOST_BROKEN)) {
    const error = await brokenNote(vault, broken, reference);
    if (error !== undefined) throw error;
  }
  const unknown = unknownTask(reference, look.tasks);
  if (path === undefined || !look.view.has(path)) throw unknown;
  throw new VaultError(unknown.code, unknown.message, {
    ...(unknown.candidates && { candidates: unknown.candidates }),
    hint: 'The note is there but is no task: it has neither a property "type: task" nor the tag "task".',
  });
}

/** The refusal for a note that cannot be read, or whose frontmatter cannot, if the reference means that note. */
async function brokenNote(vault: Vault, path: VaultPath, reference: string): Promise<VaultError | undefined> {
  try {
    const { text } = await vault.read(path);
    return means(reference, path, text) ? unreadable(text, { path }) : undefined;
  } catch (error) {
    // No text, too large, or closed to us: said of the note that is meant, and no reason to doubt another.
    if (isVaultError(error)) return means(reference, path, "") ? error : undefined;
    throw error;
  }
}

/** Judged by its path, its file name, or a line of it that gives this id or title. */
function means(reference: string, path: VaultPath, text: string): boolean {
  const bare = foldName(
    reference
      .trim()
      .replace(/^\/|^!?\[\[|\]\]$/g, "")
      .replace(/\.md$/i, ""),
  );
  if (bare === foldName(path.replace(/\.md$/i, "")) || bare === foldName(fileTitle(path))) return true;
  return text
    .slice(0, 4096)
    .split("\n")
    .some((line) => {
      const [, key = "", value = ""] = /^([^:#]+):\s+(.+)$/.exec(line.trim()) ?? [];
      const field = normaliseWord(key);
      const names = [...FIELDS.id.spellings, ...FIELDS.title.spellings] as readonly string[];
      return names.includes(field) && foldName(value.replace(/^(["'])(.*)\1$/, "$2")) === bare;
    });
}

/** The refusal to work with a note whose frontmatter cannot be read; undefined when it can. */
export function unreadable(text: string, { path }: { readonly path: VaultPath }): VaultError | undefined {
  const { problem } = readFrontmatter(text);
  if (problem === undefined) return undefined;
  const { message, line, column } = problem;
  const hint = "Fix the frontmatter in Obsidian (source mode) and try again; nothing was changed.";
  return located(new VaultError("INVALID_ARGUMENT", message, { line, column, hint }), path);
}

/** A note that was a task when it was looked up and is none, or another one, by now. */
export function noLongerTask({ path }: { readonly path: VaultPath }): VaultError {
  return new VaultError("CONFLICT", `${path} is no longer the task it was; another program changed it meanwhile.`, {
    path,
    hint: "Search for the task again; nothing was changed.",
  });
}

/** A change after which nothing would make the note, or the line, a task. */
export function wouldBeNoTask({ path }: { readonly path: VaultPath }): VaultError {
  return new VaultError("INVALID_ARGUMENT", `After that change nothing in ${path} would say that it is a task.`, {
    path,
    hint: "Change it with edit_note if that is meant. Nothing was changed.",
  });
}
