/** File operations on a vault (docs: notes-and-files). */
import type { SyncCopy } from "./sync-copies.js";
import type { ProgressOptions, Relocation } from "../links/api.js";
import { type Links, linksTaken } from "../links/service.js";
import { type VaultPath, folderPath, isMarkdown, vaultPath } from "../storage/path.js";
import { type Revision, givenRevision } from "../storage/storage.js";
import { type ChangeList, type HistoryRequest, diffOf, listChanges } from "./change-list.js";
import { type OperationUndo, type UndoOutcome, operationIn, operationReference } from "../history/journal-records.js";
import type { DeleteOutcome, Vault } from "../vault/vault.js";
import { notShown } from "../attachments/attachments.js";
import { isVaultError, orIfFailed, VaultError } from "../errors.js";
import { brokenProperties } from "../markdown/frontmatter/frontmatter.js";
import { insertLines, lineCount, linesOf, replaceOnly } from "../markdown/line-edit.js";
import { TEXT_NAMED } from "../markdown/nothing-dropped.js";
import { leftOpen } from "../markdown/outline.js";
import { keepingFolder, withExtensionOf } from "../links/move-check.js";
import { differsInCase, inFoldersThere, occupantOf } from "../vault/new-path.js";
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

interface TextFile {
  readonly kind: "file";
  readonly path: VaultPath;
  /** Without `\n` and byte order mark; `\r` stays (markdown/line-edit). */
  readonly lines: readonly string[];
  readonly revision: Revision;
}

export interface Folder {
  readonly kind: "folder";
  readonly path: VaultPath;
  /** Sorted; folders end with `/`; none hidden. */
  readonly names: readonly string[];
}

export interface ChangedFile {
  readonly path: VaultPath;
  readonly lineCount: number;
  readonly revision: Revision;
  /** False if unconfirmed by the disk. */
  readonly durable: boolean;
  readonly undoable: boolean;
  /** Why this change has made the properties unreadable. */
  readonly lostProperties?: string | undefined;
  /** Hidden by a code block or comment that this change left open. */
  readonly leftOpen?: string | undefined;
  /** Links that now lead to a new file of the same name. */
  readonly linksTaken?: string | undefined;
}

interface ReplacedFile extends ChangedFile {
  /** From 1. */
  readonly line: number;
}

export interface UndoneFile extends UndoOutcome {
  readonly asked: VaultPath;
  /** Undefined when the file is gone or not text. */
  readonly lines: readonly string[] | undefined;
}

export interface UndoneOperation extends OperationUndo {
  readonly asked: string;
}

interface FileList {
  /** Sorted. */
  readonly paths: readonly VaultPath[];
  /** Of no paths: what the pattern missed. */
  readonly missed?: { readonly files: number; readonly example: VaultPath | undefined; readonly ignoringCase: number };
  readonly unlisted: number;
}

interface ExpectedFile {
  readonly expected?: string | undefined;
}

interface DeleteFileOptions extends ExpectedFile {
  /** Default false: to the trash. */
  readonly permanent?: boolean | undefined;
}

export interface ListFilesOptions extends ProgressOptions {
  /** Must match somewhere (RE2). */
  readonly pattern?: string | undefined;
}

/** Paths are user text. Methods throw as `vaultPath` and `Vault` do. */
export class Files {
  readonly #vault: Vault;
  readonly #links: Pick<Links, "ask" | "move">;

  constructor(vault: Vault, links: Pick<Links, "ask" | "move">) {
    this.#vault = vault;
    this.#links = links;
  }

  /** An empty path, `/` and `.` mean the vault. @throws FILE_NOT_FOUND, NOT_TEXT, TOO_LARGE */
  async view(path: string): Promise<TextFile | Folder> {
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
    const place = await inFoldersThere(this.#vault, this.#path(path));
    const present = await occupantOf(this.#vault, place);
    if (present && present.path !== place) throw differsInCase(present, place);
    const { revision, durable, undoable } = await this.#vault.writing.create(place, text, "create");
    return {
      path: place,
      lineCount: lineCount(text),
      revision,
      durable,
      undoable,
      lostProperties: isMarkdown(place) ? brokenProperties("", text) : undefined,
      leftOpen: isMarkdown(place) ? leftOpen("", text) : undefined,
      linksTaken: await linksTaken(this.#vault, this.#links, place),
    };
  }

  /**
   * As `replaceOnly` (markdown/line-edit).
   * @throws INVALID_ARGUMENT when the text is empty, not there once, or would not change; CONFLICT
   */
  async replace(path: string, sought: string, replacement: string, options: ExpectedFile = {}): Promise<ReplacedFile> {
    const place = this.#path(path);
    if (sought === "") throw emptySought(place);
    let line = 1;
    const file = await this.#edit(place, "str_replace", options, (text) => {
      const result = replaceOnly(text, sought, replacement);
      if (result.kind === "none") throw noMatch(place, text, sought);
      if (result.kind === "several") throw severalMatches(place, result.count, result.lines);
      if (result.text === text) throw nothingToChange(place);
      line = result.line;
      return result.text;
    });
    return { ...file, line };
  }

  /** As `insertLines` (markdown/line-edit). @throws INVALID_ARGUMENT without such a line, CONFLICT */
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
      // An existing file needs no suggestions.
      if (near.length === 0 || near.includes(asked)) throw error;
      throw error.with({ path: asked, hint: didYouMean(near) });
    }
  }

  /** @param reference `op-...` */
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

  /** Newest first. @throws INVALID_ARGUMENT for a cursor */
  async history({
    path,
    ...request
  }: Omit<HistoryRequest, "path"> & { readonly path?: string | undefined } = {}): Promise<ChangeList> {
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

  /** Unified. @param reference `op-...` */
  diff(reference: string): Promise<string> {
    return diffOf(this.#vault, reference);
  }

  /** @throws INVALID_ARGUMENT for an invalid pattern, TIMEOUT */
  async list({ pattern = "", signal, onProgress }: ListFilesOptions = {}): Promise<FileList> {
    const view = await this.#vault.index.refresh({ signal, onProgress, rows: [] });
    const paths = view.everyPath();
    const unlisted = view.unlisted.length;
    if (pattern === "") return { paths: paths.sort(), unlisted };
    const { pathsMatching } = await import("./pattern.js");
    const found = await pathsMatching(paths, pattern, { signal });
    if (found.length > 0) return { paths: found.sort(), unlisted };
    const alike = await orIfFailed(pathsMatching(paths, `(?i)${pattern}`, { signal }), []);
    const example = alike[0] ?? paths[0];
    return { paths: [], missed: { files: paths.length, example, ignoringCase: alike.length }, unlisted };
  }

  async delete(path: string, { permanent, expected }: DeleteFileOptions = {}): Promise<DeleteOutcome> {
    const place = this.#path(path);
    try {
      return await this.#vault.writing.delete(place, "delete", { permanent, expected: givenRevision(expected) });
    } catch (error) {
      throw await this.#explained(error, place);
    }
  }

  /** A trailing slash means a folder. */
  async rename(from: string, wanted: string, options: ProgressOptions = {}): Promise<Relocation> {
    const named = keepingFolder(from, wanted);
    const meansFolder =
      named !== wanted && (await this.#vault.children(folderPath(wanted, this.#vault.pathRules))) !== undefined;
    const to = meansFolder ? wanted : named;
    if (!from.endsWith("/")) {
      const file = this.#path(from);
      return this.#move(file, await this.#newPath(file, to), options);
    }
    const folder = vaultPath(from.slice(0, -1), this.#vault.pathRules);
    const target = vaultPath(to.endsWith("/") ? to.slice(0, -1) : to, this.#vault.pathRules);
    if (!(await this.#vault.children(folder))) throw noFolder(folder);
    return this.#links.move(folder, target, options);
  }

  /** A file keeps its extension. */
  async #newPath(from: VaultPath, to: string): Promise<VaultPath> {
    const path = this.#path(to);
    const isFile = (await this.#vault.children(from)) === undefined;
    if (!isFile || (await this.#vault.children(path)) !== undefined) return path;
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
      const options = { expected: givenRevision(expected), named: TEXT_NAMED };
      let before = "";
      const changed = (text: string) => change((before = text));
      const { text, file, undoable } = await this.#vault.writing.edit(path, changed, reason, options);
      if (!file) throw nothingToChange(path);
      const isNote = isMarkdown(path);
      return {
        path,
        lineCount: lineCount(text),
        revision: file.revision,
        durable: file.durable,
        undoable,
        lostProperties: isNote ? brokenProperties(before, text) : undefined,
        leftOpen: isNote ? leftOpen(before, text) : undefined,
      };
    } catch (error) {
      throw await this.#explained(error, path);
    }
  }

  #path(text: string): VaultPath {
    return vaultPath(text, this.#vault.pathRules);
  }

  async #explained(error: unknown, path: VaultPath): Promise<unknown> {
    if (!(error instanceof VaultError) || error.code !== "FILE_NOT_FOUND") return error;
    return noSuchFile(path, await pathsNear(path, this.#vault));
  }
}
