/** Reports a call's progress: none for short work, then regularly. */
import type { ToolContext } from "../tools/workspace.js";

export type CallProgress = Parameters<NonNullable<ToolContext["onProgress"]>>[0];

export interface ProgressPace {
  readonly afterMs: number;
  readonly everyMs: number;
}

export interface ProgressReporter {
  readonly report: (progress: CallProgress) => void;
  readonly stop: () => void;
}

/** MCP requires increasing values. */
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
