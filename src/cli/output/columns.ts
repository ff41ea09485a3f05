/** Text in the columns of a terminal (width, wrapping, padding, colour) and as CSV (RFC 4180). */
import { eastAsianWidth } from "get-east-asian-width";
import { type RunViewAnswer, viewRemarks } from "../../tools/notes/run_view.js";
import { inSpeech } from "../../text/wording.js";
import { speechOf } from "../speech.js";

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Regional_Indicator}/u;
const SHOWS_NOTHING = /^[\p{Default_Ignorable_Code_Point}\p{M}\p{Cc}]*$/u;
/** Colour sequences take no width. */
const STYLE = /\u001b\[[\d;]*m/g;

/** CJK characters and emoji take two columns. */
export function widthOf(text: string): number {
  const plain = text.replace(STYLE, "");
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(plain)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (SHOWS_NOTHING.test(grapheme)) return 0;
  return EMOJI.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}

/** A too wide word has its own line. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (const word of text.split(/ +/)) {
    const wide = widthOf(word);
    if (line !== "" && width + 1 + wide > columns) {
      lines.push(line);
      line = word;
      width = wide;
    } else {
      [line, width] = line === "" ? [word, wide] : [`${line} ${word}`, width + 1 + wide];
    }
  }
  return [...lines, line];
}

/** Indents continuation lines to the first word. */
export function hanging(text: string, columns: number): string[] {
  const start = /^\s*(?:(?:[-•○◐⊘✓–→✅❌]|ℹ️|⚠️)\s+|\d+[.:]\s+)?/u.exec(text)?.[0] ?? "";
  const indent = " ".repeat(Math.min(widthOf(start), Math.floor(columns / 2)));
  const [first = "", ...rest] = wrapped(text.slice(start.length), columns - indent.length);
  return [start + first, ...rest.map((line) => indent + line)];
}

export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

export function widestWord(text: string): number {
  return Math.max(0, ...text.split(/ +/).map(widthOf));
}

/** Colours repeat what words say. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  overdue: [31, 39],
  today: [33, 39],
  done: [32, 39],
  blocked: [35, 39],
} as const satisfies Record<string, readonly [number, number]>;

export type Meaning = keyof typeof CODES;

export type Paint = (meaning: Meaning, text: string) => string;

export function painter(color: boolean): Paint {
  return (meaning, text) => {
    const [on, off] = CODES[meaning];
    return color && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}

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
