/** Runs a saved view: a base, or a block of a note (docs: views). */
import { cursorText, listName, pageFrom, parseCursor } from "../../search/cursor.js";
import { weightOf } from "../../text/answer-weight.js";
import type { ProgressOptions } from "../../index/refresh.js";
import { VaultError } from "../../errors.js";
import { deepLink } from "../file-view.js";
import { answerRoom, LIMIT } from "../paging.js";
import { argument, said } from "../../text/said.js";
import { object, optional, string } from "../schema.js";
import { ALL_FIELDS, viewOf } from "../tasks/task-view.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import {
  headText,
  listedText,
  rowLine,
  type RunViewAnswer,
  RUN_VIEW_OUTPUT,
  sourceLine,
  viewText,
} from "./saved-view.js";
import type { ListedSource } from "../../views/views.js";
import { hashText } from "../../text/hash.js";

export const runSavedView = defineTool({
  name: "run_view",
  title: "Run saved view",
  toolset: "notes",
  effect: "reads",
  limit: "search",
  description: "Rows of a saved view: a .base file, or a base or tasks block of a note. Without source: lists them.",
  input: object({
    source: optional(string("Base or note", { minLength: 1 })),
    view: optional(string("Name; of a block its number or heading, or 2#Name")),
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
