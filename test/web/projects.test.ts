/** Projects and areas in a real browser: how far they are, what comes next, by keyboard, pointer and touch (docs: web, "Views"). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { column, dayFromNow, NARROW, refuseCalls, ServedPage, taskNote, whenOffered } from "../kit/task-page.js";

const MEASURE = "_projects/Kitchen/Measure.md";

const vault = (): Record<string, string> => ({
  [MEASURE]: taskNote(`id: measure\nstatus: To Do\ndue: ${dayFromNow(-2)}\narea: Home`),
  "_projects/Kitchen/Paint.md": taskNote('id: paint\nstatus: To Do\nblockedBy: ["[[Measure]]"]\narea: Home'),
  "_projects/Kitchen/Choose.md": taskNote("id: choose\nstatus: Done\narea: Home"),
  "_projects/Flat/Call the landlord.md": taskNote("id: landlord\nstatus: Blocked"),
  "_projects/Old/Sell.md": taskNote("id: sell\nstatus: Done"),
});

inChromium("test/web/projects.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  beforeAll(async () => (served = await ServedPage.open(chromium, { files: vault() })));
  afterAll(() => served.close());
  beforeEach(() => served.restore());
  afterEach(() => served.closePages());

  const row = (name: string, on = page) => on.locator(".project", { has: on.getByRole("link", { name, exact: true }) });
  const list = (name: string) => page.getByRole("list", { name, exact: true });

  describe("on a wide page", () => {
    beforeEach(async () => {
      page = await served.page({ at: "#/projects" });
      await row("Kitchen").waitFor();
      await whenOffered(page);
    });

    it("tells of each how far it is, what is held up, what comes next and when", async () => {
      const told = async (name: string) => (await row(name).innerText()).replaceAll(/\s+/g, " ");
      expect(await told("Kitchen")).toContain("33% Kitchen 1 of 3 done 1 blocked Next: Measure Late since");
      expect(await told("Flat")).toContain("0% Flat 0 of 1 done 1 blocked No task is ready");
      expect(await told("Old")).toContain("Old 1 of 1 done Nothing is open");
      expect(await told("Home")).toContain("1 of 3 done");
      expect(await list("Projects").locator(".project h3").allTextContents()).toEqual(["Flat", "Kitchen", "Old"]);
      expect(await page.locator("[aria-label='Projects'] small").textContent()).toBe(
        "2 under way, 1 without a next action",
      );
    });

    it("shows how far the next task is", async () => {
      const status = () => row("Kitchen").locator(".next-action").getAttribute("data-status");
      expect(await status()).toBe("To Do");
      served.write(MEASURE, vault()[MEASURE]?.replace("To Do", "In Progress") ?? "");
      await expect.poll(status).toBe("In Progress");
      const drawn = "getComputedStyle(document.querySelector('.next-action .tick'), '::before').backgroundImage";
      expect(await page.evaluate(drawn)).toContain("gradient");
    });

    it("leads to its page, and from there to its board", async () => {
      await page.getByRole("link", { name: "Kitchen", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Kitchen" }).waitFor();
      await expect
        .poll(() => page.locator(".view-heading").innerText())
        .toMatch(/33%\s+Kitchen\s+1 of 3 done · 1 blocked/);
      await page.locator(".task-section", { hasText: "To Do" }).locator(".card", { hasText: "Paint" }).waitFor();
      await page.getByRole("link", { name: "On the board" }).click();
      await column(page, "To Do").getByRole("link", { name: "Measure" }).waitFor();
      expect(await page.locator(".card-title").allTextContents()).not.toContain("Call the landlord");
      expect(page.url()).toContain("#/board?project=Kitchen");
    });

    it("counts on its page what was done in which week, folds a long note, repeats no area, and says which questions were refused", async () => {
      const note = `# Kitchen\n\n${"Oak, oiled. ".repeat(60)}\n\nThe end of the note.\n`;
      served.write("_projects/Kitchen/Kitchen.md", note);
      await page.goto(`${served.url}/#/project?project=Kitchen`);
      const thisWeek = page.locator(".by-week li").last();
      served.write("_projects/Kitchen/Choose.md", taskNote(`id: choose\nstatus: Done\ncompleted: ${dayFromNow(0)}`));
      await expect.poll(() => thisWeek.locator(".count").textContent()).toBe("1");
      expect(await page.getByRole("alert").count()).toBe(0);
      expect(await page.locator(".project-view .facts", { hasText: "Home" }).count()).toBe(0);
      const noteSection = page.getByRole("region", { name: "Note" });
      expect(await noteSection.textContent()).not.toContain("The end");
      await noteSection.getByRole("button", { name: "Show more" }).click();
      await noteSection.getByText("The end of the note.").waitFor();
      await refuseCalls(page, /"completed"|read_note/);
      await page.reload();
      await expect
        .poll(() => page.getByRole("alert").locator("p").allTextContents())
        .toEqual(["Note: Too busy.", "Done by week: Too busy."]);
      await page.unrouteAll({ behavior: "wait" });
      await page.getByRole("button", { name: "Try again" }).nth(1).click();
      await expect.poll(() => thisWeek.locator(".count").textContent()).toBe("1");
      served.remove("_projects/Kitchen/Kitchen.md");
    });

    it("is one stop of the Tab key for each list, and arrows move in it", async () => {
      const focused = () => page.evaluate<string>("document.activeElement.textContent");
      await expect.poll(() => page.locator(".project-list [tabindex='0']").count()).toBe(2);
      await page.getByRole("link", { name: "Kitchen", exact: true }).focus();
      const seen: string[] = [];
      for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "End", "Home", "ArrowUp", "Tab"]) {
        await page.keyboard.press(key);
        seen.push(await focused());
      }
      expect(seen).toEqual(["Next: Measure", "Old", "Old", "Old", "Flat", "Flat", "Home"]);
    });

    it("opens what comes next by Enter and completes it by Space; z takes it back", async () => {
      await page.getByRole("link", { name: "Kitchen", exact: true }).focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Measure" }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Next: Measure");
      await page.keyboard.press("Space");
      await expect.poll(() => served.read(MEASURE)).toContain("status: Done");
      // What waited for it can be done now.
      await row("Kitchen").getByText("2 of 3 done").waitFor();
      await row("Kitchen").getByRole("link", { name: "Next: Paint" }).waitFor();
      await page.keyboard.press("z");
      await expect.poll(() => served.read(MEASURE)).toContain("status: To Do");
      await row("Kitchen").getByRole("link", { name: "Next: Measure" }).waitFor();
    });

    it("shows what another program changes, and what cannot be asked for stays", async () => {
      served.write(MEASURE, taskNote("id: measure\nstatus: Done\narea: Home"));
      await row("Kitchen").getByText("2 of 3 done").waitFor();
      await page.context().setOffline(true);
      await page.evaluate("dispatchEvent(new Event('offline'))");
      await row("Kitchen").getByText("2 of 3 done").waitFor();
    });
  });

  it("is used by touch and fits 320 pixels: targets are 44 pixels, nothing lies beside the page", async () => {
    const touch = await served.page({ at: "#/projects", size: { ...NARROW, width: 320 }, isTouch: true });
    served.write(
      MEASURE,
      served.read(MEASURE).replace("type: task", "type: task\ntitle: Measure each wall and door twice"),
    );
    const tick = row("Kitchen", touch).getByRole("button", { name: "Complete: Measure each wall" });
    await expect.poll(async () => (await tick.boundingBox())?.width).toBe(44);
    const low = await touch.evaluate(`[...document.querySelectorAll("main button, main a")]
      .filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML.slice(0, 90))`);
    expect(low).toEqual([]);
    expect(await touch.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await tick.tap();
    await expect.poll(() => served.read(MEASURE)).toContain("status: Done");
  });
});

inChromium("test/web/projects.test.ts, read-only", (chromium) => {
  it("have no control that the server would refuse", async () => {
    const served = await ServedPage.open(chromium, { files: vault(), args: ["--read-only"] });
    try {
      const page = await served.page({ at: "#/projects" });
      await page.getByRole("link", { name: "Next: Measure" }).first().waitFor();
      expect(await page.locator("main button").count()).toBe(0);
      await page.getByRole("link", { name: "Next: Measure" }).first().focus();
      await page.keyboard.press("Space");
      expect(served.read(MEASURE)).toContain("status: To Do");
    } finally {
      await served.close();
    }
  });
});
