/** A storage that shows only files visible by access rules (docs: access, "What is promised"). */
import { fileNotFound, notWritable } from "../storage/errors.js";
import type { VaultPath } from "../storage/path.js";
import {
  type Change,
  type ChangeBytes,
  type ChangesOptions,
  type Expected,
  type FileStat,
  type FolderEntry,
  isUnreadable,
  type ListOptions,
  type ReadManyOptions,
  type Revision,
  type Settled,
  type Stamp,
  type Storage,
  type StoredFile,
  type UnreadableFile,
  type WrittenFile,
} from "../storage/storage.js";
import type { RuleSet } from "./rules.js";

/** A vault's `.mcpignore`. */
export interface RulesFile {
  /** Empty without a file. */
  state(): string;
  /** @throws UNAVAILABLE when it cannot be read */
  read(): Promise<RuleSet>;
}

export class RestrictedStorage implements Storage {
  readonly name: string;
  readonly identity: string;
  readonly stampLength: number;
  readonly stampGranularity: number;
  readonly keepsHidden: boolean;
  readonly announcesLate: boolean;
  readonly spelled: Storage["spelled"];
  readonly #inner: Storage;
  readonly #rulesFile: RulesFile | undefined;
  #rules: RuleSet;
  #rulesState: string | undefined;
  #confirming: Promise<void> | undefined;
  /** Of notes whose content decides. */
  readonly #verdicts = new Map<
    VaultPath,
    { readonly stamp: string; readonly isVisible: boolean; readonly isFinal: boolean }
  >();

  constructor(inner: Storage, rules: RuleSet, rulesFile?: RulesFile) {
    this.#inner = inner;
    this.#rulesFile = rulesFile;
    this.#rules = rules;
    this.name = inner.name;
    this.identity = `${inner.identity} ${rules.fingerprint}`;
    this.stampLength = inner.stampLength;
    this.stampGranularity = inner.stampGranularity;
    this.keepsHidden = inner.keepsHidden ?? true;
    this.announcesLate = inner.announcesLate === true;
    this.spelled = inner.spelled;
  }

  get mayLag(): boolean {
    return this.#inner.mayLag === true;
  }

  #confirmRules(): Promise<void> {
    return (this.#confirming ??= this.#rereadRules().finally(() => (this.#confirming = undefined)));
  }

  async #rereadRules(): Promise<void> {
    const state = this.#rulesFile?.state();
    if (!this.#rulesFile || state === this.#rulesState) return;
    this.#rules = await this.#rulesFile.read();
    this.#rulesState = state;
    this.#verdicts.clear();
  }

  withVaultLock<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#inner.withVaultLock(work);
  }

  async *list(options: ListOptions = {}): AsyncGenerator<readonly FileStat[]> {
    await this.#confirmRules();
    for await (const batch of this.#inner.list(this.#narrowed(options))) yield await this.#visible(batch);
  }

  #narrowed(options: ListOptions): ListOptions {
    const { wants, isKnown, onUnlisted } = options;
    return {
      ...options,
      wants: (path, kind) =>
        (kind === "file" ? this.#rules.allowsPath(path) : this.#rules.allowsFolder(path)) &&
        (wants?.(path, kind) ?? true),
      ...(isKnown && {
        isKnown: (path: VaultPath, stamp: Stamp) => {
          const isVisible = this.#verdict(path, stamp);
          return isVisible === true ? isKnown(path, stamp) : isVisible === false;
        },
      }),
      ...(onUnlisted && {
        onUnlisted: (what) => {
          const path = what.folder === "" ? what.name : `${what.folder}/${what.name}`;
          const isVisible =
            what.kind === "file"
              ? this.#rules.allowsPath(path as VaultPath)
              : this.#rules.allowsFolder(path as VaultPath);
          if (isVisible) onUnlisted(what);
        },
      }),
    };
  }

  /** Undefined: only the content decides. */
  #verdict(path: VaultPath, stamp: Stamp): boolean | undefined {
    if (!this.#rules.allowsPath(path)) return false;
    if (!this.#rules.readsNotes) return true;
    const known = this.#verdicts.get(path);
    return known?.isFinal === true && known.stamp === stamp.join() ? known.isVisible : undefined;
  }

  #judge({ stat, bytes }: StoredFile): boolean {
    const { path, stamp } = stat;
    if (!this.#rules.allowsPath(path)) return false;
    if (!this.#rules.readsNotes) return true;
    const known = this.#verdict(path, stamp);
    if (known !== undefined) return known;
    const isVisible = this.#rules.allowsContent(path, bytes);
    const age = performance.timeOrigin + performance.now() - stat.modified;
    // A recent file may change again with the same stamp.
    this.#verdicts.set(path, { stamp: stamp.join(), isVisible, isFinal: age > this.stampGranularity });
    return isVisible;
  }

  async #visible(stats: readonly FileStat[]): Promise<readonly FileStat[]> {
    const unknown = stats.filter(({ path, stamp }) => this.#verdict(path, stamp) === undefined).map(({ path }) => path);
    const found = new Set<VaultPath>();
    if (unknown.length > 0)
      for await (const batch of this.#inner.readMany(unknown))
        for (const file of batch) if (!isUnreadable(file) && this.#judge(file)) found.add(file.stat.path);
    return stats.filter(({ path, stamp }) => this.#verdict(path, stamp) ?? found.has(path));
  }

  async children(folder: VaultPath): Promise<readonly FolderEntry[] | undefined> {
    await this.#confirmRules();
    if (!this.#rules.allowsFolder(folder)) return undefined;
    const entries = await this.#inner.children(folder);
    if (!entries) return undefined;
    const shown: FolderEntry[] = [];
    for (const entry of entries) if (await this.#isShown(entry)) shown.push(entry);
    const isEmpty = entries.length === 0 && this.#rules.allowsEmptyFolder(folder);
    return shown.length > 0 || isEmpty || folder === "" ? shown : undefined;
  }

  async #isShown({ path, kind }: FolderEntry): Promise<boolean> {
    if (kind === "folder") return (await this.children(path)) !== undefined;
    return this.#rules.allowsPath(path) && (!this.#rules.readsNotes || (await this.stat(path)) !== undefined);
  }

  async *readMany(
    paths: readonly VaultPath[],
    options: ReadManyOptions = {},
  ): AsyncGenerator<readonly (StoredFile | UnreadableFile)[]> {
    await this.#confirmRules();
    const allowed = paths.filter((path) => this.#rules.allowsPath(path));
    // The whole note decides, even if only its head is wanted.
    const { limit, ...rest } = options;
    const isWhole = this.#rules.readsNotes;
    for await (const batch of this.#inner.readMany(allowed, isWhole ? rest : options)) {
      const shown = batch.filter((file) => (isUnreadable(file) ? !isWhole : this.#judge(file)));
      yield isWhole && limit !== undefined
        ? shown.map((file) => (isUnreadable(file) ? file : headOf(file, limit)))
        : shown;
    }
  }

  async stat(path: VaultPath): Promise<FileStat | undefined> {
    await this.#confirmRules();
    if (!this.#rules.allowsPath(path)) return undefined;
    const stat = await this.#inner.stat(path);
    if (!stat || !this.#rules.readsNotes) return stat;
    const [shown] = await this.#visible([stat]);
    return shown;
  }

  async isVacant(path: VaultPath): Promise<boolean> {
    await this.#confirmRules();
    // Writing is refused here anyway.
    if (!this.#rules.mayWrite(path)) return true;
    return this.#inner.isVacant ? this.#inner.isVacant(path) : (await this.#inner.stat(path)) === undefined;
  }

  async read(path: VaultPath): Promise<StoredFile | undefined> {
    await this.#confirmRules();
    const file = this.#rules.allowsPath(path) ? await this.#inner.read(path) : undefined;
    return file && this.#judge(file) ? file : undefined;
  }

  async write(path: VaultPath, bytes: Uint8Array, expected: Expected): Promise<WrittenFile> {
    await this.#confirmRules();
    this.#assertWritable(path);
    if (expected.kind !== "absent" && this.#rules.readsNotes) await this.#assertVisible(path);
    return this.#inner.write(path, bytes, expected);
  }

  async update(path: VaultPath, change: ChangeBytes): Promise<WrittenFile | undefined> {
    await this.#confirmRules();
    this.#assertWritable(path);
    return this.#inner.update(path, (current) => {
      if (current && !this.#judge(current)) throw fileNotFound(path);
      return change(current);
    });
  }

  async remove(path: VaultPath, expected: Expected): Promise<Settled> {
    await this.#confirmRules();
    this.#assertWritable(path);
    await this.#assertVisible(path);
    return this.#inner.remove(path, expected);
  }

  async move(from: VaultPath, to: VaultPath, expected: Expected): Promise<WrittenFile> {
    await this.#confirmRules();
    this.#assertWritable(from);
    this.#assertWritable(to);
    await this.#assertVisible(from);
    return this.#inner.move(from, to, expected);
  }

  /** Undefined with a hidden or unwritable file inside: visible ones are then moved one by one. */
  async moveFolder(from: VaultPath, to: VaultPath): Promise<Settled | undefined> {
    await this.#confirmRules();
    if (!this.#inner.moveFolder || !this.#rules.allowsFolder(from) || !this.#rules.allowsFolder(to)) return undefined;
    if (!(await this.#isWhollyWritable(from, to))) return undefined;
    return this.#inner.moveFolder(from, to);
  }

  async #isWhollyWritable(from: VaultPath, to: VaultPath): Promise<boolean> {
    const wants = (path: VaultPath): boolean =>
      path === from || path.startsWith(`${from}/`) || from.startsWith(`${path}/`);
    for await (const batch of this.#inner.list({ wants })) {
      const inside = batch.filter(({ path }) => path.startsWith(`${from}/`));
      const visible = await this.#visible(inside);
      if (visible.length < inside.length) return false;
      const target = (path: VaultPath): VaultPath => `${to}${path.slice(from.length)}` as VaultPath;
      if (!inside.every(({ path }) => this.#rules.mayWrite(path) && this.#rules.mayWrite(target(path)))) return false;
    }
    return true;
  }

  async *changes(signal: AbortSignal, options?: ChangesOptions): AsyncGenerator<Change> {
    for await (const change of this.#inner.changes?.(signal, options) ?? [])
      // The index (`listed`) reads only visible files.
      if (change.kind === "unsure" || options?.listed === true || (await this.#concerns(change.path))) yield change;
  }

  async #concerns(path: VaultPath): Promise<boolean> {
    if (!this.#rules.allowsPath(path)) return false;
    if (!this.#rules.readsNotes) return true;
    const before = this.#verdicts.get(path);
    if ((await this.stat(path)) !== undefined || before?.isVisible === true) return true;
    // A missing file that was never judged may have been visible.
    return before === undefined && (await this.#inner.stat(path)) === undefined;
  }

  mountState(): string {
    // Other rules show other files.
    return `${this.#inner.mountState?.() ?? ""} ${this.#rulesFile?.state() ?? ""}`;
  }

  async conflicts(): Promise<ReadonlyMap<VaultPath, readonly Revision[]>> {
    const all = [...((await this.#inner.conflicts?.()) ?? [])];
    const shown = await Promise.all(all.map(async ([path]) => (await this.stat(path)) !== undefined));
    return new Map(all.filter((_, at) => shown[at]));
  }

  takeNewConflicts(): readonly VaultPath[] {
    return (this.#inner.takeNewConflicts?.() ?? []).filter((path) => {
      return this.#rules.allowsPath(path) && (!this.#rules.readsNotes || this.#verdicts.get(path)?.isVisible === true);
    });
  }

  async readVersion(path: VaultPath, revision: Revision): Promise<StoredFile | undefined> {
    if ((await this.stat(path)) === undefined) return undefined;
    const file = await this.#inner.readVersion?.(path, revision);
    return file && this.#rules.allowsContent(path, file.bytes) ? file : undefined;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  mayWrite(path: VaultPath): boolean {
    return this.#rules.mayWrite(path);
  }

  allows(path: VaultPath, bytes: Uint8Array): boolean {
    return this.#rules.allowsPath(path) && this.#rules.allowsContent(path, bytes);
  }

  #assertWritable(path: VaultPath): void {
    if (!this.mayWrite(path)) throw notWritable(path);
  }

  async #assertVisible(path: VaultPath): Promise<void> {
    const isHidden = (await this.stat(path)) === undefined && (await this.#inner.stat(path)) !== undefined;
    if (isHidden) throw fileNotFound(path);
  }
}

/** The head has no revision. */
function headOf(file: StoredFile, limit: number): StoredFile {
  if (file.bytes.length <= limit) return file;
  return {
    stat: file.stat,
    bytes: file.bytes.subarray(0, limit),
    get revision(): Revision {
      throw new RangeError("Only the head of the file was read.");
    },
  };
}

/**
 * Also reaches hidden notes, to correct links and undo that. Never moves hidden files with a folder, or writes hidden
 * text
 * into a visible note.
 */
export function stewardStorage(inner: Storage, restricted: RestrictedStorage): Storage {
  const assertShown = (path: VaultPath, bytes: Uint8Array): void => {
    if (!restricted.allows(path, bytes)) throw notWritable(path);
  };
  const own: Partial<Storage> = {
    moveFolder: (from, to) => restricted.moveFolder(from, to),
    write: async (path, bytes, expected) => {
      assertShown(path, bytes);
      return inner.write(path, bytes, expected);
    },
    update: (path, change) =>
      inner.update(path, async (current) => {
        const bytes = await change(current);
        const isVisible = current !== undefined && restricted.allows(path, current.bytes);
        if (isVisible && bytes) assertShown(path, bytes);
        return bytes;
      }),
  };
  return new Proxy(inner, {
    get: (target, name) => {
      const member: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}
