/** The pages of projects and areas in an agenda. */
import { fingerprintOf } from "../../text/hash.js";
import { linksAsText } from "../../markdown/plain-text.js";
import { cursorText, listName, pageFrom, parseCursor } from "../../search/cursor.js";
import type { OpenVault } from "../workspace.js";
import { answerRoom } from "../paging.js";
import { type AgendaAnswer, PROJECT_KINDS, projectLine } from "./agenda-text.js";
import { shownText } from "./task-view.js";

/** Projects, and areas, in an answer. */
const MAX_PROJECTS = 50;
/** The maximum weight of headings, totals and names of days. */
export const FRAME_WEIGHT = 4_000;

type Progress = Awaited<ReturnType<OpenVault["tasks"]["projects"]>>;

interface ProjectsQuery {
  readonly kind: (typeof PROJECT_KINDS)[number] | undefined;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  readonly date: string | undefined;
}

export function projectPages(progress: Progress, { kind, limit, cursor: given, date }: ProjectsQuery) {
  return PROJECT_KINDS.filter((one) => kind === undefined || one === kind).map((one) => {
    const all = progress.filter((row) => row.kind === one);
    const fingerprint = fingerprintOf(all.map(({ name }) => ({ id: name })));
    const list = listName("get_agenda", "projects", date, one);
    const cursor = given === undefined ? undefined : parseCursor(given, list);
    const { offset, remarks } = pageFrom(all.length, cursor, fingerprint);
    const rows = all.slice(offset, offset + (limit ?? MAX_PROJECTS));
    return { kind: one, total: all.length, list, fingerprint, offset, remarks, rows };
  });
}

export type ProjectPage = ReturnType<typeof projectPages>[number];

/** @param shown the rows of the pages, with what is next */
export function projectFacts(pages: readonly ProjectPage[], shown: Progress, vault: OpenVault) {
  const fit = answerRoom(FRAME_WEIGHT);
  const lists = pages.map(({ kind, total, list, offset, fingerprint }) => {
    const own = shown.filter((row) => row.kind === kind).map(projectRow);
    const rows = fit(own, (row) => projectLine(row, vault.vault.clock.today()));
    const end = offset + rows.length;
    const next = end < total ? cursorText({ offset: end, fingerprint }, list) : undefined;
    return { rows, facts: { [`${kind}Count`]: total, [`${kind}Cursor`]: next } };
  });
  const projects = lists.flatMap(({ rows }) => rows);
  const remarks = pages.flatMap((page) => page.remarks);
  return Object.assign({ projects, remarks }, ...lists.map(({ facts }) => facts)) as Pick<
    AgendaAnswer,
    "projects" | "remarks" | "projectCount" | "projectCursor" | "areaCount" | "areaCursor"
  >;
}

function projectRow(row: Progress[number]) {
  const { kind, name, done, open, blocked, next, nextDay, estimateLeft, estimated, daysWithoutChange } = row;
  return {
    kind,
    name: shownText(name),
    done,
    open,
    blocked,
    next: next && shownText(linksAsText(next.title)),
    nextId: next?.id,
    nextStatus: next && next.status !== "To Do" ? shownText(next.status) : undefined,
    nextDay,
    ...(estimated > 0 && { estimateLeft, estimated }),
    daysWithoutChange,
  };
}
