/** Tags of a vault: how many notes have each, and renaming one (docs: notes-and-files, "Surgery on notes"). */
import { parseJson } from "../text/decoded.js";
import { VaultError } from "../errors.js";
import { call, said } from "../text/wording.js";
import { type Arrangement, arrangeList, listItems, setProperty } from "../markdown/frontmatter/edit.js";
import { readFrontmatter, splitNote } from "../markdown/frontmatter/frontmatter.js";
import { isBoard, settingsStart } from "../markdown/kanban/board.js";
import { linkTexts, normaliseTag, isTagKey } from "../markdown/links/property-links.js";
import { applySplices, type Splice } from "../markdown/line-edit.js";
import { visitNote } from "../markdown/visit-note.js";
import type { ProgressOptions } from "../links/api.js";
import { isMarkdown, type VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import { literalPattern } from "../text/fold.js";
import type { IndexView } from "../index/view.js";
import { nearest } from "../text/nearest.js";
import { unreadRemark } from "../obsidian/unlisted.js";
import type { Vault } from "../vault/vault.js";
import { editMany, type ChangedNotes } from "./bulk-edit.js";
import { FILE_OF_ROW, nameKey } from "./note-rows.js";
import { allOf, type Condition } from "../index/subject.js";
import { conditionsOf, folderMeant } from "./find-filter.js";

const MAX_MENTIONS = 20;

export interface RenamedTag extends ChangedNotes {
  /** They already had the new tag. */
  readonly merged: number;
  /** Files, `file:line`, plugin settings. */
  readonly mentions: readonly string[];
}

export async function renameTag(
  vault: Vault,
  from: string,
  to: string,
  options: ProgressOptions & { readonly plan?: string | undefined },
): Promise<RenamedTag> {
  const [old, now] = [tagOf("from", from), tagOf("to", to)];
  if (old === now) throw new VaultError("INVALID_ARGUMENT", "`from` and `to` are the same tag; nothing was changed.");
  const { signal, onProgress, plan } = options;
  const progress = { signal, onProgress };
  const view = await vault.index.refresh({ ...progress, rows: ["notes"] });
  const having = (tag: string, kinds: string) =>
    view.paths(
      `id IN (SELECT ${FILE_OF_ROW} FROM note_name WHERE kind IN (${kinds}) AND key = ?) ORDER BY path`,
      nameKey("tag", tag),
    );
  const paths = having(old, "'tag', 'outer'");
  if (paths.length === 0) {
    const others = await namedElsewhere(vault, view, old, progress);
    const near = nearest(old, view.list<string>("shown", "(SELECT DISTINCT shown FROM note_name WHERE kind = 'tag')"));
    throw new VaultError("FILE_NOT_FOUND", `No note has the tag #${old}.`, {
      hint: [
        ...(near.length === 0 ? [] : [`The nearest: ${near.map((tag) => `#${tag}`).join(", ")}.`]),
        ...(others === undefined ? [] : [others]),
        ...[
          unreadRemark(
            view.problems().map(({ path }) => path),
            view.unlisted,
          ) ?? [],
        ].flat(),
        said`See the tags with ${call("obsidian_list_tags")}.`,
      ],
    });
  }
  const isOneTag = old.toLowerCase() === now.toLowerCase();
  const merged = isOneTag ? 0 : having(now, "'tag'").length;
  const files = view.files({ hidden: true }).filter(({ path }) => isMarkdown(path) || /\.(?:base|canvas)$/.test(path));
  // Before the change: a failure here must not hide it.
  const mentions = [
    ...(await settingsNaming(vault, old)),
    ...(await placesNaming(vault, files, { tag: old, renamed: new Set(paths) }, progress)),
  ];
  const outcome = await editMany(vault, {
    ...progress,
    plan,
    reason: `rename tag #${old} to #${now}`,
    asked: [old, now],
    paths,
    needsPlan: true,
    named: { item: (key, { isText }) => isText && isTagKey(key), lines: 0 },
    change: (text) => withTag(text, old, now),
  });
  return { ...outcome, merged, mentions };
}

/** In canvases, templates and excluded notes. */
export async function namedElsewhere(
  vault: Vault,
  view: IndexView,
  tag: string,
  progress: ProgressOptions,
): Promise<string | undefined> {
  const files = view
    .files({ hidden: true })
    .filter(({ path }) => path.endsWith(".canvas") || (isMarkdown(path) && view.isHidden(path)));
  const found = await placesNaming(vault, files, { tag, renamed: new Set() }, progress);
  const named = found.filter((place) => files.some(({ path }) => path === place));
  if (named.length === 0) return undefined;
  return `#${tag} is in ${named.join(", ")}: canvases, templates and excluded notes are not searched for tags.`;
}

/** In the properties `tags` and `tag`, and in the body outside code. */
export function withTag(text: string, from: string, to: string): string {
  const splices: Splice[] = [];
  visitNote(text, splitNote(text), {
    tag: (tag, start) => {
      if (isBelow(tag, from)) splices.push({ start, end: start + from.length, text: to });
    },
  });
  const changed = applySplices(text, splices);
  const properties = readFrontmatter(changed).properties.filter(({ key }) => isTagKey(key));
  return properties.reduce((now, { key, value, text: scalar }) => {
    if (linkTexts(value, scalar).every((one) => renamedWords(one, from, to) === one)) return now;
    const items = listItems(now, key);
    if (items === undefined) {
      return setProperty(now, key, renamedWords(scalar ?? "", from, to), { plain: true });
    }
    const texts = items.map(({ text: own }) => own);
    const renamed = texts.map((item) => item && renamedWords(item, from, to));
    const entries = renamed.flatMap((item, at): Arrangement => {
      if (item === undefined || item === texts[at]) return [at];
      return isEarlier(renamed, texts, at) ? [] : [{ place: at, text: item }];
    });
    return arrangeList(now, key, entries, { plain: true });
  }, changed);
}

/** Equal and earlier, or later and unchanged. */
function isEarlier(
  renamed: readonly (string | undefined)[],
  items: readonly (string | undefined)[],
  at: number,
): boolean {
  const key = (item = ""): string => item.replace(/^#/, "").toLowerCase();
  return renamed.some(
    (item, other) =>
      item !== undefined && key(item) === key(renamed[at]) && (other < at || (other > at && item === items[other])),
  );
}

/** Drops a repeated tag with its separator. */
function renamedWords(text: string, from: string, to: string): string {
  const parts = text.split(/([,\s]+)/);
  const known = new Set(parts.map((part) => part.replace(/^#/, "").toLowerCase()));
  let isChanged = false;
  const kept: string[] = [];
  for (const [at, part] of parts.entries()) {
    const bare = part.replace(/^#/, "");
    if (at % 2 === 1 || !isBelow(bare, from)) {
      kept.push(part);
      continue;
    }
    isChanged = true;
    const tag = to + bare.slice(from.length);
    const isTwice = known.has(tag.toLowerCase()) && tag.toLowerCase() !== bare.toLowerCase();
    if (isTwice) kept.pop();
    else kept.push(part.slice(0, part.length - bare.length) + tag);
    known.add(tag.toLowerCase());
  }
  return isChanged ? kept.join("").replace(/^[,\s]+/, "") : text;
}

function isBelow(tag: string, other: string): boolean {
  const [one, two] = [tag.toLowerCase(), other.toLowerCase()];
  return one === two || one.startsWith(`${two}/`);
}

function tagOf(argument: string, text: string): string {
  const tag = text.trim().replace(/^#/, "");
  if (tag !== "" && normaliseTag(tag) === tag) return tag;
  throw new VaultError("INVALID_ARGUMENT", `${argument} "${text.slice(0, 60)}" is no tag.`, {
    hint: "A tag has letters, digits, _, - and /, at least one of them no digit, and no spaces.",
  });
}

async function settingsNaming(vault: Vault, tag: string): Promise<readonly string[]> {
  const { taskNotes, tasksPlugin, kanban } = await vault.settings();
  const { recognition } = taskNotes;
  return [
    ...("tag" in recognition && isBelow(recognition.tag, tag) ? ["the settings of TaskNotes (its task tag)"] : []),
    ...(isBelow(tasksPlugin.globalFilter.replace(/^#/, ""), tag) ? ["the settings of Tasks (its global filter)"] : []),
    ...(signed(tag).test(JSON.stringify(kanban.plugin)) ? ["the settings of Kanban"] : []),
  ];
}

/** False for text that is no canvas. */
function canvasHas(text: string, tag: string): boolean {
  const canvas = parseJson(text) as { readonly nodes?: readonly { readonly text?: unknown }[] } | null | undefined;
  const nodes = Array.isArray(canvas?.nodes) ? canvas.nodes : [];
  return nodes.some((node) => typeof node?.text === "string" && withTag(node.text, tag, "") !== node.text);
}

const QUERY = /^[ \t>]*(`{3,}|~{3,})[ \t]*(?:dataview|dataviewjs|tasks|query|base)\b/i;

const signed = (tag: string): RegExp => new RegExp(`"#${literalPattern(tag)}(?![\\p{L}\\p{N}_-])`, "iu");

/** Templates, excluded notes, canvases, and lines of Bases, queries, boards' settings and unreadable properties. */
async function placesNaming(
  vault: Vault,
  files: readonly FileStat[],
  { tag, renamed }: { readonly tag: string; readonly renamed: ReadonlySet<VaultPath> },
  progress: ProgressOptions,
): Promise<readonly string[]> {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_/-])#?${literalPattern(tag)}(?![\\p{L}\\p{N}_-])`, "iu");
  const found: string[] = [];
  for await (const batch of vault.texts(files, progress))
    for (const { stat, bytes } of batch) {
      const isBase = stat.path.endsWith(".base");
      const text = bytes.toString("utf8");
      if (stat.path.endsWith(".canvas") && canvasHas(text, tag)) found.push(stat.path);
      if (!pattern.test(text)) continue;
      if (isMarkdown(stat.path) && !renamed.has(stat.path) && withTag(text, tag, "") !== text) found.push(stat.path);
      const unread = isMarkdown(stat.path) && readFrontmatter(text).problem ? splitNote(text).bodyStart : 0;
      const linesNamed = isBase ? Infinity : text.slice(0, unread).split("\n").length - 1;
      if (linesNamed === 0 && !/[`~]{3}/.test(text)) continue;
      const settings = isBoard(text) ? settingsStart(text) : undefined;
      const firstOfSettings = settings === undefined ? Infinity : text.slice(0, settings).split("\n").length;
      let fence: string | undefined;
      for (const [at, line] of text.split("\n").entries()) {
        const opening = QUERY.exec(line)?.[1];
        if (fence === undefined && opening !== undefined) fence = opening;
        else if (fence !== undefined && line.trim().startsWith(fence)) fence = undefined;
        else if (
          at >= firstOfSettings
            ? signed(tag).test(line)
            : (at < linesNamed || fence !== undefined) && pattern.test(line)
        )
          found.push(`${stat.path}:${at + 1}`);
      }
    }
  return found.length > MAX_MENTIONS
    ? [...found.slice(0, MAX_MENTIONS), `${found.length - MAX_MENTIONS} more lines`]
    : found;
}

export interface TagCount {
  /** Without `#`, in its most frequent spelling. */
  readonly tag: string;
  /** Includes nested tags. */
  readonly count: number;
}

/**
 * Most frequent first, then by name. A nested tag counts for its parents; case is ignored.
 * @param folder as for `folderMeant`
 */
export async function tagCounts(
  vault: Vault,
  folder: string | undefined,
  options: ProgressOptions,
): Promise<TagCount[]> {
  const place = await folderMeant(vault, folder);
  return await vault.index.ask({ ...options, rows: ["notes"] }, (view) =>
    countedIn(view, conditionsOf({ folder: place }, view, vault.clock).conditions),
  );
}

function countedIn(view: IndexView, among: readonly Condition[]): TagCount[] {
  const { sql, values } = allOf(among);
  const rows = view.list<readonly [key: string, shown: string, count: number]>(
    "json_array(key, shown, count)",
    `(SELECT key, shown, count(*) AS count FROM note_name WHERE kind IN ('tag', 'outer')
      ${among.length === 0 ? "" : `AND ${FILE_OF_ROW} IN (SELECT file.id FROM file WHERE ${sql})`}
      GROUP BY kind, key, shown)`,
    ...values,
  );
  const spellings = new Map<string, Map<string, number>>();
  for (const [key, tag, count] of rows) {
    let known = spellings.get(key);
    if (!known) spellings.set(key, (known = new Map()));
    known.set(tag, (known.get(tag) ?? 0) + count);
  }
  return [...spellings.values()]
    .map((known) => {
      const [tag = ""] = [...known].sort(mostFirst)[0] ?? [];
      return { tag, count: [...known.values()].reduce((sum, count) => sum + count, 0) };
    })
    .sort((a, b) => mostFirst([a.tag, a.count], [b.tag, b.count]));
}

const mostFirst = ([a, few]: readonly [string, number], [b, many]: readonly [string, number]): number =>
  many - few || (a < b ? -1 : 1);
