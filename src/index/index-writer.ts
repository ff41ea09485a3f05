/** Stores the index: the words an answer needs at once, all else between answers. */
import { idleTurn, TimeSlice } from "../async/yield-to-loop.js";
import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { VaultPath } from "../storage/path.js";
import type { Storage } from "../storage/storage.js";
import { FileSource } from "./file-source.js";
import { type FileChanges, type FileTable, type IndexedFile, isSameStamp } from "./files.js";
import type { IgnoreRules } from "../obsidian/ignore.js";
import { NO_KINDS, type Readers, TEXT_WORDS } from "./readers.js";
import type { FileWithWords } from "./refresh.js";
import type { FileWrite, IndexStore } from "./store.js";
import type { FileWords } from "./full-text.js";

interface IndexWriterOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly readers: Readers;
  readonly table: FileTable;
  readonly open: () => Promise<IndexStore>;
  readonly maxBytes: number;
  readonly log: Log;
}

const MAX_FILES_AT_ONCE = 500;
/** Larger transactions would keep a `ping` waiting; smaller ones make full text merge its parts more often. */
const MAX_TEXTS_AT_ONCE = 250;
/** Between answers, no transaction may block for more than 20 ms. */
const MAX_FILES_A_TURN = 100;
const MAX_TEXTS_A_TURN = 16;

export class IndexWriter {
  readonly #options: IndexWriterOptions;
  /** Files whose rows are out of date. */
  readonly #unsaved = new Set<VaultPath>();

  constructor(options: IndexWriterOptions) {
    this.#options = options;
  }

  markUnsaved(changes: FileChanges, confirmed: readonly VaultPath[]): void {
    for (const [path, file] of changes) if (!file || isWorthStoring(file)) this.#unsaved.add(path);
    for (const path of confirmed) this.#unsaved.add(path);
  }

  /** Stores files that were read for an answer. */
  async storeWords(store: IndexStore, files: readonly FileWithWords[], onStored?: () => void): Promise<void> {
    for (let at = 0; at < files.length; at += MAX_TEXTS_AT_ONCE) {
      const some = files.slice(at, at + MAX_TEXTS_AT_ONCE);
      const writes = some.map(({ file, words }) => this.#write(store, file, words));
      await put(
        store,
        some.map(({ file }) => file),
        writes,
      );
      onStored?.();
    }
  }

  /** @param isHurried whether the process answers nobody any more */
  async storeFacts(isHurried: () => boolean): Promise<void> {
    const { table, open, log } = this.#options;
    try {
      const store = await open();
      if (store.isInMemory) this.#unsaved.clear();
      while (this.#unsaved.size > 0) {
        const paths = [...this.#unsaved].slice(0, isHurried() ? MAX_FILES_AT_ONCE : MAX_FILES_A_TURN);
        const files = paths.flatMap((path) => table.get(path) ?? []).filter(isWorthStoring);
        const gone = paths.filter((path) => !table.get(path));
        for (const path of paths) this.#unsaved.delete(path);
        const writes = files.map((file) => this.#write(store, file));
        await put(store, files, writes, gone);
        if (!isHurried()) await idleTurn();
      }
    } catch (error) {
      log.debug("the index was not stored", { error: String(error) });
    }
  }

  /** A few notes at a time. @param isOver asked before each turn */
  async storeMissingWords(rules: IgnoreRules, isOver: () => boolean): Promise<void> {
    const { storage, readers, table, open, maxBytes, log } = this.#options;
    if (readers.searched === NO_KINDS) return;
    const lacksWords = (file: IndexedFile | undefined): file is IndexedFile =>
      file !== undefined && file.isNote && file.settled && !file.unreadable && !(file.stored & TEXT_WORDS);
    const missing: VaultPath[] = [];
    for (const file of table) if (lacksWords(file)) missing.push(file.path);
    try {
      for (let at = 0; at < missing.length; at += MAX_TEXTS_A_TURN) {
        await idleTurn();
        if (isOver()) return;
        // A search may have stored some meanwhile.
        const paths = missing.slice(at, at + MAX_TEXTS_A_TURN).filter((path) => lacksWords(table.get(path)));
        if (paths.length === 0) continue;
        const store = await open();
        const source = this.#sourceOfWords(rules);
        for await (const batch of storage.readMany(paths, { limit: maxBytes })) {
          const slice = new TimeSlice();
          const read: FileWithWords[] = [];
          for (const one of batch) {
            const file = source.ofFile(one);
            const words = await source.words(one, file, slice);
            if (words && file.settled && this.#known(file)) read.push({ file, words });
            if (slice.isOver) await slice.yield();
          }
          await this.storeWords(store, read);
          for (const { file } of read) {
            const known = this.#known(file);
            if (!known) continue;
            known.number = file.number;
            known.stored |= file.stored;
          }
        }
      }
    } catch (error) {
      log.debug("the words of some notes were not stored", { error: String(error) });
    }
  }

  #sourceOfWords(rules: IgnoreRules): FileSource {
    const { storage, readers, clock } = this.#options;
    const nothing = { rows: new Map(), facts: new Map() };
    return new FileSource({
      storage,
      readers,
      coverage: { facts: TEXT_WORDS, files: false },
      ...nothing,
      rules,
      startedAt: clock.now(),
    });
  }

  /** Undefined when the known file had another text. */
  #known({ path, stat }: IndexedFile): IndexedFile | undefined {
    const known = this.#options.table.get(path);
    return known?.settled === true && isSameStamp(known.stat.stamp, stat.stamp) ? known : undefined;
  }

  /** A database in memory is for words alone. */
  #write(store: IndexStore, file: IndexedFile, words?: FileWords): FileWrite {
    const { path, stat, settled, problems } = file;
    const kinds = (store.isInMemory ? NO_KINDS : file.known & ~TEXT_WORDS) | (words ? TEXT_WORDS : NO_KINDS);
    const facts = this.#options.readers.all.map((_, position) => file.json(position));
    return { path, stat: settled ? stat : undefined, problems, kinds, facts, words };
  }
}

async function put(
  store: IndexStore,
  files: readonly IndexedFile[],
  writes: readonly FileWrite[],
  gone?: readonly VaultPath[],
): Promise<void> {
  const numbers = await store.put(writes, gone);
  for (const [at, file] of files.entries()) {
    file.number = numbers[at];
    file.stored |= writes[at]?.kinds ?? NO_KINDS;
  }
}

/** Whether another process could use something that is not stored. */
function isWorthStoring(file: IndexedFile): boolean {
  return file.settled && !file.unreadable && (file.known & ~file.stored) !== NO_KINDS;
}
