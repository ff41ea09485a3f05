/** Remembers in the undo journal which instance of a series in words was finished last, because such a note keeps no list of them. */
import { parseLocalDate } from "../../clock.js";
import { isVaultError, type VaultError } from "../../errors.js";
import type { Vault } from "../../vault/vault.js";
import type { FinishedInstance } from "../format.js";
import { looksLikeRRule } from "../recurrence/recurrence-rule.js";
import type { Task } from "../task.js";
import type { EditResult } from "./note-edit.js";

const MARK = /^finished (\S{10}) next (\S{10})$/;

/** What the journal is to remember of an edit of a note. */
export function finishedMark(results: readonly (EditResult | VaultError)[]): string | undefined {
  for (const result of results) {
    if (isVaultError(result) || !keepsNoList(result.task)) continue;
    const { kind, day, next } = result.series ?? {};
    if (kind === "done" && day !== undefined && next !== undefined) return `finished ${day} next ${next}`;
  }
  return undefined;
}

/** The last instance that was finished through this server, by any process; taking it back makes it forgotten. */
export async function lastFinishedOf(vault: Vault, task: Task): Promise<FinishedInstance | undefined> {
  if (!keepsNoList(task)) return undefined;
  for (const mark of await vault.marks(task.path)) {
    const [day, next] = (MARK.exec(mark) ?? []).slice(1).map(parseLocalDate);
    if (day !== undefined && next !== undefined) return { day, next };
  }
  return undefined;
}

const keepsNoList = ({ source, series }: Task): boolean =>
  source === "note" && series !== undefined && !looksLikeRRule(series.rule);
