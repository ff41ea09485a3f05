/** How the page stands for those who see it otherwise: forced colours, text of twice the size, right to left (docs: web, "For everybody"). */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { inChromium } from "../kit/chromium.js";
import { pageFaults, unseenStops } from "../kit/page-faults.js";
import { card, column, load, NARROW, ServedPage, whenOffered } from "../kit/task-page.js";

inChromium("test/web/appearance.test.ts", (chromium) => {
  let served: ServedPage;
  beforeAll(async () => (served = await ServedPage.open(chromium)));
  afterAll(() => served.close());
  afterEach(() => served.closePages());

  it("shows where the focus is, in forced colours too", async () => {
    const page = await served.page();
    for (const [at, stops] of [
      ["#/today", 15],
      ["#/board", 19],
      ["#/projects", 13],
      ["#/review", 17],
      ["#/board?task=paint", 19],
    ] as const) {
      await load(page, at);
      await whenOffered(page);
      expect(await unseenStops(page, "Tab", stops), at).toEqual([]);
      await page.emulateMedia({ forcedColors: "active" });
      expect(await unseenStops(page, "Shift+Tab", stops - 1), `${at} in forced colours`).toEqual([]);
      await page.emulateMedia({ forcedColors: "none" });
    }
  });

  it("would find it broken", async () => {
    const page = await served.page({ letsScriptsIn: true });
    await whenOffered(page);
    await card(page, "Paint the wall").waitFor();
    for (const [fault, content] of [
      ["is cut", ".card-title { display: block; inline-size: 2rem; white-space: nowrap; -webkit-line-clamp: none }"],
      ["lie over each other", ".facts { margin-block-start: -1.2rem }"],
      ["the page scrolls sideways", "main { inline-size: 120vw }"],
      ["cannot be hit", ".filters { pointer-events: none }"],
      ["has no size", ".tools button { inline-size: 0; min-inline-size: 0; padding: 0; border: 0 }"],
      ["is too narrow for its text", ".add-button { inline-size: 3rem }"],
      ["has the colour of its ground", ".tools .icon { stroke: var(--surface) }"],
    ] as const) {
      expect((await pageFaults(page)).join("\n")).not.toContain(fault);
      await page.addStyleTag({ content });
      expect((await pageFaults(page)).join("\n")).toContain(fault);
      await page.evaluate("[...document.querySelectorAll('style')].at(-1).remove()");
    }
    await page.addStyleTag({ content: "* { outline: none !important }" });
    expect(await unseenStops(page, "Tab", 4)).not.toEqual([]);
  });

  it("keeps what a dialog says inside of it in a narrow window", async () => {
    const page = await served.page({ size: NARROW });
    await whenOffered(page);
    await page.keyboard.press("?");
    const [frame, body] = [page.locator("dialog"), page.locator("dialog .dialog-body")];
    const ends = async (part: typeof frame) => {
      const { y, height } = (await part.boundingBox()) ?? { y: 0, height: 0 };
      return y + height;
    };
    // The frame has a border of one pixel.
    expect(await ends(body)).toBeLessThanOrEqual((await ends(frame)) + 1);
  });

  it("offers no list of keys where nothing hovers", async () => {
    const page = await served.page({ size: NARROW, isTouch: true });
    await whenOffered(page);
    expect(await page.getByRole("button", { name: "Keyboard shortcuts" }).count()).toBe(0);
    await page.getByRole("button", { name: "Search" }).tap();
    await page.locator(".hit", { hasText: "Go to Week" }).waitFor();
    expect(await page.locator(".hit", { hasText: "Keyboard shortcuts" }).count()).toBe(0);
    expect(await page.locator("kbd:visible").count()).toBe(0);
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
