/** Looks into texts while the catalog reads them, so that those which lack what is searched for need not be read a second time. */
import { isUtf8 } from "node:buffer";
import type { FileStat, StoredFile } from "../storage/storage.js";

/** Bytes; a longer text is left to the search, which takes its time over it. */
const LONGEST = 64 * 1024;

export class PassingTexts {
  /** A time before the first of them passed. */
  readonly since: number;
  readonly #lacking: (text: Buffer) => number;
  /** What the files that were seen lack. */
  readonly #seen = new Map<FileStat, number>();

  /**
   * @param now by the vault's clock
   * @param lacking tells by bits which parts of what is searched for are certainly not in a text, given as UTF-8; there are at most 32
   */
  constructor(now: number, lacking: (text: Buffer) => number) {
    this.since = now;
    this.#lacking = lacking;
  }

  /** To be shown each file as it is read; see `RefreshOptions.onRead`. */
  readonly see = ({ stat, bytes }: Pick<StoredFile, "stat" | "bytes">): void => {
    if (bytes.length < stat.size || bytes.length > LONGEST || !isUtf8(bytes)) return;
    this.#seen.set(stat, this.#lacking(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
  };

  /** Whether a file was seen and lacks a part; a file is known by the very object that a view of the catalog has for it. */
  lacks(file: FileStat, part = 0): boolean {
    return ((this.#seen.get(file) ?? 0) & (1 << part)) !== 0;
  }

  get files(): Iterable<FileStat> {
    return this.#seen.keys();
  }
}
