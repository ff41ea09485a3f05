/** What the rigs of the undo journal do to a vault, and how they take all of it back. */
import fs from "node:fs";
import nodePath from "node:path";
import { sequentialIds, systemClock } from "../../src/clock.js";
import { isVaultError, VaultError } from "../../src/errors.js";
import { filesystemStorage } from "../../src/storage/filesystem/storage.js";
import { vaultPath } from "../../src/storage/path.js";
import { JournalFile } from "../../src/history/journal-file.js";
import { assembleVault } from "../../src/open.js";
import type { Tasks } from "../../src/tasks/service.js";
import type { Vault } from "../../src/vault/vault.js";

export interface Place {
  readonly vault: string;
  readonly locks: string;
}

/** What a script works with. */
interface Opened {
  readonly vault: Vault;
  readonly tasks: Tasks;
}

const clock = systemClock("UTC");

/** The vault at a folder and its tasks, the journal beside it. */
export async function openTasks({ vault: folder, locks }: Place, undoLimit?: number): Promise<Opened> {
  const storage = await filesystemStorage(folder, { lock: { folder: locks } });
  const place = new JournalFile({ folder: stateOf(folder), identity: storage.identity, clock });
  return assembleVault({ storage, name: "rig", clock, ids: sequentialIds(), journal: { place, limit: undoLimit } });
}

export async function openVault(place: Place, undoLimit?: number): Promise<Vault> {
  return (await openTasks(place, undoLimit)).vault;
}

/** The journal's database; undefined when there is none. */
export function journalOf(folder: string): string | undefined {
  const names = fs.readdirSync(stateOf(folder), { recursive: true, encoding: "utf8" });
  const name = names.find((one) => one.endsWith("journal.sqlite"));
  return name && nodePath.join(stateOf(folder), name);
}

function stateOf(folder: string): string {
  return nodePath.join(folder, "..", "state");
}

const FILES: Readonly<Record<string, string>> = {
  "a.md": "old text\n".repeat(100),
  "one.md": "one [[a]]\n",
  "two.md": "two [[a]]\n",
  "series.md":
    '---\ntags: [task]\nstatus: open\nscheduled: 2025-08-28\nrecurrence: "DTSTART:20250828;FREQ=DAILY"\n---\n',
  "day.md":
    '---\ntags: [task]\nstatus: open\nscheduled: 2025-08-28\nrecurrence_parent: "[[series]]"\noccurrence_date: 2025-08-28\n---\n',
  "line.md": "- [ ] Water the plants #task 🔁 every day 📅 2025-08-28\n",
};
const NAMES = ["a.md", "x/b.md", "x/new.md", "one.md", "two.md", "series.md", "day.md", "line.md"];
const [A, B, NEW, ONE, TWO, ...TASKS] = NAMES.map((path) => vaultPath(path));
const PATHS = [B, NEW, A, ONE, TWO, ...TASKS].flatMap((path) => path ?? []);

export function resetVault(folder: string): void {
  for (const name of fs.readdirSync(folder)) fs.rmSync(nodePath.join(folder, name), { recursive: true });
  fs.rmSync(stateOf(folder), { recursive: true, force: true });
  for (const [path, text] of Object.entries(FILES)) fs.writeFileSync(nodePath.join(folder, path), text);
}

interface Script {
  /** Undisturbed. */
  readonly before?: (opened: Opened) => Promise<unknown>;
  /** @returns whether all of it can be undone */
  readonly run: (opened: Opened) => Promise<boolean>;
}

async function edit({ vault }: Opened): Promise<boolean> {
  return (await vault.writing.edit(path(A), (text) => `${text}new line\n`, "edit")).undoable;
}

async function rename({ vault }: Opened): Promise<boolean> {
  const plan = { reason: "rename", from: path(A), to: path(B), files: [path(A), path(ONE), path(TWO)] };
  const operation = await vault.history.begin(plan);
  try {
    const relink = (text: string): string => text.replace("[[a]]", "[[b]]");
    const outcomes = [await vault.writing.move(path(A), path(B), "rename", { operation })];
    const edits = [];
    for (const note of [ONE, TWO]) edits.push(await vault.writing.edit(path(note), relink, "rename", { operation }));
    return [...outcomes, ...edits].every(({ undoable }) => undoable);
  } finally {
    await operation.done();
  }
}

/** Several notes side by side, as a change of many tasks writes them. */
async function editMany({ vault }: Opened): Promise<boolean> {
  const files = [path(A), path(ONE), path(TWO)];
  const operation = await vault.history.begin({ reason: "edit many", files });
  const edits = files.map((file) =>
    vault.writing.edit(file, (text) => `${text}new line\n`, "edit many", { operation }),
  );
  await Promise.allSettled(edits);
  await operation.done();
  return (await Promise.all(edits)).every(({ undoable }) => undoable);
}

/** Finishes an instance of a series, which changes its note and the note of the series. */
async function finishDay({ tasks }: Opened): Promise<boolean> {
  return (await tasks.update("day.md", { status: "Done" })).undoable;
}

/** Finishes two series and a note in one call. */
async function finishMany({ tasks }: Opened): Promise<boolean> {
  const line = (await tasks.all()).tasks.find(({ path }) => path === "line.md");
  const outcome = await tasks.updateMany(["day.md", line?.id ?? ""], { status: "Done" });
  if (outcome.kind !== "done") throw new Error(`not done: ${outcome.kind}`);
  if (outcome.leftOut.length > 0) throw new VaultError("UNAVAILABLE", "Not all tasks were changed.");
  return outcome.undoable;
}

const undo = async ({ vault }: Opened, which: typeof A): Promise<boolean> => {
  await vault.history.undo(path(which));
  return true;
};

const SCRIPTS = {
  edit: { run: edit },
  "edit many": { run: editMany },
  "finish day": { run: finishDay },
  "finish many": { run: finishMany },
  create: { run: async ({ vault }) => (await vault.writing.create(path(NEW), "new\n", "create")).undoable },
  remove: { run: async ({ vault }) => (await vault.writing.delete(path(A), "delete")).undoable },
  move: { run: async ({ vault }) => (await vault.writing.move(path(A), path(B), "move")).undoable },
  rename: { run: rename },
  "undo edit": { before: edit, run: (opened) => undo(opened, A) },
  "undo many": { before: editMany, run: (opened) => undo(opened, A) },
  "undo rename": { before: rename, run: (opened) => undo(opened, B) },
  "undo day": { before: finishDay, run: (opened) => undo(opened, TASKS[1]) },
} as const satisfies Record<string, Script>;
export type ScriptName = keyof typeof SCRIPTS;
export const SCRIPT_NAMES = Object.keys(SCRIPTS) as ScriptName[];

export function scriptOf(name: ScriptName): Script {
  return SCRIPTS[name];
}

/** Undoes whatever can be undone. @returns what is wrong then; undefined when the vault is as it was at first */
export async function takeAllBack(vault: Vault, folder: string): Promise<string | undefined> {
  for (const one of PATHS) {
    for (let count = 0; ; count++) {
      const refused = await vault.history.undo(one).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (isVaultError(refused, "FILE_NOT_FOUND")) break;
      if (refused !== undefined || count > 10) return `undo ${one}: ${String(refused)}`;
    }
  }
  const unfinished = await vault.history.unfinished();
  if (unfinished.length > 0) return `still unfinished: ${JSON.stringify(unfinished)}`;
  for (const one of PATHS) {
    const text = readOr(nodePath.join(folder, one));
    if (text !== FILES[one]) return `${one} is not as it was: ${text?.slice(0, 60)}`;
  }
  return undefined;
}

/** Each file's text; a missing one is undefined. */
export function textsIn(folder: string): ReadonlyMap<string, string | undefined> {
  return new Map(NAMES.map((name) => [name, readOr(nodePath.join(folder, name))]));
}

function readOr(location: string): string | undefined {
  return fs.existsSync(location) ? fs.readFileSync(location, "utf8") : undefined;
}

function path(known: typeof A): NonNullable<typeof A> {
  if (known === undefined) throw new Error("not a path");
  return known;
}
