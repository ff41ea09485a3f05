/** Writes a planned change; when the client itself has written its file meanwhile, the change is planned again over the new text. */
import { isVaultError, VaultError } from "../../errors.js";
import { replaceConfigFile } from "./config-file.js";
import type { Plan } from "./plan.js";

/** Claude Code writes its file every few seconds while it runs. */
const ATTEMPTS = 5;

/**
 * @returns the path of the copy of the old file; undefined when there was none
 * @throws VaultError when it cannot be written, or keeps changing
 */
export function applyChange(
  plan: Extract<Plan, { kind: "change" }>,
  makePlan: () => Plan,
  stamp: string,
): string | undefined {
  let current: Plan = plan;
  for (let attempt = 1; current.kind === "change"; attempt++) {
    try {
      return replaceConfigFile(current.file, current.read, current.text, stamp);
    } catch (error) {
      if (!isVaultError(error) || error.code !== "CONFLICT" || attempt === ATTEMPTS) throw error;
      current = makePlan();
    }
  }
  const why = current.kind === "refused" ? current.why : "was changed by another program meanwhile";
  throw new VaultError("CONFLICT", why, { hint: "Run setup again." });
}
