/** Moves and removes files. Renames each to a temporary name first, checks it, and renames an unexpected one back. */
import fs from "node:fs";
import { contentRevision, type Expected, type Settled, type WrittenFile } from "../storage.js";
import {
  alreadyExists,
  assertExpected,
  changedMeanwhile,
  fileNotFound,
  folderNotFound,
  intoItself,
} from "../errors.js";
import { foldName, folderOf, ROOT, type VaultPath } from "../path.js";
import { systemCode } from "../../errors.js";
import { leavesVault, translate } from "./failure.js";
import { makeFolders, removeFolders, closeQuietly, type Place, type VaultRoot } from "./vault-root.js";
import type { PathLocks } from "./lock.js";
import { fetchOpenFile, fileStat, openFile, type ReadFile } from "./read.js";
import { assertNotReadOnly, isFlushed, isSame, isUnchanged, type Safeguards } from "./replace.js";
import { discard, intoReserved, isLinkUnsupported, NewFile, renameOver, temporaryName } from "./temporary.js";

export class FileMover {
  readonly #root: VaultRoot;
  readonly #locks: PathLocks;
  readonly #safeguards: Safeguards;

  constructor(root: VaultRoot, locks: PathLocks, safeguards: Safeguards) {
    this.#root = root;
    this.#locks = locks;
    this.#safeguards = safeguards;
  }

  /** A link itself, never its target. */
  async remove(path: VaultPath, expected: Expected): Promise<Settled> {
    return await this.#locks.run([path], async () => {
      return await this.#with(path, expected, async (place, file) => {
        discard(takeAway(place, file, expected));
        return { durable: await isFlushed(place.folder, this.#safeguards) };
      });
    });
  }

  /** @throws for a link: its target could differ */
  async move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile> {
    return await this.#locks.run([from, to], async () => {
      return await this.#with(from, expected, async (place, file) => {
        if (isLink(place)) throw leavesVault(from);
        const made = await makeFolders(this.#root, folderOf(to));
        let target: Place | undefined;
        try {
          target = this.#root.place(to, false);
          if (!target) throw changedMeanwhile(to);
          await this.#carry(place, target, file, expected);
          const durable = await this.#areFlushed(target, place);
          const stat = fileStat(to, fs.lstatSync(target.folder.at(target.name)));
          return { stat, revision: contentRevision(file.bytes), durable };
        } catch (error) {
          removeFolders(this.#root, made);
          throw translate(error, to);
        } finally {
          target?.folder.close();
        }
      });
    });
  }

  /** Undefined for another disk. */
  async moveFolder(from: VaultPath, to: VaultPath): Promise<Settled | undefined> {
    if (from === ROOT) throw folderNotFound(from);
    if (to.startsWith(`${from}/`)) throw intoItself(from);
    return await this.#locks.run([from, to], async () => {
      const source = this.#root.place(from, false);
      if (!source) throw folderNotFound(from);
      let made: readonly VaultPath[] = [];
      let target: Place | undefined;
      let isMoved = false;
      try {
        const folder = fs.lstatSync(source.folder.at(source.name), { throwIfNoEntry: false });
        if (folder?.isSymbolicLink()) throw leavesVault(from);
        if (!folder?.isDirectory()) throw folderNotFound(from);
        made = await makeFolders(this.#root, folderOf(to));
        target = this.#root.place(to, false);
        if (!target) throw folderNotFound(folderOf(to));
        const present = fs.lstatSync(target.folder.at(target.name), { throwIfNoEntry: false });
        if (present && !isOtherSpelling(source, target, folder)) throw alreadyExists(to);
        isMoved = renameFolder(source, target);
        return isMoved ? { durable: await this.#areFlushed(target, source) } : undefined;
      } catch (error) {
        throw translate(error, to);
      } finally {
        source.folder.close();
        target?.folder.close();
        if (!isMoved) removeFolders(this.#root, made);
      }
    });
  }

  async #areFlushed(target: Place, source: Place): Promise<boolean> {
    return (await isFlushed(target.folder, this.#safeguards)) && (await isFlushed(source.folder, this.#safeguards));
  }

  async #with<Result>(
    path: VaultPath,
    expected: Expected,
    work: (place: Place, file: ReadFile) => Promise<Result>,
  ): Promise<Result> {
    const named = this.#root.place(path, false);
    const content = this.#root.place(path);
    let file: ReadFile | undefined;
    try {
      const open = content && openFile(content.folder, content.name, path);
      if (!named || !content || !open) throw fileNotFound(path);
      file = await fetchOpenFile(this.#root, open, path);
      const { bytes, stat } = file;
      assertNotReadOnly(content, stat);
      assertExpected(path, expected, () => contentRevision(bytes));
      return await work(named, file);
    } catch (error) {
      throw translate(error, path);
    } finally {
      if (file) closeQuietly(file.handle);
      content?.folder.close();
      named?.folder.close();
    }
  }

  async #carry(place: Place, target: Place, file: ReadFile, expected: Expected): Promise<void> {
    const [from, to] = [place.folder.at(place.name), target.folder.at(target.name)];
    try {
      fs.linkSync(from, to);
    } catch (error) {
      if (systemCode(error) === "EEXIST") {
        if (file.stat.nlink > 1 || !isOtherSpelling(place, target, file.stat)) throw alreadyExists(target.path);
        renameOver(from, to);
        return;
      }
      if (systemCode(error) === "EXDEV") await this.#copy(target, file);
      else if (isLinkUnsupported(error)) return renameIntoReserved(place, target, file, expected);
      else throw error;
    }
    try {
      discard(takeAway(place, file, expected));
    } catch (error) {
      discard(to);
      throw error;
    }
  }

  async #copy(target: Place, file: ReadFile): Promise<void> {
    const copy = await NewFile.write(target.folder, file.bytes, file.stat, this.#safeguards.flush);
    try {
      if (!copy.claim(target.name)) throw alreadyExists(target.path);
    } finally {
      copy.discard();
    }
  }
}

/** @throws CONFLICT */
function takeAway(place: Place, file: ReadFile, expected: Expected): string {
  const { folder, name } = place;
  const link = isLink(place) ? fs.lstatSync(folder.at(name)) : file.stat;
  const aside = folder.at(temporaryName("old"));
  folder.confirm();
  renameOver(folder.at(name), aside);
  let isExpected = false;
  try {
    isExpected = isSame(aside, link) && (expected.kind === "any" || isUnchanged(file));
  } finally {
    // Also when the check throws.
    if (!isExpected) giveBack(aside, folder.at(name));
  }
  if (!isExpected) throw changedMeanwhile(place.path);
  return aside;
}

function giveBack(aside: string, location: string): void {
  try {
    fs.linkSync(aside, location);
    discard(aside);
  } catch (error) {
    if (systemCode(error) === "EEXIST") discard(aside);
    else renameOver(aside, location);
  }
}

function renameIntoReserved(place: Place, target: Place, file: ReadFile, expected: Expected): void {
  const [from, to] = [place.folder.at(place.name), target.folder.at(target.name)];
  const isMoved = intoReserved(to, () => {
    if (expected.kind !== "any" && !(isUnchanged(file) && isSame(from, file.stat))) throw changedMeanwhile(place.path);
    renameOver(from, to);
  });
  if (!isMoved) throw alreadyExists(target.path);
}

function isLink({ folder, name }: Place): boolean {
  return fs.lstatSync(folder.at(name)).isSymbolicLink();
}

function isOtherSpelling(place: Place, target: Place, stat: fs.Stats): boolean {
  const isOneName = foldName(place.name) === foldName(target.name) && place.name !== target.name;
  return isOneName && place.folder.path === target.folder.path && isSame(target.folder.at(target.name), stat);
}

/** @returns false for another disk */
function renameFolder(source: Place, target: Place): boolean {
  source.folder.confirm();
  target.folder.confirm();
  try {
    renameOver(source.folder.at(source.name), target.folder.at(target.name));
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "EXDEV") return false;
    // Links can hide that the target is inside the folder.
    if (code === "EINVAL") throw intoItself(source.path);
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOTDIR") throw alreadyExists(target.path);
    throw error;
  }
}
