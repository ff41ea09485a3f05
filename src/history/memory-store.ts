/** A journal that lasts as long as its process: for vaults in memory, and for the library where no state folder is named. */
import type { JournalPlace } from "./store.js";

export interface MemoryPlaceOptions {
  /** What this process is called, for tests that play several. */
  readonly maker?: string;
  /** The makers that have ended, for tests. */
  readonly ended?: ReadonlySet<string>;
  /** Another one's files, for tests that play several processes. */
  readonly sharedWith?: MemoryPlace;
}

export class MemoryPlace implements JournalPlace {
  readonly maker: string;
  readonly #ended: ReadonlySet<string>;
  readonly #drawers: Map<string, Map<string, Uint8Array>>;

  constructor({ maker = "memory", ended = new Set(), sharedWith }: MemoryPlaceOptions = {}) {
    this.maker = maker;
    this.#ended = ended;
    this.#drawers = sharedWith ? sharedWith.#drawers : new Map();
  }

  hasEnded(maker: string): boolean {
    return this.#ended.has(maker);
  }

  list(drawer: string): readonly string[] {
    return [...(this.#drawers.get(drawer)?.keys() ?? [])];
  }

  read(drawer: string, name: string): Uint8Array | undefined {
    return this.#drawers.get(drawer)?.get(name)?.slice();
  }

  add(drawer: string, name: string, bytes: Uint8Array): Promise<void> {
    if (this.#drawers.get(drawer)?.has(name)) throw new Error(`There is a ${name} already.`);
    this.#put(drawer, name, bytes);
    return Promise.resolve();
  }

  append(drawer: string, name: string, bytes: Uint8Array): { readonly size: number; flush(): Promise<void> } {
    const whole = Buffer.concat([this.#drawers.get(drawer)?.get(name) ?? new Uint8Array(), bytes]);
    this.#put(drawer, name, whole);
    return { size: whole.length, flush: () => Promise.resolve() };
  }

  overwrite(drawer: string, name: string, bytes: Uint8Array): void {
    this.#put(drawer, name, bytes);
  }

  rename(drawer: string, from: string, to: string): boolean {
    const bytes = this.#drawers.get(drawer)?.get(from);
    if (!bytes) return false;
    this.remove(drawer, from);
    this.#put(drawer, to, bytes);
    return true;
  }

  remove(drawer: string, name: string): boolean {
    return this.#drawers.get(drawer)?.delete(name) ?? false;
  }

  #put(drawer: string, name: string, bytes: Uint8Array): void {
    const files = this.#drawers.get(drawer) ?? new Map<string, Uint8Array>();
    this.#drawers.set(drawer, files.set(name, Uint8Array.from(bytes)));
  }
}
