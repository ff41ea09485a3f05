/** Sections of the agenda, loaded page by page. */
import { useRef } from "preact/hooks";
import type { ToolAnswers, ToolArguments } from "../carrier/carrier.js";
import { type CallTool, type LiveQuery, pagesOf, useQuery } from "./queries.js";
import type { TaskRow } from "./task-row.js";
import { WORDS } from "../words.js";

type ShownAgenda = ToolAnswers["get_agenda"];
export type ShownSection = NonNullable<ShownAgenda["sections"]>[number];

/** Tasks shown at first, and added by "Show more". */
const PAGE_LENGTH = 20;

/** A section's name in `get_agenda`. */
const sectionName = ({ kind, day }: ShownSection): string => day ?? kind;

interface SectionsQuery {
  readonly query: LiveQuery<ShownAgenda>;
  /** @param count of pages */
  readonly showMore: (section: ShownSection, count?: number) => Promise<void>;
}

/** @param args of `get_agenda`, with `view` day or week */
export function useSections(args: ToolArguments): SectionsQuery {
  const wanted = useRef(new Map<string, number>());
  const query = useQuery(JSON.stringify(args), (call) => load(call, args, wanted.current), { keepsLast: true });
  const showMore = (section: ShownSection, count = 1) => {
    wanted.current.set(sectionName(section), section.tasks.length + count * PAGE_LENGTH);
    return query.refresh();
  };
  return { query, showMore };
}

async function load(call: CallTool, args: ToolArguments, wanted: ReadonlyMap<string, number>): Promise<ShownAgenda> {
  const first = await call("get_agenda", { ...args, limit: PAGE_LENGTH });
  const complete = async (shown: ShownSection): Promise<ShownSection> => {
    const section = sectionName(shown);
    const tasks = [...shown.tasks];
    const missing = Math.min(wanted.get(section) ?? 0, shown.total) - tasks.length;
    const from = { ...args, section, cursor: shown.cursor };
    if (missing > 0)
      for await (const { sections } of pagesOf(call, "get_agenda", from, missing))
        tasks.push(...(sections?.[0]?.tasks ?? []));
    return { ...shown, tasks };
  };
  return { ...first, sections: await Promise.all((first.sections ?? []).map(complete)) };
}

/** Projected instances of a series get a remark. */
export function sectionRows({ tasks, total }: Pick<ShownSection, "tasks" | "total">) {
  const projected = new Set(tasks.filter((entry) => entry.projected === true).map(({ id }) => id));
  // A projected entry has the days of the current instance.
  const rows = tasks.map((entry): TaskRow => {
    const { due: _due, scheduled: _scheduled, ...row } = entry;
    return entry.projected === true ? row : entry;
  });
  return { tasks: rows, total, remarkOf: ({ id }: TaskRow) => (projected.has(id) ? WORDS.projected : undefined) };
}
