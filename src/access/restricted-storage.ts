/** A storage that shows only files visible by access rules (docs: access). */
import { fileNotFound, notWritable } from "../storage/errors.js";
import type { VaultPath } from "../storage/path.js";
import {
  type FileStat,
  type FolderEntry,
  isUnreadable,
  type ListOptions,
  type Revision,
  type Stamp,
  type Storage,
  type StoredFile,
} from "../storage/storage.js";
import type { RuleSet } from "./rules.js";

/** A vault's `.mcpignore`. */
export interface RulesFile {
  /** Empty without a file. */
  state(): string;
  /** @throws UNAVAILABLE when it cannot be read */
  read(): Promise<RuleSet>;
}

type RestrictedStorage = Storage &
  Required<Pick<Storage, "moveFolder">> & { readonly allows: (path: VaultPath, bytes: Uint8Array) => boolean };

export function restrictedStorage(inner: Storage, initial: RuleSet, rulesFile?: RulesFile): RestrictedStorage {
  let rules = initial;
  let rulesState: string | undefined;
  let confirming: Promise<void> | undefined;
  /** Of notes whose content decides. */
  const verdicts = new Map<
    VaultPath,
    { readonly stamp: string; readonly isVisible: boolean; readonly isFinal: boolean }
  >();
  const { stampGranularity } = inner;

  function confirmRules(): Promise<void> {
    return (confirming ??= rereadRules().finally(() => (confirming = undefined)));
  }

  async function rereadRules(): Promise<void> {
    const state = rulesFile?.state();
    if (!rulesFile || state === rulesState) return;
    rules = await rulesFile.read();
    rulesState = state;
    verdicts.clear();
  }

  function narrowed(options: ListOptions): ListOptions {
    const { wants, isKnown, onUnlisted } = options;
    return {
      ...options,
      wants: (path, kind) =>
        (kind === "file" ? rules.allowsPath(path) : rules.allowsFolder(path)) && (wants?.(path, kind) ?? true),
      ...(isKnown && {
        isKnown: (path: VaultPath, stamp: Stamp) => {
          const isVisible = verdict(path, stamp);
          return isVisible === true ? isKnown(path, stamp) : isVisible === false;
        },
      }),
      ...(onUnlisted && {
        onUnlisted: (what) => {
          const path = what.folder === "" ? what.name : `${what.folder}/${what.name}`;
          const isVisible =
            what.kind === "file" ? rules.allowsPath(path as VaultPath) : rules.allowsFolder(path as VaultPath);
          if (isVisible) onUnlisted(what);
        },
      }),
    };
  }

  /** Undefined: only the content decides. */
  function verdict(path: VaultPath, stamp: Stamp): boolean | undefined {
    if (!rules.allowsPath(path)) return false;
    if (!rules.readsNotes) return true;
    const known = verdicts.get(path);
    return known?.isFinal === true && known.stamp === stamp.join() ? known.isVisible : undefined;
  }

  function judge({ stat, bytes }: StoredFile): boolean {
    const { path, stamp } = stat;
    if (!rules.allowsPath(path)) return false;
    if (!rules.readsNotes) return true;
    const known = verdict(path, stamp);
    if (known !== undefined) return known;
    const isVisible = rules.allowsContent(path, bytes);
    const age = performance.timeOrigin + performance.now() - stat.modified;
    // A recent file may change again with the same stamp.
    verdicts.set(path, { stamp: stamp.join(), isVisible, isFinal: age > stampGranularity });
    return isVisible;
  }

  async function visible(stats: readonly FileStat[]): Promise<readonly FileStat[]> {
    const unknown = stats.filter(({ path, stamp }) => verdict(path, stamp) === undefined).map(({ path }) => path);
    const found = new Set<VaultPath>();
    if (unknown.length > 0)
      for await (const batch of inner.readMany(unknown))
        for (const file of batch) if (!isUnreadable(file) && judge(file)) found.add(file.stat.path);
    return stats.filter(({ path, stamp }) => verdict(path, stamp) ?? found.has(path));
  }

  async function isShown({ path, kind }: FolderEntry): Promise<boolean> {
    if (kind === "folder") return (await storage.children(path)) !== undefined;
    return rules.allowsPath(path) && (!rules.readsNotes || (await storage.stat(path)) !== undefined);
  }

  async function isWhollyWritable(from: VaultPath, to: VaultPath): Promise<boolean> {
    const wants = (path: VaultPath): boolean =>
      path === from || path.startsWith(`${from}/`) || from.startsWith(`${path}/`);
    for await (const batch of inner.list({ wants })) {
      const inside = batch.filter(({ path }) => path.startsWith(`${from}/`));
      if ((await visible(inside)).length < inside.length) return false;
      const target = (path: VaultPath): VaultPath => `${to}${path.slice(from.length)}` as VaultPath;
      if (!inside.every(({ path }) => rules.mayWrite(path) && rules.mayWrite(target(path)))) return false;
    }
    return true;
  }

  async function concerns(path: VaultPath): Promise<boolean> {
    if (!rules.allowsPath(path)) return false;
    if (!rules.readsNotes) return true;
    const before = verdicts.get(path);
    if ((await storage.stat(path)) !== undefined || before?.isVisible === true) return true;
    // A missing file that was never judged may have been visible.
    return before === undefined && (await inner.stat(path)) === undefined;
  }

  function assertWritable(path: VaultPath): void {
    if (!rules.mayWrite(path)) throw notWritable(path);
  }

  async function assertVisible(path: VaultPath): Promise<void> {
    const isHidden = (await storage.stat(path)) === undefined && (await inner.stat(path)) !== undefined;
    if (isHidden) throw fileNotFound(path);
  }

  const storage: RestrictedStorage = {
    name: inner.name,
    identity: `${inner.identity} ${rules.fingerprint}`,
    stampLength: inner.stampLength,
    stampGranularity,
    keepsHidden: inner.keepsHidden ?? true,
    announcesLate: inner.announcesLate === true,
    spelled: inner.spelled,

    get mayLag() {
      return inner.mayLag === true;
    },

    withVaultLock: (work) => inner.withVaultLock(work),

    async *list(options = {}) {
      await confirmRules();
      for await (const batch of inner.list(narrowed(options))) yield await visible(batch);
    },

    async children(folder) {
      await confirmRules();
      if (!rules.allowsFolder(folder)) return undefined;
      const entries = await inner.children(folder);
      if (!entries) return undefined;
      const shown: FolderEntry[] = [];
      for (const entry of entries) if (await isShown(entry)) shown.push(entry);
      const isEmpty = entries.length === 0 && rules.allowsEmptyFolder(folder);
      return shown.length > 0 || isEmpty || folder === "" ? shown : undefined;
    },

    async *readMany(paths, options = {}) {
      await confirmRules();
      const allowed = paths.filter((path) => rules.allowsPath(path));
      // The whole note decides, even if only its head is wanted.
      const { limit, ...rest } = options;
      const isWhole = rules.readsNotes;
      for await (const batch of inner.readMany(allowed, isWhole ? rest : options)) {
        const shown = batch.filter((file) => (isUnreadable(file) ? !isWhole : judge(file)));
        yield isWhole && limit !== undefined
          ? shown.map((file) => (isUnreadable(file) ? file : headOf(file, limit)))
          : shown;
      }
    },

    async stat(path) {
      await confirmRules();
      if (!rules.allowsPath(path)) return undefined;
      const stat = await inner.stat(path);
      if (!stat || !rules.readsNotes) return stat;
      const [shown] = await visible([stat]);
      return shown;
    },

    async isVacant(path) {
      await confirmRules();
      // Writing is refused here anyway.
      if (!rules.mayWrite(path)) return true;
      return inner.isVacant ? inner.isVacant(path) : (await inner.stat(path)) === undefined;
    },

    async read(path) {
      await confirmRules();
      const file = rules.allowsPath(path) ? await inner.read(path) : undefined;
      return file && judge(file) ? file : undefined;
    },

    async write(path, bytes, expected) {
      await confirmRules();
      assertWritable(path);
      if (expected.kind !== "absent" && rules.readsNotes) await assertVisible(path);
      return inner.write(path, bytes, expected);
    },

    async update(path, change) {
      await confirmRules();
      assertWritable(path);
      return inner.update(path, (current) => {
        if (current && !judge(current)) throw fileNotFound(path);
        return change(current);
      });
    },

    async remove(path, expected) {
      await confirmRules();
      assertWritable(path);
      await assertVisible(path);
      return inner.remove(path, expected);
    },

    async move(from, to, expected) {
      await confirmRules();
      assertWritable(from);
      assertWritable(to);
      await assertVisible(from);
      return inner.move(from, to, expected);
    },

    /** Undefined with a hidden or unwritable file inside: visible ones are then moved one by one. */
    async moveFolder(from, to) {
      await confirmRules();
      if (!inner.moveFolder || !rules.allowsFolder(from) || !rules.allowsFolder(to)) return undefined;
      if (!(await isWhollyWritable(from, to))) return undefined;
      return inner.moveFolder(from, to);
    },

    async *changes(signal, options) {
      for await (const change of inner.changes?.(signal, options) ?? [])
        // The index (`listed`) reads only visible files.
        if (change.kind === "unsure" || options?.listed === true || (await concerns(change.path))) yield change;
    },

    mountState: () => `${inner.mountState?.() ?? ""} ${rulesFile?.state() ?? ""}`,

    async conflicts() {
      const all = [...((await inner.conflicts?.()) ?? [])];
      const shown = await Promise.all(all.map(async ([path]) => (await storage.stat(path)) !== undefined));
      return new Map(all.filter((_, at) => shown[at]));
    },

    takeNewConflicts: () =>
      (inner.takeNewConflicts?.() ?? []).filter(
        (path) => rules.allowsPath(path) && (!rules.readsNotes || verdicts.get(path)?.isVisible === true),
      ),

    async readVersion(path, revision) {
      if ((await storage.stat(path)) === undefined) return undefined;
      const file = await inner.readVersion?.(path, revision);
      return file && rules.allowsContent(path, file.bytes) ? file : undefined;
    },

    close: () => inner.close(),
    mayWrite: (path) => rules.mayWrite(path),
    allows: (path, bytes) => rules.allowsPath(path) && rules.allowsContent(path, bytes),
  };
  return storage;
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
 * text into a visible note.
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
