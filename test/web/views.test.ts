/** Saved views in a real browser: where they are, their rows by keyboard, pointer and touch, and why one is refused (docs: web, "Views"). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { card, NARROW, ServedPage, taskNote, whenOffered } from "../kit/task-page.js";

const QUERY = (filter: string) =>
  `# Late\n\`\`\`tasks\nnot done\n${filter}\ngroup by filename\n\`\`\`\n\n## Rooms\n![[Rooms.base#By status]]\n`;
const LIST = "- [ ] Sweep the yard 📅 2026-01-01\n- [ ] Water the roses\n";

const vault = (): Record<string, string> => ({
  "Dashboard.md": QUERY("has due date"),
  "Garden.md": LIST,
  "Rooms.base": `filters: file.inFolder("Rooms")
views:
  - type: table
    name: By status
    order: [file.name, status, size, painter, heated]
    groupBy: { property: status, direction: ASC }
    summaries: { size: Sum }
  - type: table
    name: Plain
    order: [size, file.name]
`,
  "Twice.md": "# Home\n```tasks\ndone\n```\n```tasks\nhas due date\n```\n",
  "Rooms/Attic.md": taskNote('id: attic\nstatus: To Do\nsize: 1965\npainter: "[[Ann]]"'),
  "Rooms/Bath.md": "---\nstatus: Done\nsize: 8\nheated: true\n---\n",
  "Rooms/Cellar.md": taskNote("id: cellar\nstatus: To Do\nsize: 30"),
  "People/Ann.md": "# Ann\n\nPaints in [[Attic|the attic]].\n",
  "One/Other.md": "",
  "Two/Other.md": "",
  "Links.base": `filters: file.inFolder("People") || file.name == "Boat"
views:
  - type: table
    name: Links
    order: [file.name, knows, site, favouriteColour, constructor, madeWith]
    summaries: { constructor: Filled }
properties:
  madeWith: { displayName: Made with an iPhone }
`,
  "People/Bob.md": '---\nknows: ["[[Ann]]", "[[Nobody]]", "[[Ann|Wife/Friend]]"]\nsite: https://example.org/bob\n---\n',
  "Boat.md": taskNote("id: boat\nstatus: Cancelled"),
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, number) => [`Many/Note ${number + 10}.md`, "---\nof: many\n---\n"]),
  ),
  "Many.base": 'filters: file.inFolder("Many")\nviews:\n  - type: list\n    name: All of them\n',
});

inChromium("test/web/views.test.ts", (chromium) => {
  let served: ServedPage;
  let page: Page;
  beforeAll(async () => (served = await ServedPage.open(chromium, { files: vault() })));
  afterAll(() => served.close());
  beforeEach(() => served.restore());
  afterEach(() => served.closePages());
  const at = (source: string, view: string) => `#/views?${new URLSearchParams({ source, view }).toString()}`;
  const open = async (hash: string) => {
    page = await served.page({ at: hash });
    await whenOffered(page);
  };
  const focused = () => page.evaluate<string>("document.activeElement.textContent");

  it("lists bases and blocks of notes, and leads to one, its siblings and back by the keyboard", async () => {
    await open("#/today");
    await page.keyboard.press("g");
    await page.keyboard.press("v");
    await page.getByRole("heading", { level: 1, name: "Views" }).waitFor();
    await expect
      .poll(() => page.locator(".names a > span").allTextContents())
      .toEqual(["Late", "Rooms", "Links", "All of them", "By status", "Plain", "Home 1", "Home 2"]);
    await page.getByRole("link", { name: "By status" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "By status" }).waitFor();
    expect(await page.getByRole("link", { name: "Open in Obsidian" }).getAttribute("href")).toContain(
      "file=Rooms.base",
    );
    await page.getByRole("link", { name: "Plain" }).press("Enter");
    await page.getByText("3 rows").waitFor();
    expect(await page.locator("tbody tr").first().locator("th, td").allTextContents()).toEqual(["Attic", "1965"]);
    await page.goBack();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Views" }).waitFor();
  });

  it("are commands of the search, each with its source", async () => {
    await open("#/today");
    await page.keyboard.press("/");
    await page.keyboard.type("by sta");
    await page.getByRole("button", { name: "View By status, Rooms" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "By status" }).waitFor();
  });

  it("are told apart by their places as commands of one title", async () => {
    for (const folder of ["One", "Two"]) served.write(`${folder}/Diary.md`, "# Late\n```tasks\ndone\n```\n");
    await open("#/today");
    await page.keyboard.press("/");
    await page.keyboard.type("late, diary");
    const commands = page.locator("section[aria-label='Commands'] .hit");
    await expect
      .poll(() => commands.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^View Late, Diary\s+One\/Diary\.md$/),
        expect.stringMatching(/^View Late, Diary\s+Two\/Diary\.md$/),
      ]);
    await commands.nth(1).click();
    await expect.poll(() => page.url()).toContain("Two");
    for (const folder of ["One", "Two"]) served.remove(`${folder}/Diary.md`);
  });

  describe("of a base", () => {
    beforeEach(async () => {
      await open(at("Rooms.base", "By status"));
      await page.locator("tbody a").first().waitFor();
    });

    it("shows groups with their sums, and boxes, in columns with plain names", async () => {
      const rows = await page.locator("tr").allInnerTexts();
      expect(rows.map((row) => row.replaceAll(/\s+/g, " ").trim())).toEqual([
        "Name Status Size Painter Heated",
        "Done 1 Size: 8",
        "Bath Done 8",
        "To Do 2 Size: 1995",
        "Attic To Do 1965 Ann",
        "Cellar To Do 30",
      ]);
      expect(await page.getByRole("checkbox", { name: "Heated" }).isChecked()).toBe(true);
      await page.getByText("Size: 2003").waitFor();
    });

    it("is one stop of the Tab key; a row that is a task takes the keys of a card, and others open their note", async () => {
      await page.getByRole("link", { name: "Bath" }).focus();
      const seen: string[] = [];
      for (const key of ["ArrowDown", "End", "Home", "Enter"]) {
        await page.keyboard.press(key);
        seen.push(await focused());
      }
      expect(seen.slice(0, 3)).toEqual(["Attic", "Cellar", "Bath"]);
      await page.getByRole("dialog", { name: "Bath" }).waitFor();
      await page.keyboard.press("Escape");
      // The address changes first; the dialog closes after that, and only then can a row take the focus.
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await expect.poll(focused).toBe("Bath");
      await page.getByRole("link", { name: "Cellar" }).focus();
      await page.keyboard.press("Space");
      await expect.poll(() => served.read("Rooms/Cellar.md")).toContain("status: Done");
      await page.getByText("Size: 38").waitFor();
      await page.keyboard.press("z");
      await expect.poll(() => served.read("Rooms/Cellar.md")).toContain("status: To Do");
      await page.getByRole("link", { name: "Attic" }).focus();
      await page.keyboard.press("m");
      await page.getByRole("menu").waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(focused).toBe("Attic");
    });

    it("opens the notes that cells link to, by pointer and keyboard, and marks a cancelled task", async () => {
      await page.getByRole("link", { name: "Attic" }).focus();
      await page.keyboard.press("ArrowRight");
      expect(await focused()).toBe("Ann");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Ann" }).getByText("Paints in").waitFor();
      await page.goto(`${served.url}/${at("Links.base", "Links")}`);
      const row = (name: string) => page.locator("tr", { hasText: name });
      await row("Bob").getByRole("button", { name: "Ann" }).click();
      await page.getByRole("dialog", { name: "Ann" }).getByText("Linked from").waitFor();
      await page.keyboard.press("Escape");
      expect(await row("Bob").locator("td").allTextContents()).toEqual([
        "Ann, Nobody, Wife/Friend",
        "https://example.org/bob",
        "",
        "",
        "",
      ]);
      expect(await page.locator("thead th").allTextContents()).toEqual([
        "Name",
        "Knows",
        "Site",
        "Favourite colour",
        "Constructor",
        "Made with an iPhone",
      ]);
      expect(await row("Bob").getByRole("button", { name: "Nobody" }).count()).toBe(0);
      expect(await row("Bob").locator("td a").getAttribute("rel")).toBe("noopener noreferrer");
      // A cross in a filled circle; an open task shows an empty one.
      const tick = row("Boat").locator(".tick");
      const colour = "getComputedStyle(document.querySelector('[data-status=Cancelled] > .tick')).color";
      expect(await page.evaluate(colour)).toMatch(/^rgb\(/);
      expect(await tick.locator("path").getAttribute("d")).toBe("M4 4l8 8M12 4l-8 8");
    });

    it("leaves arrows to the browser where they lead to no link: a wide table scrolls, Alt goes back", async () => {
      await page.setViewportSize(NARROW);
      await page.getByRole("link", { name: "Bath" }).focus();
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => page.locator(".table").evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(0);
      const goesOn = await page.evaluate(`[true, false].map((altKey) => [...document.querySelectorAll(".row-title")][1]
        .dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", altKey, bubbles: true, cancelable: true })))`);
      expect(goesOn).toEqual([true, false]);
    });

    it("shows what another program changes", async () => {
      served.write("Rooms/Bath.md", "---\nstatus: Done\nsize: 9\n---\n");
      await page.getByText("Size: 9").waitFor();
    });
  });

  it("shows the tasks of a query as everywhere: a tick completes one", async () => {
    await open(at("Dashboard.md", "1"));
    await page.getByRole("heading", { level: 2, name: "Garden" }).waitFor();
    expect(await page.locator("h2").first().textContent()).not.toContain("[[");
    expect(await page.locator(".card-title").allTextContents()).toEqual(["Sweep the yard"]);
    await card(page, "Sweep the yard").getByRole("button", { name: "Complete: Sweep the yard" }).click();
    await expect.poll(() => served.read("Garden.md")).toContain("- [x] Sweep the yard");
    await page.getByText("No row fits this view.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await card(page, "Sweep the yard").waitFor();
  });

  it("names each clause of a refused view with its place, and answers when it is corrected", async () => {
    served.write("Dashboard.md", QUERY("due before in 2 hours"));
    await open(at("Dashboard.md", "1"));
    const alert = page.getByRole("alert");
    await alert.getByText("Nothing was evaluated").waitFor();
    expect(await alert.locator("li").innerText()).toMatch(/due before in 2 hours\s+line 4: /);
    await page.getByRole("link", { name: "Open in Obsidian" }).waitFor();
    served.write("Dashboard.md", vault()["Dashboard.md"] ?? "");
    await card(page, "Sweep the yard").waitFor();
    expect(await alert.count()).toBe(0);
  });

  it("gives the other columns their place beside a name of one long word", async () => {
    const name = `Read ${"andsoon".repeat(20)}`;
    served.write(`Rooms/${name}.md`, taskNote("id: long\nstatus: To Do\nsize: 7"));
    await open(at("Rooms.base", "By status"));
    const cell = page.locator("tr", { hasText: name }).locator("th");
    expect((await cell.boundingBox())?.width).toBeLessThan(600);
    served.remove(`Rooms/${name}.md`);
  });

  it("reads on when more is asked for", async () => {
    await open(at("Many.base", "All of them"));
    await expect.poll(() => page.locator("tbody tr").count()).toBe(50);
    await page.getByRole("button", { name: "Show more (10)" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(60);
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  });

  it("is used by touch and fits 320 pixels: targets are 44 pixels, nothing lies beside the page", async () => {
    const size = { ...NARROW, width: 320 };
    page = await served.page({ at: at("Rooms.base", "By status"), size, isTouch: true });
    await whenOffered(page);
    await page.getByRole("link", { name: "Attic" }).waitFor();
    const low = await page.evaluate(`[...document.querySelectorAll("main button:not(.link), main a, nav a")]
      .filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML.slice(0, 90))`);
    expect(low).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await page.getByRole("button", { name: "Complete: Attic" }).tap();
    await expect.poll(() => served.read("Rooms/Attic.md")).toContain("status: Done");
  });
});

inChromium("test/web/views.test.ts, without views", (chromium) => {
  it("teach how one is saved, and show it as soon as it is there; a review without tasks teaches, too", async () => {
    const served = await ServedPage.open(chromium, { files: { "Hello.md": "# Hello\n" }, args: ["--read-only"] });
    try {
      const page = await served.page({ at: "#/review" });
      await page.getByRole("heading", { name: "There are no tasks yet" }).waitFor();
      expect(await page.locator(".sums").count()).toBe(0);
      await page.goto(`${served.url}/#/views`);
      await page.getByRole("heading", { name: "No view is saved yet" }).waitFor();
      const [sample = "", base = ""] = await page.locator(".sample pre").allTextContents();
      served.write("Garden.md", LIST);
      served.write("Dashboard.md", `${sample.replace("due before in 7 days\n", "")}\n`);
      await page.getByRole("link", { name: "Tasks query" }).click();
      await page.getByText("Sweep the yard").waitFor();
      expect(await page.locator("main .tick:is(button)").count()).toBe(0);
      served.write("Recent.md", base);
      await page.goto(`${served.url}/#/views`);
      await page.getByRole("link", { name: "Base block 1" }).click();
      await page.locator("tbody").getByText("Garden").first().waitFor();
    } finally {
      await served.close();
    }
  });
});
