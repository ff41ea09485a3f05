/** Ids of checkbox lines, and the lines they mean after changes (docs: tasks, "Checkbox lines"). */
import { foldName, type VaultPath } from "../../storage/path.js";
import { sha256 } from "../../text/hash.js";
import { fileTitle } from "../note-format/derivation.js";
import type { ReferenceWay } from "../format.js";
import type { LinePlace, TaskKey, Task } from "../task.js";
import { type TaskLine, withoutTrailingTags } from "./task-line.js";

const DIGITS = 6;

/**
 * `Note.md#^id` with a block id, else `Note.md:14~a3f9c2`. The only maker of ids of lines: without digits an id would mean
 * another task once a line is inserted above.
 */
export function lineId(path: VaultPath, line: number, { blockId, title }: Pick<TaskLine, "blockId" | "title">): string {
  return blockId === undefined ? `${path}:${line}~${titleDigits(title)}` : `${path}#^${blockId}`;
}

export function linePlace(path: VaultPath, line: number, parsed: Parameters<typeof lineId>[2]): LinePlace {
  return { id: lineId(path, line, parsed), path, source: "line", line };
}

export function titleDigits(title: string): string {
  return sha256(title).slice(0, DIGITS);
}

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
  if (block !== null && !reference.startsWith("[[")) return { path: block[1] ?? "", blockId: block[2] };
  const [, path, line, digits] = BY_LINE.exec(reference) ?? [];
  return path === undefined ? undefined : { path, line: Number(line), digits: digits?.toLowerCase() };
}

/** By block id; by line and title digits; by digits alone; by line alone. */
export function lineWays(reference: string): readonly ReferenceWay[] {
  const [, note, block] = LINK.exec(reference) ?? [];
  if (note !== undefined) {
    const name = foldName(note.trim().replace(/\.md$/i, ""));
    const fits = ({ path }: Task): boolean =>
      foldName(path.replace(/\.md$/i, "")) === name || foldName(fileTitle(path)) === name;
    return [{ kind: "link", key: byBlock, value: block ?? "", fits }];
  }
  const name = readLineName(reference);
  if (name === undefined) return [];
  const { line = 0, digits, blockId } = name;
  const path = foldName(/\.md$/i.test(name.path) ? name.path : `${name.path}.md`);
  if (blockId !== undefined)
    return [{ kind: "id", key: byBlock, value: blockId, fits: (task) => pathOf(task) === path }];
  const there: ReferenceWay = { kind: "id", key: byLine, value: lineKey(path, line) };
  if (digits === undefined) return [there];
  return [
    { ...there, fits: (task) => digitsOf(task) === digits || earlierDigits(task) === digits },
    { kind: "id", key: byDigits, value: digitsKey(path, digits) },
    { kind: "id", key: byEarlierDigits, value: digitsKey(path, digits) },
  ];
}

const isLine = ({ source }: Task): boolean => source === "line";
const pathOf = ({ path }: Task): string => foldName(path);
const lineKey = (path: string, line: number): string => `${path}:${line}`;
const digitsKey = (path: string, digits: string): string => `${path}~${digits}`;
const digitsOf = ({ id, title }: Task): string => readLineName(id)?.digits ?? titleDigits(title);
/** Ids of earlier versions exclude trailing tags. */
const earlierDigits = ({ title }: Task): string => titleDigits(withoutTrailingTags(title));

const byBlock: TaskKey = (task) => (isLine(task) ? readLineName(task.id)?.blockId : undefined);
const byLine: TaskKey = (task) => (isLine(task) ? lineKey(pathOf(task), task.line ?? 0) : undefined);
const byDigits: TaskKey = (task) => (isLine(task) ? digitsKey(pathOf(task), digitsOf(task)) : undefined);
const byEarlierDigits: TaskKey = (task) => (isLine(task) ? digitsKey(pathOf(task), earlierDigits(task)) : undefined);
