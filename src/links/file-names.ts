/** The files of a vault by name, and by name the files whose links ask for it. */
import { baseName, type VaultPath } from "../storage/path.js";
import { stemOf, type FileNames } from "./resolver.js";

export class VaultFileNames implements FileNames {
  readonly #paths = new Set<VaultPath>();
  readonly #bearers = new PathsByStem();
  readonly #askers = new PathsByStem();

  has(path: VaultPath): boolean {
    return this.#paths.has(path);
  }

  named(stem: string): readonly VaultPath[] {
    return this.#bearers.of(stem);
  }

  /** The files whose links ask for a stem, each once. */
  askers(stem: string): readonly VaultPath[] {
    return this.#askers.of(stem);
  }

  paths(): Iterable<VaultPath> {
    return this.#paths;
  }

  /** @param path of a file that is not there yet @returns the files whose links ask for its stem */
  add(path: VaultPath): readonly VaultPath[] {
    const stem = stemOf(baseName(path));
    this.#paths.add(path);
    this.#bearers.add(stem, path);
    return this.askers(stem);
  }

  /** @returns as `add` */
  remove(path: VaultPath): readonly VaultPath[] {
    const stem = stemOf(baseName(path));
    this.#paths.delete(path);
    this.#bearers.delete(stem, path);
    return this.askers(stem);
  }

  /** Says that links of this file ask for a stem, which none did so far. */
  ask(stem: string, path: VaultPath): void {
    this.#askers.add(stem, path);
  }

  /** Says that no link of this file asks for a stem any more. */
  askNoMore(stem: string, path: VaultPath): void {
    this.#askers.delete(stem, path);
  }
}

/** Lists rather than sets: nearly all hold one path, and a vault has many of them. */
class PathsByStem {
  readonly #paths = new Map<string, VaultPath[]>();

  of(stem: string): readonly VaultPath[] {
    return this.#paths.get(stem) ?? [];
  }

  add(stem: string, path: VaultPath): void {
    const known = this.#paths.get(stem);
    if (known === undefined) this.#paths.set(stem, [path]);
    else known.push(path);
  }

  delete(stem: string, path: VaultPath): void {
    const known = this.#paths.get(stem);
    if (known === undefined) return;
    const at = known.indexOf(path);
    if (at >= 0) known.splice(at, 1);
    if (known.length === 0) this.#paths.delete(stem);
  }
}
