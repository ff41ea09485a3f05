/** The file names of a vault before and after a move, fixed while the vault itself changes. */
import { baseName, type VaultPath } from "../storage/path.js";
import { renamed, stemOf, stemsOf, type FileNames } from "./resolver.js";

/** Every moved file: from its path before to its path after. */
export type Moves = ReadonlyMap<VaultPath, VaultPath>;

/**
 * Which links a move may lead elsewhere: those with the name of a file that moves, before or after. All names that such links may lead to
 * are kept as they were when this was made; other names are asked of the vault, since no move changes them.
 */
export class MovedNames {
  readonly moves: Moves;
  /** Of every moved file, the path it came from. */
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

  /** For a move that is still to come. */
  static planned(files: FileNames, moves: Moves): MovedNames {
    const stems = stemsIn(moves);
    const before = heldStill(files, stems);
    return new MovedNames(moves, stems, before, renamed(before, moves));
  }

  /** For a move that has been made: the paths before are worked out backwards. */
  static made(files: FileNames, moves: Moves): MovedNames {
    const stems = stemsIn(moves);
    const after = heldStill(files, stems);
    return new MovedNames(moves, stems, renamed(after, inverse(moves)), after);
  }

  /** Whether a link with that target, in a note that stays where it is, may lead elsewhere after the move. */
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

function heldStill(files: FileNames, stems: ReadonlySet<string>): FileNames {
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
