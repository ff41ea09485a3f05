/** Plans for changes of many notes: shown first, then carried out by name. */
import { VaultError } from "../errors.js";
import { contentRevision } from "../storage/storage.js";

const PLAN_DIGITS = 8;

/** `p-...`. @param basis plain JSON of all that the plan depends on */
export function planName(basis: unknown): string {
  return `p-${contentRevision(Buffer.from(JSON.stringify(basis))).slice(0, PLAN_DIGITS)}`;
}

export function asksForPlan(given: string | undefined): boolean {
  return given !== undefined && /^\s*(?:show|true|plan|preview|yes)\s*$/i.test(given);
}

/** @param basis for the message @throws CONFLICT for an outdated plan */
export function assertPlanFits(given: string, plan: string, basis: string): void {
  const name = given.trim().replace(/^Plan:\s*/i, "");
  if (name.toLowerCase() === plan) return;
  throw new VaultError(
    "CONFLICT",
    `Plan "${given.trim().slice(0, 40)}" does not fit any more: ${basis} have changed since.`,
    {
      hint: 'Make the same call with plan "show" to see what would be done now. Nothing was changed.',
    },
  );
}
