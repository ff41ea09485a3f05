/** Makes room in a journal that has grown too large: the oldest steps go first, whatever file they are of. */
import { OPERATIONS, operationBegan } from "./operations.js";
import type { JournalPlace } from "./store.js";
import { BLOCK, DRAWERS, drawerOf, readStepName, type StepName } from "./record.js";

/** So much of the allowed size stays, so that pruning is not due again at once. */
const KEPT_SHARE = 7 / 8;
/** No operation lasts so long (milliseconds): what began that much before the oldest step has none left. */
const LONGEST_OPERATION = 60 * 60 * 1000;
/** Lets others have their turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Drawers listed, or files removed, before others get their turn. */
const SLICE = 32;

/** Names one after the other: what is removed meanwhile by another process is simply gone. @returns the blocks that are left */
export async function pruneJournal(place: JournalPlace, maxSize: number): Promise<number> {
  const steps = await allSteps(place);
  steps.sort((a, b) => b.at - a.at);
  const room = Math.floor((maxSize * KEPT_SHARE) / BLOCK);
  let kept = 0;
  const first = steps.findIndex(({ blocks }) => (kept += blocks) > room);
  if (first < 0) return kept;
  const old = steps.slice(first);
  for (const [index, { id, key, state }] of old.entries()) {
    place.remove(drawerOf(key), `${id}.${state}`);
    if (index % SLICE === SLICE - 1) await turn();
  }
  const oldest = steps[first - 1]?.at ?? Infinity;
  for (const name of place.list(OPERATIONS)) if (isOutdated(name, oldest)) place.remove(OPERATIONS, name);
  return steps.slice(0, first).reduce((sum, { blocks }) => sum + blocks, 0);
}

/** One that was interrupted stays to be told of. */
function isOutdated(name: string, oldest: number): boolean {
  return name.endsWith(".done") && (operationBegan(name) ?? Infinity) < oldest - LONGEST_OPERATION;
}

async function allSteps(place: JournalPlace): Promise<StepName[]> {
  const steps: StepName[] = [];
  for (const [at, drawer] of DRAWERS.entries()) {
    for (const name of place.list(drawer)) {
      const step = readStepName(name);
      if (step) steps.push(step);
    }
    if (at % SLICE === SLICE - 1) await turn();
  }
  return steps;
}
