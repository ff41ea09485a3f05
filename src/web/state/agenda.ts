/** Sections of the agenda, loaded page by page. */
import { useCallback, useRef } from "preact/hooks";
import type { ToolAnswers } from "../carrier/carrier.js";
import type { LiveQuery } from "./live-query.js";
import { type TasksPage, useQuery } from "./page.js";
import type { TaskRow } from "./task-row.js";
import { WORDS } from "../words.js";

export type ShownAgenda = ToolAnswers["get_agenda"];
export type ShownSection = NonNullable<ShownAgenda["sections"]>[number];

/** Tasks shown at first, and added by "Show more". */
const PAGE_LENGTH = 20;

/** A section's name in `get_agenda`. */
export const sectionName = ({ kind, day }: ShownSection): string => day ?? kind;

export interface SectionsQuery {
  readonly query: LiveQuery<ShownAgenda>;
  readonly showMore: (section: ShownSection) => void;
}

/** @param args of `get_agenda`, with `view` day or week */
export function useSections(args: Readonly<Record<string, unknown>>): SectionsQuery {
  const wanted = useRef(new Map<string, number>());
  const query = useQuery(JSON.stringify(args), (page, signal) => load(page, args, wanted.current, signal), {
    keepsLast: true,
    remembers: true,
  });
  const showMore = useCallback(
    (section: ShownSection) => {
      wanted.current.set(sectionName(section), section.tasks.length + PAGE_LENGTH);
      void query.refresh();
    },
    [query],
  );
  return { query, showMore };
}

async function load(
  { connection }: TasksPage,
  args: Readonly<Record<string, unknown>>,
  wanted: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<ShownAgenda> {
  const first = await connection.call("get_agenda", { ...args, limit: PAGE_LENGTH }, { signal });
  const complete = async (section: ShownSection): Promise<ShownSection> => {
    const name = sectionName(section);
    const count = Math.min(section.total, wanted.get(name) ?? PAGE_LENGTH);
    let { cursor } = section;
    const tasks = [...section.tasks];
    while (tasks.length < count && cursor !== undefined) {
      const next = await connection.call(
        "get_agenda",
        { ...args, section: name, cursor, limit: PAGE_LENGTH },
        { signal },
      );
      const [more] = next.sections ?? [];
      if (more === undefined || more.tasks.length === 0) break;
      tasks.push(...more.tasks);
      ({ cursor } = more);
    }
    return { ...section, tasks };
  };
  const sections = await Promise.all((first.sections ?? []).map(complete));
  return { ...first, sections };
}

/** Projected instances of a series get a remark. */
export function sectionRows({ tasks, total }: Pick<ShownSection, "tasks" | "total">) {
  const projected = new Set(tasks.filter((entry) => entry.projected === true).map(({ id }) => id));
  // A projected entry has the days of the current instance.
  const rows = tasks.map((entry): TaskRow => {
    const { due: _due, scheduled: _scheduled, overdue: _overdue, ...row } = entry;
    return entry.projected === true ? row : entry;
  });
  return { tasks: rows, total, remarkOf: ({ id }: TaskRow) => (projected.has(id) ? WORDS.projected : undefined) };
}
