/** The folders of a snapshot: which rows stand in each, and the stamps that prove that no others do. */
import { folderOf, ROOT, type VaultPath } from "../../storage/path.js";
import type { FileStat, FolderListing } from "../../storage/storage.js";
import type { Entry } from "../table.js";
import type { PackedStat } from "../packed-stat.js";
import type { KnownFolder } from "../known-folders.js";

/** Rows and folders in the order of a snapshot: the rows of one folder stand side by side, those of none come last. */
export interface Arrangement {
  readonly rows: readonly Entry[];
  readonly folders: readonly ArrangedFolder[];
}

export interface ArrangedFolder {
  readonly path: VaultPath;
  /** Undefined: the rows need not be all that stand in it. */
  readonly stat: PackedStat | undefined;
  readonly rows: number;
}

/** A folder whose rows are not as many as its files (one could not be read) proves nothing. */
export function arrange(rows: readonly Entry[], folders: readonly KnownFolder[]): Arrangement {
  const places = new Map(folders.map(({ path }, place) => [path, place]));
  const loose = folders.length;
  const placeOf = new Uint32Array(rows.length);
  const counts = new Uint32Array(loose + 1);
  let isInOrder = true;
  let row = 0;
  let [folder, place] = [ROOT, places.get(ROOT) ?? loose];
  for (const { path } of rows) {
    // Mostly the next row stands in the same folder, which is seen without a text made for it.
    const length = Math.max(0, path.lastIndexOf("/"));
    if (length !== folder.length || !path.startsWith(folder)) {
      folder = folderOf(path);
      const next = places.get(folder) ?? loose;
      isInOrder &&= next >= place;
      place = next;
    }
    placeOf[row++] = place;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return {
    rows: isInOrder ? rows : inOrder(rows, placeOf, counts),
    folders: folders.map(({ path, stat, files }, folder) => {
      const count = counts[folder] ?? 0;
      return { path, stat: count === files ? stat : undefined, rows: count };
    }),
  };
}

/** Sorts by place; the rows of one place stay in their order. */
function inOrder(rows: readonly Entry[], placeOf: Uint32Array, counts: Uint32Array): readonly Entry[] {
  let end = 0;
  const next = counts.map((count) => (end += count) - count);
  const sorted = [...rows];
  for (const [row, entry] of rows.entries()) {
    const place = placeOf[row] ?? 0;
    const at = next[place] ?? 0;
    sorted[at] = entry;
    next[place] = at + 1;
  }
  return sorted;
}

/** The folders of a snapshot that was read, with the stamps of those that are proven. */
export interface FolderTable {
  readonly paths: readonly VaultPath[];
  isProvenBy(folder: number, stat: FileStat): boolean;
  /** The paths of its rows. */
  filesIn(folder: number): VaultPath[];
}

/** Answers what stood in a folder when it had a stamp. */
export class RememberedFolders {
  readonly #table: FolderTable;
  readonly #places = new Map<VaultPath, number>();
  readonly #folders = new Map<VaultPath, VaultPath[]>();

  constructor(table: FolderTable) {
    this.#table = table;
    // From the last on, because a walk goes down the last one first: so all come in the order they were listed in.
    for (let place = table.paths.length - 1; place >= 0; place--) {
      const path = table.paths[place] ?? ROOT;
      this.#places.set(path, place);
      if (path !== ROOT) this.#below(folderOf(path)).push(path);
    }
  }

  listing(folder: FileStat): FolderListing | undefined {
    const place = this.#places.get(folder.path);
    if (place === undefined || !this.#table.isProvenBy(place, folder)) return undefined;
    return { files: this.#table.filesIn(place), folders: this.#below(folder.path) };
  }

  /** The folders directly in a folder. */
  #below(folder: VaultPath): VaultPath[] {
    let below = this.#folders.get(folder);
    if (!below) this.#folders.set(folder, (below = []));
    return below;
  }
}
