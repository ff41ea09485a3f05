/** An index of a vault's files by name. */
import { baseName, type VaultPath } from "../storage/path.js";
import { stemOf, type FileNames } from "./resolver.js";

export class VaultFileNames implements FileNames {
  readonly #paths = new Set<VaultPath>();
  readonly #bearers = new PathsByStem();

  has(path: VaultPath): boolean {
    return this.#paths.has(path);
  }

  named(stem: string): readonly VaultPath[] {
    return this.#bearers.of(stem);
  }

  paths(): Iterable<VaultPath> {
    return this.#paths;
  }

  /** @param path of a file that is not in the index yet */
  add(path: VaultPath): void {
    this.#paths.add(path);
    this.#bearers.add(stemOf(baseName(path)), path);
  }

  remove(path: VaultPath): void {
    this.#paths.delete(path);
    this.#bearers.delete(stemOf(baseName(path)), path);
  }
}

/** Arrays rather than sets: nearly all hold one path, and a vault has many of them. */
export class PathsByStem {
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
