/** Where targets lead, each worked out once: most lead to the same file from every note, and many occur often. */
import { ROOT } from "../storage/path.js";
import { idsIn } from "./id-set.js";
import type { NameTable } from "./name-table.js";
import { resolveLink, stemsOf } from "./resolver.js";

/** The number of the file that a target leads to from anywhere (undefined: nowhere); no such thing where that depends on the note. */
type Everywhere = { readonly to: number | undefined } | "depends";

/** Good as long as no file comes or goes. */
export class TargetMemo {
  readonly #names: NameTable;
  readonly #known = new Map<string, Everywhere>();

  constructor(names: NameTable) {
    this.#names = names;
  }

  /** The number of the file that a target leads to from the file with that number. */
  resolve(target: string, from: number): number | undefined {
    let known = this.#known.get(target);
    if (!known) this.#known.set(target, (known = this.#everywhere(target, stemsOf(target))));
    if (known !== "depends") return known.to;
    const to = resolveLink(target, this.#names.path(from), this.#names);
    return to === undefined ? undefined : this.#names.id(to);
  }

  #everywhere(target: string, stems: readonly string[]): Everywhere {
    if (stems.length === 0 || /^\s*\./.test(target)) return "depends";
    const bearers = stems.map((name) => idsIn(this.#names.stem(name)?.files));
    if (bearers.every((ids) => ids.length === 0)) return { to: undefined };
    if (bearers.some((ids) => ids.length > 1)) return "depends";
    // A bare name without `.md` fits whatever file bears its stem.
    if (stems.length === 1 && !target.includes("/")) return { to: bearers[0]?.[0] };
    const to = resolveLink(target, ROOT, this.#names);
    return { to: to === undefined ? undefined : this.#names.id(to) };
  }
}
