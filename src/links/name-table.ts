/** The files of a vault under small numbers, and by stem the files that bear it and the files whose links ask for it. */
import { baseName, type VaultPath } from "../storage/path.js";
import { NumberPairs } from "./number-pairs.js";
import { stemOf, type FileNames } from "./resolver.js";

/** Stems are not kept: what is known of one stands under a number made of it, and a file's path tells whether it is the stem. */
export class NameTable implements FileNames {
  readonly #paths: (VaultPath | undefined)[] = [];
  readonly #bearers = new NumberPairs();
  readonly #askers = new NumberPairs();
  /** Numbers of files that are gone, and those that went since `recycle`. */
  #free: number[] = [];
  #gone: number[] = [];

  /** The numbers of the files that bear a stem. */
  bearers(stem: string): number[] {
    return this.#bearers.of(numberOf(stem)).filter((id) => stemOf(baseName(this.path(id))) === stem);
  }

  /** The numbers of the files whose links ask for a stem, each once; very seldom of one whose links ask for another. */
  askers(stem: string): readonly number[] {
    return [...new Set(this.#askers.of(numberOf(stem)))];
  }

  has(path: VaultPath): boolean {
    return this.id(path) !== undefined;
  }

  named(stem: string): readonly VaultPath[] {
    return this.bearers(stem).map((id) => this.path(id));
  }

  id(path: VaultPath): number | undefined {
    return this.#bearers.of(numberOf(stemOf(baseName(path)))).find((id) => this.#paths[id] === path);
  }

  /** The path of a file that is there. */
  path(id: number): VaultPath {
    const path = this.#paths[id];
    if (path === undefined) throw new Error(`No file has the number ${id}.`);
    return path;
  }

  *paths(): Generator<VaultPath> {
    for (const path of this.#paths) if (path !== undefined) yield path;
  }

  /** Calls `visit` with every file. */
  each(visit: (path: VaultPath, id: number) => void): void {
    for (const [id, path] of this.#paths.entries()) if (path !== undefined) visit(path, id);
  }

  /** @param path of a file that is not there yet @returns the files whose links ask for its stem */
  add(path: VaultPath): readonly number[] {
    const id = this.#free.pop() ?? this.#paths.length;
    this.#paths[id] = path;
    const stem = stemOf(baseName(path));
    this.#bearers.add(numberOf(stem), id);
    return this.askers(stem);
  }

  /** The file's number is not given to another before `recycle`. @returns as `add` */
  remove(path: VaultPath): readonly number[] {
    const id = this.id(path);
    if (id === undefined) return [];
    const stem = stemOf(baseName(path));
    this.#bearers.delete(numberOf(stem), id);
    this.#paths[id] = undefined;
    this.#gone.push(id);
    return this.askers(stem);
  }

  recycle(): void {
    for (const id of this.#gone) this.#free.push(id);
    this.#gone = [];
  }

  /** Says that links of this file ask for a stem, which none did so far. */
  ask(stem: string, id: number): void {
    this.#askers.add(numberOf(stem), id);
  }

  /** Says that no link of this file asks for a stem any more. */
  askNoMore(stem: string, id: number): void {
    this.#askers.delete(numberOf(stem), id);
  }
}

/** A number of 32 bits that a stem always has, and hardly another (FNV-1a over UTF-16 units). */
function numberOf(stem: string): number {
  let number = 0x811c9dc5;
  for (let at = 0; at < stem.length; at++) number = Math.imul(number ^ stem.charCodeAt(at), 0x01000193);
  return number | 0;
}
