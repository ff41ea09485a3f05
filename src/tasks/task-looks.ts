/** Where the task use cases look: at the tasks that the vault's settings make, and at lines besides where they are asked for by name. */
import type { RefreshOptions } from "../catalog/catalog.js";
import { isVaultError } from "../errors.js";
import type { VaultPath } from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import type { Surroundings, TaskFormat } from "./format.js";
import { findTask, type Reference } from "./references.js";
import { isSelectionOfLines } from "./selection.js";
import { TaskIndex } from "./task-index.js";
import type { TaskLook } from "./task-look.js";
import type { TaskSource } from "./task.js";
import { UnknownReferences } from "./unknown-reference.js";

/** The file that a reference means in words the tasks do not know: an alias, a URI, a path of the machine. Refuses or answers nothing where it means none. */
export type FindElsewhere = (reference: string) => Promise<VaultPath | undefined>;

export class TaskLooks {
  readonly formats: readonly TaskFormat[];
  /** The tasks that the vault's settings make. */
  readonly index: TaskIndex;
  readonly #vault: Vault;
  /** With the formats that the vault's settings leave out; asked only for what is theirs by its name. */
  readonly #wideIndex: TaskIndex;

  readonly #elsewhere: FindElsewhere | undefined;
  readonly #answersOnce: boolean;

  /** @param options.answersOnce nothing will be asked after the present call, so that what it does not need is not worth knowing */
  constructor(
    vault: Vault,
    formats: readonly TaskFormat[],
    { elsewhere, answersOnce }: { readonly elsewhere?: FindElsewhere | undefined; readonly answersOnce: boolean },
  ) {
    this.#vault = vault;
    this.#elsewhere = elsewhere;
    this.#answersOnce = answersOnce;
    this.formats = formats;
    this.index = new TaskIndex(vault, formats);
    this.#wideIndex = new TaskIndex(vault, formats, { readsUnused: true });
  }

  /** The tasks among which references are to be found: the id of a line is good wherever it was read. */
  async among(references: readonly string[], options: RefreshOptions = {}): Promise<TaskLook> {
    const isLine = references.some((reference) => isSelectionOfLines(reference) || this.#namesLine(reference));
    const index = await this.indexFor(isLine);
    return await (this.#answersOnce ? index.glance(options) : index.refresh(options));
  }

  async indexFor(isAboutLines: boolean): Promise<TaskIndex> {
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
