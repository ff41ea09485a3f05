import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./test/kit/longest-first.js";

/** Tests that wait for processes, servers and clocks most of their time. */
const WAITING = [
  "test/livesync-*.test.ts",
  "test/deployment.test.ts",
  "test/interop*.test.ts",
  "test/index-robustness.test.ts",
  "test/sign-in-attacks.test.ts",
  "test/*-process.test.ts",
  "test/freshness.test.ts",
  "src/index/model.test.ts",
  "src/server/**/*.test.ts",
];
/** Tests that share the run's Chromium. */
const PAGE = ["test/web/*.test.ts", "test/*-browser.test.ts", "test/sign-in-program.test.ts"];
const ALL = ["src/**/*.test.ts", "test/**/*.test.ts"];

/** A group of tests; the groups run one after the other. */
function group(name: string, order: number, maxWorkers: number, include: string[], exclude: string[] = []) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      exclude: [...configDefaults.exclude, ...exclude],
      maxWorkers,
      sequence: { groupOrder: order },
      ...(include === PAGE && { globalSetup: "./test/kit/chromium.ts" }),
    },
  };
}

export default defineConfig({
  test: {
    // Test files share their workers, so that each worker loads the product and the test kit once.
    isolate: false,
    setupFiles: ["./test/kit/said-equals-text.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // A larger young generation: collecting the garbage of tests took a fifth of their processor time.
    execArgv: ["--max-semi-space-size=64"],
    env: { TZ: "UTC" },
    // Keeps transformed sources, by content, in node_modules: transforming them took a tenth of the unit tests' processor time.
    experimental: { fsModuleCache: true },
    reporters: ["default", "./test/kit/closing-line-reporter.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      group("waiting", 0, 4, WAITING),
      group("page", 1, 2, PAGE),
      group("working", 2, 2, ALL, [...WAITING, ...PAGE]),
    ],
  },
});
