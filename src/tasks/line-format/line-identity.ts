/** What a checkbox line is called, and which line a name means after others came or went above it (spec: tasks-2, section 6). */
import * as crypto from "node:crypto";
import { foldName, type VaultPath } from "../../storage/path.js";
import { fileTitle } from "../note-format/derivation.js";
import type { Way } from "../format.js";
import type { Task } from "../task.js";
import type { TaskLine } from "./task-line.js";

const DIGITS = 6;

/** `Note.md#^id` with a block id, else `Note.md:14~a3f9c2`. */
export function lineId(path: VaultPath, line: number, { blockId, title }: Pick<TaskLine, "blockId" | "title">): string {
  return blockId === undefined ? `${path}:${line}~${titleDigits(title)}` : `${path}#^${blockId}`;
}

/** Six hex digits of a title's SHA-256. */
export function titleDigits(title: string): string {
  return sha256(title).slice(0, DIGITS);
}

/** In one step where Node has it (from 20.12 on), which takes half the time. */
const sha256: (text: string) => string =
  "hash" in crypto
    ? (text) => crypto.hash("sha256", text)
    : (text) => crypto.createHash("sha256").update(text).digest("hex");

/** A name of a line, taken apart. */
export interface LineName {
  readonly path: string;
  readonly blockId?: string | undefined;
  readonly line?: number | undefined;
  readonly digits?: string | undefined;
}

const BY_BLOCK = /^(.+)#\^([A-Za-z0-9-]+)$/;
const BY_LINE = /^(.+?):(\d{1,9})(?:~([0-9a-f]{6}))?$/i;
const LINK = /^!?\[\[([^\]|#^]+)#\^([A-Za-z0-9-]+)(?:\|[^\]]*)?\]\]$/;

/** Undefined for a text that names no line. */
export function readLineName(reference: string): LineName | undefined {
  const block = BY_BLOCK.exec(reference);
  if (block !== null && !reference.startsWith("[[")) return { path: block[1] ?? "", blockId: block[2] };
  const [, path, line, digits] = BY_LINE.exec(reference) ?? [];
  return path === undefined ? undefined : { path, line: Number(line), digits: digits?.toLowerCase() };
}

/** The ways in which a reference may mean a line: by block id; by line and digits, else by the digits alone; by the line alone. */
export function lineWays(reference: string): readonly Way[] {
  const [, note, block] = LINK.exec(reference) ?? [];
  if (note !== undefined) {
    const name = foldName(note.trim().replace(/\.md$/i, ""));
    const isNote = ({ path }: Task): boolean =>
      foldName(path.replace(/\.md$/i, "")) === name || foldName(fileTitle(path)) === name;
    return [["link", (task) => isLine(task) && task.id.endsWith(`#^${block ?? ""}`) && isNote(task)]];
  }
  const name = readLineName(reference);
  if (name === undefined) return [];
  const { line, digits, blockId } = name;
  const path = foldName(/\.md$/i.test(name.path) ? name.path : `${name.path}.md`);
  const isThere = (task: Task): boolean => isLine(task) && foldName(task.path) === path;
  if (blockId !== undefined) return [["id", (task) => isThere(task) && task.id === `${task.path}#^${blockId}`]];
  if (digits === undefined) return [["id", (task) => isThere(task) && task.line === line]];
  const isAlike = (task: Task): boolean => isThere(task) && titleDigits(task.title) === digits;
  return [
    ["id", (task) => task.line === line && isAlike(task)],
    ["id", isAlike],
  ];
}

const isLine = ({ source }: Task): boolean => source === "line";
