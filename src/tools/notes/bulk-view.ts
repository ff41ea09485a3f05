/** How tools that change many notes show what they did or would do. */
import type { ChangedNotes } from "../../notes/bulk-edit.js";
import { joined, said, type Wording, counted } from "../../text/said.js";
import { array, count, object, optional, string, type Infer, objects } from "../schema.js";
import { excerpt, oneLine } from "../text.js";
import { DURABLE, durabilityNote, undoAllLines, UNDOABLE, OPERATION } from "../file-view.js";

const MAX_NAMED = 50;

export const BULK_PROPERTIES = {
  plan: optional(string("Give it with the same call to carry this out; absent when it was carried out")),
  operation: optional(OPERATION),
  changed: count("How many notes were changed, or would be"),
  unchanged: count("How many were so already"),
  notes: array(string(), "The first of those changed"),
  leftOut: objects("Notes that were left out, by reason", undefined, {
    reason: string("Why"),
    count: count("How many"),
    notes: array(string(), "The first of them"),
  }),
  undoable: UNDOABLE,
  durable: DURABLE,
};

const output = object(BULK_PROPERTIES);
type BulkAnswer = Infer<typeof output>;

export function bulkView({
  plan,
  operation,
  changed,
  unchanged,
  leftOut,
  undoable,
  durable,
}: ChangedNotes): BulkAnswer {
  const reasons = new Map<string, string[]>();
  for (const { path, reason } of leftOut) reasons.set(reason, [...(reasons.get(reason) ?? []), path]);
  return {
    plan,
    operation,
    changed: changed.length,
    unchanged,
    notes: changed.slice(0, MAX_NAMED),
    leftOut: [...reasons].slice(0, MAX_NAMED).map(([reason, paths]) => ({
      reason: excerpt(reason, 300),
      count: paths.length,
      notes: paths.slice(0, MAX_NAMED),
    })),
    undoable,
    durable,
  };
}

export function bulkText(report: BulkAnswer, done: string, remarks: readonly string[] = []): Wording {
  const { plan, operation, changed, unchanged, notes, leftOut, undoable, durable } = report;
  const lines = [
    plan === undefined
      ? `${done} ${counted(changed, "note")}.`
      : `${counted(changed, "note")} would change; nothing is written yet.`,
    ...notes.map((path, at) => `${at + 1}. ${oneLine(path)}`),
    ...(changed > notes.length ? [`… and ${changed - notes.length} more`] : []),
    ...(unchanged === 0 ? [] : [`Already so: ${unchanged}`]),
    ...leftOut.map(
      ({ reason, count, notes }) => `Left out ${count} (${notes.map(oneLine).join(", ")}): ${oneLine(reason)}`,
    ),
    ...remarks,
    ...(plan === undefined ? [] : [`Plan: ${plan}`, "The same call with this plan carries it out."]),
    ...undoAllLines(operation, undoable),
  ];
  return said`${joined(lines)}${durabilityNote(durable, "The notes are in place")}`;
}
