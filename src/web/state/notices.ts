/** Short messages about what was done, each with a way back for as long as it stands (spec: web, section 3). */
import { signal } from "@preact/signals";

const SHOWN_MS = 10_000;
/** More are not kept on the page. */
const MOST = 4;

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
  /** Takes back what the notice tells of. */
  readonly undo: (() => Promise<void>) | undefined;
}

export class Notices {
  readonly shown = signal<readonly Notice[]>([]);
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #last = 0;

  tell(text: string, undo?: () => Promise<void>): void {
    this.#add({ id: ++this.#last, text, isFailure: false, undo });
  }

  fail(text: string): void {
    this.#add({ id: ++this.#last, text, isFailure: true, undo: undefined });
  }

  dismiss(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.shown.value = this.shown.value.filter((notice) => notice.id !== id);
  }

  /** Nothing vanishes while somebody is at it. */
  pause(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  resume(): void {
    for (const { id } of this.shown.value) this.#expire(id);
  }

  /** Takes back the newest change that still can be. @returns whether there was one */
  async undoLast(): Promise<boolean> {
    const latest = this.shown.value.findLast(({ undo }) => undo !== undefined);
    if (latest?.undo === undefined) return false;
    this.dismiss(latest.id);
    await latest.undo();
    return true;
  }

  #add(notice: Notice): void {
    const over = this.shown.value.slice(0, Math.max(0, this.shown.value.length + 1 - MOST));
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
