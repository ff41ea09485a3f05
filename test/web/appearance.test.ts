/** How the page stands for those who see it otherwise: forced colours, text of twice the size, right to left (docs: web, "For everybody"). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CDPSession, Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { pageFaults, unseenStops } from "../kit/page-faults.js";
import { enterState, PAGE_STATES } from "../kit/page-states.js";
import {
  card,
  errands,
  column,
  NARROW,
  pageVault,
  type PageSize,
  ServedPage,
  WIDE,
  whenOffered,
} from "../kit/task-page.js";

interface Appearance {
  readonly forcedColors?: "active";
  readonly dir?: "rtl";
  readonly fontSize?: number;
}

/** What a person, or their system, has set. Text of twice the size is the browser's own setting, which media queries follow. */
const APPEARANCES: Readonly<Record<string, Appearance>> = {
  "as it is": {},
  "in forced colours": { forcedColors: "active" },
  "from right to left": { dir: "rtl" },
  "at twice the size": { fontSize: 32 },
  "from right to left at twice the size": { dir: "rtl", fontSize: 32 },
};

async function show(page: Page, browser: CDPSession, { forcedColors, dir, fontSize = 16 }: Appearance): Promise<void> {
  await page.emulateMedia({ forcedColors: forcedColors ?? "none" });
  await page.evaluate(`document.documentElement.dir = "${dir ?? "ltr"}"`);
  await browser.send("Page.setFontSizes", { fontSizes: { standard: fontSize } });
  // What looks after its own place hears of it with the next frame.
  await page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))");
}

inChromium("test/web/appearance.test.ts", (executablePath) => {
  let served: ServedPage;
  beforeAll(
    async () =>
      (served = await ServedPage.open(executablePath, { files: { ...pageVault(), ...errands(60, "status: To Do") } })),
  );
  afterAll(() => served.close());
  afterEach(({ task }) => (task.suite?.name.startsWith("{") ? undefined : served.closePages()));

  const sizes: readonly PageSize[] = [WIDE, NARROW];
  describe.each(sizes)("%o", (size) => {
    let page: Page;
    let browser: CDPSession;
    beforeAll(async () => {
      page = await served.page({ size });
      browser = await page.context().newCDPSession(page);
    });
    beforeEach(() => {
      for (const [path, text] of Object.entries(pageVault())) served.write(path, text);
    });
    afterAll(() => served.closePages());

    it.each(PAGE_STATES)("%s: nothing is cut, covered or unseen", async (_, at, act) => {
      await show(page, browser, {});
      await enterState(page, at, act);
      const found: Record<string, readonly string[]> = {};
      for (const [name, appearance] of Object.entries(APPEARANCES)) {
        await show(page, browser, appearance);
        const faults = await pageFaults(page);
        if (faults.length > 0) found[name] = faults;
      }
      expect(found).toEqual({});
    });
  });

  it.each(["none", "active"] as const)("shows where the focus is, with forced colours: %s", async (forcedColors) => {
    const page = await served.page();
    await page.emulateMedia({ forcedColors });
    for (const [at, stops] of [
      ["#/today", 14],
      ["#/board", 18],
      ["#/projects", 12],
      ["#/review", 16],
      ["#/board?task=paint", 18],
    ] as const) {
      await page.goto(`${served.url}/${at}`);
      await page.reload();
      await whenOffered(page);
      expect(await unseenStops(page, stops), at).toEqual([]);
    }
  });

  it.each([
    ["is cut", ".card-title { display: block; inline-size: 2rem; white-space: nowrap; -webkit-line-clamp: none }"],
    ["lie over each other", ".facts { margin-block-start: -1.2rem }"],
    ["the page scrolls sideways", "main { inline-size: 120vw }"],
    ["cannot be hit", ".filters { pointer-events: none }"],
    ["has no size", ".tools button { inline-size: 0; min-inline-size: 0; padding: 0; border: 0 }"],
    ["is too narrow for its text", ".add-button { inline-size: 3rem }"],
    ["has the colour of its ground", ".tools .icon { stroke: var(--surface) }"],
    ["focus", "* { outline: none !important }"],
  ])("would find it broken: %s", async (fault, style) => {
    const page = await served.page({ letsScriptsIn: true });
    await whenOffered(page);
    await card(page, "Paint the wall").waitFor();
    await page.addStyleTag({ content: style });
    if (fault === "focus") expect(await unseenStops(page, 4)).not.toEqual([]);
    else expect((await pageFaults(page)).join("\n")).toContain(fault);
  });

  it("goes the other way from right to left: columns, keys, the drawer", async () => {
    const page = await served.page();
    await whenOffered(page);
    await page.evaluate("document.documentElement.dir = 'rtl'");
    await column(page, "In Progress").locator(".card", { hasText: "Order paint" }).waitFor();
    await card(page, "Paint the wall").locator(".card-title").focus();
    const [first, second] = [
      await column(page, "To Do").boundingBox(),
      await column(page, "In Progress").boundingBox(),
    ];
    expect(first?.x).toBeGreaterThan(second?.x ?? 0);
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    await page.keyboard.press("ArrowLeft");
    expect(await focused()).toBe("Order paint");
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toBe("Paint the wall");
    await page.keyboard.press("Shift+ArrowLeft");
    await column(page, "In Progress").locator(".card", { hasText: "Paint the wall" }).waitFor();
    await page.keyboard.press("Enter");
    const drawer = page.locator("dialog.drawer");
    await drawer.waitFor();
    expect((await drawer.boundingBox())?.x).toBe(0);
  });
});
