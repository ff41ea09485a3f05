import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/kit/longest-first.js";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Test files share their workers, so that each worker loads the product and the test kit once.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // Much of the check waits for processes and clocks: a worker more than there are cores.
    maxWorkers: availableParallelism() + 1,
    // A larger young generation: collecting the garbage of tests took a fifth of their processor time.
    execArgv: ["--max-semi-space-size=64"],
    env: { TZ: "UTC" },
    // Keeps transformed sources, by content, in node_modules: transforming them took a tenth of the unit tests' processor time.
    experimental: { fsModuleCache: true },
    reporters: ["default", "./test/kit/closing-line-reporter.ts"],
    sequence: { sequencer: LongestFirst },
  },
});
