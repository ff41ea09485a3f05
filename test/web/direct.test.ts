/** Changing tasks where they are shown: facts of a card, the drawer, notes, boards, groups, history (docs: web, "Views"). */
import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import {
  card,
  column,
  dayFromNow,
  dragCard,
  pageVault,
  refuseCalls,
  ServedPage,
  taskNote,
  whenOffered,
} from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";
const ORDER = "_projects/Kitchen/Order paint.md";
const BOARD = "House.md";
const NOTE = "Packing.md";
const FILES: Record<string, string> = {
  ...pageVault(),
  [BOARD]:
    "---\nkanban-plugin: board\n---\n\n## Backlog (1)\n\n- [ ] Sand the floor\n- [ ] Buy oil\n\n## Doing\n\n\n## Done\n\n**Complete**\n",
  [NOTE]: `# Packing\n\nSee ![[dot.png]][^1] and [[Paint the wall]].\n\n> - [ ] quoted\n\n- [ ] outer\n  - [ ] inner\n\n\`\`\`\n- [ ] code\n\`\`\`\n\n- [ ] last\n- [/] begun [[x]]\n  - [-] dropped\n\n[^1]: A green dot.\n`,
  "Rule.md": taskNote(`id: long\ntitle: "${"word ".repeat(100).trim()}"\nstatus: To Do`),
  "Stern.md": taskNote('id: rtl\ntitle: "مراجعة العقد"\nstatus: To Do'),
  "Emoji.md": taskNote('id: emoji\ntitle: "🎉🎈"\nstatus: To Do\ncontexts: [desk]'),
};
const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

inChromium("test/web/direct.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  beforeAll(async () => {
    served = await ServedPage.open(chromium, { files: FILES });
    served.writeBytes("dot.png", DOT);
  });
  afterAll(() => served.close());
  beforeEach(() => served.restore());
  afterEach(() => served.closePages());

  async function opened(at: string): Promise<void> {
    page = await served.page({ at });
    await whenOffered(page);
  }
  const drawer = () => page.locator("dialog.drawer");

  it("asks for a fact of a card where it is clicked, with the vault's names to complete it", async () => {
    await opened("#/board");
    await card(page, "Paint the wall").locator("[data-asks='area']").click();
    const dialog = page.locator("dialog.ask");
    await expect.poll(() => dialog.locator("datalist option").count()).toBe(2);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Work");
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read(PAINT)).toContain("area: Work");
    await card(page, "Paint the wall").locator("[data-asks='dueDate']").click();
    await dialog.getByRole("button", { name: "Tomorrow" }).click();
    await expect.poll(() => served.read(PAINT)).toContain(`due: ${dayFromNow(1)}`);
  });

  it("sets start, estimate and a day beyond the month grid in the drawer; a day that is none is refused in words", async () => {
    await opened("#/board?task=order");
    const typed = async (name: string, text: string) => {
      await drawer().locator(".note").waitFor();
      const adding = drawer().getByRole("button", { name, exact: true });
      if (await adding.isVisible()) await adding.click();
      await drawer().getByRole("textbox", { name, exact: true }).click();
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    await typed("Not before", "tomorrow");
    await expect.poll(() => served.read(ORDER)).toContain(`: ${dayFromNow(1)}`);
    await typed("Estimate", "45m");
    await expect.poll(() => served.read(ORDER)).toMatch(/[eE]stimate: ("?45m"?|45)\n/);
    await typed("Due", "9999-12-31");
    await expect.poll(() => served.read(ORDER)).toContain("due: 9999-12-31");
    const value = (name: string) => drawer().getByRole("textbox", { name, exact: true }).inputValue();
    await expect.poll(() => value("Estimate")).toBe("45 min");
    // The field that is edited, too.
    await expect.poll(() => value("Due")).toBe("31 Dec 9999");
    await drawer().getByRole("button", { name: "Due: pick a date" }).click();
    await page.getByRole("grid").waitFor();
    await page.keyboard.press("Escape");
    await typed("Due", "0000-00-00");
    await drawer().locator(".notice.failure").waitFor();
    expect(served.read(ORDER)).toContain("due: 9999-12-31");
  });

  it("splits tags at blanks and commas, in the drawer, on a card and for many at once", async () => {
    await opened("#/board");
    const typed = async (text: string) => {
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    const asked = async (text: string) => {
      await page.locator("dialog.ask input").waitFor();
      await typed(text);
    };
    const tags = () => /^tags: \[(.*)\]$/m.exec(served.read(PAINT))?.[1]?.split(", ");
    await card(page, "Paint the wall").locator("[data-asks='tags']").first().click();
    await asked("#alpha #beta");
    await expect.poll(tags).toEqual(["alpha", "beta"]);
    await card(page, "Paint the wall").locator(".card-title").focus();
    await page.keyboard.press("x");
    await page.getByRole("toolbar").getByRole("button", { name: "Tags" }).click();
    await asked("gamma, delta eta");
    await expect.poll(tags).toEqual(["gamma", "delta", "eta"]);
    await card(page, "Paint the wall").locator(".card-title").click();
    await drawer().getByLabel("Tags", { exact: true }).click();
    await typed("#iota kappa");
    await expect.poll(tags).toEqual(["iota", "kappa"]);
  });

  it("adds and removes what a task waits for, adds a subtask, and asks again with what was typed when one is refused", async () => {
    await opened("#/board?task=order");
    await drawer().getByRole("button", { name: "Add a task it waits for" }).click();
    await page.locator("dialog.search-dialog input").waitFor();
    await page.keyboard.type("report");
    await page.locator(".hit", { hasText: "Write the report" }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read(ORDER)).toContain("blockedBy:");
    await drawer().getByRole("button", { name: "Remove: Write the report" }).click();
    await expect.poll(() => served.read(ORDER)).not.toContain("report");
    await drawer().getByRole("button", { name: "Add a subtask" }).click();
    await page.locator("dialog.ask input").waitFor();
    await page.keyboard.type("Measure the wall");
    await page.keyboard.press("Enter");
    await drawer().locator("[aria-label='Subtasks'] .link", { hasText: "Measure the wall" }).waitFor();
    await page.route("**/mcp", (route) =>
      route.request().postData()?.includes('"add_tasks"') ? route.abort() : route.continue(),
    );
    await drawer().getByRole("button", { name: "Add a subtask" }).click();
    await page.locator("dialog.ask input").waitFor();
    await page.keyboard.type("Measure the floor");
    await page.keyboard.press("Enter");
    await page.locator(".notice.failure").waitFor();
    expect(await page.locator("dialog.ask input").inputValue()).toBe("Measure the floor");
  });

  it("says at the top of a task that it is gone", async () => {
    await opened("#/board?task=order");
    await drawer().getByLabel("Title").waitFor();
    expect(await page.getByRole("button", { name: "Save view" }).count()).toBe(0);
    served.remove(ORDER);
    const alert = drawer().getByRole("alert").first();
    // What is asked below it may be refused before.
    await expect.poll(async () => (await alert.boundingBox())?.y ?? 999).toBeLessThan(100);
  });

  it("names the views for an address of none; says of a project without tasks that it has none", async () => {
    await opened("#/nowhere");
    await page.getByRole("heading", { name: "There is no such view" }).waitFor();
    expect(await page.locator("nav [aria-current]").count()).toBe(0);
    await page.locator("main").getByRole("link", { name: "Week" }).click();
    await page.locator(".week").waitFor();
    await page.goto(`${served.url}/#/project`);
    await page.getByRole("heading", { name: "Projects and areas" }).waitFor();
    await page.goto(`${served.url}/#/kanban?path=`);
    await page.locator("[data-status='To Do'].column").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.goto(`${served.url}/#/kanban?path=No%20such%20board.md`);
    await page.getByRole("alert").waitFor();
    await page.waitForTimeout(300);
    expect(await page.getByRole("alert").count()).toBe(1);
    await page.goto(`${served.url}/#/project?project=Nowhere`);
    await page.locator(".project-view", { hasText: "No tasks yet" }).waitFor();
  });

  it("shows a note's title once, and its text in the direction of its script", async () => {
    served.write("Colours.md", "# Colours\n\nنص `code` و [[Packing]].\n");
    await opened("#/today?note=Colours");
    const text = drawer().locator(".note-text:not(.plain) p");
    await text.waitFor();
    expect(await drawer().getByRole("heading", { name: "Colours" }).count()).toBe(1);
    const { x = 0, width = 0 } = (await text.boundingBox()) ?? {};
    const link = await text.getByRole("button").boundingBox();
    const first = await text.locator("code").boundingBox();
    expect(first?.x).toBeGreaterThan(link?.x ?? 0);
    expect(first?.x).toBeGreaterThan(x + width / 2);
  });

  it("skips no level of headings, with whatever level a note begins", async () => {
    served.write("Levels.md", "## Begins\n\n###### Deep\n\n# Top\n\n## Below\n");
    await opened("#/today?note=Levels");
    const headings = drawer().locator(".note-text :is(h3, h4, h5, h6)");
    const levels = () => headings.evaluateAll((all) => all.map(({ tagName }) => tagName));
    await expect.poll(levels).toEqual(["H3", "H4", "H3", "H4"]);
  });

  it("archives a task and deletes one, each with a way back", async () => {
    await opened("#/board");
    await page.locator("[data-task='order'] .card-title").focus();
    await page.keyboard.press("x");
    await page.getByRole("toolbar").getByText("1 selected").waitFor();
    await page.keyboard.press("Enter");
    await drawer().getByRole("button", { name: "Archive", exact: true }).click();
    await expect.poll(() => served.read(ORDER)).toContain("archived: true");
    await drawer().getByRole("button", { name: "Take out of the archive" }).click();
    await expect.poll(() => served.read(ORDER)).toContain("archived: false");
    // A message lies on no button of the drawer.
    await page.locator(".notice").first().waitFor();
    await drawer().getByRole("button", { name: "Delete", exact: true }).click({ timeout: 30_000 });
    await expect.poll(() => existsSync(served.vault.at(ORDER))).toBe(false);
    await expect.poll(() => drawer().count()).toBe(0);
    await expect.poll(() => page.getByRole("toolbar").count()).toBe(0);
    await page.locator(".notice", { hasText: "Deleted" }).getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => existsSync(served.vault.at(ORDER))).toBe(true);
  });

  it("ticks the checkbox that was clicked, however deep, and refuses when the note has changed", async () => {
    await opened("#/today?note=Packing");
    const box = (name: string) => drawer().getByRole("checkbox", { name, exact: true });
    for (const name of ["quoted", "inner", "last"]) {
      await box(name).click();
      await expect.poll(() => served.read(NOTE)).toMatch(new RegExp(`- \\[x\\] ${name}\n`));
    }
    expect(served.read(NOTE)).toContain("- [ ] outer\n");
    expect(served.read(NOTE)).toContain("- [ ] code\n");
    await expect.poll(() => box("last").isChecked()).toBe(true);
    await expect.poll(() => page.evaluate("document.querySelector('dialog img')?.naturalWidth")).toBe(1);
    await drawer().locator("sup .link").click();
    await expect.poll(() => drawer().locator(".footnote:focus").textContent()).toContain("A green dot.");
    await page.route("**/web/events", () => undefined);
    await page.reload();
    await box("outer").waitFor();
    served.write(NOTE, `New first line\n${served.read(NOTE).replace("outer", "outer edge")}`);
    await box("outer").click();
    await page.locator(".notice.failure", { hasText: "changed meanwhile" }).waitFor();
    expect(served.read(NOTE)).toContain("- [ ] outer edge\n");
  });

  it("draws checkboxes in progress and cancelled ones, and completes and reopens them", async () => {
    await opened("#/today?note=Packing");
    const box = (name: string) => drawer().getByRole("checkbox", { name, exact: true });
    const [begun, dropped] = [box("begun [[x]]"), box("dropped")];
    await expect.poll(() => dropped.isChecked()).toBe(true);
    expect(await begun.evaluate((input) => (input as unknown as { indeterminate: boolean }).indeterminate)).toBe(true);
    expect(await drawer().locator("li.box > p").allTextContents()).toEqual(["begun x", "dropped"]);
    await begun.click();
    await expect.poll(() => served.read(NOTE)).toContain("- [x] begun [[x]]\n");
    await dropped.click();
    await expect.poll(() => served.read(NOTE)).toContain("- [ ] dropped\n");
  });

  it("ticks in a note that was drawn before the page knew its tools", async () => {
    const box = (on: Page) => on.locator("dialog.drawer").getByRole("checkbox", { name: "last", exact: true });
    const listsLate = (on: Page) =>
      on.route("**/web/session", async (route) => {
        await box(on).waitFor();
        await route.continue();
      });
    page = await served.page({ at: "#/today?note=Packing", before: listsLate });
    await box(page).click();
    await expect.poll(() => served.read(NOTE)).toContain("- [x] last\n");
  });

  it("shows what links to a note", async () => {
    await opened("#/today?task=paint");
    await drawer().locator("[aria-label='Linked from'] .link", { hasText: "Packing" }).click();
    await drawer().getByRole("checkbox", { name: "outer" }).waitFor();
  });

  it("goes on with the links to a note beyond the first hundred", async () => {
    for (let at = 0; at < 104; at++) served.write(`Linking ${at}.md`, "See [[Hub]].\n");
    served.write("Hub.md", "# Hub\n");
    await opened("#/today?note=Hub");
    const notes = drawer().locator("[aria-label='Linked from'] li");
    await expect.poll(() => notes.count()).toBe(100);
    await drawer().getByRole("button", { name: "Show more (4)" }).click();
    await expect.poll(() => notes.count()).toBe(104);
    for (let at = 0; at < 104; at++) served.remove(`Linking ${at}.md`);
  });

  it("ticks among 3,000 checkboxes of a note of a megabyte", async () => {
    const boxes = Array.from({ length: 3_000 }, (_, at) => `- [ ] box ${at}`).join("\n");
    served.write("Many.md", `# Many\n\n${boxes}\n\n${"Words of a long note.\n\n".repeat(42_000)}`);
    await opened("#/today?note=Many");
    await drawer().getByRole("checkbox", { name: "box 1234", exact: true }).click();
    await expect.poll(() => served.read("Many.md")).toContain("- [x] box 1234\n");
    expect(served.read("Many.md").match(/\[x\]/g)).toHaveLength(1);
  });

  it("shows a Kanban board by itself: its lanes, limits and true counts; a drop and the keys set the lane; cards are added to one", async () => {
    await opened("#/kanban?path=House.md");
    const lane = (name: string) => page.locator(".column", { has: page.getByRole("heading", { name }) });
    await expect.poll(() => lane("Backlog").locator(".count").textContent()).toBe("2 of 1");
    expect(await card(page, "Buy oil").locator("[data-asks='board']").count()).toBe(0);
    await dragCard(page, lane("Backlog").locator(".card", { hasText: "Buy oil" }), lane("Doing"), [60, 200]);
    await expect.poll(() => served.read(BOARD)).toMatch(/## Doing\n\n- \[ \] Buy oil\n/);
    await lane("Doing").locator(".card-title").focus();
    await page.keyboard.press("m");
    await page.getByRole("menuitem", { name: "More …" }).click();
    await page.getByRole("menuitem", { name: "Lane …" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Done");
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read(BOARD)).toMatch(/\*\*Complete\*\*\n- \[x\] Buy oil/);
    // The focus follows, although a line has another id in each lane.
    await lane("Backlog").locator(".card-title", { hasText: "Sand" }).focus();
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(() => served.read(BOARD)).toMatch(/## Doing\n\n- \[ \] Sand the floor\n/);
    await lane("Doing").locator(".card-title:focus", { hasText: "Sand" }).waitFor();
    await page.goto(`${served.url}/#/history`);
    const moved = page.locator(".change", { hasText: "Lane → Doing" });
    await expect.poll(() => moved.count()).toBe(2);
    await moved.filter({ hasText: "Sand the floor" }).waitFor();
    await page.goto(`${served.url}/#/kanban?path=House.md`);
    await lane("Backlog").getByText("No cards.").waitFor();
    // By key, as the messages lie on it for seconds.
    await page.getByRole("button", { name: "Add to Doing" }).press("Enter");
    await page.getByRole("dialog", { name: "Add to Doing" }).waitFor();
    await page.keyboard.type("Rent a sander tomorrow");
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read(BOARD)).toMatch(/- \[ \] Sand the floor\n- \[ \] Rent a sander /);
    await page.keyboard.press("Escape");
    // Of a long board, the cards that are not loaded count too; these are no tasks.
    const cards = Array.from({ length: 601 }, (_, at) => `- [ ] Card ${at}`).join("\n");
    served.write(
      "Long.md",
      `---\nkanban-plugin: board\n---\n\n## All\n\n${cards}\n\n## Rest (2)\n\n- [ ] Zebra\n- [ ] Zoo\n`,
    );
    await page.goto(`${served.url}/#/kanban?path=Long.md`);
    const counts = page.locator(".column .count");
    await expect.poll(() => counts.allTextContents()).toEqual(["601", "2 of 2"]);
    await page.getByRole("button", { name: "Show more (301)" }).click();
    await page.getByRole("button", { name: "Show more (1)" }).waitFor();
    expect(await page.locator(".card").count()).toBe(600);
    // Its cards come after those of the other lane.
    await page.getByRole("button", { name: "Show more (2)" }).click();
    await card(page, "Zebra").waitFor();
    expect(await counts.allTextContents()).toEqual(["601", "2 of 2"]);
    served.remove("Long.md");
  });

  it("groups the board; a drop into another group sets its field and the status; columns collapse; views are saved", async () => {
    page = await served.page({ at: "#/board?group=priority", size: { width: 1280, height: 1800 } });
    await whenOffered(page);
    const group = (name: string) => page.getByRole("region", { name, exact: true });
    await group("Low").locator(".card", { hasText: "Write the report" }).waitFor();
    expect(await page.locator(".card [data-asks='priority']").count()).toBe(0);
    await group("High").getByText("Nothing is blocked.").waitFor();
    // A subtask names it too.
    const order = page.locator(".card[data-task='order']");
    await dragCard(page, order, group("High").locator("[data-status='Blocked']"), [60, 120]);
    await expect.poll(() => served.read(ORDER)).toContain("priority: High");
    expect(served.read(ORDER)).toContain("status: Blocked");
    await group("High").getByRole("button", { name: "Collapse To Do" }).click();
    await group("High").getByRole("button", { name: "Expand To Do" }).click();
    await page.getByRole("button", { name: "Save view" }).click();
    await page.keyboard.type("By weight");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => page.locator(".group").count()).toBe(0);
    await page.getByLabel("Saved views").selectOption("By weight");
    await group("High").waitFor();
    await page.getByLabel("Filter by words").fill("overdue");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove: Overdue" }).waitFor();
    await page.getByRole("button", { name: "Save view" }).click();
    await page.keyboard.type("By weight");
    await page.keyboard.press("Enter");
    const replaced = page.locator(".notice", { hasText: "Replaced the saved view" });
    await replaced.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Save view" }).waitFor();
  });

  it("adds a task into a column", async () => {
    await opened("#/board");
    await page.getByRole("button", { name: "Add to In Progress" }).click();
    await page.keyboard.type("Stir the paint");
    await page.keyboard.press("Enter");
    await page.locator(".notice", { hasText: "Stir the paint" }).waitFor();
    await page.keyboard.press("Escape");
    await column(page, "In Progress").locator(".card", { hasText: "Stir the paint" }).waitFor();
    await page.keyboard.press("z");
    await expect.poll(() => card(page, "Stir the paint").count()).toBe(0);
    // A task that is added, but cannot be moved, is not typed again, and can be taken back.
    await refuseCalls(page, /update_tasks/);
    await page.getByRole("button", { name: "Add to In Progress" }).click();
    await page.keyboard.type("Stir again");
    await page.keyboard.press("Enter");
    await page.locator(".problem", { hasText: "Too busy." }).waitFor();
    expect(await page.getByRole("dialog").locator("textarea").inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await column(page, "To Do").locator(".card", { hasText: "Stir again" }).waitFor();
    await page.keyboard.press("z");
    await expect.poll(() => card(page, "Stir again").count()).toBe(0);
  });

  it("lists what was changed by whom, shows the difference, and takes it back", async () => {
    await opened("#/board");
    await card(page, "Think big").locator(".card-title").focus();
    await page.keyboard.press("2");
    await expect.poll(() => served.read("Think big.md")).toContain("In Progress");
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    const change = page.locator(".change").first();
    await change.getByText("Status To Do → In Progress").waitFor();
    const button = change.getByRole("button", { name: "Take back" });
    const described = (await button.getAttribute("aria-describedby")) ?? "";
    expect(await change.locator(`[id="${described}"]`).textContent()).toBe("Think big");
    // The list is one stop of the Tab key.
    await page.getByLabel("Filter by note, action or name").press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => change.locator(".diff").textContent()).toContain("+status: In Progress");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read("Think big.md")).toBe(FILES["Think big.md"]);
    await page.locator(".notice").getByRole("button", { name: "Do again" }).click();
    await expect.poll(() => served.read("Think big.md")).toContain("In Progress");
    await change.getByText("Status To Do → In Progress").waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await change.locator(".card-title").isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
  });

  it("marks what is read of the text while one types, and completes names", async () => {
    await opened("#/today");
    await page.locator("#quick-add").click();
    await page.keyboard.type("Call Anna tomorrow !high +Kit");
    await page.locator(".marks mark[data-field='dueDate']", { hasText: "tomorrow" }).waitFor();
    await page.getByRole("option", { name: "Kitchen" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.locator("#quick-add").inputValue()).toBe("Call Anna tomorrow !high +Kitchen ");
    await page.locator(".marks mark[data-field='parentProjects']", { hasText: "+Kitchen" }).waitFor();
    await page.locator("#quick-add-help", { hasText: "Priority: High" }).waitFor();
    expect(existsSync(served.vault.at("_projects/Call Anna.md"))).toBe(false);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Call Anna @des");
    await page.getByRole("option", { name: "desk" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.locator("#quick-add").inputValue()).toBe("Call Anna @desk ");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
  });

  it("takes back a change whose answer has not come yet, by z", async () => {
    await opened("#/board");
    const one = card(page, "word word");
    await one.locator(".card-title").focus();
    await page.route("**/mcp", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await page.keyboard.press("Space");
    await page.keyboard.press("z");
    await page.locator(".notice", { hasText: "Taken back" }).waitFor();
    expect(await page.locator(".notice", { hasText: "There is nothing" }).count()).toBe(0);
    await page.unrouteAll({ behavior: "wait" });
    await column(page, "To Do").locator(".card", { hasText: "word word" }).waitFor();
  });

  it("completes a task of any title, and takes that back", async () => {
    await opened("#/board");
    for (const title of ["word word", "مراجعة العقد", "🎉🎈"]) {
      await card(page, title).locator(".card-title").focus();
      await page.keyboard.press("Space");
      await column(page, "Done").locator(".card", { hasText: title }).waitFor();
      await page.locator(".notice", { hasText: title }).waitFor();
      await page.keyboard.press("z");
      await column(page, "To Do").locator(".card", { hasText: title }).waitFor();
    }
  });
});
