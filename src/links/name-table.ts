/** The files of a vault under small numbers, and by stem the files that bear it and the files whose links ask for it. */
import { baseName, type VaultPath } from "../storage/path.js";
import { idsIn, sizeOf, withNewId, withoutId, type IdSet } from "./id-set.js";
import { stemOf, type FileNames } from "./resolver.js";

interface Stem {
  files: IdSet;
  askers: IdSet;
}

export class NameTable implements FileNames {
  readonly #ids = new Map<VaultPath, number>();
  readonly #paths: (VaultPath | undefined)[] = [];
  readonly #stems = new Map<string, Stem>();
  /** Numbers of files that are gone, and those that went since `recycle`. */
  #free: number[] = [];
  #gone: number[] = [];

  has(path: VaultPath): boolean {
    return this.#ids.has(path);
  }

  named(stem: string): readonly VaultPath[] {
    return idsIn(this.#stems.get(stem)?.files).map((id) => this.path(id));
  }

  /** How many files bear a stem. */
  count(stem: string): number {
    return sizeOf(this.#stems.get(stem)?.files);
  }

  id(path: VaultPath): number | undefined {
    return this.#ids.get(path);
  }

  /** The path of a file that is there. */
  path(id: number): VaultPath {
    const path = this.#paths[id];
    if (path === undefined) throw new Error(`No file has the number ${id}.`);
    return path;
  }

  paths(): Iterable<VaultPath> {
    return this.#ids.keys();
  }

  add(path: VaultPath): void {
    const id = this.#free.pop() ?? this.#paths.length;
    this.#ids.set(path, id);
    this.#paths[id] = path;
    const stem = this.#stem(stemOf(baseName(path)));
    stem.files = withNewId(stem.files, id);
  }

  /** The file's number is not given to another before `recycle`. */
  remove(path: VaultPath): void {
    const id = this.#ids.get(path);
    if (id === undefined) return;
    this.#ids.delete(path);
    this.#paths[id] = undefined;
    this.#gone.push(id);
    const name = stemOf(baseName(path));
    const stem = this.#stem(name);
    stem.files = withoutId(stem.files, id);
    this.#drop(name, stem);
  }

  recycle(): void {
    for (const id of this.#gone) this.#free.push(id);
    this.#gone = [];
  }

  /** The files whose links ask for a stem. */
  askers(stem: string): readonly number[] {
    return idsIn(this.#stems.get(stem)?.askers);
  }

  /** Says that links of this file ask for a stem, which none did so far. */
  ask(name: string, id: number): void {
    const stem = this.#stem(name);
    stem.askers = withNewId(stem.askers, id);
  }

  /** Says that no link of this file asks for a stem any more. */
  askNoMore(name: string, id: number): void {
    const stem = this.#stem(name);
    stem.askers = withoutId(stem.askers, id);
    this.#drop(name, stem);
  }

  #stem(name: string): Stem {
    let stem = this.#stems.get(name);
    if (!stem) this.#stems.set(name, (stem = { files: undefined, askers: undefined }));
    return stem;
  }

  #drop(name: string, { files, askers }: Stem): void {
    if (files === undefined && askers === undefined) this.#stems.delete(name);
  }
}
