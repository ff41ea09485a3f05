import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    // Much of the check waits for processes and clocks: a worker for each core, not one less.
    maxWorkers: "100%",
    env: { TZ: "UTC" },
    reporters: ["default", "./test/kit/closing-line-reporter.ts"],
  },
});
