/** Receives changes by one continuous request (docs: livesync, "Reading a database"). */
import { setTimeout as delay } from "node:timers/promises";
import { isVaultError } from "../../errors.js";
import { changeIn } from "./couch-answers.js";
import { isNoteId } from "./codec/document.js";
import type { Database } from "./database.js";

/** After three times as long in silence it ends. */
const HEARTBEAT_MS = 20_000;
const SILENCE_TIMEOUT_MS = 3 * HEARTBEAT_MS;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

export class Feed {
  readonly #database: Database;
  readonly #onGap: () => void;
  readonly #closing = new AbortController();
  #followers = 0;
  #listening: AbortController | undefined;

  constructor(database: Database, onGap: () => void) {
    this.#database = database;
    this.#onGap = onGap;
  }

  /** The database announces them at its next refresh. */
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
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        await this.#database.current();
        await this.#hear(signal, () => (pause = FIRST_PAUSE_MS));
      } catch (error) {
        if (!isVaultError(error)) this.#onGap();
      }
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
    }
  }

  /** Until it ends or falls silent. */
  async #hear(signal: AbortSignal, onHeard: () => void): Promise<void> {
    const silence = new AbortController();
    const ended = AbortSignal.any([signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS);
    try {
      const body = await this.#database.couch.client.stream({
        method: "GET",
        path: "_changes",
        query: { feed: "continuous", heartbeat: HEARTBEAT_MS, since: (await this.#database.couch.info()).sequence },
        signal: ended,
      });
      await this.#database.current();
      const decoder = new TextDecoder();
      let rest = "";
      for await (const bytes of body) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS);
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

/** Not chunks. An invalid line ends the feed. */
function tellsOfNote(line: string): boolean {
  if (line.trim() === "") return false;
  const row: unknown = JSON.parse(line);
  if (typeof row === "object" && row !== null && "last_seq" in row) return false;
  return isNoteId(changeIn(row).id);
}
