/** Lists changes and shows them as diffs (docs: undo). */
import type { EpochMilliseconds } from "../clock.js";
import { VaultError } from "../errors.js";
import { type HistoryEntry, operationIn, type StepTexts, unknownOperation } from "../history/journal-records.js";
import { decodeText } from "../storage/note-text.js";
import type { VaultPath } from "../storage/path.js";
import { cursorText, listName, parseCursor } from "../search/cursor.js";
import { argument, call, said } from "../text/wording.js";
import type { Vault } from "../vault/vault.js";

export interface HistoryRequest {
  readonly path?: VaultPath | undefined;
  readonly since?: EpochMilliseconds | undefined;
  readonly by?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ChangeList {
  readonly entries: readonly HistoryEntry[];
  readonly cursor: string | undefined;
}

export async function listChanges(vault: Vault, { cursor, limit = 20, ...query }: HistoryRequest): Promise<ChangeList> {
  const list = listName("get_history", query.path, query.since, query.by);
  const below = cursor === undefined ? undefined : parseCursor(cursor, list).offset;
  const { entries, next } = await vault.history.list({ ...query, limit, below });
  return {
    entries,
    cursor: next === undefined ? undefined : cursorText({ offset: next, fingerprint: UNCHANGED }, list),
  };
}

/** Changes are only added above. */
const UNCHANGED = "0".repeat(8);

/** Milliseconds. */
const DIFF_TIMEOUT_MS = 1_000;
const NO_LONGER_KEPT = "no longer kept";

/** Unified. @param reference `op-...` */
export async function diffOf(vault: Vault, reference: string): Promise<string> {
  const id = operationIn(reference);
  if (id === undefined && !/^\s*op-/.test(reference))
    throw new VaultError("INVALID_ARGUMENT", `"${reference.trim().slice(0, 80)}" is no operation.`, {
      hint: said`Give an op-… of ${call("get_history", {}, "get_history")}; with ${argument("path")} it lists those of a file.`,
    });
  if (id === undefined) throw unknownOperation(reference.trim().replace(/^op-/, ""));
  const steps = await vault.history.textsOf(id);
  const { createTwoFilesPatch } = await import("diff");
  return steps.map((step) => diffOfStep(step, createTwoFilesPatch)).join("");
}

type MakePatch = typeof import("diff").createTwoFilesPatch;

function diffOfStep({ kind, path, from = path, ...texts }: StepTexts, makePatch: MakePatch): string {
  if (kind === "move") return `rename from ${from}\nrename to ${path}\n`;
  const before = kind === "create" ? "" : textOf(texts.before);
  const after = kind === "delete" ? "" : textOf(texts.after);
  const names = [kind === "create" ? "/dev/null" : `a/${path}`, kind === "delete" ? "/dev/null" : `b/${path}`] as const;
  if (before === undefined || after === undefined) return `--- ${names[0]}\n+++ ${names[1]}\n${NO_LONGER_KEPT}\n`;
  const patch: string | undefined = makePatch(names[0], names[1], before, after, undefined, undefined, {
    timeout: DIFF_TIMEOUT_MS,
  });
  // The first line is a rule of "=".
  return patch === undefined
    ? `--- ${names[0]}\n+++ ${names[1]}\ntoo different to compare\n`
    : patch.slice(patch.indexOf("\n") + 1);
}

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && decodeText(bytes);
