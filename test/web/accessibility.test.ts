/** axe-core over each view and what lies over it, in both themes and two widths (docs: web, "For everybody"). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { enterState, PAGE_STATES } from "../kit/page-states.js";
import { errands, NARROW, pageVault, type PageSize, ServedPage, WIDE } from "../kit/task-page.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that look at colours; what the others look at is the same in both themes. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

inChromium("test/web/accessibility.test.ts", (executablePath) => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await ServedPage.open(executablePath, { files: { ...pageVault(), ...errands(60, "status: To Do") } });
  });
  afterAll(() => served.close());

  async function violations(page: Page, runOnly: object): Promise<readonly string[]> {
    return await page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ["violations"] }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(" | "))))`,
    );
  }

  const sizes: readonly PageSize[] = [WIDE, NARROW];
  describe.each(sizes)("%o", (size) => {
    let page: Page;
    beforeAll(async () => (page = await served.page({ size, letsScriptsIn: true })));
    afterAll(() => served.closePages());
    beforeEach(() => {
      for (const [path, text] of Object.entries(pageVault())) served.write(path, text);
    });

    it.each(PAGE_STATES)("%s: no violation in light or dark", async (_, at, act) => {
      await page.emulateMedia({ colorScheme: "light" });
      await enterState(page, at, act);
      await page.evaluate(AXE);
      expect(await violations(page, { type: "tag", values: TAGS })).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, { type: "rule", values: OF_COLOURS })).toEqual([]);
    });
  });
});
