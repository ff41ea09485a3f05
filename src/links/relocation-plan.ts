/** Finds the notes and canvases in which a move would break a link, from the graph alone. */
import type { VaultPath } from "../storage/path.js";
import type { Link, LinkGraph } from "./links.js";
import type { MovedNames } from "./relocation-names.js";
import { lostFile, linkPlace } from "./relocation-rewrite.js";
import type { Manner } from "./relocation-target.js";

/**
 * The files that may have links to rewrite, by their old paths, in order. Only links to a name that is added or removed can
 * break, and links in moved files. The graph does not know a link's form, so some of the files may need no change.
 */
export function filesToRewrite(
  graph: Pick<LinkGraph, "backlinks" | "outgoing">,
  names: MovedNames,
  manner: Manner,
): readonly VaultPath[] {
  const files = new Set<VaultPath>();
  const look = (links: readonly Link[]): void => {
    for (const link of links) if (!files.has(link.from) && mayBreak(link, names, manner)) files.add(link.from);
  };
  for (const stem of names.stems) for (const path of names.before.named(stem)) look(graph.backlinks(path));
  for (const path of names.moves.keys()) look(graph.outgoing(path));
  return [...files].sort();
}

function mayBreak({ from, target }: Link, names: MovedNames, manner: Manner): boolean {
  return lostFile({ target, form: "markdown" }, linkPlace(from, names), names, manner) !== undefined;
}
