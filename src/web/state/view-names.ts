/** The vault's saved views and their names (docs: views). */
import type { ToolAnswers } from "../transport/transport.js";
import { PAGE_WORDS } from "../page-words.js";
import { routeText } from "./address.js";
import { noteName } from "./names.js";
import { everyItem, type LiveQuery, useQuery } from "./queries.js";

export type ViewSource = NonNullable<ToolAnswers["run_view"]["sources"]>[number];

export function useViewSources(isOffered = true): LiveQuery<readonly ViewSource[]> {
  return useQuery(`views:${isOffered}`, async (call) =>
    isOffered ? await everyItem(call, "run_view", {}, ({ sources = [] }) => sources) : [],
  );
}

export const viewAddress = (source: string, view: string): string =>
  routeText({ view: "views", params: { source, view } });

interface ViewName {
  /** As `run_view` takes it. */
  readonly view: string;
  readonly name: string;
  /** `view`: of a base file. */
  readonly kind: "view" | "base" | "tasks" | "embed";
}

/** Blocks under one heading have its name and their number. */
export function viewsIn(source: ViewSource): readonly ViewName[] {
  const all = viewsNamed(source);
  const isNamedTwice = ({ view, name }: ViewName) => all.some((other) => other.name === name && other.view !== view);
  return all.map((one) => ({
    view: one.view,
    name: isNamedTwice(one) ? `${one.name} ${one.view}` : one.name,
    kind: one.kind,
  }));
}

/** Reads `2 embed Books.base#All "Heading"` of a note, or the name of a base's view. */
function viewsNamed({ source, views }: ViewSource): readonly ViewName[] {
  return views.map((text) => {
    const [, view, kind, target, heading] = /^(\d+) (base|tasks|embed)(?: ([^"].*?))?(?: "(.*)")?$/s.exec(text) ?? [];
    if (view === undefined || /\.base$/i.test(source)) return { view: text, name: text, kind: "view" };
    const known = kind as keyof typeof PAGE_WORDS.viewKinds;
    return { view, name: heading ?? target ?? PAGE_WORDS.viewKinds[known], kind: known };
  });
}

/** For the search's commands. */
export function viewTitles(found: ViewSource) {
  return viewsIn(found).map(({ view, name }) => ({
    source: found.source,
    title: PAGE_WORDS.viewOf(name, noteName(found.source)),
    address: viewAddress(found.source, view),
  }));
}
