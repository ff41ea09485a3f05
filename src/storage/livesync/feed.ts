/** Hears of changes as they happen, for those who follow the vault: one continuous request, taken up again whenever it ends (spec: livesync, section 7). */
import { isVaultError } from "../../errors.js";
import { pausing } from "./client.js";
import { changeIn } from "./couch-answers.js";
import { isNoteId } from "./codec/document.js";
import type { Database } from "./database.js";

/** Milliseconds: a server that says nothing for three times as long is gone. */
const HEARTBEAT = 20_000;
const SILENCE = 3 * HEARTBEAT;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;

export class Feed {
  readonly #database: Database;
  readonly #onGap: () => void;
  readonly #closing = new AbortController();
  #followers = 0;
  #listening: AbortController | undefined;

  /** @param onGap is told when changes may have been made that nobody hears of */
  constructor(database: Database, onGap: () => void) {
    this.#database = database;
    this.#onGap = onGap;
  }

  /** Listens until the signal aborts; who listens hears of it by what the database announces when it is brought up to date. */
  follow(signal: AbortSignal): void {
    if (signal.aborted || this.#closing.signal.aborted) return;
    this.#followers++;
    if (!this.#listening) {
      this.#listening = new AbortController();
      void this.#listen(AbortSignal.any([this.#listening.signal, this.#closing.signal]));
    }
    const leave = (): void => {
      if (--this.#followers > 0) return;
      this.#listening?.abort();
      this.#listening = undefined;
    };
    signal.addEventListener("abort", leave, { once: true });
  }

  close(): void {
    this.#closing.abort();
  }

  async #listen(signal: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE;
    while (!signal.aborted) {
      try {
        // What happened before the feed stands is asked for; from then on it is heard.
        await this.#database.current();
        await this.#hear(signal, () => (pause = FIRST_PAUSE));
      } catch (error) {
        if (!isVaultError(error)) this.#onGap();
      }
      await pausing(pause, signal).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }

  /** Until the feed ends or falls silent. */
  async #hear(signal: AbortSignal, onHeard: () => void): Promise<void> {
    const silence = new AbortController();
    const ended = AbortSignal.any([signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE);
    try {
      const body = await this.#database.couch.client.stream({
        method: "GET",
        path: "_changes",
        query: { feed: "continuous", heartbeat: HEARTBEAT, since: (await this.#database.couch.info()).sequence },
        signal: ended,
      });
      await this.#database.current();
      const decoder = new TextDecoder();
      let rest = "";
      for await (const bytes of body) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE);
        onHeard();
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        if (lines.some(tellsOfNote)) await this.#database.current();
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Chunks say nothing of a file; a line that is no row ends the feed. */
function tellsOfNote(line: string): boolean {
  if (line.trim() === "") return false;
  const row: unknown = JSON.parse(line);
  if (typeof row === "object" && row !== null && "last_seq" in row) return false;
  return isNoteId(changeIn(row).id);
}
