/** One change of a file from its first try to its answer: what its tries have left in the database beside the version that counts. */
import { VaultError } from "../../errors.js";
import type { VaultPath } from "../path.js";
import type { Loser } from "./arbiter.js";
import type { RawDocument } from "./codec/document.js";

export class Attempt {
  /** Versions of ours that lost; what they hold is written over the winner, and then they go. */
  readonly losers: Loser[] = [];
  /** What was refused as a whole: a single node may have taken it all the same. */
  readonly refused: RawDocument[] = [];
  /** When it began to wait for another server. */
  waitsSince: number | undefined;
  /** Set when a version of ours lost that holds what the winner lacks, so that neither may go. */
  #rivals: { readonly ours: string; readonly winner: string } | undefined;

  lost(loser: Loser, winner: string): void {
    this.losers.push(loser);
    this.#rivals = { ours: loser.revision, winner };
  }

  /** What to say where the change could not be made on the version that counts. */
  refusal(path: VaultPath, error: unknown): unknown {
    if (!this.#rivals) return error;
    const { ours, winner } = this.#rivals;
    return new VaultError(
      "CONFLICT",
      `Another server changed '${path}' at the same moment: its version ${winner} counts, and yours stands beside it as ${ours}.`,
      { path, hint: "Compare both with obsidian_list_conflicts, then repeat what is missing.", cause: error },
    );
  }
}
