/** The review in a real browser: sums, pictures with their numbers as tables, what wants a decision, and the copy as Markdown (docs: web, "Views"). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { card, column, dayFromNow, NARROW, ServedPage, taskNote, whenOffered } from "../kit/task-page.js";

const LATE = "Late *report* #1.md";

const vault = (): Record<string, string> => ({
  [LATE]: taskNote(
    `id: late\nstatus: To Do\npriority: High\ndue: ${dayFromNow(-3)}\ncreated: ${dayFromNow(-9)}\narea: Work`,
  ),
  "Waits.md": taskNote(`id: waits\nstatus: Blocked\ncreated: ${dayFromNow(-400)}\nprojects: ["[[Kitchen]]"]`),
  "Made today.md": taskNote(`id: made\nstatus: To Do\ncreated: ${dayFromNow(0)}\ndue: ${dayFromNow(5)}`),
  "Over.md": taskNote(`id: over\nstatus: Done\ncreated: ${dayFromNow(-9)}\ncompleted: ${dayFromNow(-1)}`),
  "Long over.md": taskNote(`id: long\nstatus: Done\ncreated: ${dayFromNow(-90)}\ncompleted: ${dayFromNow(-50)}`),
  "Silent.md": taskNote("id: silent\nstatus: Done"),
  "Water.md": taskNote(
    `id: water\nstatus: To Do\nrecurrence: FREQ=DAILY\nscheduled: ${dayFromNow(0)}\ncomplete_instances: [${dayFromNow(-2)}, ${dayFromNow(-1)}]`,
  ),
});

inChromium("test/web/review.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  const errors: string[] = [];
  beforeAll(async () => (served = await ServedPage.open(chromium, { files: vault() })));
  afterAll(() => served.close());
  beforeEach(() => served.restore());
  afterEach(() => served.closePages());

  const section = (name: string) => page.getByRole("region", { name });
  const readout = (name: string) => section(name).locator(".readout");

  describe("on a wide page", () => {
    beforeEach(async () => {
      errors.length = 0;
      page = await served.page({ at: "#/review" });
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      await page.locator(".heat-map").waitFor();
    });

    it("sums up, and lists what is overdue, waits, has no day or was done, of a year in few elements", async () => {
      const sums = await page.locator(".sums > div").allInnerTexts();
      expect(sums.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
        "Open 4 2 more in 30 days",
        "Done in 7 days 3 3 in 30 days",
        "Overdue 1",
        "Waiting 1",
        "Stale 0",
        "Without a day 1",
      ]);
      const titles = (name: string) => section(name).locator(".card-title").allTextContents();
      expect(await titles("Overdue")).toEqual(["Late report #1"]);
      expect(await titles("Waiting")).toEqual(["Waits"]);
      expect(await titles("Without a day")).toEqual(["Waits"]);
      // A series once, with all the days on which it was done.
      expect((await titles("Done in the last 7 days")).toSorted()).toEqual(["Over", "Water"]);
      expect(await card(page, "Water").locator(".facts").textContent()).toMatch(/Done yesterday, \w/);
      expect(await page.locator("[data-task='over'] .facts").textContent()).toBe("Done yesterday");
      expect(await section("Projects without a ready task").getByRole("link").allTextContents()).toEqual(["Kitchen"]);
      expect(await page.getByText("1 more task is done").count()).toBe(1);
      expect(Number(await page.evaluate("document.querySelectorAll('*').length"))).toBeLessThan(1_000);
    });

    it("leads from a list that is cut to the same tasks on the board", async () => {
      const undated = section("Without a day");
      expect(await undated.getByRole("link", { name: "on the board" }).count()).toBe(0);
      const errands = Array.from({ length: 24 }, (_, at) => `Errand ${at}.md`);
      for (const path of errands) served.write(path, taskNote("status: To Do"));
      await undated.getByRole("link", { name: "All 25 on the board" }).click();
      await column(page, "Blocked").locator(".card", { hasText: "Waits" }).waitFor();
      // What is only planned has a day.
      expect(await column(page, "To Do").locator(".count").textContent()).toBe("24");
      for (const path of errands) served.remove(path);
    });

    it("reads the numbers of a day by a pointer, in both pictures at once", async () => {
      const [open, done] = [readout("Open tasks"), readout("Done by day")];
      expect(await open.textContent()).toMatch(/: 4 open$/);
      const box = await page.locator(".open-chart").boundingBox();
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 9, (box?.y ?? 0) + 50);
      await expect.poll(() => done.textContent()).toMatch(/: 0 done, 1 added$/);
      const before = await open.textContent();
      const square = await page.locator(".heat-map rect:not(.cursor)").nth(7).boundingBox();
      await page.mouse.click((square?.x ?? 0) + 4, (square?.y ?? 0) + 4);
      await expect.poll(() => open.textContent()).not.toBe(before);
      expect(errors).toEqual([]);
    });

    it("has its numbers as tables", async () => {
      await section("Done by day").getByText("As a table").click();
      const table = page.getByRole("region", { name: "Done by day, as a table" });
      await table.getByRole("row").first().waitFor();
      const rows = await table.getByRole("row").allInnerTexts();
      expect(rows.map((row) => row.split(/\t/).slice(1).join(" "))).toEqual([
        "Done Added",
        "0 1",
        "2 0",
        "1 0",
        "0 2",
        "1 0",
        "0 1",
      ]);
      await section("Open tasks").getByText("As a table").click();
      const weeks = page.getByRole("region", { name: "Open tasks, as a table" }).getByRole("row");
      await expect.poll(() => weeks.count()).toBe(54);
      expect(await weeks.nth(1).getByRole("cell").first().innerText()).toBe("4");
    });

    it("completes what is overdue by Space, and everything follows", async () => {
      await whenOffered(page);
      await card(page, "Late").locator(".card-title").focus();
      await page.keyboard.press("Space");
      await expect.poll(() => served.read(LATE)).toContain("status: Done");
      await section("Overdue").getByText("Nothing is overdue.").waitFor();
      await expect.poll(() => readout("Open tasks").textContent()).toMatch(/: 3 open$/);
    });

    it("is copied as Markdown that makes no task and no tag of what it tells", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copy as Markdown" }).click();
      await page.getByText("The review is copied.").waitFor();
      const text = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(text).toMatch(/^# Review, \w+ \d+ \w+\n\n- Open: 4 \(2 more in 30 days\)\n/);
      expect(text).toContain(String.raw`- Late \*report\* \#1 (Due `);
      expect(text).toContain("## Projects without a ready task (1)\n\n- Kitchen\n");
      expect(text).not.toMatch(/\[[ x]\]/);
    });

    it("is shown to be copied by hand where the page may not copy", async () => {
      await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
      await page.getByRole("button", { name: "Copy as Markdown" }).click();
      const field = page.getByRole("dialog").getByRole("textbox");
      await field.waitFor();
      await expect.poll(() => page.evaluate<string>("getSelection().toString()")).toMatch(/^# Review, /);
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    });
  });

  it("fits 320 pixels: the year scrolls by itself, its end first, and a touch chooses a day", async () => {
    const touch = await served.page({ at: "#/review", size: { ...NARROW, width: 320 }, isTouch: true });
    await touch.locator(".heat-map").waitFor();
    expect(await touch.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(await touch.evaluate("document.querySelectorAll('.days-picture')[1].scrollLeft")).toBeGreaterThan(100);
    const last = await touch.locator(".heat-map .cursor").boundingBox();
    expect(last?.x).toBeLessThan(320);
    await touch.locator(".heat-map").scrollIntoViewIfNeeded();
    const readout = touch.getByRole("region", { name: "Done by day", exact: true }).locator(".readout");
    const before = await readout.textContent();
    await touch.locator(".heat-map rect").nth(-20).tap();
    await expect.poll(() => readout.textContent()).not.toBe(before);
  });
});
