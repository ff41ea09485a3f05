/** Several who change one task: two pages, a page and an editor; nothing typed is lost, nothing is overwritten unasked (docs: web, "Calls, changes, conflicts"). */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { card, dayFromNow, ServedPage, taskNote, whenOffered } from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";

inChromium("test/web/conflicts.test.ts", (chromium) => {
  let served: ServedPage;
  beforeAll(async () => (served = await ServedPage.open(chromium)));
  afterAll(() => served.close());
  beforeEach(() => served.restore());
  afterEach(() => served.closePages());

  /** A page that hears no news, as one whose line is slow. */
  async function deaf(at: string): Promise<Page> {
    // Never answered: a line that opens, even for a moment, has everything read anew.
    return await served.page({ at, before: (page) => page.route("**/web/events", () => undefined) });
  }
  const edited = (page: Page, name: string) => page.locator("dialog.drawer").getByLabel(name, { exact: true });

  it("writes over a change of another field without a word", async () => {
    const page = await deaf("#/board?task=paint");
    await edited(page, "Area").waitFor();
    served.write(PAINT, served.read(PAINT).replace("priority: High", "priority: Low"));
    await edited(page, "Area").fill("House");
    await page.keyboard.press("Enter");
    await expect.poll(() => served.read(PAINT)).toContain("area: House");
    expect(served.read(PAINT)).toContain("priority: Low");
    expect(await page.locator("dialog.clash").count()).toBe(0);
  });

  it.each([
    ["Write mine", "Area", ["area: Home", "area: Garden"], "House", ["House", "Garden"], "area: House"],
    [
      "Keep what is there",
      "Due",
      [`due: ${dayFromNow(-3)}`, "due: 2031-03-04"],
      "2031-03-05",
      ["5 Mar 2031", "4 Mar 2031"],
      "due: 2031-03-04",
    ],
    [
      "Write mine",
      "Estimate",
      ["timeEstimate: 45", "timeEstimate: 90"],
      "2h",
      ["2h", "1 h 30 min"],
      "timeEstimate: 120",
    ],
  ] as const)("asks when the same field was changed: %s, %s", async (choice, name, change, typed, shown, expected) => {
    served.write(PAINT, served.read(PAINT).replace("type: task", "type: task\ntimeEstimate: 45"));
    const page = await deaf("#/board?task=paint");
    await edited(page, name).waitFor();
    served.write(PAINT, served.read(PAINT).replace(change[0], change[1]));
    await edited(page, name).fill(typed);
    await page.keyboard.press("Enter");
    const dialog = page.locator("dialog.clash");
    await dialog.waitFor();
    expect(await dialog.locator(".clash-field p").allTextContents()).toEqual(shown);
    expect(served.read(PAINT)).toContain(change[1]);
    await dialog.getByRole("button", { name: choice }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => served.read(PAINT)).toContain(expected);
    if (choice !== "Write mine") await expect.poll(() => edited(page, name).inputValue()).toBe(shown[1]);
  });

  it("ends a conflict over the title with one answer, however the field is left", async () => {
    const page = await deaf("#/board?task=paint");
    await edited(page, "Title").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" twice");
    served.write(PAINT, served.read(PAINT).replace("type: task", "type: task\ntitle: Paint the ceiling"));
    await page.keyboard.press("Enter");
    const dialog = page.locator("dialog.clash");
    await dialog.getByRole("button", { name: "Keep what is there" }).click();
    await expect.poll(() => edited(page, "Title").inputValue()).toBe("Paint the ceiling");
    await edited(page, "Area").click();
    expect(await dialog.count()).toBe(0);
    expect(served.read(PAINT)).toContain("title: Paint the ceiling");
  });

  it("keeps what was typed when a conflict is left with Escape, and asks again only on Enter", async () => {
    const page = await deaf("#/board?task=paint");
    await edited(page, "Area").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" and House");
    served.write(PAINT, served.read(PAINT).replace("area: Home", "area: Garden"));
    await page.keyboard.press("Enter");
    const dialog = page.locator("dialog.clash");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await edited(page, "Area").inputValue()).toBe("Home and House");
    await edited(page, "Tags").click();
    expect(await dialog.count()).toBe(0);
    await edited(page, "Area").click();
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Write mine" }).click();
    await expect.poll(() => served.read(PAINT)).toContain("area: Home and House");
  });

  it("keeps a note that is being written while the file changes, and writes it only when asked to", async () => {
    const page = await served.page({ at: "#/board?task=paint" });
    await page.getByRole("button", { name: "Edit the note" }).click();
    const field = page.getByRole("textbox", { name: "Edit the note" });
    await field.fill("Three coats.");
    const reread = page.waitForResponse((response) => response.request().postData()?.includes("get_task") ?? false);
    served.write(PAINT, served.read(PAINT).replace("Two coats", "One coat"));
    await reread;
    expect(await field.inputValue()).toBe("Three coats.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const dialog = page.locator("dialog.clash");
    await dialog.waitFor();
    expect(await dialog.textContent()).toContain("One coat");
    expect(served.read(PAINT)).toContain("One coat");
    await dialog.getByRole("button", { name: "Write mine" }).click();
    await expect.poll(() => served.read(PAINT)).toContain("Three coats.");
  });

  it("gets a typed note back that was given up for what is there, by the message or later, also after a reload", async () => {
    const page = await deaf("#/board?task=paint");
    const edit = async () => {
      await page.getByRole("button", { name: "Edit the note" }).click();
      await page.locator("textarea:focus").waitFor();
      await page.keyboard.press("Control+a");
      await page.keyboard.type("Three coats of white.");
      served.write(PAINT, `${served.read(PAINT)}A line more.\n`);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.locator("dialog.clash").getByRole("button", { name: "Keep what is there" }).click();
      await page.locator(".note-text", { hasText: "A line more." }).waitFor();
      expect(served.read(PAINT)).toContain("Two coats");
    };
    const field = page.getByRole("textbox", { name: "Edit the note" });
    await edit();
    await page.locator(".notice").getByRole("button", { name: "Get mine back" }).click();
    expect(await field.inputValue()).toBe("Three coats of white.");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await edit();
    await page.reload();
    await page.getByRole("button", { name: "Get mine back" }).click();
    expect(await field.inputValue()).toBe("Three coats of white.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => served.read(PAINT)).toContain("Three coats of white.");
    expect(await page.locator("dialog.clash").count()).toBe(0);
    await expect.poll(() => page.getByRole("button", { name: "Get mine back" }).count()).toBe(0);
  });

  it("gets back what was typed in a field or on a card and given up for what is there", async () => {
    const page = await deaf("#/board");
    await whenOffered(page);
    const typeArea = async (change: [string, string]) => {
      served.write(PAINT, served.read(PAINT).replace(change[0], change[1]));
      await page.keyboard.press("Control+a");
      await page.keyboard.type("House");
      await page.keyboard.press("Enter");
      await page.locator("dialog.clash").getByRole("button", { name: "Keep what is there" }).click();
      await page.getByRole("button", { name: "Get mine back" }).first().click();
    };
    await card(page, "Paint the wall").locator("[data-asks='area']").click();
    await page.locator("dialog.ask input").waitFor();
    await typeArea(["area: Home", "area: Garden"]);
    expect(await page.locator("dialog.ask input").inputValue()).toBe("House");
    await page.keyboard.press("Escape");
    await card(page, "Paint the wall").locator(".card-title").click();
    await expect.poll(() => edited(page, "Area").inputValue()).toBe("Garden");
    await edited(page, "Area").click();
    await typeArea(["area: Garden", "area: Attic"]);
    expect(await edited(page, "Area").inputValue()).toBe("House");
  });

  it("lets two pages change one task, each seeing the other's change", async () => {
    const [one, other] = [await served.page(), await served.page()];
    for (const page of [one, other]) await whenOffered(page);
    await card(one, "Paint the wall").locator(".card-title").focus();
    await card(other, "Paint the wall").locator(".card-title").focus();
    await one.keyboard.press("2");
    await other.locator(".column[data-status='In Progress'] .card", { hasText: "Paint the wall" }).waitFor();
    await card(other, "Paint the wall").locator(".card-title").focus();
    await other.keyboard.press("3");
    await one.locator(".column[data-status='Blocked'] .card", { hasText: "Paint the wall" }).waitFor();
    await expect.poll(() => served.read(PAINT)).toContain("status: Blocked");
  });

  it("takes back nothing that was changed since", async () => {
    const page = await deaf("#/board");
    await whenOffered(page);
    await card(page, "Paint the wall").locator(".card-title").focus();
    await page.keyboard.press("2");
    await page.locator(".notice", { hasText: "In Progress" }).waitFor();
    const since = served.read(PAINT).replace("Two coats", "One coat");
    served.write(PAINT, since);
    await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
    await page.locator(".notice.failure", { hasText: "changed since" }).waitFor();
    expect(served.read(PAINT)).toBe(since);
  });

  it("draws an undo at once, and what is done to the card meanwhile waits for it", async () => {
    const page = await served.page({ at: "#/board" });
    await whenOffered(page);
    await card(page, "Paint the wall").locator(".card-title").focus();
    await page.keyboard.press("4");
    await expect.poll(() => served.read(PAINT)).toContain("status: Done");
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/mcp", async (route) => {
      if (route.request().postData()?.includes("undo_edit")) await held;
      await route.continue();
    });
    await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
    const drawn = (status: string) =>
      page.locator(`.column[data-status='${status}'] .card`, { hasText: "Paint the wall" });
    await drawn("To Do").locator(".card-title").focus();
    await page.keyboard.press("2");
    await drawn("In Progress").waitFor();
    expect(served.read(PAINT)).toContain("status: Done");
    answer();
    await expect.poll(() => served.read(PAINT)).toContain("status: In Progress");
    expect(await page.locator("dialog.clash").count()).toBe(0);
  });

  it("finishes a day of a series once when two pages finish it, alone or among selected tasks", async () => {
    const series = ["Water", "Feed"].map((name) => `${name}.md`);
    const daily = `status: To Do\nrecurrence: FREQ=DAILY\nscheduled: ${dayFromNow(0)}`;
    const begin = () => {
      for (const path of series) served.write(path, taskNote(daily));
    };
    begin();
    const title = (page: Page, name: string) => card(page, name).locator(".card-title");
    const pages = [await deaf("#/board"), await deaf("#/board")] as const;
    for (const page of pages) {
      await whenOffered(page);
      await title(page, "Water").focus();
      await page.keyboard.press(" ");
      if (page === pages[0]) await expect.poll(() => served.read("Water.md")).toContain(dayFromNow(1));
    }
    await pages[1].locator(".notice.failure", { hasText: '"Water" has changed since you saw it' }).waitFor();
    expect(served.read("Water.md")).not.toContain(dayFromNow(2));
    begin();
    for (const page of pages) {
      await page.reload();
      await whenOffered(page);
      for (const name of ["Water", "Feed", "Think big"]) {
        await title(page, name).focus();
        await page.keyboard.press("x");
      }
    }
    for (const page of pages) {
      await page.getByRole("button", { name: "Done", exact: true }).click();
      if (page === pages[0]) await expect.poll(() => served.read("Feed.md")).toContain(dayFromNow(1));
    }
    const told = pages[1].locator(".notice", { hasText: "3 tasks left out" });
    for (const name of ["Water", "Feed", "Think big"]) expect(await told.textContent()).toContain(`"${name}"`);
    for (const path of series) expect(served.read(path)).not.toContain(dayFromNow(2));
    for (const path of series) served.remove(path);
  });

  it("changes selected tasks that were changed on this page since they were selected", async () => {
    const page = await deaf("#/board");
    await whenOffered(page);
    for (const name of ["Paint the wall", "Think big"]) {
      await card(page, name).locator(".card-title").focus();
      await page.keyboard.press("x");
    }
    await card(page, "Think big")
      .getByRole("button", { name: /^Move or postpone/ })
      .click();
    await page.getByRole("menuitemradio", { name: "In Progress" }).click();
    await expect.poll(() => served.read("Think big.md")).toContain("status: In Progress");
    await page.getByRole("button", { name: "Done", exact: true }).click();
    await page.locator(".notice", { hasText: "2 tasks changed" }).waitFor();
    expect(served.read("Think big.md")).toContain("status: Done");
  });
});
