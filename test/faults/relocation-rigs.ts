/** Renames, merges and undo of two processes at once: afterwards no link is dead and no answer failed. */
import nodePath from "node:path";
import { openLinks, type MoveOrder } from "./move-worker.js";
import { inLanes, withVault, type Workers } from "./rigs.js";

export type MoveWorkers = Workers<Omit<MoveOrder, "vault" | "locks">>;

const FILLING = "All work and no play. ".repeat(200);
/** The second process begins when the first has rewritten this share of its links. */
const SHARES = [0.1, 0.5, 0, 0.3, 0.7, 0.9];

/** What the second process does while `One` is renamed to `b/Uno`. */
const SECOND = {
  rename: { work: "move", from: "Two.md", to: "Due.md" },
  "rename of the new name": { work: "move", from: "b/Uno.md", to: "Eins.md" },
  merge: { work: "merge", from: "Two.md", to: "Goal.md" },
  undo: { work: "undo", from: "b/Uno.md", to: "b/Uno.md" },
} as const;

/** @returns what was wrong */
export async function twoRelocations(workers: MoveWorkers, tries: number, notes: number): Promise<string[]> {
  const cases = Object.entries(SECOND).flatMap(([name, second]) =>
    SHARES.slice(0, tries).map((share) => ({ name, second, share })),
  );
  return await inLanes(cases, async ({ name, second, share }) => {
    return await withVault(filesWithLinks(notes), async (vault) => {
      const state = nodePath.join(vault.base, "state");
      const first = workers.start(vault, { state, work: "move", from: "One.md", to: "b/Uno.md", share });
      await first.tells("share");
      const other = workers.start(vault, { state, ...second });
      await Promise.all([first.ended, other.ended]);
      const failed = [first, other].flatMap(({ lines, errors }) =>
        lines.some((line) => line === "done") ? [] : [lines.at(-1), errors],
      );
      const { links } = await openLinks({ vault: vault.folder, locks: vault.locks, state });
      const dead = (await (await links.graph()).unresolved()).links;
      return dead === 0 && failed.length === 0 ? [] : [`${name} at ${share}: ${dead} dead links ${failed.join(" ")}`];
    });
  });
}

function filesWithLinks(notes: number): Record<string, string> {
  const files: Record<string, string> = { "One.md": "[[Two]]", "Two.md": "[[One]]", "Goal.md": "goal" };
  for (let number = 0; number < notes; number++)
    files[`n/note ${number}.md`] = `${FILLING}[[One]] and [[Two]], [[Goal]]\n${FILLING}`;
  return files;
}
