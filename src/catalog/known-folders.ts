/** What a sweep learns of a vault's folders, so that the next process need not read the names in those that are as they were. */
import type { VaultPath } from "../storage/path.js";
import { type FileStat, type FolderListing, type FolderMemory, isRacy, type Storage } from "../storage/storage.js";
import { type PackedStat, StatBlocks } from "./packed-stat.js";

export interface KnownFolder {
  readonly path: VaultPath;
  /** As it was before its names were read; undefined: no later look proves what was listed. */
  readonly stat: PackedStat | undefined;
  /** How many files the catalog wanted of it. */
  readonly files: number;
}

/** Earlier listings of the same kind of files. */
export interface EarlierListings {
  listing(folder: FileStat): FolderListing | undefined;
}

export class FolderSweep implements FolderMemory {
  /** How many were read although their listing can be remembered. */
  relisted = 0;
  readonly #earlier: EarlierListings | undefined;
  /** Of its own: every sweep makes them anew, and blocks shared with files would be held on to by those. */
  readonly #stats = new StatBlocks();
  readonly #isRacy: (stat: FileStat) => boolean;
  readonly #folders = new Map<VaultPath, KnownFolder>();

  /** @param look a moment not later than the sweep's begin, in the storage's time */
  constructor(earlier: EarlierListings | undefined, look: number, { stampGranularity }: Storage) {
    this.#earlier = earlier;
    this.#isRacy = (stat) => isRacy(stat, look, stampGranularity);
  }

  /** All folders of the sweep, in the order they were listed. */
  get folders(): readonly KnownFolder[] {
    return [...this.#folders.values()];
  }

  recall(folder: FileStat): FolderListing | undefined {
    const listing = this.#earlier?.listing(folder);
    if (listing) this.#keep(folder.path, folder, listing.files.length);
    return listing;
  }

  learn(folder: VaultPath, stat: FileStat | undefined, files: number): void {
    const proof = stat && !this.#isRacy(stat) ? stat : undefined;
    if (this.#earlier && proof) this.relisted++;
    this.#keep(folder, proof, files);
  }

  #keep(path: VaultPath, stat: FileStat | undefined, files: number): void {
    this.#folders.set(path, { path, stat: stat && this.#stats.keep(stat), files });
  }
}
