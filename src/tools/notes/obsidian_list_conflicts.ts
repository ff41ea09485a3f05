/** Versions of files that devices changed at once (docs: livesync). */
import { ROOT } from "../../storage/path.js";
import { shownHash } from "../../text/hash.js";
import { ANSWER_WEIGHT, endWithin } from "../../text/answer-weight.js";
import type { Note } from "../../vault/vault.js";
import { HASH } from "../file-view.js";
import { LIMIT, NEXT_OFFSET, OFFSET, pageOf } from "../paging.js";
import { boolean, count, integer, object, optional, string, type Infer, optionalObjects } from "../schema.js";
import { quoted } from "../safe-text.js";
import { defineTool } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { NOTE_PATH, REMARK, shownLink, unreadBelow } from "./note-view.js";

const output = object({
  total: count("How many files, or versions of the note, there are"),
  files: optionalObjects("Those in conflict, in the order of their paths; absent with note", "A file", {
    path: NOTE_PATH,
    versions: integer("How many, the current one included", { minimum: 2 }),
  }),
  copy_count: optional(count("How many copies there are; absent with note")),
  copies: optionalObjects("Copies that sync tools left next to notes; absent with note", "A copy", {
    path: NOTE_PATH,
    original: optional(string("The note it is a copy of; absent when that is gone")),
    comparison: string("Which is newer, and by how many lines they differ"),
  }),
  versions: optionalObjects("Of the note, the current one first", "A version", {
    hash: HASH,
    current: boolean("Whether tools read and change this one"),
    modified: string("When it was made, ISO 8601 UTC"),
    text: string("Its text, or the beginning"),
    truncated: optional(boolean("True when the text is only the beginning")),
  }),
  next_offset: optional(NEXT_OFFSET),
  remark: REMARK,
});

type Output = Infer<typeof output>;

export const listConflicts = defineTool({
  name: "obsidian_list_conflicts",
  title: "List conflicts",
  toolset: "notes",
  effect: "reads",
  description:
    "Lists notes with conflicting versions from LiveSync, or one note's versions, and copies that sync tools left. Only the user resolves them.",
  input: object({
    note: optional(string("Show its versions", { minLength: 1, maxLength: 4200 })),
    limit: LIMIT,
    offset: OFFSET,
  }),
  output,
  failure: "❌ Error listing conflicts:",
  async run({ note, limit, offset }, context): Promise<Output> {
    const open = await context.workspace.current();
    if (note !== undefined) return versionsOf(await open.notes.read(note, context), open);
    const conflicts = await open.vault.conflicts();
    const paths = [...conflicts.keys()].toSorted();
    const { items, next } = await pageOf(paths, { limit, offset }, (path) => ({
      path,
      versions: (conflicts.get(path)?.length ?? 0) + 1,
    }));
    const all = await open.files.syncCopies(context.signal);
    const copies = all
      .map(({ path, original, comparison }) => ({ path, original, comparison }))
      .slice(offset, offset + limit);
    await open.vault.index.refresh({ rows: [] });
    return {
      total: paths.length,
      files: items,
      copy_count: all.length,
      copies,
      next_offset: next ?? (offset + limit < all.length ? offset + limit : undefined),
      remark: unreadBelow(ROOT, open.vault),
    };
  },
  details: ({ remark }) => remark,
  text: ({ total, files, copy_count = 0, copies = [], versions, next_offset }) => {
    if (versions?.length === 1) return `No other version. ${versions.map(versionText).join("")}`;
    if (versions) return versions.map(versionText).join("\n\n");
    const beside = copies.map(({ path, comparison }) => `- ${shownLink(path)}: ${comparison}`);
    const lines = (files ?? []).map(({ path, versions: count }) => `- ${shownLink(path)} (${count} versions)`);
    if (total + copy_count === 0) return "No file has versions that contradict each other.";
    const counted = beside.length < copy_count ? ` ${copy_count}` : "";
    const parts = [
      ...(total === 0 ? [] : [`⚠️ Files in conflict: ${total}`, lines.join("\n")]),
      ...(copy_count === 0 ? [] : [[`Copies of sync tools, which count nowhere:${counted}`, ...beside].join("\n")]),
      ...(next_offset === undefined ? [] : [`There are more: go on with offset ${next_offset}.`]),
    ];
    return parts.filter((part) => part !== "").join("\n\n");
  },
});

/** Each version gets an equal share of the answer. */
async function versionsOf(
  current: Pick<Note, "path" | "text" | "revision"> & { readonly modified: number },
  open: OpenVault,
) {
  const revisions = (await open.vault.conflicts()).get(current.path) ?? [];
  const others = await Promise.all(revisions.map((revision) => open.vault.readVersion(current.path, revision)));
  const there = others.filter((version) => version !== undefined);
  const room = Math.floor(ANSWER_WEIGHT / (there.length + 1));
  const view = (hash: string, text: string, modified: number, isCurrent: boolean) => {
    const end = endWithin(text, 0, room);
    return {
      hash: shownHash(hash),
      current: isCurrent,
      modified: new Date(modified).toISOString(),
      text: text.slice(0, end),
      truncated: end < text.length || undefined,
    };
  };
  return {
    total: there.length + 1,
    versions: [
      view(current.revision, current.text, current.modified, true),
      ...there.map(({ revision, text, stat }) => view(revision, text, stat.modified, false)),
    ],
  };
}

function versionText({ hash, current, modified, text, truncated }: NonNullable<Output["versions"]>[number]): string {
  const head = `${current ? "Current version" : "Other version"} ${hash} of ${modified}:`;
  return `${head}\n${quoted(text)}${truncated ? "\n[… the rest is omitted]" : ""}`;
}
