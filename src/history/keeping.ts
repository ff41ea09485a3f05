/** Puts the undo journal together; loaded when something is first written or undone, so that reading does not pay for it. */
import { MemoryPlace } from "./memory-store.js";
import type { JournalOptions } from "./store.js";
import { Recorder, type RecorderOptions } from "./recorder.js";
import { Undoing } from "./undo.js";

export interface Journal {
  readonly recorder: Recorder;
  readonly undoing: Undoing;
}

export async function keepJournal(options: JournalOptions, context: RecorderOptions): Promise<Journal> {
  const place = typeof options.place === "function" ? await options.place() : options.place;
  const recorder = new Recorder(place ?? new MemoryPlace(), options, context);
  return { recorder, undoing: new Undoing(recorder, context.log) };
}
