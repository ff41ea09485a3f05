/** Changes of tasks: drawn at once, written against the revision that was shown, taken back on refusal (spec: web, section 3). */
import { signal } from "@preact/signals";
import type { ToolAnswers } from "../carrier/carrier.js";
import { isCallFailure } from "../carrier/carrier.js";
import { WORDS } from "../words.js";
import type { Connection } from "./connection.js";
import type { Notices } from "./notices.js";
import { drawnAtOnce, type RowUpdates, shownValue, type TaskRow } from "./task-row.js";

/** Two writers met: what the field said when it was shown, what it says now, and what was to be written. */
export interface Clash {
  readonly task: TaskRow;
  readonly fields: readonly { readonly name: string; readonly theirs: string; readonly mine: string }[];
  /** `mine` writes over what is there now. */
  readonly settle: (choice: "mine" | "theirs") => void;
}

type Written = ToolAnswers["update_task"];

export class TaskChanges {
  /** Tasks as they are about to be, by the id they are listed under. */
  readonly drawn = signal<ReadonlyMap<string, TaskRow>>(new Map());
  readonly clash = signal<Clash | undefined>(undefined);
  readonly #connection: Connection;
  readonly #notices: Notices;
  /** Reads anew what the page shows. */
  readonly #reread: () => Promise<void>;
  /** What is being written to a task, so that two changes of one go one after the other. */
  readonly #turns = new Map<string, Promise<TaskRow | undefined>>();

  constructor(connection: Connection, notices: Notices, reread: () => Promise<void>) {
    this.#connection = connection;
    this.#notices = notices;
    this.#reread = reread;
  }

  /** A task as the page draws it. */
  seen(task: TaskRow): TaskRow {
    return this.drawn.value.get(task.id) ?? task;
  }

  /**
   * Writes to a task.
   * @param shown the task as the person saw it, with `description` when that is changed
   * @returns whether it is written
   */
  async update(shown: TaskRow, updates: RowUpdates, told: (written: Written) => string): Promise<boolean> {
    const before = this.#turns.get(shown.id) ?? Promise.resolve(undefined);
    this.#draw(shown.id, drawnAtOnce(this.seen(shown), updates));
    const turn = before.then(async (written) => this.#write(written ?? shown, shown, updates, told));
    this.#turns.set(shown.id, turn);
    const written = await turn;
    // What was changed meanwhile stands over it, and is written next.
    if (this.#turns.get(shown.id) === turn) {
      this.#turns.delete(shown.id);
      if (written !== undefined) this.#draw(shown.id, written);
      await this.#reread();
      if (!this.#turns.has(shown.id)) this.#draw(shown.id, undefined);
    }
    return written !== undefined;
  }

  async #write(
    latest: TaskRow,
    shown: TaskRow,
    updates: RowUpdates,
    told: (written: Written) => string,
  ): Promise<TaskRow | undefined> {
    try {
      const written = await this.#send({ ...shown, id: latest.id, revision: latest.revision }, updates);
      if (written === undefined) return undefined;
      const undo = written.undoable && this.#connection.offers("undo_edit") ? this.#undo(written) : undefined;
      this.#notices.tell(told(written), undo);
      return written;
    } catch (error) {
      // The login dialog says so itself.
      if (!isCallFailure(error, "login")) this.#notices.fail(WORDS.notWritten(textOf(error)));
      return undefined;
    }
  }

  /** A change elsewhere that left these fields alone is no clash: once, it is written again without a word. */
  async #send(shown: TaskRow, updates: RowUpdates): Promise<Written | undefined> {
    try {
      return await this.#call(shown, updates);
    } catch (error) {
      if (!isCallFailure(error) || error.code !== "CONFLICT") throw error;
    }
    const now = await this.#connection.call("get_task", { taskId: shown.id });
    const names = Object.keys(updates);
    const differing = names.filter((name) => shownValue(now, name) !== shownValue(shown, name));
    if (differing.length > 0 && (await this.#ask(shown, now, updates, differing)) === "theirs") return undefined;
    return await this.#call({ ...shown, revision: now.revision }, updates);
  }

  #call({ id, revision }: TaskRow, updates: RowUpdates): Promise<Written> {
    return this.#connection.call("update_task", { taskId: id, updates, expectedRevision: revision });
  }

  #ask(shown: TaskRow, now: object, updates: RowUpdates, names: readonly string[]): Promise<"mine" | "theirs"> {
    return new Promise((resolve) => {
      this.clash.value = {
        task: shown,
        fields: names.map((name) => ({ name, theirs: shownValue(now, name), mine: givenText(updates, name) })),
        settle: (choice) => {
          this.clash.value = undefined;
          resolve(choice);
        },
      };
    });
  }

  /** The way back, for as long as the task, and of a line its whole note, is what this change left. */
  #undo({ id, path, revision, title, line }: Written): () => Promise<void> {
    const look = async () => await this.#connection.call("get_task", { taskId: id });
    const left = line === undefined ? undefined : look().catch(() => undefined);
    return async () => {
      try {
        const now = await look();
        const isLeft = now.revision === revision && (line === undefined || (await left)?.modified === now.modified);
        if (!isLeft) return this.#notices.fail(WORDS.changedSince(title));
        await this.#connection.call("undo_edit", { path });
        this.#notices.tell(WORDS.takenBack(title));
      } catch (error) {
        this.#notices.fail(WORDS.notTakenBack(textOf(error)));
      }
      await this.#reread();
    };
  }

  #draw(id: string, row: TaskRow | undefined): void {
    const drawn = new Map(this.drawn.value);
    if (row) drawn.set(id, row);
    else drawn.delete(id);
    this.drawn.value = drawn;
  }
}

function givenText(updates: RowUpdates, name: string): string {
  const value: unknown = Reflect.get(updates, name);
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
