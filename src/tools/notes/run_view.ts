/** Runs a saved view: a base, or a block of a note (docs: views). */
import { cursorText, listName, pageFrom, parseCursor } from "../../search/cursor.js";
import { weightOf } from "../../text/answer-weight.js";
import type { ProgressOptions } from "../../index/refresh.js";
import { VaultError, isVaultError } from "../../errors.js";
import { LINK, deepLink } from "../file-view.js";
import { LIMIT, answerRoom } from "../paging.js";
import { type Wording, argument, joined, nextPage, said, counted } from "../../text/wording.js";
import { type Infer, anyValue, array, count, integer, object, optional, optionalObjects, string } from "../schema.js";
import { ALL_FIELDS, viewOf } from "../tasks/task-view.js";
import { type RunContext, defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import type { ListedSource } from "../../views/views.js";
import { hashText } from "../../text/hash.js";
import { excerpt, oneLine } from "../safe-text.js";
import { placeText } from "./note-view.js";
import type { VaultPath } from "../../storage/path.js";

const FOR_PAGE = optional(anyValue("For the page"));

const ROW = object({
  path: string("The file"),
  cells: optional(array(anyValue("A value; null is empty"), "In the order of columns")),
  targets: FOR_PAGE,
  line: optional(integer("Of a task, from 1", { minimum: 1 })),
  text: optional(string("Of a task, as written")),
  id: optional(string("For the task tools")),
  revision: optional(string("For the task tools")),
  task: FOR_PAGE,
});

const SUMMARIES = {
  type: "object",
  description: "By property",
  properties: {},
  additionalProperties: anyValue("Its summary"),
} as const;

const RUN_VIEW_OUTPUT = object({
  sources: optionalObjects("Where views are", undefined, {
    source: string("A base file, or a note with blocks"),
    views: array(string(), "Names, or numbered blocks"),
    link: optional(LINK),
  }),
  source: optional(string("Path")),
  view: optional(string("Its name, or its block")),
  kind: optional(string("Of view", { enum: ["base", "tasks"] })),
  columns: optional(array(string(), "Of a base")),
  groups: optionalObjects("Those with a row shown", undefined, {
    labels: array(string(), "None without groups"),
    total: count("Rows in the group"),
    rows: array(ROW, "Those shown"),
    summaries: optional(SUMMARIES),
  }),
  summaries: optional(SUMMARIES),
  total: count("Rows, or sources"),
  shown: count("Rows, or sources, shown here"),
  warnings: array(string(), "What the view does not say by itself"),
  cursor: optional(string("For the next page; absent at the end")),
});
export type RunViewAnswer = Infer<typeof RUN_VIEW_OUTPUT>;

export const runSavedView = defineTool({
  name: "run_view",
  title: "Run saved view",
  toolset: "notes",
  effect: "reads",
  limit: "search",
  description: "Rows of a saved view: a .base file, or a base or tasks block of a note. Without source: lists them.",
  input: object({
    source: optional(string("Base or note", { minLength: 1 })),
    view: optional(string("Name; of a block its number or heading, or 2#Name", { role: "value" })),
    this: optional(string("Note for this")),
    limit: LIMIT,
    cursor: optional(string("From the last answer")),
    allFields: ALL_FIELDS,
  }),
  output: RUN_VIEW_OUTPUT,
  failure: "❌ Error running view:",
  async run({ source, view, this: context, limit, cursor, allFields }, { workspace, signal, onProgress }) {
    const open = await workspace.current();
    const { vault, notes } = open;
    const { listViews, runView } = await import("../../views/views.js");
    const services = { vault, locate: (reference: string) => notes.locate(reference, { signal, onProgress }) };
    const [from, name] = source === undefined ? [view, undefined] : [source, view];
    if (from === undefined) {
      if (context !== undefined)
        throw new VaultError(
          "INVALID_ARGUMENT",
          said`${argument("this")} needs a source: the base or note of the view.`,
          {
            hint: said`Give ${argument("source")}, or leave ${argument("this")} out to see where views are.`,
          },
        );
      const found = await listViews(services, { signal, onProgress });
      const linked = found.map((one) => ({ ...one, link: deepLink(one.source, open.linkName) }));
      return listed(allFields ? linked : found, { limit, cursor });
    }
    const asked = { source: from, view: name, this: context, limit, cursor, withTargets: allFields };
    const answer = await runView(services, asked, { signal, onProgress });
    const { offset, fingerprint, list, total, columns, summaries, ...rest } = answer;
    const fit = answerRoom(weightOf(headText(answer) + JSON.stringify(summaries)) + FRAME_WEIGHT);
    const groups = answer.groups.flatMap((group) => {
      const rows = fit(group.rows, (row) => `${JSON.stringify(row)}\n${rowLine(row)}\n`);
      return rows.length > 0 ? [{ ...group, rows }] : [];
    });
    const shown = groups.reduce((sum, { rows }) => sum + rows.length, 0);
    const end = offset + shown;
    const withTasks = allFields ? await tasksIn(groups, open, { signal }) : groups;
    return {
      ...rest,
      ...(columns.length > 0 && { columns }),
      groups: withTasks,
      ...(Object.keys(summaries).length > 0 && { summaries }),
      total,
      shown,
      cursor: end < total ? cursorText({ offset: end, fingerprint }, list) : undefined,
    };
  },
  text: (data) => (data.sources ? listedText(data) : viewText(data)),
});

type Groups = NonNullable<RunViewAnswer["groups"]>;

/** The groups with the tasks that rows are. */
async function tasksIn(groups: Groups, { tasks }: OpenVault, options: ProgressOptions): Promise<Groups> {
  const rows = groups.flatMap((group) => group.rows);
  const named = await tasks.named?.([...new Set(rows.map(({ id, path }) => id ?? path))], options);
  return groups.map((group) => ({
    ...group,
    rows: group.rows.map((row) => {
      const task = named?.tasks.get(row.id ?? row.path);
      return task ? { ...row, task: viewOf(task, named?.waitsFor.get(task), true) } : row;
    }),
  }));
}

const EVERY_VIEW = listName("run_view");

interface ListPage {
  readonly limit: number;
  readonly cursor: string | undefined;
}

function listed(
  found: readonly (ListedSource & { readonly link?: string | undefined })[],
  { limit, cursor }: ListPage,
): RunViewAnswer {
  const fingerprint = hashText(JSON.stringify(found)).slice(0, 8);
  const from = cursor === undefined ? undefined : parseCursor(cursor, EVERY_VIEW);
  const { offset, remarks } = pageFrom(found.length, from, fingerprint);
  const sources = answerRoom(FRAME_WEIGHT)(
    found.slice(offset, offset + limit),
    (one) => `${JSON.stringify(one)}\n${sourceLine(one)}\n`,
  );
  const end = offset + sources.length;
  const more = end < found.length ? cursorText({ offset: end, fingerprint }, EVERY_VIEW) : undefined;
  return { sources, total: found.length, shown: sources.length, warnings: [...remarks], cursor: more };
}

/** The weight of titles, counts and the cursor. */
const FRAME_WEIGHT = 400;

const CELL_LENGTH = 200;

type Group = NonNullable<RunViewAnswer["groups"]>[number];
type Row = Group["rows"][number];

/** On one line; midnight is not shown. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(cellText).join(", ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^\d{4}-\d\d-\d\dT00:00:00$/.test(text) ? text.slice(0, 10) : text;
}

const cell = (value: unknown): string => excerpt(cellText(value), CELL_LENGTH).replaceAll("|", "\\|");

function rowLine({ path, cells, line, text, id, revision }: Row): string {
  if (cells) return `| ${cells.map(cell).join(" | ")} |`;
  return `${excerpt(text ?? "", CELL_LENGTH)} (${placeText({ path, line })}, id ${oneLine(id ?? "")}, revision ${revision ?? ""})`;
}

const headText = ({ source, view, columns = [] }: Pick<RunViewAnswer, "source" | "view" | "columns">): string =>
  [source, view, ...columns].map((text) => oneLine(text ?? "")).join(" ");

const summaryLine = (summaries: Readonly<Record<string, unknown>> | undefined): string[] => {
  const parts = Object.entries(summaries ?? {}).map(
    ([property, value]) => `${oneLine(property)} ${cell(value) || "empty"}`,
  );
  return parts.length === 0 ? [] : [`Summary: ${parts.join(", ")}`];
};

/** Below the title: groups, their rows, summaries. */
function viewBody({ kind, columns = [], groups = [], summaries }: RunViewAnswer): string {
  const head = kind === "base" ? [`| ${columns.map(cell).join(" | ")} |`, `|${" --- |".repeat(columns.length)}`] : [];
  const blocks = groups.map((group) => {
    const label = group.labels.map((text) => excerpt(text, CELL_LENGTH) || "(empty)").join(" / ");
    const title = group.labels.length === 0 ? [] : [`### ${label} (${group.total})`, ""];
    return [...title, ...head, ...group.rows.map(rowLine), ...summaryLine(group.summaries)].join("\n");
  });
  return [...blocks, ...summaryLine(summaries)].join("\n\n");
}

function viewText(data: RunViewAnswer): Wording {
  const { source, view, total } = data;
  const title = `📊 ${oneLine(view ?? "")} (${oneLine(source ?? "")}): ${counted(total, "row")}`;
  return joined([...[title, viewBody(data)].filter((part) => part !== ""), viewRemarks(data)], "\n\n");
}

/** Undefined without any. */
export function viewRemarks({
  sources,
  total = 0,
  shown = 0,
  warnings = [],
  cursor,
}: Partial<RunViewAnswer>): Wording | undefined {
  const notes = warnings.map((warning) => `⚠️ ${oneLine(warning)}`).join("\n");
  const what = sources ? "sources" : "rows";
  const next =
    cursor === undefined
      ? undefined
      : said`${shown} of ${total} ${what} are shown. More: ${nextPage(`cursor "${cursor}"`)}`;
  const parts = [notes === "" ? undefined : notes, next].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : joined(parts, "\n\n");
}

function sourceLine({ source, views }: NonNullable<RunViewAnswer["sources"]>[number]): string {
  return `- ${oneLine(source)}: ${views.map(oneLine).join("; ")}`;
}

function listedText({ sources = [], total, shown, cursor }: RunViewAnswer): Wording {
  if (total === 0) return "📊 No saved views: no .base file, and no note with a base or tasks block.";
  const next = said`\n\n${shown} of ${total} are shown. More: ${nextPage(`cursor "${cursor}"`)}`;
  return said`📊 Saved views: ${total}\n\n${sources.map(sourceLine).join("\n")}${cursor === undefined ? "" : next}`;
}

const MAX_BLOCKS = 10;
const ROWS = 20;

interface RenderedNote {
  readonly path: VaultPath;
  readonly text: string;
}

/** A refused view has the reason below it. */
export async function withViews(
  { path, text }: RenderedNote,
  { vault, notes }: OpenVault,
  context: RunContext,
): Promise<string> {
  const { runBlock } = await import("../../views/views.js");
  const { viewBlocks } = await import("../../views/sources.js");
  const services = { vault, locate: (reference: string) => notes.locate(reference, context) };
  const lines = text.split("\n");
  const blocks = viewBlocks(text);
  const below = new Map<number, string[]>();
  for (const block of blocks.slice(0, MAX_BLOCKS)) {
    const answer = await runBlock(services, { path, text }, block, { limit: ROWS }, context).catch((error: unknown) => {
      if (isVaultError(error)) return error.message;
      throw error;
    });
    const after = below.get(block.lastLine) ?? [];
    below.set(block.lastLine, [
      ...after,
      ...(typeof answer === "string" ? ["", `⚠️ ${answer}`] : shown(answer, path, block.number, context)),
    ]);
  }
  const rest = blocks.length > MAX_BLOCKS ? ["", `⚠️ ${blocks.length - MAX_BLOCKS} more views are not shown.`] : [];
  const rendered = lines.map((line, at) => [line].concat(below.get(at + 1) ?? []).join("\n"));
  return rendered.concat(rest).join("\n");
}

function shown(
  answer: Parameters<typeof viewBody>[0],
  source: VaultPath,
  number: number,
  { isOff }: RunContext,
): string[] {
  const { total, shown: rows, warnings } = answer;
  const call = isOff?.("run_view")
    ? "a person can read them in Obsidian, or add run_view with --toolsets all"
    : `run_view ${JSON.stringify({ source, view: String(number) })}`;
  const more = total > rows ? [`${total - rows} more: ${call}`] : [];
  const body = total === 0 ? "No rows." : viewBody(answer);
  return ["", body, ...more, ...warnings.map((warning) => `⚠️ ${warning}`)];
}
