/** All names of a kind, to choose from; the name of a note, and where its text begins. */
import { usePage } from "./page.js";
import { type CallTool, type LiveQuery, pagesOf, useQuery } from "./queries.js";

export type NameKind = "area" | "project" | "tag" | "context" | "lane";

/** `update_task`'s name for any board's archive. */
const ARCHIVE = "Archive";

/** @param path the note with the lanes */
export function useNames(kind: NameKind | undefined, path = ""): LiveQuery<readonly string[]> {
  const hasTags = usePage().connection.offers("obsidian_list_tags");
  return useQuery(`names:${kind}:${hasTags}:${path}`, async (call) =>
    kind === undefined || (kind === "tag" && !hasTags) ? [] : await readNames(call, kind, path),
  );
}

async function readNames(call: CallTool, kind: NameKind, path: string): Promise<readonly string[]> {
  const names = new Set<string>();
  const add = (some: readonly string[]) => some.forEach((name) => names.add(name));
  if (kind === "tag")
    for await (const { tags } of pagesOf(call, "obsidian_list_tags", {})) add(tags.map(({ tag }) => tag));
  else if (kind === "context")
    for await (const { tasks } of pagesOf(call, "search_tasks", { query: "*", context: "any" }))
      add(tasks.flatMap(({ contexts = [] }) => contexts));
  else if (kind === "lane")
    add([...((await call("read_note", { path })).lanes ?? []).map(({ title }) => title), ARCHIVE]);
  else
    for await (const { projects = [] } of pagesOf(call, "get_agenda", { view: "projects", kind }))
      add(projects.map(({ name }) => name));
  return [...names];
}

/** Without folders and `.md`. */
export function noteName(path: string): string {
  return path.replace(/^.*\//s, "").replace(/\.md$/i, "");
}

/** Where the text after the properties begins, in UTF-16 units. */
export function bodyStart(text: string): number {
  return /^---\r?\n[\s\S]*?\r?\n---\r?\n/.exec(text)?.[0].length ?? 0;
}

/** A note's text without properties and the title's heading. */
export function textBelow(title: string, text: string): string {
  const body = text.slice(bodyStart(text));
  const [line, heading] = /^\s*# (.*)(?:\n|$)/.exec(body) ?? [];
  return line !== undefined && heading?.trim() === title ? body.slice(line.length) : body;
}
