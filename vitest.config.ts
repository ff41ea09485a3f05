import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst, PAGE_TESTS } from "./test/kit/longest-first.js";

/** Tests of one kind. Both kinds share the workers, so that those that wait leave the processors to those that work. */
function kind(name: string, include: string[], exclude: string[], more: { globalSetup?: string } = {}) {
  return {
    extends: true as const,
    test: { name, include, exclude: [...configDefaults.exclude, ...exclude], ...more },
  };
}

export default defineConfig({
  test: {
    // Test files share their workers, so that each worker loads the product and the test kit once.
    isolate: false,
    setupFiles: ["./test/kit/said-equals-text.ts"],
    // Two cores are busy with two tests that work and any number that wait.
    maxWorkers: 4,
    // Far above what a busy machine needs: they end what would never end.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // A larger young generation: collecting the garbage of tests took a fifth of their processor time.
    execArgv: ["--max-semi-space-size=64"],
    env: { TZ: "UTC" },
    // Keeps transformed sources, by content, in node_modules: transforming them took a tenth of the unit tests' processor time.
    experimental: { fsModuleCache: true },
    reporters: ["default", "./test/kit/closing-line-reporter.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      kind("page", PAGE_TESTS, [], { globalSetup: "./test/kit/chromium.ts" }),
      kind("other", ["src/**/*.test.ts", "test/**/*.test.ts"], PAGE_TESTS),
    ],
  },
});
