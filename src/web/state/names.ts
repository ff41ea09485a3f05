/** Names to choose from, and parts of notes. */
import { usePage } from "./page.js";
import { everyItem, type CallTool, type LiveQuery, useQuery } from "./queries.js";

export type NameKind = "area" | "project" | "tag" | "context" | "lane";

/** `update_task`'s name for a board's archive. */
export const ARCHIVE = "Archive";

/** @param path the note with the lanes */
export function useNames(kind: NameKind | undefined, path = ""): LiveQuery<readonly string[]> {
  const hasTags = usePage().connection.offers("obsidian_list_tags");
  return useQuery(`names:${kind}:${hasTags}:${path}`, async (call) =>
    kind === undefined || (kind === "tag" && !hasTags) ? [] : await readNames(call, kind, path),
  );
}

async function readNames(call: CallTool, kind: NameKind, path: string): Promise<readonly string[]> {
  const named = async () => {
    if (kind === "tag")
      return await everyItem(call, "obsidian_list_tags", {}, ({ tags }) => tags.map(({ tag }) => tag));
    if (kind === "context")
      return await everyItem(call, "search_tasks", { query: "*", context: "any" }, ({ tasks }) =>
        tasks.flatMap(({ contexts = [] }) => contexts),
      );
    if (kind === "lane")
      return [...((await call("read_note", { path })).lanes ?? []).map(({ title }) => title), ARCHIVE];
    return await everyItem(call, "get_agenda", { view: "projects", kind }, ({ projects = [] }) =>
      projects.map(({ name }) => name),
    );
  };
  return [...new Set(await named())];
}

/** Without folders and `.md`. */
export function noteName(path: string): string {
  return path.replace(/^.*\//s, "").replace(/\.md$/i, "");
}

/** In UTF-16 units. */
export function bodyStart(text: string): number {
  return /^---\r?\n[\s\S]*?\r?\n---\r?\n/.exec(text)?.[0].length ?? 0;
}

/** Without properties and the title's heading. */
export function textBelow(title: string, text: string): string {
  const body = text.slice(bodyStart(text));
  const [line, heading] = /^\s*# (.*)(?:\n|$)/.exec(body) ?? [];
  return line !== undefined && heading?.trim() === title ? body.slice(line.length) : body;
}
