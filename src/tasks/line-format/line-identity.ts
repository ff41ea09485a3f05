/** Ids of checkbox lines, and how to find their lines later (docs: tasks, "Checkbox lines"). */
import { fileTitle, foldName, type VaultPath } from "../../storage/path.js";
import { sha256 } from "../../text/hash.js";
import type { ReferenceForm } from "../format.js";
import type { LinePlace, Task } from "../task.js";
import { type TaskLine, withoutTrailingTags } from "./task-line.js";

const DIGITS = 6;

/**
 * `Note.md#^id` or `Note.md:14~a3f9c2`. The only maker of line ids: without digits an id would mean another task after
 * an insertion above.
 */
export function lineId(path: VaultPath, line: number, { blockId, title }: Pick<TaskLine, "blockId" | "title">): string {
  return blockId === undefined ? `${path}:${line}~${titleDigits(title)}` : `${path}#^${blockId}`;
}

export function linePlace(path: VaultPath, line: number, parsed: Parameters<typeof lineId>[2]): LinePlace {
  return { id: lineId(path, line, parsed), path, source: "line", line };
}

export const titleDigits = (title: string): string => sha256(title).slice(0, DIGITS);

interface LineName {
  readonly path: string;
  readonly blockId?: string | undefined;
  readonly line?: number | undefined;
  readonly digits?: string | undefined;
}

const BY_BLOCK = /^(.+)#\^([A-Za-z0-9-]+)$/;
const BY_LINE = /^(.+?):(\d{1,9})(?:~([0-9a-f]{6}))?$/i;
const LINK = /^!?\[\[([^\]|#^]+)#\^([A-Za-z0-9-]+)(?:\|[^\]]*)?\]\]$/;

export function readLineName(reference: string): LineName | undefined {
  const block = BY_BLOCK.exec(reference);
  if (block !== null && !reference.startsWith("[[")) return { path: fromRoot(block[1] ?? ""), blockId: block[2] };
  const [, path, line, digits] = BY_LINE.exec(reference) ?? [];
  return path === undefined ? undefined : { path: fromRoot(path), line: Number(line), digits: digits?.toLowerCase() };
}

/** A slash before a path is the vault's root. */
const fromRoot = (path: string): string => path.replace(/^\//, "");

/** By block id; by line and title digits; by digits alone; by line alone. */
export function lineWays(reference: string): readonly ReferenceForm[] {
  const [, note, block] = LINK.exec(reference) ?? [];
  if (note !== undefined && block !== undefined) {
    const name = foldName(fromRoot(note.trim()).replace(/\.md$/i, ""));
    const fits = ({ path }: Task): boolean =>
      foldName(path.replace(/\.md$/i, "")) === name || foldName(fileTitle(path)) === name;
    return [{ kind: "link", lookup: { by: "block", note: name, block }, fits }];
  }
  const name = readLineName(reference);
  if (name === undefined) return [];
  const { line = 0, digits, blockId } = name;
  const path = foldName(/\.md$/i.test(name.path) ? name.path : `${name.path}.md`);
  if (blockId !== undefined)
    return [
      { kind: "id", lookup: { by: "block", note: path, block: blockId }, fits: (task) => foldName(task.path) === path },
    ];
  const there: ReferenceForm = { kind: "id", lookup: { by: "line", path, line } };
  if (digits === undefined) return [there];
  return [
    { ...there, fits: (task) => digitsOf(task) === digits || earlierDigits(task) === digits },
    { kind: "id", lookup: { by: "digits", path, digits, earlier: false } },
    { kind: "id", lookup: { by: "digits", path, digits, earlier: true } },
  ];
}

const digitsOf = ({ id, title }: Task): string => readLineName(id)?.digits ?? titleDigits(title);
/** Ids of earlier versions exclude trailing tags. */
const earlierDigits = ({ title }: Task): string => titleDigits(withoutTrailingTags(title));
