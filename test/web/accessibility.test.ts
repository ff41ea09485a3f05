/** Each view and what lies over it, at both widths and in both themes: axe-core finds nothing; nothing is cut, covered or unseen in any appearance (docs: web, "For everybody"). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CDPSession, Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { pageFaults } from "../kit/page-faults.js";
import { enterState, LONG_STATES, PAGE_STATES } from "../kit/page-states.js";
import { errands, NARROW, pageVault, type PageSize, ServedPage, WIDE } from "../kit/task-page.js";
import { LONG } from "../kit/fuzz.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

interface Look {
  readonly size: PageSize;
  readonly theme?: "dark";
  readonly forcedColors?: "active";
  readonly dir?: "rtl";
  /** Of the browser's own text, which media queries follow; 32 is twice the size. */
  readonly fontSize?: number;
  readonly rules?: boolean;
}

/**
 * The rules at both widths and in both themes; each width, direction and size of text together with each of the others once. A short
 * check shows each state in two of them, one with the rules; its neighbours in the others.
 */
const LOOKS: Readonly<Record<string, Look>> = {
  "narrow and dark": { size: NARROW, theme: "dark", rules: true },
  "narrow, from right to left": { size: NARROW, dir: "rtl" },
  "narrow, at twice the size": { size: NARROW, fontSize: 32 },
  "wide, from right to left at twice the size": { size: WIDE, dir: "rtl", fontSize: 32 },
  "wide, in forced colours": { size: WIDE, forcedColors: "active" },
  "wide and light": { size: WIDE, rules: true },
};

/** @returns the two looks of a short check for the state of a number, one of them with the rules */
function looksOf(state: number): readonly string[] {
  const withRules = Object.keys(LOOKS).filter((name) => LOOKS[name]?.rules);
  const others = Object.keys(LOOKS).filter((name) => !LOOKS[name]?.rules);
  return [withRules, others].flatMap((names) => names[state % names.length] ?? []);
}

/** What looks after its own place hears of a change with the next frame. */
const SETTLED = "new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))";

async function show(page: Page, browser: CDPSession, look: Look): Promise<void> {
  const { size, theme = "light", forcedColors = "none", dir = "ltr", fontSize = 16 } = look;
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: theme, forcedColors });
  await page.evaluate(`document.documentElement.dir = "${dir}"`);
  await browser.send("Page.setFontSizes", { fontSizes: { standard: fontSize } });
  await page.evaluate(SETTLED);
}

/** @returns what the rules of axe find */
async function violations(page: Page): Promise<readonly string[]> {
  // No control below the bar that stays.
  await page.evaluate("scrollTo(0, 0)");
  return await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ["violations"] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(" | "))))`,
  );
}

const VAULTS = [
  { vault: "a short vault", files: pageVault(), states: PAGE_STATES },
  { vault: "a long vault", files: { ...pageVault(), ...errands(60, "status: To Do") }, states: LONG_STATES },
];

inChromium("test/web/accessibility.test.ts", (chromium) => {
  describe.each(VAULTS)("of $vault", ({ files, states }) => {
    let served: ServedPage;
    let page: Page;
    let browser: CDPSession;
    beforeAll(async () => {
      served = await ServedPage.open(chromium, { files });
      page = await served.page({ size: NARROW, letsScriptsIn: true });
      browser = await page.context().newCDPSession(page);
    });
    afterAll(() => served.close());
    beforeEach(() => served.restore());

    it.each(states)("%s: no violation, nothing cut, covered or unseen", async (name, at, act) => {
      const shown = LONG ? Object.keys(LOOKS) : looksOf(states.findIndex(([other]) => other === name));
      await show(page, browser, { size: NARROW });
      await enterState(page, at, act);
      await page.evaluate(AXE);
      const found: [look: string, faults: readonly string[]][] = [];
      for (const name of shown) {
        const look = LOOKS[name] ?? { size: WIDE };
        await show(page, browser, look);
        found.push([name, [...(await pageFaults(page)), ...(look.rules ? await violations(page) : [])]]);
      }
      expect(found.filter(([, faults]) => faults.length > 0)).toEqual([]);
    });
  });
});
