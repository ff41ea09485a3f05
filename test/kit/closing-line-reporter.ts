/** A vitest reporter that ends the run on one plain line, `N passed, N failed`, which scripts and CI read. */
import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      let failures = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed++;
        else if (state === "failed") failures++;
        else skipped++;
      }
      // A file that cannot even be loaded has no tests to fail.
      failed += failures === 0 && module.state() === "failed" ? 1 : failures;
    }
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    process.on("exit", () => process.stdout.write(`${line}\n`));
  }
}
