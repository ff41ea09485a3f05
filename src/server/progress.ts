/** Progress of one call: nothing for short work, then a report now and again, and none after the answer. */
import type { ToolContext } from "../tools/workspace.js";

export type CallProgress = Parameters<NonNullable<ToolContext["onProgress"]>>[0];

export interface ProgressPace {
  /** Milliseconds of work before the first report. */
  readonly afterMs: number;
  /** Milliseconds between reports. */
  readonly everyMs: number;
}

export interface ProgressReporter {
  readonly report: (progress: CallProgress) => void;
  /** No report goes out after this. */
  readonly stop: () => void;
}

/** Passes on what comes in at the given pace; MCP wants every report to be higher than the one before. */
export function progressReporter(send: (progress: CallProgress) => void, pace: ProgressPace): ProgressReporter {
  let last = -1;
  let latest: CallProgress | undefined;
  let due = false;
  let timer = setTimeout(open, pace.afterMs);

  function open(): void {
    due = true;
    flush();
  }
  function flush(): void {
    if (!due || latest === undefined || latest.done <= last) return;
    last = latest.done;
    due = false;
    timer = setTimeout(open, pace.everyMs);
    send(latest);
  }
  return {
    report(progress) {
      latest = progress;
      flush();
    },
    stop() {
      clearTimeout(timer);
      due = false;
      latest = undefined;
    },
  };
}
