/** Planning: a week of days to drag to, days to point at, and many tasks at once. */
import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import {
  card,
  dayFromNow,
  dragCard,
  errands,
  NARROW,
  pageVault,
  ServedPage,
  taskNote,
  whenOffered,
} from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";
const ORDER = "_projects/Kitchen/Order paint.md";
const THINK = "Think big.md";
const FILES = { ...pageVault(), ...errands(70, `status: To Do\ndue: ${dayFromNow(-2)}`) };

inChromium("test/web/week.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  beforeAll(async () => (served = await ServedPage.open(chromium, { files: FILES })));
  afterAll(() => served.close());
  beforeEach(() => served.restore());
  afterEach(() => served.closePages());

  async function opened(at: string): Promise<void> {
    page = await served.page({ at });
    await whenOffered(page);
  }
  const day = (days: number) => page.locator(`[aria-labelledby="section-${dayFromNow(days)}"]`);

  it("moves a task to a day by dragging it, and takes it back by z", async () => {
    await opened("#/week");
    const undated = page.locator('[aria-labelledby="section-undated"]');
    await dragCard(page, undated.locator(".card", { hasText: "Think big" }), day(0), [60, 300]);
    await expect.poll(() => served.read(THINK)).toContain(`due: ${dayFromNow(0)}`);
    await day(0).locator(".card", { hasText: "Think big" }).waitFor();
    // A count of five digits stays beside its heading.
    const height = async () => (await undated.locator("h2").boundingBox())?.height;
    const before = await height();
    await undated.locator(".count").evaluate((count) => (count.textContent = "36,378"));
    expect(await height()).toBe(before);
    await page.keyboard.press("z");
    await expect.poll(() => served.read(THINK)).toBe(FILES[THINK]);
  });

  it("adds a task to a day, unless its line names another, with one undo", async () => {
    await opened("#/week");
    await day(2)
      .getByRole("button", { name: /^Add to / })
      .click();
    const dialog = page.locator("dialog.add-dialog");
    for (const line of ["Oil the door", "Sweep the yard tomorrow"]) {
      await page.keyboard.type(line);
      await page.keyboard.press("Enter");
      await dialog.locator(".understood", { hasText: line.slice(0, 9) }).waitFor();
    }
    expect(await dialog.getByText("Has no day").count()).toBe(0);
    expect(served.read("_projects/Oil the door.md")).toContain(`due: ${dayFromNow(2)}`);
    expect(served.read("_projects/Sweep the yard.md")).toContain(`due: ${dayFromNow(1)}`);
    await page.keyboard.press("Escape");
    await day(2).locator(".card", { hasText: "Oil the door" }).waitFor();
    await page.keyboard.press("z");
    await page.keyboard.press("z");
    await expect.poll(() => existsSync(served.vault.at("_projects/Oil the door.md"))).toBe(false);
  });

  it("hyphenates narrow titles by the language of the reader, not of the page", async () => {
    await opened("#/week");
    await page.locator(".week .card-title").first().waitFor();
    const found = await page.evaluate(`(() => {
      const title = document.querySelector(".week .card-title");
      return [getComputedStyle(title).hyphens, title.lang === navigator.language];
    })()`);
    expect(found).toEqual(["auto", true]);
  });

  it("moves the planned day of a task that has one", async () => {
    served.write(THINK, `---\ntype: task\nstatus: To Do\nscheduled: ${dayFromNow(0)}\n---\n`);
    await opened("#/week");
    await dragCard(page, day(0).locator(".card", { hasText: "Think big" }), day(1), [60, 300]);
    await expect.poll(() => served.read(THINK)).toContain(`scheduled: ${dayFromNow(1)}`);
    await page.locator(".notice", { hasText: "planned for" }).waitFor();
  });

  it("moves the day by Shift with an arrow, from overdue to today, and shows overdue tasks next to any week", async () => {
    await opened("#/week");
    await page.getByRole("button", { name: "Next week" }).click();
    const overdue = page.locator('[aria-labelledby="section-overdue"]');
    await overdue.locator(".card", { hasText: "Paint the wall" }).locator(".card-title").focus();
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(() => served.read(PAINT)).toContain(`due: ${dayFromNow(0)}`);
    await page.getByRole("button", { name: "This week" }).click();
    await day(0).locator(".card", { hasText: "Paint the wall" }).locator(".card-title").focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(() => served.read(PAINT)).toContain(`due: ${dayFromNow(-1)}`);
    expect(served.read(PAINT)).toContain("status: To Do");
  });

  it("sets a day in words and from a month, by keys alone", async () => {
    await opened("#/board");
    const title = card(page, "Order paint").locator(".card-title");
    await title.focus();
    await page.keyboard.press("d");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("in 3 days");
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read(ORDER)).toContain(`due: ${dayFromNow(3)}`);
    await page.locator(".notice", { hasText: "Order paint" }).waitFor();
    await page.locator("dialog").waitFor({ state: "detached" });
    await title.focus();
    await page.keyboard.press("d");
    expect(await page.locator("dialog.ask input").inputValue()).toMatch(/^\d+ [A-Z][a-z]+ \d{4}$/);
    const grid = page.getByRole("grid");
    await grid.locator("[tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read(ORDER)).toContain(`due: ${dayFromNow(4)}`);
  });

  it("asks again with what was typed when a day is refused", async () => {
    await opened("#/board");
    await card(page, "Order paint").locator(".card-title").focus();
    await page.keyboard.press("d");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("smarch 35");
    await page.keyboard.press("Enter");
    await page.locator("dialog.ask .notice.failure").waitFor();
    expect(await page.locator("dialog.ask input").inputValue()).toBe("smarch 35");
  });

  it("shows a week for whatever day an address names", async () => {
    await opened("#/week");
    for (const given of ["nonsense", "9999-12-31", "-5"]) {
      await page.goto(`${served.url}/#/week?day=${given}`);
      await page.getByRole("button", { name: "Next week" }).click();
      await expect.poll(() => page.locator(".week-days .column").count(), { message: given }).toBe(7);
      expect(page.url()).toMatch(/#\/week/);
    }
  });

  it("changes all selected tasks at once, with one undo, and selects all of a list by Ctrl A, also those not loaded", async () => {
    await opened("#/board");
    await card(page, "Errand 01").locator(".card-title").focus();
    await page.keyboard.press("x");
    const bar = page.getByRole("toolbar");
    for (let selected = 2; selected <= 25; selected++) {
      await page.keyboard.press("Shift+ArrowDown");
      await bar.getByText(`${selected} selected`).waitFor();
    }
    await bar.getByLabel("Priority").selectOption("High");
    await page.locator(".notice", { hasText: "25 tasks changed" }).waitFor();
    const high = () =>
      Object.keys(FILES).filter((path) => path.startsWith("Errands/") && served.read(path).includes("priority: High"));
    expect(high().length).toBe(25);
    await expect.poll(() => bar.count()).toBe(0);
    await page.keyboard.press("z");
    await expect.poll(() => high().length).toBe(0);
    expect(Object.keys(FILES).map((path) => served.read(path))).toEqual(Object.values(FILES));
    // A filter shows its list from the top, wherever the last one was.
    await page.getByRole("list", { name: "To Do" }).evaluate((list) => (list.scrollTop = list.scrollHeight));
    await expect.poll(() => card(page, "Errand 01").isVisible()).toBe(true);
    await page.getByLabel("Filter by words").click();
    await page.keyboard.type("Errand");
    await expect.poll(() => card(page, "Paint the wall").count()).toBe(0);
    await card(page, "Errand 01").locator(".card-title").focus();
    await page.keyboard.press("Control+a");
    await bar.getByText("70 selected").waitFor();
  });

  it("forgets a selected task that the view does not show any longer", async () => {
    await opened("#/board");
    for (const name of ["Paint the wall", "Order paint"]) {
      await card(page, name).locator(".card-title").focus();
      await page.keyboard.press("x");
    }
    const bar = page.getByRole("toolbar");
    await bar.getByText("2 selected").waitFor();
    served.write(PAINT, served.read(PAINT).replace("status: To Do", "status: Cancelled"));
    await bar.getByText("1 selected").waitFor();
    await bar.getByRole("button", { name: "Done" }).click();
    await page.locator(".notice", { hasText: "1 task changed" }).waitFor();
    expect(served.read(PAINT)).toContain("status: Cancelled");
  });

  it("changes selected tasks once, however often one asks while the server is slow", async () => {
    const line = `- [ ] Water the plants 🔁 every day 📅 ${dayFromNow(0)}\n`;
    served.write("Plants.md", line);
    await opened("#/today");
    for (const name of ["Water the plants", "Paint the wall"]) {
      await card(page, name).locator(".card-title").focus();
      await page.keyboard.press("x");
    }
    let calls = 0;
    await page.route("**/mcp", async (route) => {
      if (/"update_tasks"/.test(route.request().postData() ?? "") && ++calls === 1) await page.waitForTimeout(2_000);
      await route.continue();
    });
    const done = page.getByRole("toolbar").getByRole("button", { name: "Done" });
    await done.click();
    await done.click();
    await page.locator(".notice", { hasText: "2 tasks changed" }).waitFor();
    await expect.poll(() => served.read("Plants.md").match(/- \[x\]/g)?.length).toBe(1);
    expect(calls).toBe(1);
    served.remove("Plants.md");
  });

  it("deletes many tasks in few requests, which a server limits, with one undo", async () => {
    await opened("#/board?words=Errand");
    await card(page, "Errand 01").locator(".card-title").focus();
    await page.keyboard.press("Control+a");
    await page.getByRole("toolbar").getByText("70 selected").waitFor();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.postData() ?? ""));
    const requests = (tool: string) => sent.filter((body) => body.includes(`"${tool}"`)).length;
    await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
    await page.locator(".notice", { hasText: "70 tasks deleted." }).waitFor();
    const paths = Object.keys(FILES).filter((path) => path.startsWith("Errands/"));
    expect(paths.filter((path) => existsSync(served.vault.at(path)))).toEqual([]);
    await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
    await page.locator(".notice", { hasText: "Undone." }).waitFor();
    expect(Object.keys(FILES).map((path) => served.read(path))).toEqual(Object.values(FILES));
    expect([requests("obsidian_delete_note"), requests("undo_edit")]).toEqual([2, 2]);
  });

  it("cuts a long title after three lines, and shows all of it to a pointer", async () => {
    const title = "Ask the neighbours whether they mind the noise of the drill on Saturday before nine in the morning";
    served.write(`${title}.md`, taskNote(`status: To Do\ndue: ${dayFromNow(1)}`));
    await opened("#/week");
    const link = card(page, title).locator(".card-title");
    const short = card(page, "Order paint").locator(".card-title");
    const [height, one] = await Promise.all([link, short].map((it) => it.evaluate(({ clientHeight }) => clientHeight)));
    expect(Math.round((height ?? 0) / (one ?? 1))).toBe(3);
    await link.hover();
    await expect.poll(() => link.getAttribute("title")).toBe(title);
    await short.hover();
    expect(await short.getAttribute("title")).toBe("");
    served.remove(`${title}.md`);
  });

  it("selects by a long press of a finger", async () => {
    page = await served.page({ at: "#/today", size: NARROW, isTouch: true });
    await whenOffered(page);
    const box = await card(page, "Paint the wall").boundingBox();
    const session = await page.context().newCDPSession(page);
    const touchPoints = [{ x: (box?.x ?? 0) + 120, y: (box?.y ?? 0) + 15 }];
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
    await page.getByRole("toolbar").getByText("1 selected").waitFor();
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    expect(await page.locator("dialog.drawer").count()).toBe(0);
  });

  it("selects further tasks by a tap, and opens no menu by a long press", async () => {
    page = await served.page({ at: "#/today", size: NARROW, isTouch: true });
    await whenOffered(page);
    const first = page.locator(".card").first();
    await first.waitFor();
    // Android sends it in the middle of a long press.
    const event = 'new PointerEvent("contextmenu", { bubbles: true, cancelable: true, pointerType: "touch" })';
    await page.evaluate(`document.querySelector(".card").dispatchEvent(${event})`);
    expect(await page.getByRole("menu").count()).toBe(0);
    await first.getByRole("button", { name: /^Move or postpone/ }).tap();
    await page.getByRole("menuitem", { name: "More …" }).tap();
    await page.getByRole("menuitem", { name: "Select" }).tap();
    await page.getByRole("toolbar").getByText("1 selected").waitFor();
    await page.locator(".card-title").nth(1).tap();
    await page.getByRole("toolbar").getByText("2 selected").waitFor();
    expect(await page.locator("dialog").count()).toBe(0);
  });

  it("says what was changed when a part of it fails, and takes that back", async () => {
    const chores = Array.from({ length: 600 }, (_, at) => `- [ ] Chore ${at} 📅 ${dayFromNow(-5)}\n`).join("");
    served.write("Chores.md", chores);
    await opened("#/today");
    const moving = page.getByRole("button", { name: "Move all to today" });
    await expect.poll(() => page.locator(".task-section.overdue .count").textContent()).toBe("671");
    let calls = 0;
    await page.route("**/mcp", async (route) => {
      const body = route.request().postDataJSON() as { id: number; params?: { name?: string } };
      // A batch is a plan and its run.
      if (body.params?.name !== "update_tasks" || ++calls <= 2) return route.continue();
      const result = { content: [{ type: "text", text: "The disk is full." }], isError: true };
      return route.fulfill({ json: { jsonrpc: "2.0", id: body.id, result } });
    });
    await moving.click();
    await moving.click();
    await page.locator(".notice", { hasText: "Moving the overdue tasks" }).waitFor();
    await page.locator(".notice.failure", { hasText: "The disk is full." }).waitFor();
    expect(calls).toBe(3);
    await page.unrouteAll();
    await page.locator(".notice", { hasText: "500 tasks changed" }).getByRole("button", { name: "Undo" }).click();
    await page.locator(".notice", { hasText: "Undone." }).waitFor();
    expect(served.read("Chores.md")).toBe(chores);
    expect(served.read(PAINT)).toBe(FILES[PAINT]);
    served.remove("Chores.md");
  });

  it("lists all of a long section a page at a time, with its total, and moves all of it to today", async () => {
    await opened("#/today");
    const overdue = page.locator(".task-section.overdue");
    expect(await overdue.locator(".count").textContent()).toBe("71");
    expect(await overdue.locator(".card").count()).toBe(5);
    await overdue.getByRole("button", { name: "Show more (66)" }).click();
    await overdue.getByRole("button", { name: "Show more (51)" }).click();
    await overdue.getByRole("button", { name: "Show more (31)" }).waitFor();
    expect(await overdue.locator(".card").count()).toBe(40);
    expect(await page.locator(".task-section.now .card-title").allTextContents()).toEqual(["Order paint"]);
    await overdue.getByRole("button", { name: "Move all to today" }).click();
    await page.locator(".notice", { hasText: "71 tasks changed" }).waitFor();
    for (const path of [PAINT, "Errands/Errand 70.md"]) expect(served.read(path)).toContain(`due: ${dayFromNow(0)}`);
    await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
    await page.locator(".notice", { hasText: "Undone." }).waitFor();
    expect(served.read(PAINT)).toBe(FILES[PAINT]);
  });

  it("keeps the focused card clear of the bars at both ends", async () => {
    page = await served.page({ at: "#/today", size: NARROW });
    await card(page, "Errand 01").locator(".card-title").focus();
    const isSeen = `(() => {
      const item = document.activeElement.closest("li");
      const { x, width, top, bottom } = item.getBoundingClientRect();
      return [top + 4, bottom - 4].every((y) => item.contains(document.elementFromPoint(x + width / 2, y)));
    })()`;
    for (const key of ["ArrowDown", "ArrowUp"])
      for (let presses = 0; presses < 15; presses++) {
        await page.keyboard.press(key);
        expect(await page.evaluate(isSeen), `${key} ${presses}`).toBe(true);
      }
  });

  it("has its buttons next to its name on a phone", async () => {
    page = await served.page({ at: "#/week", size: NARROW, isTouch: true });
    await page.getByRole("button", { name: "This week" }).waitFor();
    const { height } = (await page.locator(".view-heading").boundingBox()) ?? { height: Infinity };
    expect(height).toBeLessThan(60);
  });

  it("keeps the end of a long day, where tasks are added, in the window, and on a phone its name", async () => {
    const paths = Array.from({ length: 12 }, (_, at) => `Errands/Chore ${at}.md`);
    for (const path of paths) served.write(path, taskNote(`status: To Do\ndue: ${dayFromNow(1)}`));
    page = await served.page({ at: "#/week" });
    const day = page.locator(`.week-days [data-day="${dayFromNow(1)}"]`);
    await day.locator(".card").nth(11).waitFor();
    const { y = Infinity, height = 0 } = (await day.locator(".add-here").boundingBox()) ?? {};
    expect(y + height).toBeLessThan(800);
    await page.setViewportSize(NARROW);
    await day.locator(".card").nth(11).scrollIntoViewIfNeeded();
    const hit = `(() => {
      const { bottom } = document.querySelector("header.top").getBoundingClientRect();
      return document.elementFromPoint(60, bottom + 16).closest("h2")?.textContent;
    })()`;
    await expect.poll(() => page.evaluate(hit)).toBe(await day.locator("h2").textContent());
    for (const path of paths) served.remove(path);
  });

  it("keeps the month within reach when the window becomes wide", async () => {
    page = await served.page({ at: "#/week", size: NARROW });
    await card(page, "Errand 01").waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    const summary = page.locator("summary", { hasText: "Month" });
    // A page that is drawn again when it is wide has the month open already.
    await expect
      .poll(async () => {
        if (await summary.isVisible()) await summary.click({ timeout: 1_000 }).catch(() => {});
        return await page.getByRole("grid").isVisible();
      })
      .toBe(true);
    expect(await summary.isVisible()).toBe(false);
  });

  it("goes to views by two keys", async () => {
    await opened("#/today");
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByRole("heading", { level: 1, name: / – / }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("b");
    await page.locator(".board .card").first().waitFor();
    // Where the focus goes when what had it is gone.
    await page.locator("#main").focus();
    await page.keyboard.press("ArrowDown");
    await page.locator(".board .card-title:focus").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.locator(".project").first().waitFor();
    await page.locator("#main").focus();
    await page.keyboard.press("ArrowDown");
    await page.locator(".project a:focus").waitFor();
  });
});
