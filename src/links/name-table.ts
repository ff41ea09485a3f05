/** The files of a vault under small numbers, and by stem the files that bear it and the files whose links ask for it. */
import { baseName, type VaultPath } from "../storage/path.js";
import { idsIn, withNewId, withoutId, type IdSet } from "./id-set.js";
import { stemOf, type FileNames } from "./resolver.js";

/** What is known under one stem. */
export interface Stem {
  /** The numbers of the files that bear it. */
  readonly files: IdSet;
  /** The numbers of the files whose links ask for it. */
  readonly askers: IdSet;
}

interface OpenStem extends Stem {
  files: IdSet;
  askers: IdSet;
}

/** There is one index, by stem: a path is found among the few files that bear its stem. */
export class NameTable implements FileNames {
  readonly #paths: (VaultPath | undefined)[] = [];
  readonly #stems = new Map<string, OpenStem>();
  /** Numbers of files that are gone, and those that went since `recycle`. */
  #free: number[] = [];
  #gone: number[] = [];

  stem(name: string): Stem | undefined {
    return this.#stems.get(name);
  }

  has(path: VaultPath): boolean {
    return this.id(path) !== undefined;
  }

  named(stem: string): readonly VaultPath[] {
    return idsIn(this.#stems.get(stem)?.files).map((id) => this.path(id));
  }

  id(path: VaultPath): number | undefined {
    return idsIn(this.#stems.get(stemOf(baseName(path)))?.files).find((id) => this.#paths[id] === path);
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
  add(path: VaultPath): IdSet {
    const id = this.#free.pop() ?? this.#paths.length;
    this.#paths[id] = path;
    const stem = this.#open(stemOf(baseName(path)));
    stem.files = withNewId(stem.files, id);
    return stem.askers;
  }

  /** The file's number is not given to another before `recycle`. @returns as `add` */
  remove(path: VaultPath): IdSet {
    const id = this.id(path);
    if (id === undefined) return undefined;
    this.#paths[id] = undefined;
    this.#gone.push(id);
    const name = stemOf(baseName(path));
    const stem = this.#open(name);
    stem.files = withoutId(stem.files, id);
    this.#drop(name, stem);
    return stem.askers;
  }

  recycle(): void {
    for (const id of this.#gone) this.#free.push(id);
    this.#gone = [];
  }

  /** Says that links of this file ask for a stem, which none did so far. */
  ask(name: string, id: number): void {
    const stem = this.#open(name);
    stem.askers = withNewId(stem.askers, id);
  }

  /** Says that no link of this file asks for a stem any more. */
  askNoMore(name: string, id: number): void {
    const stem = this.#open(name);
    stem.askers = withoutId(stem.askers, id);
    this.#drop(name, stem);
  }

  #open(name: string): OpenStem {
    let stem = this.#stems.get(name);
    if (!stem) this.#stems.set(name, (stem = { files: undefined, askers: undefined }));
    return stem;
  }

  #drop(name: string, { files, askers }: Stem): void {
    if (files === undefined && askers === undefined) this.#stems.delete(name);
  }
}
