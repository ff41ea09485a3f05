/** The file tools' use cases: converts user text to paths, and makes every change as a guarded edit. */
import { notShown } from "../attachments/attachments.js";
import { isVaultError, VaultError } from "../errors.js";
import { insertLines, lineCount, linesOf, replaceOnly } from "../markdown/line-edit.js";
import { operationIn, operationReference } from "../history/journal.js";
import type { Links, ProgressOptions, Relocation } from "../links/links.js";
import { withExtensionOf } from "../links/relocation-move.js";
import { folderPath, isMarkdown, vaultPath, type VaultPath } from "../storage/path.js";
import { givenRevision } from "../storage/content-revision.js";
import { differsInCase, occupantOf } from "../vault/new-path.js";
import type { DeleteOutcome, Vault } from "../vault/vault.js";
import type { SyncCopy } from "./sync-copies.js";
import type {
  ChangedFile,
  DeleteFileOptions,
  ExpectedFile,
  FileList,
  Files,
  Folder,
  ListFilesOptions,
  ReplacedFile,
  TextFile,
  UndoneFile,
  UndoneOperation,
} from "./files.js";
import { type ChangeList, diffOf, listChanges } from "./history.js";
import {
  pathsNear,
  shownNames,
  didYouMean,
  emptySought,
  noFolder,
  noMatch,
  noSuchLine,
  noSuchFile,
  nothingToChange,
  severalMatches,
} from "./refusals.js";
import type { VaultIndex } from "../index/vault-index.js";

export class FileService implements Files {
  readonly #vault: Vault;
  readonly #links: Pick<Links, "move">;

  /** @param links makes renames */
  constructor(vault: Vault, links: Pick<Links, "move">) {
    this.#vault = vault;
    this.#links = links;
  }

  async look(path: string): Promise<TextFile | Folder> {
    const place = folderPath(path, this.#vault.pathRules);
    const entries = await this.#vault.children(place);
    if (entries) return { kind: "folder", path: place, names: shownNames(entries) };
    if (path.endsWith("/")) throw noFolder(place);
    try {
      const { text, revision } = await this.#vault.read(place);
      return { kind: "file", path: place, lines: linesOf(text), revision };
    } catch (error) {
      if (isVaultError(error, "NOT_TEXT") && !isMarkdown(place))
        throw notShown(place, (await this.#vault.stat(place)).size);
      throw await this.#explained(error, place);
    }
  }

  async create(path: string, text: string): Promise<ChangedFile> {
    const place = this.#path(path);
    const present = await occupantOf(this.#vault, place);
    // The storage reports an existing file of exactly that name.
    if (present && present.path !== place) throw differsInCase(present, place);
    const { revision, durable, undoable } = await this.#vault.create(place, text, "create");
    return { path: place, lineCount: lineCount(text), revision, durable, undoable };
  }

  async replace(path: string, sought: string, replacement: string, options: ExpectedFile = {}): Promise<ReplacedFile> {
    const place = this.#path(path);
    if (sought === "") throw emptySought(place);
    let line = 1;
    const file = await this.#edit(place, "str_replace", options, (text) => {
      const result = replaceOnly(text, sought, replacement);
      if (result.kind === "none") throw noMatch(place);
      if (result.kind === "several") throw severalMatches(place, result.count, result.lines);
      if (result.text === text) throw nothingToChange(place);
      line = result.line;
      return result.text;
    });
    return { ...file, line };
  }

  async insert(path: string, after: number, addition: string, options: ExpectedFile = {}): Promise<ChangedFile> {
    const place = this.#path(path);
    return this.#edit(place, "insert", options, (text) => {
      const count = lineCount(text);
      if (!Number.isInteger(after) || after < 0 || after > count) throw noSuchLine(place, after, count);
      return insertLines(text, after, addition);
    });
  }

  async undo(path: string): Promise<UndoneFile> {
    const asked = this.#path(path);
    try {
      const outcome = await this.#vault.history.undo(asked);
      return { ...outcome, asked, lines: outcome.text === undefined ? undefined : linesOf(outcome.text) };
    } catch (error) {
      if (!isVaultError(error, "FILE_NOT_FOUND")) throw error;
      const near = await pathsNear(asked, this.#vault);
      // A file that exists needs no suggestions.
      if (near.length === 0 || near.includes(asked)) throw error;
      throw new VaultError(error.code, error.message, { path: asked, hint: didYouMean(near) });
    }
  }

  async undoOperation(reference: string): Promise<UndoneOperation> {
    const id = operationIn(reference);
    if (id === undefined)
      throw new VaultError("INVALID_ARGUMENT", "That is no operation.", { hint: "Its reference begins with op-." });
    return { ...(await this.#vault.history.undoOperation(id)), asked: reference.trim() };
  }

  async undoLast(): Promise<UndoneFile | UndoneOperation> {
    const last = await this.#vault.history.lastChange();
    if (last === undefined)
      throw new VaultError("FILE_NOT_FOUND", "There is nothing left to undo.", {
        hint: "Only changes made through this server can be undone, and only the newest ones are kept.",
      });
    return last.kind === "file" ? this.undo(last.path) : this.undoOperation(operationReference(last.id) ?? "");
  }

  async history({ path, ...request }: Parameters<Files["history"]>[0]): Promise<ChangeList> {
    return await listChanges(this.#vault, {
      ...request,
      path: path === undefined ? undefined : folderPath(path, this.#vault.pathRules),
    });
  }

  async syncCopies(signal?: AbortSignal): Promise<readonly SyncCopy[]> {
    return (await import("./sync-copies.js")).syncCopies(this.#vault, signal);
  }

  async likelyCopies(signal?: AbortSignal): Promise<readonly SyncCopy[]> {
    return (await import("./sync-copies.js")).likelyCopies(this.#vault, signal);
  }

  diff(reference: string): Promise<string> {
    return diffOf(this.#vault, reference);
  }

  list(options: ListFilesOptions = {}): Promise<FileList> {
    return listFiles(this.#vault.index, options);
  }

  async delete(path: string, { permanent, expected }: DeleteFileOptions = {}): Promise<DeleteOutcome> {
    const place = this.#path(path);
    try {
      return await this.#vault.delete(place, "delete", { permanent, expected: givenRevision(expected) });
    } catch (error) {
      throw await this.#explained(error, place);
    }
  }

  async rename(from: string, to: string, options: ProgressOptions = {}): Promise<Relocation> {
    if (!from.endsWith("/")) {
      const file = this.#path(from);
      return this.#move(file, await this.#newPath(file, to), options);
    }
    const folder = vaultPath(from.slice(0, -1), this.#vault.pathRules);
    const target = vaultPath(to.endsWith("/") ? to.slice(0, -1) : to, this.#vault.pathRules);
    if (!(await this.#vault.children(folder))) throw noFolder(folder);
    return this.#links.move(folder, target, options);
  }

  /** A note keeps its extension; other files and existing folders get the name as given. */
  async #newPath(from: VaultPath, to: string): Promise<VaultPath> {
    const path = this.#path(to);
    const isNote = isMarkdown(from) && (await this.#vault.children(from)) === undefined;
    if (!isNote || (await this.#vault.children(path)) !== undefined) return path;
    return this.#path(withExtensionOf(from, to));
  }

  async #move(from: VaultPath, to: VaultPath, options: ProgressOptions): Promise<Relocation> {
    try {
      return await this.#links.move(from, to, options);
    } catch (error) {
      throw await this.#explained(error, from);
    }
  }

  /** @param change must change the text */
  async #edit(
    path: VaultPath,
    reason: string,
    { expected }: ExpectedFile,
    change: (text: string) => string,
  ): Promise<ChangedFile> {
    try {
      const options = { expected: givenRevision(expected) };
      const { text, file, undoable } = await this.#vault.edit(path, change, reason, options);
      if (!file) throw nothingToChange(path);
      return { path, lineCount: lineCount(text), revision: file.revision, durable: file.durable, undoable };
    } catch (error) {
      throw await this.#explained(error, path);
    }
  }

  #path(text: string): VaultPath {
    return vaultPath(text, this.#vault.pathRules);
  }

  /** Adds similar names of the folder to the error for a missing file. */
  async #explained(error: unknown, path: VaultPath): Promise<unknown> {
    if (!(error instanceof VaultError) || error.code !== "FILE_NOT_FOUND") return error;
    return noSuchFile(path, await pathsNear(path, this.#vault));
  }
}

export async function listFiles(
  index: VaultIndex,
  { pattern, signal, onProgress }: ListFilesOptions,
): Promise<FileList> {
  const view = await index.refresh({
    facts: [],
    files: true,
    signal,
    onProgress,
  });
  const paths = view.files({ hidden: true }).map(({ path }) => path);
  return { paths: (await fitting(paths, pattern, signal)).sort(), passedOver: view.unlisted.length };
}

async function fitting(paths: VaultPath[], pattern = "", signal?: AbortSignal): Promise<VaultPath[]> {
  if (pattern === "") return paths;
  const { pathsMatching } = await import("./pattern.js");
  return pathsMatching(paths, pattern, { signal });
}
