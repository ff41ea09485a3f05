/** The file names of a vault before and after a move, as a copy that stays fixed while the vault changes. */
import { baseName, type VaultPath } from "../storage/path.js";
import { renamed, stemOf, stemsOf, type FileNames } from "./resolver.js";

/** Every moved file: from its old path to its new one. */
export type Moves = ReadonlyMap<VaultPath, VaultPath>;

/**
 * Decides which links a move can affect: those with the name of a moved file, before or after. All names that such links may
 * lead to are copied; other names are read from the vault, since the move does not change them.
 */
export class MovedNames {
  readonly moves: Moves;
  /** From the new path of each moved file to its old one. */
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

  /** For a move that has not been made yet. */
  static planned(files: FileNames, moves: Moves): MovedNames {
    const stems = stemsIn(moves);
    const before = frozen(files, stems);
    return new MovedNames(moves, stems, before, renamed(before, moves));
  }

  /** For a move that has been made: derives the old paths. */
  static made(files: FileNames, moves: Moves): MovedNames {
    const stems = stemsIn(moves);
    const after = frozen(files, stems);
    return new MovedNames(moves, stems, renamed(after, inverse(moves)), after);
  }

  /** Whether the move may change where a link with that target leads, in a note that does not move itself. */
  touches(target: string): boolean {
    return stemsOf(target).some((stem) => this.stems.has(stem));
  }
}

function stemsIn(moves: Moves): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const pair of moves)
    for (const path of pair) {
      const stem = stemOf(baseName(path));
      // `[[a.md]]` may lead to `a.md` and, where there is none, to `a.md.md`.
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
