/**
 * Task changes: drawn at once, written against the shown revision, reverted on refusal (docs: web, "Calls, changes,
 * conflicts").
 */
import { signal } from "@preact/signals";
import { type ToolAnswers, isCallFailure, messageOf } from "../transport/transport.js";
import { WORDS } from "../words.js";
import type { Connection } from "./connection.js";
import type { Notices } from "./notices.js";
import { plainTitle } from "./title.js";
import { drawnAtOnce, OUTDATED, type RowUpdates, shownValue, type TaskRow } from "./task-row.js";

/** A conflict: fields also changed elsewhere. */
export interface Clash {
  readonly task: TaskRow;
  readonly fields: readonly { readonly name: string; readonly theirs: string; readonly mine: string }[];
  readonly settle: (choice: ClashChoice) => void;
}

/** `mine` overwrites the vault's value, `theirs` keeps it, `later` decides nothing. */
type ClashChoice = "mine" | "theirs" | "later";

/** `kept`: the person chose the vault's value. `away`: no connection. */
export type ChangeResult = "written" | "kept" | "failed" | "away";

type Written = ToolAnswers["update_task"];

/** Keeps a ticked task in its place, so that a second click does not hit its successor. */
const HOLD_MS = 600;

export class TaskChanges {
  /** With pending changes, by listed id. */
  readonly drawn = signal<ReadonlyMap<string, TaskRow>>(new Map());
  readonly clash = signal<Clash | undefined>(undefined);
  readonly #connection: Connection;
  readonly #notices: Notices;
  readonly #reread: () => Promise<void>;
  /** Serialises the writes to each task. */
  readonly #turns = new Map<string, Promise<TaskRow | undefined>>();
  /** Ticked tasks' earlier statuses, by id. */
  readonly #held = new Map<string, string>();
  #heldUntil = 0;
  /** Current ids of changed lines. */
  readonly #ids = new Map<string, string>();

  constructor(connection: Connection, notices: Notices, reread: () => Promise<void>) {
    this.#connection = connection;
    this.#notices = notices;
    this.#reread = reread;
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#turns.values());
  }

  /** @returns false if held already */
  hold(id: string, status: string): boolean {
    if (this.#held.has(id)) return false;
    this.#held.set(id, status);
    this.#heldUntil = performance.now() + HOLD_MS;
    return true;
  }

  async released(): Promise<void> {
    for (let rest; (rest = this.#heldUntil - performance.now()) > 0;)
      await new Promise((resolve) => setTimeout(resolve, rest));
    this.#held.clear();
  }

  /** A line's id changes with each edit. */
  latestId(id: string): string {
    return this.#ids.get(id) ?? id;
  }

  /** With its pending changes. */
  seen(task: TaskRow): TaskRow {
    return this.drawn.value.get(task.id) ?? task;
  }

  /** @param shown as the person saw it; includes `description` if that changes */
  async update(shown: TaskRow, updates: RowUpdates, message = savedText): Promise<ChangeResult> {
    const seen = this.seen(shown);
    let result: ChangeResult = "failed";
    await this.#inTurn(shown.id, drawnAtOnce(seen, updates), async (latest) => {
      const written = await this.#write(latest ?? shown, shown, updates);
      result = typeof written === "string" ? written : "written";
      if (typeof written === "string") return undefined;
      this.#notices.withdraw(shown.id);
      const canUndo = written.undoable && this.#connection.offers("undo_edit");
      this.#notices.tell(
        message({ ...written, title: plainTitle(written.title) }),
        canUndo ? this.#undo(seen, written) : undefined,
      );
      return written;
    });
    return result;
  }

  /**
   * Draws a pending change, then runs `work` after earlier changes of the task.
   * @param work gets the task as the previous change left it; returns undefined on failure
   */
  async #inTurn(
    id: string,
    drawn: TaskRow,
    work: (latest: TaskRow | undefined) => Promise<TaskRow | undefined>,
  ): Promise<void> {
    const before = this.#turns.get(id) ?? Promise.resolve(undefined);
    const place = this.#held.get(id);
    this.#draw(id, {
      ...drawn,
      ...(place === undefined ? { ticked: undefined } : { status: place, ticked: drawn.status }),
    });
    const turn = before.then(work);
    this.#turns.set(id, turn);
    const left = await turn;
    await this.released();
    // Only the last pending change redraws.
    if (this.#turns.get(id) === turn) {
      this.#turns.delete(id);
      if (left !== undefined) {
        this.#ids.set(id, left.id);
        this.#draw(id, left);
      }
      await this.#reread();
      if (!this.#turns.has(id)) this.#draw(id, undefined);
    }
  }

  async #write(latest: TaskRow, shown: TaskRow, updates: RowUpdates): Promise<Written | ChangeResult> {
    try {
      return await this.#send({ ...shown, id: latest.id, revision: latest.revision }, updates);
    } catch (error) {
      // The login dialog reports that.
      if (!isCallFailure(error, "login")) this.#notices.fail(WORDS.notWritten(messageOf(error)), shown.id);
      return isCallFailure(error, "unreachable") ? "away" : "failed";
    }
  }

  /** Retries once if a change elsewhere left these fields alone. */
  async #send(shown: TaskRow, updates: RowUpdates): Promise<Written | "kept" | "failed"> {
    const refusal = await this.#call(shown, updates).catch((error: unknown) => error);
    if (!(refusal instanceof Error)) return refusal as Written;
    if (!isCallFailure(refusal) || refusal.code !== "CONFLICT") throw refusal;
    const now = await this.#connection.call("get_task", { taskId: shown.id });
    const isOther = (name: string) => shownValue(now, name) !== shownValue(shown, name);
    // Someone else has finished this day of the series.
    if (updates.status === "Done" && shown.repeats !== undefined && (isOther("dueDate") || isOther("scheduled")))
      throw refusal;
    const differing = Object.keys(updates).filter(isOther);
    const joined = now.nextOffset === undefined ? joinedText(shown, now, updates, differing) : undefined;
    if (joined !== undefined) {
      const written = await this.#call({ ...shown, revision: now.revision }, { ...updates, description: joined });
      this.#notices.tell(WORDS.bothKept(plainTitle(shown.title)));
      return written;
    }
    if (differing.length > 0) {
      const choice = await this.#ask(shown, now, updates, differing);
      if (choice !== "mine") return choice === "theirs" ? "kept" : "failed";
    }
    return await this.#call({ ...shown, revision: now.revision }, updates);
  }

  #call({ id, revision }: TaskRow, updates: RowUpdates): Promise<Written> {
    return this.#connection.call("update_task", { taskId: id, updates, expectedRevision: revision ?? OUTDATED });
  }

  #ask(shown: TaskRow, now: object, updates: RowUpdates, names: readonly string[]): Promise<ClashChoice> {
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

  /** Refuses if the task, or a line's note, has changed since. */
  #undo(before: TaskRow, { id, path, revision, title, line }: Written): () => Promise<void> {
    const look = async (taskId: string) => await this.#connection.call("get_task", { taskId });
    const left = line === undefined ? undefined : look(id).catch(() => undefined);
    const takeBack = async (): Promise<TaskRow | undefined> => {
      try {
        const now = await look(id);
        const isLeft = now.revision === revision && (line === undefined || (await left)?.modified === now.modified);
        if (!isLeft) {
          this.#notices.fail(WORDS.changedSince(plainTitle(title)));
          return undefined;
        }
        await this.#connection.call("undo_edit", { path });
        this.#notices.tell(WORDS.takenBack(plainTitle(title)));
        return { ...before, revision: (await look(before.id)).revision };
      } catch (error) {
        this.#notices.fail(WORDS.notTakenBack(messageOf(error)));
        return undefined;
      }
    };
    return () => this.#inTurn(id, before, takeBack);
  }

  #draw(id: string, row: TaskRow | undefined): void {
    const drawn = new Map(this.drawn.value);
    if (row) drawn.set(id, row);
    else drawn.delete(id);
    this.drawn.value = drawn;
  }
}

/** For notes changed in different places; otherwise undefined. */
function joinedText(shown: object, now: object, { description }: RowUpdates, differing: readonly string[]) {
  if (description === undefined || differing.join() !== "description") return undefined;
  return merged(shownValue(shown, "description"), description, shownValue(now, "description"));
}

function givenText(updates: RowUpdates, name: string): string {
  const value: unknown = Reflect.get(updates, name);
  return Array.isArray(value) ? value.join(", ") : String(value);
}

const savedText = ({ title }: Written): string => WORDS.saved(title);

interface ChangedRange {
  /** In both texts. */
  readonly from: number;
  /** In the new text, and in the old one. */
  readonly to: number;
  readonly end: number;
}

/** Whole words, so that marks are readable. */
export function changedRange(before: string, after: string): ChangedRange {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const length = (words: readonly string[]) => words.slice(0, words.length - tail).join("").length;
  return { from: now.slice(0, head).join("").length, to: length(now), end: length(old) };
}

const wordsOf = (text: string): readonly string[] => text.split(/(?<=\s)|(?=\s)/);

/** Undefined if the changes touch. @param base the common origin */
export function merged(base: string, mine: string, theirs: string): string | undefined {
  const [my, their] = [changedRange(base, mine), changedRange(base, theirs)];
  if (my.end < their.from) return mine.slice(0, my.to) + base.slice(my.end, their.from) + theirs.slice(their.from);
  if (their.end < my.from) return theirs.slice(0, their.to) + base.slice(their.end, my.from) + mine.slice(my.from);
  return undefined;
}
