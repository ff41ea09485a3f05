/** The page in every state in which it is judged as a whole: each view, and all that can lie over one. */
import type { Page } from "playwright-core";
import { card, load, whenOffered } from "./task-page.js";

/** What a person does to a page before it is looked at. */
type PageState = readonly [name: string, at: string, act: (page: Page) => Promise<unknown>];

/** Those that want lists longer than what is drawn at once; in the others such lists would be looked at once more each. */
export const LONG_STATES: readonly PageState[] = [
  [
    "a long column",
    "#/board?words=Errand",
    (page) => page.locator(".card", { hasText: "Errand 15" }).first().waitFor({ state: "attached" }),
  ],
  ["the week", "#/week", (page) => page.locator(".week .card").first().waitFor()],
];

export const PAGE_STATES: readonly PageState[] = [
  ["today", "#/today", (page) => card(page, "Paint the wall").waitFor()],
  ["the board", "#/board", (page) => card(page, "Learn to whistle").waitFor()],
  [
    "a day that is picked",
    "#/board",
    async (page) => {
      await whenOffered(page);
      await card(page, "Paint the wall").locator(".card-title").focus();
      await page.keyboard.press("d");
      await page.getByRole("grid").waitFor();
    },
  ],
  [
    "a selection",
    "#/board",
    async (page) => {
      await whenOffered(page);
      await card(page, "Paint the wall").locator(".card-title").focus();
      await page.keyboard.press("x");
      await page.getByRole("toolbar").waitFor();
    },
  ],
  ["history", "#/history", (page) => page.locator(".change, .history-view .empty").first().waitFor()],
  ["a project", "#/project?project=Kitchen", (page) => card(page, "Paint the wall").waitFor()],
  ["groups", "#/board?group=priority", (page) => card(page, "Paint the wall").waitFor()],
  [
    "quick add with what is read",
    "#/today",
    async (page) => {
      await whenOffered(page);
      await page.locator("#quick-add").click();
      await page.keyboard.type("Call Anna tomorrow !high +Kit");
      await page.locator(".names-offered li").waitFor();
      await page.locator(".marks mark").first().waitFor();
    },
  ],
  ["saved views", "#/views", (page) => page.locator(".names a").first().waitFor()],
  ["a base", "#/views?source=Rooms.base&view=All", (page) => page.locator("tbody a").first().waitFor()],
  ["a view that is refused", "#/views?source=Rooms.base&view=Wrong", (page) => page.locator(".refused").waitFor()],
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
      await whenOffered(page);
      await card(page, "Paint the wall").locator(".card-title").focus();
      await page.keyboard.press("m");
      await page.getByRole("menu").waitFor();
    },
  ],
  [
    "a message",
    "#/board",
    async (page) => {
      await whenOffered(page);
      await card(page, "Think big").locator(".card-title").focus();
      await page.keyboard.press("2");
      // It stays for as long as the focus is in it.
      await page.locator(".notice").getByRole("button", { name: "Undo" }).focus();
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
      await whenOffered(page);
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
      await page.route("**/mcp", (route) => route.abort("internetdisconnected"));
      const told = page.locator(".offline p");
      // The line for news may still have been opening, and then says once more that all is well.
      for (let words = "x"; !(await told.isVisible()); words += "x") {
        await page.getByLabel("Filter by words").fill(words);
        await page.getByLabel("Filter by words").blur();
        await told.waitFor({ timeout: 2_000 }).catch(() => undefined);
      }
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

export async function enterState(page: Page, at: string, act: (page: Page) => Promise<unknown>): Promise<void> {
  await page.unrouteAll();
  await load(page, at);
  await act(page);
}
