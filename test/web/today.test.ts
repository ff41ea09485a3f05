/** Today in a real browser: what wants doing, done and postponed by one key, and added by a line of text (docs: web, "Views"). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Page, Route } from "playwright-core";
import { existsSync } from "node:fs";
import { inChromium } from "../kit/chromium.js";
import { card, dayFromNow, NARROW, refuseCalls, ServedPage, whenOffered } from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";

inChromium("test/web/today.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  beforeAll(async () => (served = await ServedPage.open(chromium)));
  afterAll(() => served.close());
  beforeEach(() => served.restore());
  afterEach(() => served.closePages());

  const section = (name: string) => page.locator(".task-section", { hasText: name });

  describe("on a wide page", () => {
    beforeEach(async () => {
      page = await served.page({ at: "#/today" });
      await card(page, "Paint the wall").waitFor();
      await whenOffered(page);
    });

    it("shows what is overdue, today, in the next days, and important without a date", async () => {
      expect(await section("Overdue").locator(".card").allTextContents()).toEqual([expect.stringContaining("Paint")]);
      expect(await page.locator(".task-section.now .card-title").allTextContents()).toEqual(["Order paint"]);
      expect(await page.locator(".card-title").allTextContents()).toContain("Write the report");
      expect(await section("Undated").locator(".card-title").allTextContents()).toEqual(["Think big"]);
    });

    it("shows the links of a title as text, and edits them as they are", async () => {
      served.write("Ask.md", `- [ ] Ask [[People/Anna|Anna]] #task 📅 ${dayFromNow(0)}\n`);
      await card(page, "Ask Anna #task").click();
      await expect
        .poll(() => page.locator("dialog.drawer .field.title textarea").inputValue())
        .toBe("Ask [[People/Anna|Anna]] #task");
      served.remove("Ask.md");
    });

    it("completes by Space and postpones by p, and the focus goes on to what is left", async () => {
      await card(page, "Order paint").locator(".card-title").focus();
      await page.keyboard.press("p");
      await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain(`due: ${dayFromNow(1)}`);
      await card(page, "Paint the wall").locator(".card-title").focus();
      await page.keyboard.press("Space");
      await expect.poll(() => served.read(PAINT)).toContain("status: Done");
      await expect.poll(() => card(page, "Paint the wall").count()).toBe(0);
      await page.locator(".notice", { hasText: "Paint the wall" }).waitFor();
      await page.keyboard.press("z");
      await expect.poll(() => served.read(PAINT)).toContain("status: To Do");
      await card(page, "Paint the wall").waitFor();
    });

    it("completes one task by a double click on its circle, also by a slow one, and undoes one change by one on Undo", async () => {
      for (const name of ["Bake", "Clean", "Dust", "Empty"])
        served.write(`${name}.md`, `---\ntype: task\nstatus: To Do\ndue: ${dayFromNow(0)}\n---\n`);
      const isDone = (name: string) => served.read(`${name}.md`).includes("status: Done");
      const circle = (name: string) => page.getByRole("button", { name: `Complete: ${name}` });
      await circle("Empty").waitFor();
      await circle("Bake").dblclick();
      await expect.poll(() => isDone("Bake")).toBe(true);
      await expect.poll(() => card(page, "Bake").count()).toBe(0);
      // A slow one comes when the list may have been read again; the page's own clock times it on a busy machine too.
      const { x = 0, y = 0 } = (await circle("Clean").boundingBox()) ?? {};
      const click = `document.elementFromPoint(${x + 5}, ${y + 5}).closest("button").click()`;
      await page.evaluate(`new Promise((resolve) => { ${click}; setTimeout(() => resolve(${click}), 250); })`);
      await expect.poll(() => isDone("Clean")).toBe(true);
      await expect.poll(() => card(page, "Clean").count()).toBe(0);
      expect(["Bake", "Clean", "Dust", "Empty"].filter(isDone)).toEqual(["Bake", "Clean"]);
      await circle("Dust").click();
      await page.locator(".notice", { hasText: "Dust" }).locator(".undo").dblclick();
      await expect.poll(() => isDone("Dust")).toBe(false);
      await page.locator(".notice", { hasText: "Taken back: Dust" }).waitFor();
      await page.waitForTimeout(500);
      expect(["Bake", "Clean", "Dust", "Empty"].filter(isDone)).toEqual(["Bake", "Clean"]);
      for (const name of ["Bake", "Clean", "Dust", "Empty"]) served.remove(`${name}.md`);
    });

    it("keeps a completed task in its place also when an answer that was asked for before comes late", async () => {
      const held: Route[] = [];
      let isHolding = true;
      await page.route("**/mcp", async (route) => {
        if (isHolding && route.request().postData()?.includes("get_agenda") === true) held.push(route);
        else await route.continue();
      });
      served.write("Bake.md", `---\ntype: task\nstatus: To Do\ndue: ${dayFromNow(0)}\n---\n`);
      await expect.poll(() => held.length).toBeGreaterThan(0);
      // The page counts the time a task stays from its click, so the row is looked at in the page, until it has gone.
      const stayed = page.evaluate<number>(`new Promise((resolve) => {
        const circle = document.querySelector('[aria-label="Complete: Order paint"]');
        const began = performance.now();
        circle.click();
        const look = () => (circle.isConnected ? requestAnimationFrame(look) : resolve(performance.now() - began));
        look();
      })`);
      await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain("status: Done");
      isHolding = false;
      await Promise.all(held.map((route) => route.continue()));
      expect(await stayed).toBeGreaterThanOrEqual(600);
      served.remove("Bake.md");
    });

    it("shows what was answered when one of its questions was refused, and says which", async () => {
      await refuseCalls(page, /"priority":"High"/);
      await page.reload();
      await page.getByRole("alert").getByText("Undated, high priority: Too busy.").waitFor();
      await expect.poll(() => card(page, "Order paint").count()).toBe(1);
    });

    it("says which day it has postponed", async () => {
      served.write("Think big.md", `---\ntype: task\nstatus: To Do\nscheduled: ${dayFromNow(0)}\n---\n`);
      await page.locator(".task-section.now", { hasText: "Think big" }).waitFor();
      await card(page, "Think big").locator(".card-title").focus();
      await page.keyboard.press("p");
      await page.locator(".notice", { hasText: "Think big: planned for tomorrow" }).waitFor();
    });

    it("adds what is typed, says what it understood, and takes it back", async () => {
      await page.locator("#quick-add").fill("Call Anna tomorrow !high #phone");
      await page.keyboard.press("Enter");
      await page.locator(".understood .chip", { hasText: "Due tomorrow" }).waitFor();
      expect(await page.locator(".understood .chip").allTextContents()).toContain("Priority High");
      expect(await page.locator("#quick-add").inputValue()).toBe("");
      await card(page, "Call Anna").waitFor();
      await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => card(page, "Call Anna").count()).toBe(0);
      expect(existsSync(served.vault.at("Call Anna.md"))).toBe(false);
    });

    it("adds each of several lines that are typed without a pause", async () => {
      await page.locator("#quick-add").click();
      for (const title of ["Alpha one", "Beta two", "Gamma three"]) {
        await page.keyboard.type(title);
        await page.keyboard.press("Enter");
      }
      for (const title of ["Alpha one", "Beta two", "Gamma three"])
        await expect
          .poll(
            () => existsSync(served.vault.at(`${title}.md`)) || existsSync(served.vault.at(`_projects/${title}.md`)),
          )
          .toBe(true);
      expect(await page.locator("#quick-add").inputValue()).toBe("");
    });

    it("goes to the projects by g and p, whatever card has the focus", async () => {
      const before = served.read(PAINT);
      await card(page, "Paint the wall").locator(".card-title").focus();
      await page.keyboard.type("gp");
      await page.getByRole("heading", { name: "Projects and areas" }).waitFor();
      expect(served.read(PAINT)).toBe(before);
    });

    it("takes what is typed right after n, and undoes by z when the message is long gone", async () => {
      await page.keyboard.press("n");
      await page.keyboard.type("Buy lamps today");
      await page.keyboard.press("Enter");
      await page.locator(".notice", { hasText: "Buy lamps" }).getByRole("button", { name: "Dismiss" }).click();
      await page.keyboard.press("Escape");
      await card(page, "Buy lamps").waitFor();
      await page.keyboard.press("z");
      await expect.poll(() => card(page, "Buy lamps").count()).toBe(0);
    });

    it("says that nothing can be changed while the server cannot be reached", async () => {
      await page.route("**/mcp", (route) => route.abort("internetdisconnected"));
      await card(page, "Order paint").locator(".card-title").focus();
      const refusal = page.locator(".notice.failure", { hasText: "nothing can be changed now" });
      // The line for news may still be opening, and then reports once more that all is well.
      const press = async (key: string) => {
        const before = await refusal.count();
        await page.keyboard.press(key);
        return (await refusal.count()) - before;
      };
      for (const key of ["p", "d", "m"]) await expect.poll(() => press(key), { message: key }).toBe(1);
    });

    it("keeps a line that was refused, and one that was not sent, also over a reload", async () => {
      await page.locator("#quick-add").fill("every nonsense after [[No such task at all]]");
      await page.keyboard.press("Enter");
      await page.locator(".quick-add .problem, .understood").first().waitFor();
      await page.locator("#quick-add").fill("Half a thought");
      await page.reload();
      expect(await page.locator("#quick-add").inputValue()).toBe("Half a thought");
      await page.locator("#quick-add").fill("");
    });
  });

  it("is used by touch: the targets are 44 pixels", async () => {
    // A card without facts has one line.
    served.write("Bare.md", `---\ntype: task\nstatus: To Do\ndue: ${dayFromNow(0)}\n---\n`);
    const touch = await served.page({ at: "#/today", size: NARROW, isTouch: true });
    await card(touch, "Bare").waitFor();
    const small = await touch.evaluate(`[...document.querySelectorAll("button, main .card-title, nav a, textarea")]
      .filter((one) => one.offsetParent !== null)
      .map((one) => [one, (one.matches(".card-title") ? one.closest(".card") : one).getBoundingClientRect()])
      .filter(([, { width, height }]) => Math.min(width, height) < 44)
      .map(([one, { width, height }]) => one.outerHTML.slice(0, 80) + width + " x " + height)`);
    expect(small).toEqual([]);
    served.remove("Bare.md");
    await card(touch, "Order paint")
      .getByRole("button", { name: /^Complete/ })
      .tap();
    await expect.poll(() => served.read("_projects/Kitchen/Order paint.md")).toContain("status: Done");
  });

  it.each(["#/today", "#/board", "#/today?task=paint"])("%s fits narrow pages, also at twice the text", async (at) => {
    page = await served.page({ at, size: NARROW });
    await page.locator(".card").first().waitFor({ state: "attached" });
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 640 });
      for (const size of ["100%", "200%"]) {
        await page.evaluate(`document.documentElement.style.fontSize = "${size}"`);
        const excess = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        expect(await page.evaluate(excess), `${width} pixels at ${size}`).toBe(0);
      }
    }
  });

  it.each([
    ["was not stored", false],
    ["was stored, and says so", true],
  ])("has a line whose answer a reload cuts off in the field if it %s", async (_how, isStored) => {
    page = await served.page({ at: "#/today" });
    await whenOffered(page);
    await page.route("**/mcp", async (route) => {
      const isAdding = /"add_tasks"(?!.*"plan")/.test(route.request().postData() ?? "");
      if (!isAdding) await route.continue();
      else if (isStored) await route.fetch();
    });
    await page.locator("#quick-add").fill("Beat the rug");
    await page.keyboard.press("Enter");
    await page.locator("#quick-add-help", { hasText: "Beat the rug …" }).waitFor();
    const path = "_projects/Beat the rug.md";
    await expect.poll(() => existsSync(served.vault.at(path))).toBe(isStored);
    await page.reload();
    await whenOffered(page);
    expect(await page.locator("#quick-add").inputValue()).toBe("Beat the rug");
    const plan = page.locator("#quick-add-help", { hasText: "Beat the rug" });
    await plan.waitFor();
    expect((await plan.textContent())?.includes("is open")).toBe(isStored);
    served.remove(path);
  });
});

inChromium("test/web/today.test.ts, in two time zones", (chromium) => {
  it("counts days from the vault's day, not the browser's", async () => {
    // 26 hours apart: their days always differ.
    const served = await ServedPage.open(chromium, { timeZone: "Pacific/Kiritimati" });
    try {
      const page = await served.page({ timeZone: "Etc/GMT+12" });
      await whenOffered(page);
      await card(page, "Think big").locator(".card-title").focus();
      await page.keyboard.press("m");
      await page.getByRole("menuitem", { name: "Today" }).click();
      const now = new Date(performance.timeOrigin + performance.now());
      const there = new Intl.DateTimeFormat("en-CA", { timeZone: "Pacific/Kiritimati" }).format(now);
      await expect.poll(() => served.read("Think big.md")).toContain(`due: ${there}`);
    } finally {
      await served.close();
    }
  });
});
