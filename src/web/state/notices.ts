/** Short messages, some with an undo (docs: web). */
import { signal } from "@preact/signals";
import { messageOf } from "../transport/transport.js";
import { WORDS } from "../words.js";

const SHOWN_MS = 10_000;
const MAX_SHOWN = 4;
/** Changes that can be undone by key. */
const MAX_UNDO = 100;

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
  readonly undo: (() => unknown) | undefined;
  /** Another action than undo. */
  readonly label?: string | undefined;
  /** The task that was not saved. */
  readonly about?: string | undefined;
}

export class Notices {
  readonly shown = signal<readonly Notice[]>([]);
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
  /** Newest last; includes hidden ones. */
  #undoable: Notice[] = [];
  #last = 0;

  tell(text: string, undo?: () => unknown, label?: string): void {
    this.#add({ id: ++this.#last, text, isFailure: false, undo, label });
  }

  fail(text: string, about?: string): void {
    if (about !== undefined) this.withdraw(about);
    this.#add({ id: ++this.#last, text, isFailure: true, undo: undefined, about });
  }

  withdraw(about: string): void {
    for (const notice of this.shown.peek()) if (notice.about === about) this.dismiss(notice.id);
  }

  async attempt(work: () => Promise<unknown>, words = WORDS.notWritten): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.fail(words(messageOf(error)));
    }
  }

  dismiss(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.shown.value = this.shown.value.filter((notice) => notice.id !== id);
  }

  /** While focused or hovered. */
  pause(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  resume(): void {
    for (const { id } of this.shown.value) this.#expire(id);
  }

  async undo(notice: Notice): Promise<void> {
    this.dismiss(notice.id);
    this.#undoable = this.#undoable.filter(({ id }) => id !== notice.id);
    await notice.undo?.();
  }

  /** @returns whether there was a change to undo */
  async undoLast(): Promise<boolean> {
    const latest = this.#undoable.at(-1);
    if (latest === undefined) return false;
    await this.undo(latest);
    return true;
  }

  #add(notice: Notice): void {
    if (notice.undo && notice.label === undefined) this.#undoable = [...this.#undoable, notice].slice(-MAX_UNDO);
    const over = this.shown.value.slice(0, Math.max(0, this.shown.value.length + 1 - MAX_SHOWN));
    for (const { id } of over) this.dismiss(id);
    this.shown.value = [...this.shown.value, notice];
    this.#expire(notice.id);
  }

  #expire(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.set(
      id,
      setTimeout(() => this.dismiss(id), SHOWN_MS),
    );
  }
}
