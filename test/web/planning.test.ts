/** A week planned from beginning to end: with the mouse, with the keyboard, and by touch at 390 px; the actions of each are counted (docs: web, "Planning a week"). */
import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Locator, Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { card, dayFromNow, dragCard, NARROW, ServedPage, whenOffered } from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";
const ORDER = "_projects/Kitchen/Order paint.md";
const REPORT = "_areas/Work/Write the report.md";
const TITLES = Array.from({ length: 5 }, (_, at) => `Plan ${String.fromCharCode(65 + at)}${at}`);

/** One press, click, tap, swipe, drag or typed line is one action. */
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
    await this.#page.keyboard.type(text);
  }

  async drag(from: Locator, to: Locator): Promise<void> {
    this.count++;
    await dragCard(this.#page, from, to, [50, 300]);
  }

  /** A finger's way over a card, in pixels. */
  async swipe(over: Locator, by: number): Promise<void> {
    this.count++;
    await over.scrollIntoViewIfNeeded();
    // What is near is laid out with the next frames, and may move it.
    await this.#page.waitForTimeout(300);
    const { x = 0, y = 0, width = 0 } = (await over.boundingBox()) ?? {};
    const session = await this.#page.context().newCDPSession(this.#page);
    const touch = (type: string, at: number) => {
      const touchPoints = type === "touchEnd" ? [] : [{ x: x + width / 2 + at, y: y + 12 }];
      return session.send("Input.dispatchTouchEvent", { type: type as "touchStart", touchPoints });
    };
    await touch("touchStart", 0);
    for (let step = 1; step <= 5; step++) await touch("touchMove", (by * step) / 5);
    // A finger that rests at the end throws nothing: browsers take a tap during a throw for its end.
    await this.#page.waitForTimeout(200);
    await touch("touchMove", by);
    await touch("touchEnd", by);
    await session.detach();
    // Browsers take a tap right after a swipe for its end.
    await this.#page.waitForTimeout(500);
  }
}

inChromium("test/web/planning.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  beforeAll(async () => (served = await ServedPage.open(chromium)));
  afterAll(() => served.close());
  beforeEach(() => {
    served.restore();
    for (const title of TITLES) served.remove(`_projects/${title}.md`);
  });
  afterEach(() => served.closePages());

  const [one = "", two = ""] = TITLES;
  const undated = (title: string) => page.locator("[aria-labelledby='section-undated'] .card", { hasText: title });
  const on = (day: number) => page.locator(`[aria-labelledby="section-${dayFromNow(day)}"]`);
  const undoButton = () =>
    page.locator(".notice", { hasText: "Order paint: Done" }).getByRole("button", { name: "Undo" });
  const reviewed = () => page.getByRole("heading", { level: 1, name: "Review" }).waitFor();
  const isDue = (path: string, day: number) =>
    expect.poll(() => served.read(path)).toContain(`due: ${dayFromNow(day)}`);
  const isOrdered = (status: string) => expect.poll(() => served.read(ORDER)).toContain(`status: ${status}`);

  /** The same plan by all means: what follows is done by mouse, keyboard or finger. */
  async function capture(hands: Hands, field: string): Promise<void> {
    for (const title of TITLES) {
      await hands.type(title);
      await hands.press("Enter");
      await expect.poll(() => page.locator(field).inputValue()).toBe("");
    }
    await expect.poll(() => existsSync(served.vault.at(`_projects/${TITLES.at(-1)}.md`))).toBe(true);
  }

  it("with the mouse takes at most 30 actions", { timeout: 600_000 }, async () => {
    page = await served.page({ at: "#/today", size: { width: 1280, height: 1000 } });
    await whenOffered(page);
    const hands = new Hands(page);
    await hands.point(page.locator("#quick-add"));
    await capture(hands, "#quick-add");
    await hands.point(page.getByRole("button", { name: "Move all to today" }));
    await isDue(PAINT, 0);
    await hands.point(page.getByRole("link", { name: "Week" }));
    for (const title of [one, two]) {
      await hands.drag(undated(title), on(1));
      await isDue(`_projects/${title}.md`, 1);
      await undated(title).waitFor({ state: "detached" });
    }
    await hands.drag(on(0).locator(".card", { hasText: "Paint the wall" }), on(3));
    await isDue(PAINT, 3);
    await hands.drag(on(2).locator(".card", { hasText: "Write the report" }), on(4));
    await isDue(REPORT, 4);
    await hands.point(on(3).locator(".card-title", { hasText: "Paint the wall" }));
    await hands.point(page.getByRole("button", { name: "Add a task it waits for" }));
    await hands.type("Order paint");
    await hands.point(page.locator(".hit", { hasText: "Order paint" }).first());
    await expect.poll(() => served.read(PAINT)).toContain("blockedBy:");
    await hands.point(page.locator("dialog.drawer .close"));
    await hands.point(card(page, "Order paint").getByRole("button", { name: /^Complete/ }));
    await isOrdered("Done");
    await hands.point(undoButton());
    await isOrdered("In Progress");
    await hands.point(page.getByRole("link", { name: "Review" }));
    await reviewed();
    expect(hands.count).toBeLessThanOrEqual(30);
  });

  it("with the keyboard takes at most 45 actions", { timeout: 600_000 }, async () => {
    page = await served.page({ at: "#/today" });
    await whenOffered(page);
    const hands = new Hands(page);
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
    const hasFocus = (title: string) => expect.poll(focused).toBe(title);
    await hands.press("n");
    await capture(hands, "dialog textarea");
    await hands.press("Escape", "Control+k");
    await hands.type("overdue");
    await page.locator(".hit", { hasText: "Move all overdue" }).waitFor();
    await hands.press("Enter");
    await isDue(PAINT, 0);
    await hands.press("g", "w");
    await undated(two).waitFor();
    await hands.press("ArrowDown", "Shift+ArrowDown", "d");
    await page.locator("dialog.ask input:focus").waitFor();
    await hands.type("tomorrow");
    await hands.press("Enter");
    await expect.poll(() => on(1).locator(".card").count()).toBe(2);
    // The focus follows what was moved.
    await expect.poll(() => on(1).locator(":focus").count()).toBe(1);
    await hands.press("ArrowLeft");
    await hasFocus("Order paint");
    await hands.press("ArrowDown");
    await hasFocus("Paint the wall");
    await hands.press("Shift+ArrowRight");
    await isDue(PAINT, 1);
    await on(1).locator(":focus", { hasText: "Paint the wall" }).waitFor();
    await hands.press("ArrowRight");
    await hasFocus("Write the report");
    await hands.press("Shift+ArrowRight");
    await isDue(REPORT, 3);
    await on(3).locator(":focus", { hasText: "Write the report" }).waitFor();
    await hands.press("b");
    await page.locator("dialog.search-dialog input:focus").waitFor();
    await hands.type("Order paint");
    await page.locator(".hit", { hasText: "Order paint" }).first().waitFor();
    await hands.press("Enter");
    await expect.poll(() => served.read(REPORT)).toContain("blockedBy:");
    await on(3).locator(":focus", { hasText: "Write the report" }).waitFor();
    await hands.press("ArrowLeft", "ArrowLeft");
    await hasFocus("Order paint");
    await hands.press("Space");
    await isOrdered("Done");
    await undoButton().waitFor();
    await hands.press("z");
    await isOrdered("In Progress");
    await hands.press("g", "r");
    await reviewed();
    expect(hands.count).toBeLessThanOrEqual(45);
  });

  it("by touch at 390 px takes at most 30 actions", { timeout: 600_000 }, async () => {
    page = await served.page({ at: "#/today", size: NARROW, isTouch: true });
    await whenOffered(page);
    const hands = new Hands(page, true);
    await hands.point(page.locator("#quick-add"));
    await capture(hands, "#quick-add");
    await hands.point(page.getByRole("button", { name: "Move all to today" }));
    await isDue(PAINT, 0);
    await hands.point(page.getByRole("link", { name: "Week" }));
    const plan = async (swiped: Locator, day: string) => {
      await hands.swipe(swiped, -150);
      await hands.point(page.locator("dialog.ask").getByRole("button", { name: day, exact: true }));
    };
    for (const title of [one, two]) {
      await plan(undated(title), "Tomorrow");
      await isDue(`_projects/${title}.md`, 1);
      await undated(title).waitFor({ state: "detached" });
    }
    await plan(on(0).locator(".card", { hasText: "Paint the wall" }), "Tomorrow");
    await isDue(PAINT, 1);
    await plan(on(2).locator(".card", { hasText: "Write the report" }), "Tomorrow");
    await isDue(REPORT, 1);
    await hands.point(on(1).locator(".card-title", { hasText: "Paint the wall" }));
    await hands.point(page.getByRole("button", { name: "Add a task it waits for" }));
    await hands.type("Order paint");
    await hands.point(page.locator(".hit", { hasText: "Order paint" }).first());
    await expect.poll(() => served.read(PAINT)).toContain("blockedBy:");
    await hands.point(page.locator("dialog.drawer .close"));
    await hands.swipe(card(page, "Order paint"), 150);
    await isOrdered("Done");
    await hands.point(undoButton());
    await isOrdered("In Progress");
    await hands.point(page.getByRole("link", { name: "Review" }));
    await reviewed();
    expect(hands.count).toBeLessThanOrEqual(30);
  });
});
