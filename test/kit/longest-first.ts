/** The order of the test files: the longest first, so that no core is left with one of them at the end. */
import { statSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest (half a minute and more), or the folders they are in; the others follow by size. */
const LONGEST = [
  "test/transcripts.test.ts",
  "test/web/",
  "test/livesync-",
  "test/faults/",
  "test/hostile-files.test.ts",
  "test/build.test.ts",
  "test/interop.test.ts",
  "test/web-attacks",
  "test/load/",
  "test/cli.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const ranked = files.map((file) => {
      const path = relative(root, file.moduleId).replaceAll("\\", "/");
      const place = LONGEST.findIndex((beginning) => path.startsWith(beginning));
      return { file, rank: place < 0 ? LONGEST.length : place, size: statSync(file.moduleId).size };
    });
    return ranked
      .toSorted((one, other) => (one.rank === other.rank ? other.size - one.size : one.rank - other.rank))
      .map(({ file }) => file);
  }
}
