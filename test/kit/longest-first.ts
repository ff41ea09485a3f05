/**
 * The order of the test files: those of the page first, as workers start again where the kind changes; then the longest, so that no core
 * is left with one of them at the end.
 */
import { statSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that share the run's Chromium. */
export const PAGE_TESTS = ["test/web/*.test.ts", "test/*-browser.test.ts", "test/sign-in-program.test.ts"];

/** Files that take longest, or the folders they are in; the others follow by size. */
const LONGEST = [
  "test/deployment.test.ts",
  "test/livesync-cluster",
  "test/interop.test.ts",
  "test/livesync-failures.test.ts",
  "test/sign-in-attacks.test.ts",
  "test/index-robustness.test.ts",
  "test/web/accessibility.test.ts",
  "test/web/direct.test.ts",
  "test/transcripts.test.ts",
  "test/faults/",
  "test/hostile-",
  "test/load/",
  "test/cli.test.ts",
  "test/build.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const ranked = files.map((file) => {
      const path = relative(root, file.moduleId).replaceAll("\\", "/");
      const place = LONGEST.findIndex((beginning) => path.startsWith(beginning));
      const isOfPage = file.project.name === "page";
      return {
        file,
        rank: isOfPage ? place - LONGEST.length : place < 0 ? LONGEST.length : place,
        size: statSync(file.moduleId).size,
      };
    });
    return ranked
      .toSorted((one, other) => (one.rank === other.rank ? other.size - one.size : one.rank - other.rank))
      .map(({ file }) => file);
  }
}
