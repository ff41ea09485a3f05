/** A vault's file names before and after a move, copied because the vault changes. */
import { baseName, type VaultPath } from "../storage/path.js";
import { renamed, stemOf, stemsOf, type FileNames } from "./resolver.js";

/** From old to new path. */
export type Moves = ReadonlyMap<VaultPath, VaultPath>;

/**
 * A move affects links with a moved file's old or new name. All names they may lead to are copied; others do not
 * change.
 */
export class MovedNames {
  readonly moves: Moves;
  /** From new to old path. */
  readonly origins: Moves;
  readonly stems: ReadonlySet<string>;
  readonly before: FileNames;
  readonly after: FileNames;

  private constructor(moves: Moves, stems: ReadonlySet<string>, before: FileNames, after: FileNames) {
    this.moves = moves;
    this.origins = inverse(moves);
    this.stems = stems;
    this.before = before;
    this.after = after;
  }

  static planned(files: FileNames, moves: Moves): MovedNames {
    const stems = stemsIn(moves);
    const before = frozen(files, stems);
    return new MovedNames(moves, stems, before, renamed(before, moves));
  }

  /** Derives the names before the move from those after it. */
  static made(files: FileNames, moves: Moves): MovedNames {
    const stems = stemsIn(moves);
    const after = frozen(files, stems);
    return new MovedNames(moves, stems, renamed(after, inverse(moves)), after);
  }

  /** Whether the move may concern a link in a note that does not move. */
  touches(target: string): boolean {
    return stemsOf(target).some((stem) => this.stems.has(stem));
  }
}

function stemsIn(moves: Moves): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const pair of moves)
    for (const path of pair) {
      const stem = stemOf(baseName(path));
      // `[[a.md]]` may lead to `a.md`, else to `a.md.md`.
      stems.add(stem).add(`${stem}.md`);
    }
  return stems;
}

function frozen(files: FileNames, stems: ReadonlySet<string>): FileNames {
  const held = new Map([...stems].map((stem) => [stem, [...files.named(stem)]]));
  return {
    has(path) {
      const paths = held.get(stemOf(baseName(path)));
      return paths === undefined ? files.has(path) : paths.includes(path);
    },
    named: (stem) => held.get(stem) ?? files.named(stem),
  };
}

function inverse(moves: Moves): Moves {
  return new Map([...moves].map(([from, to]) => [to, from]));
}
