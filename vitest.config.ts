import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/kit/longest-first.js";

/** Suites without side effects on their process share workers, so that what they import is loaded once. */
const SHARING = [
  "src/{async,calendar,dates,files,history,index,links,markdown,notes,prompts,search,tasks,templates,text,tools,vault}/**/*.test.ts",
  "src/storage/filesystem/*.test.ts",
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    // Much of the check waits for processes and clocks: a worker more than there are cores.
    maxWorkers: availableParallelism() + 1,
    env: { TZ: "UTC" },
    reporters: ["default", "./test/kit/closing-line-reporter.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "own",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: SHARING,
        },
      },
      { extends: true, test: { name: "shared", include: SHARING, isolate: false } },
    ],
  },
});
