/** The file tools' use cases over one vault: user text becomes a path here, and every change is a guarded edit. */
import { isVaultError, VaultError } from "../errors.js";
import { insertLines, lineCount, linesOf, replaceOnly } from "../markdown/line-edit.js";
import { nearest } from "../nearest.js";
import { baseName, folderOf, folderPath, joinPath, vaultPath, type VaultPath } from "../storage/path.js";
import type { FolderEntry, Revision } from "../storage/storage.js";
import type { DeleteOutcome, Vault } from "../vault/vault.js";
import type {
  ChangedFile,
  ExpectedFile,
  FileList,
  Files,
  Folder,
  ListFilesOptions,
  ReplacedFile,
  TextFile,
  UndoneFile,
} from "./files.js";
import { listFiles } from "./listing.js";
import {
  emptySought,
  noFolder,
  noMatch,
  noSuchLine,
  notFound,
  nothingToChange,
  notViewable,
  severalMatches,
} from "./refusals.js";

export class FileService implements Files {
  readonly #vault: Vault;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  async look(path: string): Promise<TextFile | Folder> {
    const place = folderPath(path, this.#vault.pathRules);
    const entries = await this.#vault.children(place);
    if (entries) return { kind: "folder", path: place, names: namesOf(entries) };
    if (path.endsWith("/")) throw noFolder(place);
    try {
      const { text, revision } = await this.#vault.read(place);
      return { kind: "file", path: place, lines: linesOf(text), revision };
    } catch (error) {
      throw isVaultError(error, "NOT_TEXT") ? notViewable(place, this.#vault.id) : await this.#explained(error, place);
    }
  }

  async create(path: string, text: string): Promise<ChangedFile> {
    const place = this.#path(path);
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
    const outcome = await this.#vault.undo(asked);
    return { ...outcome, asked, lines: outcome.text === undefined ? undefined : linesOf(outcome.text) };
  }

  list(options: ListFilesOptions = {}): Promise<FileList> {
    return listFiles(this.#vault.catalog, options);
  }

  async delete(
    path: string,
    { permanent = false }: { readonly permanent?: boolean | undefined } = {},
  ): Promise<DeleteOutcome> {
    const place = this.#path(path);
    try {
      return await this.#vault.delete(place, "delete", { permanent });
    } catch (error) {
      throw await this.#explained(error, place);
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
      // Any text may be compared with a revision: what is none equals none.
      const options = expected === undefined ? {} : { expected: expected.trim() as Revision };
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

  /** A missing file is answered with the names in its folder that may have been meant. */
  async #explained(error: unknown, path: VaultPath): Promise<unknown> {
    if (!(error instanceof VaultError) || error.code !== "FILE_NOT_FOUND") return error;
    const entries = (await this.#vault.children(folderOf(path))) ?? [];
    const near = nearest(baseName(path), namesOf(entries));
    return notFound(
      path,
      near.map((name) => joinPath(folderOf(path), name)),
    );
  }
}

function namesOf(entries: readonly FolderEntry[]): string[] {
  return entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, kind }) => (kind === "folder" ? `${name}/` : name));
}
