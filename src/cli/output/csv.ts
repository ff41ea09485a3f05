/** A saved view's rows as CSV (RFC 4180). */
import { type RunViewAnswer, viewRemarks } from "../../tools/notes/saved-view.js";
import { inSpeech } from "../../text/said.js";
import { speechOf } from "../speech.js";

const TASK_COLUMNS = ["path", "line", "text", "id"] as const;

export function csvOf({ sources, columns = [], groups = [] }: Partial<RunViewAnswer>): string {
  if (sources)
    return lines([["source", "view"], ...sources.flatMap(({ source, views }) => views.map((view) => [source, view]))]);
  const isBase = columns.length > 0;
  const levels = groups[0]?.labels.length ?? 0;
  const head = [
    ...Array.from({ length: levels }, (_, at) => (levels === 1 ? "group" : `group ${at + 1}`)),
    ...(isBase ? columns : TASK_COLUMNS),
  ];
  const rows = groups.flatMap(({ labels, rows: own }) =>
    own.map((row) => [...labels, ...(isBase ? (row.cells ?? []) : TASK_COLUMNS.map((name) => row[name]))]),
  );
  return lines([head, ...rows]);
}

/** For stderr. */
export function csvRemarks(data: Partial<RunViewAnswer>): string | undefined {
  const remarks = viewRemarks(data);
  return remarks && inSpeech(remarks, speechOf("view"));
}

const lines = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");

function field(value: unknown): string {
  const text = value === null || value === undefined ? "" : plain(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function plain(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map(plain).join(", ") : JSON.stringify(value);
}
