/** A vault in memory with the task use cases over it, for tests. */
import { onTestFinished } from "vitest";
import { getCurrentTest } from "vitest/suite";
import { taskSubject } from "../../src/tasks/rows/task-subject.js";
import { fixedClock, sequentialIds } from "../../src/clock.js";
import { VaultError } from "../../src/errors.js";
import { MemoryStorage } from "./memory-storage.js";
import { vaultPath } from "../../src/storage/path.js";
import { lineFormat } from "../../src/tasks/line-format/format.js";
import type { TaskFormat } from "../../src/tasks/format.js";
import type { LineOptions } from "../../src/tasks/line-format/line-settings.js";
import { noteFormat } from "../../src/tasks/note-format/format.js";
import { taskService, type TaskService } from "../../src/tasks/service.js";
import type { Task } from "../../src/tasks/task.js";
import { MemoryJournalStorage } from "../../src/history/connection.js";
import { Vault } from "../../src/vault/vault.js";

export interface TaskVault {
  readonly storage: MemoryStorage;
  readonly vault: Vault;
  readonly tasks: TaskService;
  /** A note's text as it stands in storage. */
  readonly text: (path: string) => Promise<string>;
  /** Puts a note in place as another program would. */
  readonly put: (path: string, text: string) => Promise<void>;
  /** The task at a path, by a fresh look. */
  readonly task: (path: string) => Promise<Task>;
  /** The same notes and undo journal as another process sees them. */
  readonly reopened: () => { readonly vault: Vault; readonly tasks: TaskService };
}

export interface TaskVaultOptions {
  /** ISO 8601. */
  readonly now?: string;
  readonly timeZone?: string;
  readonly lines?: LineOptions;
}

export function taskVault(
  files: Readonly<Record<string, string>> = {},
  { now = "2025-08-30T12:00:00Z", timeZone = "UTC", lines = {} }: TaskVaultOptions = {},
): TaskVault {
  const clock = fixedClock(now, timeZone);
  const storage = new MemoryStorage({ files, clock });
  const formats: readonly TaskFormat[] = [noteFormat, lineFormat(lines)];
  const place = new MemoryJournalStorage();
  const open = () => {
    const vault = new Vault({
      storage,
      clock,
      ids: sequentialIds(),
      subjects: [taskSubject(formats, clock)],
      journal: { place },
    });
    return { vault, tasks: taskService(vault, { formats }) };
  };
  const { vault, tasks } = open();
  // The next vault takes its memory: fresh memory makes one a third dearer.
  if (getCurrentTest() !== undefined) onTestFinished(() => vault.close());
  return {
    reopened: open,
    storage,
    vault,
    tasks,
    text: async (path) => (await vault.read(vaultPath(path))).text,
    put: async (path, text) => {
      await storage.write(vaultPath(path), new TextEncoder().encode(text), { kind: "any" });
    },
    task: async (path) => (await tasks.get(path)).task,
  };
}

/** A note of these frontmatter lines and this body. */
export function note(frontmatter: string, body = ""): string {
  return `---\n${frontmatter}\n---\n${body}`;
}

/** The VaultError that work ends with. */
export async function refusal(work: Promise<unknown>): Promise<VaultError> {
  const error: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof VaultError) return error;
  throw new Error("was not refused", { cause: error });
}
