/** A vitest reporter that names what passed at the second try only, and ends the run on one plain line, `N passed, N failed`, which scripts and CI read. */
import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    const lines: string[] = [];
    for (const module of modules) {
      let failures = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (test.diagnostic()?.flaky)
          lines.push(`passed at the second try: ${module.relativeModuleId}: ${test.fullName}`);
        if (state === "passed") passed++;
        else if (state === "failed") failures++;
        else skipped++;
      }
      // A file that cannot even be loaded has no tests to fail.
      failed += failures === 0 && module.state() === "failed" ? 1 : failures;
    }
    lines.push(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
    process.on("exit", () => process.stdout.write(`${lines.join("\n")}\n`));
  }
}
