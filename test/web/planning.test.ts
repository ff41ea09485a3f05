/** A week planned from beginning to end: with the mouse, with the keyboard, and by touch at 390 px; the actions of each are counted (docs: web, "Planning a week"). */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Locator, Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { card, dayFromNow, dragCard, NARROW, ServedPage, whenOffered } from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";
const TITLES = Array.from({ length: 5 }, (_, at) => `Plan ${String.fromCharCode(65 + at)}${at}`);

/** One press, click, tap, drag or typed line is one action. */
class Hands {
  count = 0;
  readonly #page: Page;
  readonly #isTouch: boolean;

  constructor(page: Page, isTouch = false) {
    this.#page = page;
    this.#isTouch = isTouch;
  }

  async point(at: Locator): Promise<void> {
    this.count++;
    await (this.#isTouch ? at.tap() : at.click());
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.count++;
      await this.#page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    this.count++;
    await this.#page.keyboard.insertText(text);
  }

  async drag(from: Locator, to: Locator): Promise<void> {
    this.count++;
    await dragCard(this.#page, from, to, [50, 300]);
  }

  async choose(select: Locator, value: string): Promise<void> {
    // A select is opened, and its option chosen.
    this.count += 2;
    await select.selectOption(value);
  }
}

inChromium("test/web/planning.test.ts", (executablePath) => {
  let served: ServedPage;
  let page: Page;
  beforeAll(async () => (served = await ServedPage.open(executablePath)));
  afterAll(() => served.close());
  beforeEach(() => {
    served.restore();
    for (const title of TITLES) served.remove(`_projects/${title}.md`);
  });
  afterEach(() => served.closePages());

  const noteOf = (title: string) => served.read(`_projects/${title}.md`);
  const undoButton = () => page.locator(".notice", { hasText: "Order paint" }).getByRole("button", { name: "Undo" });
  const reviewed = () => page.getByRole("heading", { level: 1, name: "Review" }).waitFor();

  /** Goes on by a key until a wanted task has the focus. @returns its title */
  async function seek(hands: Hands, key: string, isWanted: (title: string) => boolean): Promise<string> {
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
    if (await page.evaluate<boolean>("document.activeElement === document.body")) await hands.press("ArrowDown");
    for (let tries = 0; tries < 30 && !isWanted(await focused()); tries++) await hands.press(key);
    return await focused();
  }

  it("with the mouse", { timeout: 180_000 }, async () => {
    page = await served.page({ at: "#/today", size: { width: 1280, height: 1000 } });
    await whenOffered(page);
    const hands = new Hands(page);
    await hands.point(page.locator("#quick-add"));
    for (const title of TITLES) {
      await hands.type(title);
      await hands.point(page.getByRole("button", { name: "Add", exact: true }));
      await expect.poll(() => page.locator("#quick-add").inputValue()).toBe("");
      await hands.point(page.locator("#quick-add"));
    }
    await hands.point(page.getByRole("button", { name: "Move all to today" }));
    await expect.poll(() => served.read(PAINT)).toContain(`due: ${dayFromNow(0)}`);
    await hands.point(page.getByRole("link", { name: "Week" }));
    const today = page.locator(`[aria-labelledby="day-${dayFromNow(0)}"]`);
    for (const title of TITLES) {
      const one = page.locator("[aria-labelledby='day-undated'] .card", { hasText: title });
      await hands.drag(one, today);
      await expect.poll(() => noteOf(title)).toContain(`due: ${dayFromNow(0)}`);
      // What leaves the list moves the next.
      await one.waitFor({ state: "detached" });
    }
    await hands.point(page.getByRole("link", { name: "Board" }));
    await hands.choose(page.getByLabel("Groups"), "project");
    await page.getByRole("region", { name: "Kitchen", exact: true }).waitFor();
    await hands.point(card(page, "Order paint").getByRole("button", { name: /^Complete/ }));
    await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain("status: Done");
    await hands.point(undoButton());
    await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain("status: In Progress");
    await hands.point(page.getByRole("link", { name: "Review" }));
    await reviewed();
    expect(hands.count).toBe(29);
  });

  it("with the keyboard", { timeout: 180_000 }, async () => {
    page = await served.page({ at: "#/today" });
    await whenOffered(page);
    const hands = new Hands(page);
    await hands.press("n");
    for (const title of TITLES) {
      await hands.type(title);
      await hands.press("Enter");
      await expect.poll(() => page.locator("dialog textarea").inputValue()).toBe("");
    }
    await hands.press("Escape", "Control+k");
    await hands.type("overdue");
    await page.locator(".hit", { hasText: "Move all overdue" }).waitFor();
    await hands.press("Enter");
    await expect.poll(() => served.read(PAINT)).toContain(`due: ${dayFromNow(0)}`);
    await hands.press("g", "b");
    await card(page, "Plan A0").waitFor();
    const left = new Set(TITLES);
    while (left.size > 0) {
      const title = await seek(hands, "ArrowDown", (one) => left.has(one));
      await hands.press("d");
      await page.locator("dialog.ask input:focus").waitFor();
      const days = left.size;
      await hands.type(`in ${days} days`);
      await hands.press("Enter");
      await expect.poll(() => noteOf(title)).toContain(`due: ${dayFromNow(days)}`);
      await page.locator(".notice", { hasText: `${title}:` }).waitFor();
      left.delete(title);
    }
    await hands.press("Control+k");
    await hands.type("by project");
    await page.locator(".hit", { hasText: "by project" }).waitFor();
    await hands.press("Enter");
    await page.getByRole("region", { name: "Kitchen", exact: true }).waitFor();
    await card(page, "Order paint").waitFor();
    // The focus stays on the card planned last, in a later group, or is nowhere.
    const isNowhere = await page.evaluate<boolean>("document.activeElement === document.body");
    await seek(hands, isNowhere ? "ArrowRight" : "ArrowLeft", (one) => one === "Order paint");
    await hands.press("Space");
    await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain("status: Done");
    await page.locator(".notice", { hasText: "Order paint" }).waitFor();
    await hands.press("z");
    await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain("status: In Progress");
    await hands.press("g", "r");
    await reviewed();
    expect(hands.count).toBeLessThanOrEqual(60);
  });

  it("by touch at 390 px", { timeout: 180_000 }, async () => {
    page = await served.page({ at: "#/today", size: NARROW, isTouch: true });
    await whenOffered(page);
    const hands = new Hands(page, true);
    await hands.point(page.locator("#quick-add"));
    for (const title of TITLES) {
      await hands.type(title);
      await hands.point(page.getByRole("button", { name: "Add", exact: true }));
      await expect.poll(() => page.locator("#quick-add").inputValue()).toBe("");
      await page.locator("#quick-add").focus();
    }
    await hands.point(page.getByRole("button", { name: "Move all to today" }));
    await expect.poll(() => served.read(PAINT)).toContain(`due: ${dayFromNow(0)}`);
    await hands.point(page.getByRole("link", { name: "Week" }));
    for (const title of TITLES) {
      const one = page.locator("[aria-labelledby='day-undated'] .card", { hasText: title });
      await hands.point(one.locator(".more"));
      await hands.point(page.getByRole("menuitem", { name: "Tomorrow" }));
      await expect.poll(() => noteOf(title)).toContain(`due: ${dayFromNow(1)}`);
      await one.waitFor({ state: "detached" });
    }
    await hands.point(page.getByRole("link", { name: "Board" }));
    await hands.choose(page.getByLabel("Groups"), "project");
    await page.getByRole("region", { name: "Kitchen", exact: true }).waitFor();
    await hands.point(card(page, "Order paint").getByRole("button", { name: /^Complete/ }));
    await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain("status: Done");
    await hands.point(undoButton());
    await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain("status: In Progress");
    await hands.point(page.getByRole("link", { name: "Review" }));
    await reviewed();
    expect(hands.count).toBe(29);
  });
});
