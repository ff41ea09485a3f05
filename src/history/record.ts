/** Between steps and the bytes and names that the journal keeps of them; what is damaged reads as nothing. */
import { contentRevision } from "../storage/content-revision.js";
import { vaultPath, type VaultPath } from "../storage/path.js";
import type { Step, StepKind } from "./journal.js";

/** A step with what is needed to judge it and to take it back. */
export interface StepRecord extends Step {
  /** Hash of the file before; undefined when there was none, and for a move, which changes nothing. */
  readonly before?: string | undefined;
  /** Hash of the file after; undefined when there is none then, and for a folder. */
  readonly after?: string | undefined;
  /** The operation it belongs to. */
  readonly operation?: string | undefined;
  /** The process that made it. */
  readonly maker: string;
  /** Whom it was made for; undefined: the user of that process. */
  readonly caller?: string | undefined;
  /** Whether a deletion left nothing in the trash. */
  readonly permanent?: boolean | undefined;
  /** Whether a folder was moved, with all that is in it. */
  readonly folder?: boolean | undefined;
}

/** `open`: written ahead, its change may or may not have happened. `undo`: it is being taken back. */
export type StepState = "open" | "done" | "undo";

/** A step's name tells what listing, counting and sorting need, so that nothing has to be opened for them. */
export interface StepName {
  /** All of the name but its state, which changes. */
  readonly id: string;
  readonly key: string;
  /** Counts up, path by path. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly blocks: number;
  readonly state: StepState;
}

/** What a disk gives a file at least; sizes are counted in these. */
export const BLOCK = 4096;

const NAME = /^(([0-9a-f]{32})\.([0-9a-z]{1,8})\.([0-9a-z]{1,10})\.([0-9a-z]{1,7}))\.(open|done|undo)$/;
const KINDS: readonly unknown[] = ["edit", "create", "move", "delete"] satisfies StepKind[];
const LINE_END = 0x0a;

/** What a path's steps are called by; says nothing of the path to who lists the folder. */
export function keyOf(path: VaultPath): string {
  return contentRevision(Buffer.from(path)).slice(0, 32);
}

/** The drawer of a path's steps: few enough in each to be listed at every write. */
export function drawerOf(key: string): string {
  return key.slice(0, 2);
}

/** All of them. */
export const DRAWERS: readonly string[] = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, "0"));

export function stepId({ key, number, at, blocks }: Pick<StepName, "key" | "number" | "at" | "blocks">): string {
  return [key, ...[number, at, blocks].map((count) => count.toString(36))].join(".");
}

/** Undefined for a name that is none of ours. */
export function readStepName(name: string): StepName | undefined {
  const [, id = "", key = "", number = "", at = "", blocks = "", state] = NAME.exec(name) ?? [];
  if (state === undefined) return undefined;
  const [count, time, size] = [number, at, blocks].map((text) => Number.parseInt(text, 36)) as [number, number, number];
  return { id, key, number: count, at: time, blocks: size, state: state as StepState };
}

/** One line of JSON, then the bytes of the file before. */
export function encodeStep(record: StepRecord, image: Uint8Array | undefined): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(record)}\n`), image ?? new Uint8Array()]);
}

/** Undefined when the bytes are damaged: cut short, changed, or never ours. */
export function decodeStep(bytes: Uint8Array): { record: StepRecord; image: Uint8Array } | undefined {
  const end = bytes.indexOf(LINE_END);
  const record = end < 0 ? undefined : readRecord(bytes.subarray(0, end));
  if (!record) return undefined;
  const image = bytes.subarray(end + 1);
  const isWhole = record.before === undefined ? image.length === 0 : contentRevision(image) === record.before;
  return isWhole ? { record, image } : undefined;
}

function readRecord(bytes: Uint8Array): StepRecord | undefined {
  const value = parseLine(Buffer.from(bytes).toString("utf8"));
  if (!value) return undefined;
  const { kind, path, from, reason, at, before, after, operation, maker, caller, permanent, folder } = value;
  const isOurs =
    KINDS.includes(kind) &&
    isPath(path) &&
    (kind === "move" ? isPath(from) : from === undefined && folder === undefined) &&
    (kind === "edit" || kind === "delete" ? isText(before) : before === undefined) &&
    (kind === "delete" || folder === true ? after === undefined : isText(after)) &&
    isText(reason) &&
    typeof at === "number" &&
    isText(maker) &&
    (caller === undefined || isText(caller)) &&
    (operation === undefined || isText(operation));
  if (!isOurs) return undefined;
  return {
    kind: kind as StepKind,
    path,
    reason,
    at,
    maker,
    ...(isPath(from) ? { from } : {}),
    ...(isText(before) ? { before } : {}),
    ...(isText(after) ? { after } : {}),
    ...(isText(operation) ? { operation } : {}),
    ...(isText(caller) ? { caller } : {}),
    ...(permanent === true ? { permanent } : {}),
    ...(folder === true ? { folder } : {}),
  };
}

/** One line of JSON as an object; undefined when it is none. */
export function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Whether a text is a path of the vault by every rule: what lies in the journal may lead nowhere else. */
export function isPath(value: unknown): value is VaultPath {
  if (!isText(value)) return false;
  try {
    return vaultPath(value, { allowHidden: true }) === value;
  } catch {
    return false;
  }
}
