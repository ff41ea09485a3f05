/** What is done daily: a day for what was added, what was done, lists to their end, search, history, and what a browser refuses. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { card, dayFromNow, pageVault, type PageOptions, ServedPage, taskNote, whenOffered } from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";
const ORDER = "_projects/Kitchen/Order paint.md";
const THINK = "Think big.md";
const projects = Array.from({ length: 120 }, (_, at) => `Client ${String(at + 1).padStart(3, "0")}`);
const FILES = {
  ...pageVault(),
  ...Object.fromEntries(
    projects.map((name) => [
      `_projects/${name}/Bill ${name}.md`,
      taskNote(`status: To Do\npriority: High\nprojects: ["[[${name}]]"]`),
    ]),
  ),
  "Log.md": `# Log\n\n${"See [[Colours]].\n\n".repeat(30)}`,
};

inChromium("test/web/daily.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  beforeAll(async () => (served = await ServedPage.open(chromium, { files: FILES })));
  afterAll(() => served.close());
  beforeEach(() => served.restore());
  afterEach(() => served.closePages());

  async function opened(at: string, options: PageOptions = {}): Promise<void> {
    page = await served.page({ at, ...options });
    await whenOffered(page);
  }

  it("says where a task without a day went, and offers days", async () => {
    await opened("#/today");
    await page.locator("#quick-add").click();
    await page.keyboard.type("Oil the door");
    await page.keyboard.press("Enter");
    const added = page.locator(".understood", { hasText: "Has no day" });
    await added.getByRole("button", { name: "Tomorrow" }).click();
    await expect.poll(() => served.read("_projects/Oil the door.md")).toContain(`due: ${dayFromNow(1)}`);
    await expect.poll(() => added.count()).toBe(0);
    await page.locator("#quick-add").click();
    await page.keyboard.type("Sweep the yard today");
    await page.keyboard.press("Enter");
    await page.locator(".understood", { hasText: "Sweep the yard" }).waitFor();
    expect(await added.count()).toBe(0);
    for (const title of ["Oil the door", "Sweep the yard"]) served.remove(`_projects/${title}.md`);
  });

  it("shows what it reads: days by weekday, a project or a tag that looks like a day as it is", async () => {
    await opened("#/today");
    await page.locator("#quick-add").click();
    await page.keyboard.type("Pack +2026-02-31st #2026-01-02 due:2031-03-04");
    const plan = page.locator("#quick-add-help");
    await plan.getByText("Due: Tue, 4 Mar 2031").waitFor();
    expect(await plan.textContent()).toContain("Projects: 2026-02-31st");
    expect(await plan.textContent()).toContain("Tags: 2026-01-02");
  });

  it("counts all undated tasks of high priority, and folds what was done today", async () => {
    await opened("#/today");
    const undated = page.locator(".task-section.undated");
    await expect.poll(() => undated.locator(".count").textContent()).toBe("121");
    await undated.getByRole("button", { name: "Show more (101)" }).click();
    await undated.getByRole("button", { name: "Show more (81)" }).waitFor();
    served.write(ORDER, `---\nid: order\ntype: task\nstatus: Done\ncompleted: ${dayFromNow(0)}\n---\n`);
    const done = page.locator(".done-today");
    await done.getByText("Done today").first().click();
    await done.locator(".card", { hasText: "Order paint" }).waitFor();
  });

  it("completes names beyond a hundred, and lists all projects with their true number", async () => {
    await opened("#/today");
    await page.locator("#quick-add").click();
    await page.keyboard.type("Call +Client 120");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Call +120");
    await page.getByRole("option", { name: "Client 120" }).waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.goto(`${served.url}/#/projects`);
    await page.locator("h2 .count", { hasText: "121" }).waitFor();
    await page.getByLabel("Order", { exact: true }).selectOption("name");
    await expect.poll(() => page.locator(".project h3").first().textContent()).toBe("Client 001");
  });

  it("filters a board by one field in the syntax of the field that adds tasks, with names beyond a hundred", async () => {
    await opened("#/board");
    const field = page.getByLabel("Filter by words");
    const cards = page.locator(".column[data-status='To Do'] .card");
    await field.click();
    await page.keyboard.type("bill +120");
    await page.getByRole("option", { name: "+Client 120" }).waitFor();
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Remove: +Client 120" }).waitFor();
    await expect.poll(() => cards.allInnerTexts()).toHaveLength(1);
    await page.keyboard.type("!hig");
    await page.keyboard.press("Enter");
    await page.keyboard.type("due:none");
    await page.keyboard.press("Enter");
    await page.keyboard.type("#");
    await page.getByRole("option", { name: "#diy" }).waitFor();
    await page.keyboard.type("diy ");
    const address = () => Object.fromEntries(new URLSearchParams(page.url().split("?")[1]));
    const shown = { words: "bill", project: "Client 120", priority: "High", due: "none", tag: "diy" };
    await expect.poll(address).toEqual(shown);
    await expect.poll(() => cards.count()).toBe(0);
    // What is left of the words goes before the last chip does.
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    const { words: _words, tag: _tag, ...left } = shown;
    await expect.poll(address).toEqual(left);
    await expect.poll(() => cards.count()).toBe(1);
    await page.reload();
    expect(await page.locator(".filter-chip").allInnerTexts()).toEqual(["+Client 120", "!high", "No date"]);
  });

  it("draws the Markdown of titles wherever they are, and says them without marks", async () => {
    served.write(THINK, taskNote("id: think\nstatus: To Do\ntitle: Think **big** [[Log|logs]]"));
    served.write("Hold on.md", taskNote('status: To Do\nblockedBy: ["[[Think big]]"]'));
    served.write("Sub.md", taskNote('status: To Do\ntitle: A *part*\nprojects: ["[[Think big]]"]'));
    await opened("#/board?words=hold");
    await card(page, "Hold on").locator(".waits strong", { hasText: "big" }).waitFor();
    await card(page, "Hold on").locator(".card-title").click();
    await page.getByRole("region", { name: "Waits for" }).locator("strong", { hasText: "big" }).click();
    await page.getByRole("dialog", { name: "Think big logs" }).locator(".ties em", { hasText: "part" }).waitFor();
    await page.locator("dialog .statuses").getByText("In Progress").click();
    await page.locator(".notice", { hasText: "Think big logs: In Progress" }).waitFor();
    await page.goto(`${served.url}/#/board`);
    await card(page, "Think big logs").getByRole("button", { name: "Complete: Think big logs" }).waitFor();
    await page.goto(`${served.url}/#/today`);
    await page.locator("#quick-add").click();
    await page.keyboard.type("Call *Ana*");
    await page.locator("#quick-add-help em", { hasText: "Ana" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".understood em", { hasText: "Ana" }).waitFor();
    await page.locator(".notice", { hasText: "Added: Call Ana" }).waitFor();
    for (const name of ["Hold on", "Sub", "_projects/Call Ana"]) served.remove(`${name}.md`);
  });

  it("draws one box for a checkbox in a list with blank lines", async () => {
    served.write("Colours.md", "# Colours\n\n- warm\n\n- [ ] cold\n");
    await opened("#/today?note=Colours");
    await page.getByRole("checkbox", { name: "cold" }).waitFor();
    expect((await page.locator(".note-text .box").textContent())?.trim()).toBe("cold");
  });

  it("does not repeat a tag that stands in the title of a line", async () => {
    served.write("House.md", `- [ ] Look at panels #roof 📅 ${dayFromNow(0)}\n`);
    await opened("#/today");
    const line = page.locator(".card", { hasText: "Look at panels #roof" });
    await line.waitFor();
    expect(await line.locator(".facts").textContent()).not.toContain("#roof");
    served.remove("House.md");
  });

  it("shows the clock time of a task where its day is shown", async () => {
    served.write(THINK, taskNote(`id: think\nstatus: To Do\ndue: ${dayFromNow(0)}T14:30`));
    served.write(ORDER, taskNote(`id: order\nstatus: To Do\nscheduled: ${dayFromNow(1)}T09:15\ndue: ${dayFromNow(3)}`));
    await opened("#/today");
    const facts = (title: string) => card(page, title).locator(".facts").textContent();
    await card(page, "Think big").waitFor();
    expect(await facts("Think big")).toMatch(/^14:30/);
    expect(await facts("Order paint")).toMatch(/^09:15Due/);
    await card(page, "Think big").locator(".card-title").click();
    await page.getByLabel("Due 14:30", { exact: true }).waitFor();
    await page.goto(`${served.url}/#/board`);
    await card(page, "Think big").getByText("Due today 14:30").waitFor();
  });

  it("lists no task as a note in a search, and changes a hit by the keys of a card", async () => {
    await opened("#/board");
    const asked: string[] = [];
    page.on("request", (request) => request.url().endsWith("/mcp") && asked.push(request.postData() ?? ""));
    await page.keyboard.press("/");
    await page.locator("dialog input:focus").waitFor();
    await page.locator("dialog input").fill("bill");
    await page.locator(".hit", { hasText: "All 120 on the board" }).waitFor();
    await page.locator(".hits .empty").waitFor({ state: "detached" });
    expect(await page.locator("section[aria-label='Notes'] .hit", { hasText: "Bill" }).count()).toBe(0);
    // One question for tasks, one for notes, and none for each hit.
    const calls = asked.join(" ").match(/"name":"(search_tasks|find_notes)","arguments":\{"query":"[^"]*bill/g);
    expect(new Set(calls).size).toBe(2);
    expect(asked.join(" ")).not.toContain('"note":');
    await page.keyboard.press("Control+a");
    await page.keyboard.type("think big");
    const hit = page.locator(".hit", { hasText: "Think big" }).first();
    await hit.waitFor();
    await hit.focus();
    await page.keyboard.press("2");
    await expect.poll(() => served.read(THINK)).toContain("status: In Progress");
  });

  it("has one row for each note that links here, with the number of its links", async () => {
    await opened("#/today?note=Colours");
    const rows = page.locator("[aria-label='Linked from'] li");
    await expect.poll(() => rows.filter({ hasText: "Log" }).count()).toBe(1);
    expect(await rows.filter({ hasText: "Log" }).textContent()).toContain("×30");
  });

  it("opens a note that links here by its path, also with a # in its name", async () => {
    served.write("Draft #2.md", "Words about [[Colours]].\n");
    await opened("#/today?note=Colours");
    await page.locator("[aria-label='Linked from']").getByRole("button", { name: "Draft #2" }).click();
    await page.getByRole("dialog", { name: "Draft #2" }).getByText("Words about").waitFor();
    served.remove("Draft #2.md");
  });

  it("refuses an estimate that is none, and asks before it saves a project that is not there", async () => {
    // The names to ask about come late.
    const before = (one: Page) =>
      one.route("**/mcp", async (route) => {
        if (/"kind":"project"/.test(route.request().postData() ?? "")) await sleep(1_500);
        await route.continue();
      });
    await opened("#/board?task=think", { before });
    const drawer = page.locator("dialog.drawer");
    const type = async (field: string, text: string) => {
      await drawer.getByRole("button", { name: field, exact: true }).click();
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    await type("Estimate", "two hours");
    await page.locator(".notice.failure", { hasText: "is no length of time" }).waitFor();
    await type("Projects", "Kichen");
    const question = drawer.getByText("There is no project “Kichen” yet.");
    await question.waitFor();
    expect(served.read(THINK)).not.toMatch(/two hours|Kichen/);
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read(THINK)).toContain("Kichen");
    await question.waitFor({ state: "detached" });
  });

  it("takes the keys of a card in the drawer, outside of its fields", async () => {
    await opened("#/board?task=think");
    await page.locator("dialog.drawer .note").waitFor();
    await page.locator("dialog.drawer").getByRole("button", { name: "Blocked" }).focus();
    await page.keyboard.press("2");
    await expect.poll(() => served.read(THINK)).toContain("status: In Progress");
  });

  it("says in the history what a change was, by day, and finds it by words", async () => {
    await opened("#/board");
    await card(page, "Order paint").locator(".card-title").focus();
    await page.keyboard.press("p");
    await expect.poll(() => served.read(ORDER)).toContain(`due: ${dayFromNow(1)}`);
    await page.goto(`${served.url}/#/history`);
    const changes = page.locator("section", { hasText: "Today" }).locator(".change");
    await changes.filter({ hasText: "Order paint" }).filter({ hasText: "Due today → tomorrow" }).waitFor();
    // By whom stands where it is another than above.
    expect(await changes.locator(".facts > span:last-child:not(.unseen)").count()).toBe(1);
    await page.getByLabel("Filter by note, action or name").click();
    await page.keyboard.type("due");
    await changes.filter({ hasText: "Order paint" }).waitFor();
    await page.keyboard.type(" no such note");
    await page.getByText("Nothing was found.").waitFor();
    expect(await changes.count()).toBe(0);
  });

  it("joins two changes of a note that do not touch, and marks in a conflict what differs", async () => {
    const text = (first: string, last: string) =>
      `${served.read(PAINT).split("# Paint")[0] ?? ""}# Paint the wall\n\n${first}\n\nThe middle stays.\n\n${last}\n`;
    served.write(PAINT, text("Two coats.", "Warm white."));
    await opened("#/board?task=paint");
    await page.getByText("Warm white.").waitFor();
    await page.getByRole("button", { name: "Edit the note" }).click();
    const field = page.getByLabel("Edit the note");
    await field.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Mine.");
    served.write(PAINT, text("Three coats.", "Warm white."));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator(".notice", { hasText: "both changes are kept" }).waitFor();
    expect(served.read(PAINT)).toContain("Three coats.");
    expect(served.read(PAINT)).toContain("Mine.");
  });

  it("goes between the seven days from today and the calendar's week by a key", async () => {
    await opened("#/week");
    const first = () => page.locator(".week-days .column").first().getAttribute("data-day");
    await expect.poll(first).toBe(dayFromNow(0));
    await page.keyboard.press("w");
    await expect.poll(async () => new Date((await first()) ?? "").getUTCDay()).toBe(1);
    await page.keyboard.press("w");
    await expect.poll(first).toBe(dayFromNow(0));
  });

  it("covers no Add of a column by its messages, nor the bar of a selection", async () => {
    for (const at of ["#/board", "#/week"]) {
      await opened(at);
      await card(page, "Order paint").locator(".card-title").focus();
      for (const key of ["p", "z"]) await page.keyboard.press(key);
      await page.locator(".notice", { hasText: "Taken back" }).waitFor();
      const covered = async (controls: string) =>
        await page.evaluate<string[]>(`[...document.querySelectorAll("${controls}")].flatMap((one) => {
          const { x, y, width, height } = one.getBoundingClientRect();
          const hit = document.elementFromPoint(x + width / 2, y + height / 2);
          return hit === null || one.contains(hit) ? [] : [one.textContent + " below " + hit.textContent];
        })`);
      expect(await covered(".add-here"), at).toEqual([]);
      await card(page, "Order paint").locator(".card-title").focus();
      await page.keyboard.press("x");
      await page.locator(".selection").waitFor();
      expect(await covered(".selection button"), at).toEqual([]);
      await served.closePages();
    }
  });

  it("works where the browser stores nothing, and says so", async () => {
    const blocked = `for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });`;
    const context = await served.browser.newContext();
    try {
      page = await context.newPage();
      await page.addInitScript(blocked);
      await page.goto(`${served.url}/#/board?words=Think`);
      await page.locator(".notice", { hasText: "stores nothing" }).waitFor();
      await card(page, "Think big").locator(".card-title").focus();
      await page.keyboard.press("2");
      await expect.poll(() => served.read(THINK)).toContain("status: In Progress");
    } finally {
      await context.close();
    }
  });
});
