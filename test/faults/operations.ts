/** The writing operations that the fault rigs try, and what must be true of the vault after each. */
import fs from "node:fs";
import { isVaultError } from "../../src/errors.js";
import type { FilesystemStorage } from "../../src/storage/filesystem/storage.js";
import { makerOf } from "../../src/storage/filesystem/temporary.js";
import { vaultPath } from "../../src/storage/path.js";
import type { Expected } from "../../src/storage/storage.js";

export const OPERATIONS = ["replace", "make", "remove", "move"] as const;
export type Operation = (typeof OPERATIONS)[number];

const OLD = "old text\n".repeat(100);
const NEW = "new text, longer\n".repeat(100);
const NOTE = "a.md";
const TARGET = "x/y/b.md";

/** The vault before each operation: one note. */
export function resetVault(vault: string): void {
  for (const name of fs.readdirSync(vault)) fs.rmSync(`${vault}/${name}`, { recursive: true });
  fs.writeFileSync(`${vault}/${NOTE}`, OLD);
}

interface Outcome {
  readonly durable: boolean;
}

/** @returns `done`, `done, not durable`, or the refusal */
export async function perform(storage: FilesystemStorage, operation: Operation): Promise<string> {
  try {
    const written = await CALLS[operation](storage);
    return written && !written.durable ? "done, not durable" : "done";
  } catch (error) {
    return isVaultError(error) ? `${error.code} ${error.message}` : `unexpected ${String(error)}`;
  }
}

const CALLS: Readonly<Record<Operation, (storage: FilesystemStorage) => Promise<Outcome | undefined>>> = {
  replace: async (storage) => await storage.update(vaultPath(NOTE), () => Buffer.from(NEW)),
  make: async (storage) => await storage.write(vaultPath(TARGET), Buffer.from(NEW), { kind: "absent" }),
  remove: async (storage) => await storage.remove(vaultPath(NOTE), await asRead(storage)),
  move: async (storage) => await storage.move(vaultPath(NOTE), vaultPath(TARGET), await asRead(storage)),
};

/** What the vault expects of a file that it moves or removes. */
async function asRead(storage: FilesystemStorage): Promise<Expected> {
  const file = await storage.read(vaultPath(NOTE));
  return file ? { kind: "revision", revision: file.revision } : { kind: "absent" };
}

/** What the vault holds: the note and the target, each as its text or `none`. */
const BEFORE = { replace: [OLD, "none"], make: [OLD, "none"], remove: [OLD, "none"], move: [OLD, "none"] } as const;
const AFTER = { replace: [NEW, "none"], make: [OLD, NEW], remove: ["none", "none"], move: ["none", OLD] } as const;

/** What is wrong after an operation that ended with `outcome`; undefined when nothing is. */
export function faultOf(vault: string, locks: string, operation: Operation, outcome: string): string | undefined {
  const isDone = outcome.startsWith("done");
  const expected = (isDone ? AFTER : BEFORE)[operation];
  if (outcome.startsWith("unexpected")) return "no VaultError";
  if (outcome.includes(vault)) return "a path of the host in the message";
  if (contentOf(vault).join() !== expected.join()) return isDone ? "false success" : "failed, but the vault changed";
  const claims = fs
    .readdirSync(locks, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory());
  if (claims.length > 0) return "a lock stays";
  const names = fs
    .readdirSync(vault)
    .filter((name) => name !== NOTE && !(name === "x" && fs.existsSync(`${vault}/${TARGET}`)));
  return names.length > 0 ? `left behind ${names.join()}` : undefined;
}

/** What is wrong after the process was killed amid an operation; undefined when nothing is. */
export function faultAfterKill(vault: string, operation: Operation): string | undefined {
  const content = contentOf(vault).join();
  // Killed in the middle of a move, the note may have both names: nothing is lost.
  const allowed = [
    BEFORE[operation].join(),
    AFTER[operation].join(),
    ...(operation === "move" ? [`${OLD},${OLD}`] : []),
  ];
  if (!allowed.includes(content)) return `torn: ${content.slice(0, 100)}`;
  const strange = fs.readdirSync(vault).filter((name) => name.startsWith(".") && makerOf(name) === undefined);
  return strange.length > 0 ? `left-overs that are not known as ours: ${strange.join()}` : undefined;
}

function contentOf(vault: string): string[] {
  return [NOTE, TARGET].map((path) =>
    fs.existsSync(`${vault}/${path}`) ? fs.readFileSync(`${vault}/${path}`, "utf8") : "none",
  );
}
