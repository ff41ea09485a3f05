/** Each view and what lies over it, in two widths: axe-core in both themes; nothing cut, covered or unseen in any appearance (docs: web, "For everybody"). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CDPSession, Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { pageFaults } from "../kit/page-faults.js";
import { enterState, PAGE_STATES } from "../kit/page-states.js";
import { errands, NARROW, pageVault, type PageSize, ServedPage, WIDE } from "../kit/task-page.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that look at colours; what the others look at is the same in both themes. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

interface Appearance {
  readonly forcedColors?: "active";
  readonly dir?: "rtl";
  readonly fontSize?: number;
}

/** What a person, or their system, has set. Text of twice the size is the browser's own setting, which media queries follow. */
const APPEARANCES: Readonly<Record<string, Appearance>> = {
  "in forced colours": { forcedColors: "active" },
  "from right to left": { dir: "rtl" },
  "at twice the size": { fontSize: 32 },
  "from right to left at twice the size": { dir: "rtl", fontSize: 32 },
};

/** What looks after its own place hears of a change with the next frame. */
const SETTLED = "new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))";

async function show(page: Page, browser: CDPSession, { forcedColors, dir, fontSize = 16 }: Appearance): Promise<void> {
  await page.emulateMedia({ colorScheme: "light", forcedColors: forcedColors ?? "none" });
  await page.evaluate(`document.documentElement.dir = "${dir ?? "ltr"}"`);
  await browser.send("Page.setFontSizes", { fontSizes: { standard: fontSize } });
  await page.evaluate(SETTLED);
}

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
    let browser: CDPSession;
    beforeAll(async () => {
      page = await served.page({ size, letsScriptsIn: true });
      browser = await page.context().newCDPSession(page);
    });
    afterAll(() => served.closePages());
    beforeEach(() => {
      for (const [path, text] of Object.entries(pageVault())) served.write(path, text);
    });

    it.each(PAGE_STATES)("%s: no violation in light or dark, nothing cut, covered or unseen", async (_, at, act) => {
      await show(page, browser, {});
      await enterState(page, at, act);
      await page.evaluate(SETTLED);
      const found: Record<string, readonly string[]> = { "as it is": await pageFaults(page) };
      await page.evaluate(AXE);
      expect(await violations(page, { type: "tag", values: TAGS })).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, { type: "rule", values: OF_COLOURS })).toEqual([]);
      for (const [name, appearance] of Object.entries(APPEARANCES)) {
        await show(page, browser, appearance);
        found[name] = await pageFaults(page);
      }
      expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([]);
    });
  });
});
