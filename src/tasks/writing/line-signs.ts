/** Gives lines the signs by which others wait for them (spec: tasks-2, section 5). */
import type { Vault, WriteOptions } from "../../vault/vault.js";
import type { TaskLook } from "../task-look.js";
import type { TaskLooks } from "../task-looks.js";
import { noLongerTask } from "../unknown-reference.js";
import type { SignFor } from "./blockers.js";

/** @returns the sign that each line has in the end, by the one it was to get: another program may have given it one meanwhile */
export async function signLines(
  vault: Vault,
  looks: TaskLooks,
  look: TaskLook,
  unsigned: readonly SignFor[],
  { operation }: WriteOptions,
): Promise<ReadonlyMap<string, string>> {
  const signs = new Map<string, string>();
  for (const { task, sign } of unsigned) {
    const format = looks.formatOf(task.source);
    const stat = look.statOf(format, task.path);
    if (stat === undefined) throw noLongerTask(task);
    const change = (text: string): string => {
      const signed = format.signed?.(text, stat, task, sign, looks.surroundings(look));
      if (signed === undefined) throw noLongerTask(task);
      signs.set(sign, signed.sign);
      return signed.text;
    };
    await vault.edit(task.path, change, "name a task that is waited for", { operation });
  }
  return signs;
}
