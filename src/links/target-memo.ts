/** Where targets lead, worked out once where they occur often: most lead to the same file from every note. */
import { ROOT } from "../storage/path.js";
import type { NameTable } from "./name-table.js";
import { resolveLink, stemsOf } from "./resolver.js";

/** Numbers of no file: the target leads nowhere, or where it leads depends on the note. */
const NOWHERE = -1;
const DEPENDS = -2;
/** So many targets are remembered before it begins anew: those that occur often are soon known again. */
const MOST = 4096;

/** Good as long as no file comes or goes. */
export class TargetMemo {
  readonly #names: NameTable;
  /** The number of the file that a target leads to from anywhere. */
  readonly #known = new Map<string, number>();

  constructor(names: NameTable) {
    this.#names = names;
  }

  /** The number of the file that a target leads to from the file with that number. */
  resolve(target: string, from: number): number | undefined {
    const known = this.#known.get(target) ?? this.#learn(target);
    if (known !== DEPENDS) return known === NOWHERE ? undefined : known;
    const to = resolveLink(target, this.#names.path(from), this.#names);
    return to === undefined ? undefined : this.#names.id(to);
  }

  #learn(target: string): number {
    if (this.#known.size >= MOST) this.#known.clear();
    const to = this.#everywhere(target, stemsOf(target));
    this.#known.set(target, to);
    return to;
  }

  #everywhere(target: string, stems: readonly string[]): number {
    if (stems.length === 0 || /^\s*\./.test(target)) return DEPENDS;
    const bearers = stems.map((stem) => this.#names.bearers(stem));
    if (bearers.every((ids) => ids.length === 0)) return NOWHERE;
    if (bearers.some((ids) => ids.length > 1)) return DEPENDS;
    // A bare name without `.md` fits whatever file bears its stem.
    if (stems.length === 1 && !target.includes("/")) return bearers[0]?.[0] ?? NOWHERE;
    const to = resolveLink(target, ROOT, this.#names);
    return (to === undefined ? undefined : this.#names.id(to)) ?? NOWHERE;
  }
}
