/** Where the task use cases look: at the tasks that the vault's settings make, and at lines besides where they are asked for by name. */
import type { RefreshOptions } from "../index/refresh.js";
import { isVaultError } from "../errors.js";
import type { VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import type { Surroundings, TaskFormat } from "./format.js";
import { findTask, type Reference } from "./references.js";
import { isSelectionOfLines } from "./query/selection.js";
import { TaskIndex } from "./task-index.js";
import type { TaskLook } from "./task-look.js";
import type { TaskSource } from "./task.js";
import { UnknownReferences } from "./unknown-reference.js";

/** The file that a reference means in words the tasks do not know: an alias, a URI, a path of the machine. Refuses or answers nothing where it means none. */
export type FindElsewhere = (reference: string) => Promise<VaultPath | undefined>;

export interface PlainCount {
  readonly boxes: number;
  readonly notes: number;
}

export class TaskLooks {
  readonly formats: readonly TaskFormat[];
  /** The tasks that the vault's settings make. */
  readonly index: TaskIndex;
  readonly #vault: Vault;
  /** With the formats that the vault's settings leave out; asked only for what is theirs by its name. */
  readonly #wideIndex: TaskIndex;
  /** With plain checkboxes too, where they are asked for. */
  readonly #plainIndex: TaskIndex;
  readonly #plainCounts = new WeakMap<TaskLook, PlainCount>();

  readonly #elsewhere: FindElsewhere | undefined;

  constructor(vault: Vault, formats: readonly TaskFormat[], elsewhere: FindElsewhere | undefined) {
    this.#vault = vault;
    this.#elsewhere = elsewhere;
    this.formats = formats;
    this.index = new TaskIndex(vault, formats);
    this.#wideIndex = new TaskIndex(vault, formats, { readsUnused: true });
    const plain = formats.map((format) => format.withPlain?.() ?? format);
    this.#plainIndex = new TaskIndex(vault, plain, { readsUnused: true });
  }

  /** The tasks among which references are to be found: the id of a line is good wherever it was read. */
  async among(references: readonly string[], options: RefreshOptions = {}): Promise<TaskLook> {
    const isLine = references.some((reference) => isSelectionOfLines(reference) || this.#namesLine(reference));
    const look = await (await this.indexFor(isLine)).refresh(options);
    const isUnknown = (reference: string): boolean =>
      this.#namesLine(reference) && findTask(reference, look, this.formats) === undefined;
    return isLine && references.some(isUnknown) ? await this.#plainIndex.refresh(options) : look;
  }

  /** The open checkboxes that are no tasks; undefined where bodies are not read, or all of them count. */
  plainCount(look: TaskLook): PlainCount | undefined {
    const known = this.#plainCounts.get(look);
    if (known !== undefined) return known;
    let [boxes, notes] = [0, 0];
    for (const format of this.formats) {
      if (format.countPlain === undefined || format.isUsed?.(look.settings) === false) continue;
      for (const record of look.view.records(format.readerFor(look.settings))) {
        const { facts } = record;
        const count = facts === undefined ? 0 : (format.countPlain(facts, record.stat, look.settings) ?? 0);
        boxes += count;
        if (count > 0) notes += 1;
      }
    }
    this.#plainCounts.set(look, { boxes, notes });
    return { boxes, notes };
  }

  /** @param about lines that the settings leave out; plain checkboxes as well */
  async indexFor(about: "tasks" | "lines" | "plain" | boolean): Promise<TaskIndex> {
    if (about === "plain") return this.#plainIndex;
    const isAboutLines = about === true || about === "lines";
    return isAboutLines && (await this.index.leavesOut()) ? this.#wideIndex : this.index;
  }

  /** Marked lines that the settings leave out; undefined where none are left out, or while nobody has asked for lines: it reads no further. */
  async unreadLines(options: RefreshOptions): Promise<number | undefined> {
    if (this.#wideIndex.latest === undefined || !(await this.index.leavesOut())) return undefined;
    const { tasks } = await this.#wideIndex.refresh(options);
    return tasks.filter(({ source }) => source === "line").length;
  }

  /** The task a reference means. @throws VaultError that says why none, or which several */
  async find(reference: string, look: TaskLook): Promise<Reference> {
    return await this.#find(reference, look, new UnknownReferences(look, this.#vault));
  }

  /** As `find`, for a call about many: it does not look for what else each may have meant. */
  finder(look: TaskLook): (reference: string) => Promise<Reference> {
    const unknown = new UnknownReferences(look, this.#vault, { suggests: false });
    return async (reference) => await this.#find(reference, look, unknown);
  }

  async #find(reference: string, look: TaskLook, unknown: UnknownReferences): Promise<Reference> {
    return (
      findTask(reference, look, this.formats) ??
      (await this.#findElsewhere(reference, look)) ??
      (await unknown.explain(reference))
    );
  }

  async #findElsewhere(reference: string, look: TaskLook): Promise<Reference | undefined> {
    try {
      const path = await this.#elsewhere?.(reference);
      return path === undefined ? undefined : findTask(path, look);
    } catch (error) {
      if (isVaultError(error)) return undefined;
      throw error;
    }
  }

  formatOf(source: TaskSource): TaskFormat {
    const format = this.formats.find((format) => format.source === source);
    if (!format) throw new Error(`No format keeps tasks as ${source}.`);
    return format;
  }

  surroundings({ para, settings }: TaskLook): Surroundings {
    return { para, settings, clock: this.#vault.clock };
  }

  #namesLine(reference: string): boolean {
    return this.formats.some((format) => (format.ways?.(reference.trim()) ?? []).length > 0);
  }
}
