/** axe-core over each view and what lies over it, in both themes and two widths (spec: web, section 5). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { card, NARROW, type PageSize, ServedPage, WIDE } from "../kit/task-page.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What a person does to a page before it is looked at. */
const STATES: readonly (readonly [
  name: string,
  at: string,
  act: (page: Page, served: ServedPage) => Promise<unknown>,
])[] = [
  ["today", "#/today", (page) => card(page, "Paint the wall").waitFor()],
  ["the board", "#/board", (page) => card(page, "Paint the wall").waitFor()],
  ["projects", "#/projects", (page) => page.locator(".project").first().waitFor()],
  [
    "a review with its tables",
    "#/review",
    async (page) => {
      await page.locator(".heat-map").waitFor();
      for (const table of await page.locator("summary").all()) await table.click();
      await page.locator(".numbers").nth(1).waitFor();
    },
  ],
  [
    "a copy by hand",
    "#/review",
    async (page) => {
      await page.locator(".heat-map").waitFor();
      await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
      await page.getByRole("button", { name: "Copy as Markdown" }).click();
      await page.locator("dialog textarea").waitFor();
    },
  ],
  ["a task", "#/board?task=paint", (page) => page.locator(".note-text li").first().waitFor()],
  ["a note", "#/today?note=Colours", (page) => page.locator(".note-text table").waitFor()],
  [
    "a note that is written",
    "#/board?task=paint",
    (page) => page.getByRole("button", { name: "Edit the note" }).click(),
  ],
  [
    "the menu",
    "#/board",
    async (page) => {
      await card(page, "Paint the wall").locator(".card-title").focus();
      await page.keyboard.press("m");
      await page.getByRole("menu").waitFor();
    },
  ],
  [
    "a message",
    "#/board",
    async (page) => {
      await card(page, "Think big").locator(".card-title").focus();
      await page.keyboard.press("p");
      await page.locator(".notice").waitFor();
    },
  ],
  [
    "search",
    "#/today",
    async (page) => {
      await card(page, "Paint the wall").waitFor();
      await page.keyboard.press("/");
      await page.locator("dialog input:focus").waitFor();
      await page.keyboard.type("paint");
      await page.locator(".hit").first().waitFor();
    },
  ],
  [
    "adding",
    "#/board",
    async (page) => {
      await card(page, "Paint the wall").waitFor();
      await page.keyboard.press("n");
      await page.locator("dialog textarea").waitFor();
    },
  ],
  [
    "the keys",
    "#/board",
    async (page) => {
      await card(page, "Paint the wall").waitFor();
      await page.keyboard.press("?");
      await page.locator("dialog").waitFor();
    },
  ],
  [
    "no line",
    "#/board",
    async (page) => {
      await card(page, "Paint the wall").waitFor();
      await page.context().setOffline(true);
      await page.evaluate("dispatchEvent(new Event('offline'))");
      await page.getByLabel("Filter by words").fill("x");
      await page.locator(".offline p").waitFor();
    },
  ],
  [
    "the login",
    "#/board",
    async (page) => {
      await page.route("**/mcp", (route) => route.fulfill({ status: 401, body: "{}" }));
      await page.reload();
      await page.locator("dialog.login").waitFor();
    },
  ],
];

inChromium("test/web/accessibility.test.ts", (executablePath) => {
  let served: ServedPage;
  beforeAll(async () => (served = await ServedPage.open(executablePath)));
  afterAll(() => served.close());
  afterEach(() => served.closePages());

  const sizes: readonly PageSize[] = [WIDE, NARROW];
  describe.each(sizes)("%o", (size) => {
    it.each(STATES)("%s: no violation in light or dark", async (_, at, act) => {
      const page = await served.page({ at, size, letsScriptsIn: true });
      await act(page, served);
      await page.evaluate(AXE);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await page.evaluate(
          `axe.run(document, { runOnly: { type: "tag", values: ${JSON.stringify(TAGS)} } }).then(({ violations }) =>
            violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join(" | "))))`,
        );
        expect([colorScheme, found]).toEqual([colorScheme, []]);
      }
    });
  });
});
