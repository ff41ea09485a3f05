/** The page's line to the server: lost and found, logged in and out, and what a caller may only read (docs: web, "Who may", "Calls, changes, conflicts"). */
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Locator, Page, Route } from "playwright-core";
import { inChromium } from "../kit/chromium.js";
import { card, column, pageVault, NARROW, ServedPage, type ServedOptions, whenOffered } from "../kit/task-page.js";
import { TemporaryVault } from "../kit/temporary-vault.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";
const TOKEN = "a-token-of-thirty-two-characters";

inChromium("test/web/line.test.ts", (chromium) => {
  let served: ServedPage;
  /** One server for the tests of a group. */
  function serve(options: ServedOptions = {}): void {
    beforeAll(async () => (served = await ServedPage.open(chromium, options)));
    beforeEach(() => served.restore());
    afterEach(() => served.closePages());
    afterAll(() => served.close());
  }

  describe("of a server that anybody may ask", () => {
    serve();

    it("says that the server is gone, keeps what was read and typed, and comes back by itself", async () => {
      const page = await served.page({ at: "#/today" });
      await page.getByRole("link", { name: "Week" }).click();
      await card(page, "Think big").waitFor();
      await page.getByRole("link", { name: "Today" }).click();
      await card(page, "Paint the wall").waitFor();
      await page.locator("#quick-add").fill("Half a thought");
      await served.kill();
      await page.locator(".offline", { hasText: "cannot be reached" }).waitFor();
      await page.getByRole("link", { name: "Week" }).click();
      await expect.poll(() => card(page, "Think big").count()).toBe(1);
      await page.getByRole("button", { name: "Next week" }).click();
      await page.getByText("Not read yet").waitFor();
      await page.getByRole("link", { name: "Projects" }).click();
      const again = page.getByRole("button", { name: "Load the page again" });
      await again.waitFor();
      expect(await again.isEnabled()).toBe(false);
      await page.getByRole("link", { name: "Today" }).click();
      expect(await page.locator("#quick-add").inputValue()).toBe("Half a thought");
      expect(await card(page, "Paint the wall").count()).toBe(1);
      expect(await page.getByText("cannot be reached").count()).toBe(1);
      expect(await page.getByRole("button", { name: "Add", exact: true }).isEnabled()).toBe(false);
      expect(await page.getByRole("button", { name: /^Complete/ }).count()).toBe(0);
      served.write(PAINT, served.read(PAINT).replace("type: task", "type: task\ntitle: Paint all walls"));
      await served.restart();
      await card(page, "Paint all walls").waitFor();
      await expect.poll(() => page.locator(".offline p").count()).toBe(0);
      expect(await page.locator("#quick-add").inputValue()).toBe("Half a thought");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.locator(".notice", { hasText: "Added: Half a thought" }).waitFor();
    });

    it.each(["the browser says so", "only the server answers again"])(
      "comes back after a short loss of the network that the stream of changes survives: %s",
      async (how) => {
        const page = await served.page({ at: "#/board" });
        await whenOffered(page);
        await card(page, "Paint the wall").waitFor();
        const isEmulated = how === "the browser says so";
        if (isEmulated) await page.context().setOffline(true);
        else await page.route("**/mcp", (route) => route.abort("internetdisconnected"));
        // Nothing else asks the server.
        if (!isEmulated) await card(page, "Paint the wall").locator(".card-title").press("2");
        await page.locator(".offline", { hasText: "cannot be reached" }).waitFor();
        // The page is told of this one while it cannot read it.
        served.write(PAINT, served.read(PAINT).replace("type: task", "type: task\ntitle: Paint all walls"));
        await page.waitForTimeout(1_500);
        let asked = 0;
        page.on("requestfailed", () => asked++);
        await page.waitForTimeout(2_500);
        expect(asked).toBeLessThanOrEqual(3);
        if (isEmulated) await page.context().setOffline(false);
        else await page.unroute("**/mcp");
        await expect.poll(() => page.locator(".offline p").count()).toBe(0);
        await card(page, "Paint all walls").locator(".card-title").focus();
        await page.keyboard.press("2");
        await expect.poll(() => served.read(PAINT)).toContain("status: In Progress");
        await page.keyboard.press("Enter");
        const area = page.locator("dialog.drawer").getByLabel("Area", { exact: true });
        await area.waitFor();
        const isUpdate = (route: Route) => route.request().postData()?.includes("update_task") === true;
        await page.route("**/mcp", (route) =>
          isUpdate(route) ? route.abort("internetdisconnected") : route.continue(),
        );
        await area.fill("House");
        await area.press("Enter");
        const unsaved = page.getByText("Not saved");
        await unsaved.nth(1).waitFor();
        await page.unroute("**/mcp");
        await expect.poll(() => served.read(PAINT)).toContain("area: House");
        await expect.poll(() => unsaved.count()).toBe(0);
      },
    );

    it("leaves a card where it was when the server is killed in the middle of its drag", async () => {
      const page = await served.page({ at: "#/board", size: { width: 1280, height: 900 } });
      await whenOffered(page);
      const target = column(page, "Blocked");
      const dragged = card(page, "Paint the wall");
      const refused = page.locator(".notice", { hasText: "nothing can be changed" });
      await drag(page, dragged, target, async () => {
        await served.kill();
        await page.locator(".offline", { hasText: "cannot be reached" }).waitFor();
      });
      await refused.waitFor();
      await dragged.dispatchEvent("pointerdown", { pointerType: "touch", clientX: 100, clientY: 9 });
      await dragged.dispatchEvent("pointermove", { pointerType: "touch", clientX: 200, clientY: 9 });
      await refused.nth(1).waitFor();
      await served.restart();
      await expect.poll(() => page.locator(".offline p").count()).toBe(0);
      expect(await column(page, "To Do").locator(".card", { hasText: "Paint the wall" }).count()).toBe(1);
      expect(await target.getAttribute("class")).not.toContain("over");
    });

    it("asks which text stays when another program changes a card in the middle of its drag", async () => {
      const page = await served.page({ at: "#/board", size: { width: 1280, height: 900 } });
      await whenOffered(page);
      const changed = served.read(PAINT).replace(/status: .*/, "status: Done");
      await drag(page, card(page, "Paint the wall"), column(page, "Blocked"), () => served.write(PAINT, changed));
      const keep = page.getByRole("button", { name: "Keep what is there" });
      const isOn = () => served.read(PAINT).includes("status: Blocked");
      await expect.poll(async () => isOn() || (await keep.count()) > 0).toBe(true);
      // A page that hears of the change before the drop moves the card as it is now.
      if (isOn()) return;
      await keep.click();
      await page.locator("dialog[open]").waitFor({ state: "detached" });
      expect(served.read(PAINT)).toBe(changed);
    });
  });

  describe("of a server with a token", () => {
    serve({ environment: { AUTH_TOKEN: TOKEN } });

    it("asks for the token, and again when the session has ended, with the typed text kept", async () => {
      const page = await served.page({ at: "#/today" });
      const dialog = page.locator("dialog.login");
      await dialog.waitFor();
      await page.getByLabel("Token").fill("not the token");
      await page.keyboard.press("Enter");
      await dialog.locator(".problem", { hasText: "does not know" }).waitFor();
      await page.getByLabel("Token").fill(TOKEN);
      await page.keyboard.press("Enter");
      await card(page, "Paint the wall").waitFor();
      await expect.poll(() => dialog.count()).toBe(0);
      await page.reload();
      await card(page, "Paint the wall").waitFor();
      await page.locator("#quick-add").fill("Half a thought");
      // Sessions are in memory alone.
      await served.kill();
      await served.restart();
      await dialog.waitFor();
      await page.getByLabel("Token").fill(TOKEN);
      await page.keyboard.press("Enter");
      await expect.poll(() => dialog.count()).toBe(0);
      expect(await page.locator("#quick-add").inputValue()).toBe("Half a thought");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.locator(".notice", { hasText: "Added: Half a thought" }).waitFor();
    });

    it.each(["/web/events", "/mcp"])("is not asked for a login again by a late refusal of %s", async (path) => {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const late: Promise<void>[] = [];
      let isLoggedIn = false;
      const hold = async (route: Route) => {
        if (isLoggedIn) return await route.fallback();
        const response = await route.fetch();
        expect(response.status()).toBe(401);
        late.push(released.then(() => route.fulfill({ response })));
      };
      const page = await served.page({ at: "#/today", before: (of) => of.route(`**${path}`, hold) });
      await page.getByLabel("Token").fill(TOKEN);
      await expect.poll(() => late.length).toBeGreaterThan(0);
      isLoggedIn = true;
      await page.keyboard.press("Enter");
      await expect.poll(() => page.locator("dialog.login").count()).toBe(0);
      release();
      await Promise.all(late);
      await card(page, "Paint the wall").waitFor();
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    });

    it("makes a link for another device, and logs out", async () => {
      const page = await served.page({ at: "#/today" });
      await page.getByLabel("Token").fill(TOKEN);
      await page.keyboard.press("Enter");
      await card(page, "Paint the wall").waitFor();
      const listed = page.waitForResponse("**/web/connections");
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
      // Anything else is an error in the browser's console.
      expect((await listed).status()).toBe(204);
      await page.getByRole("button", { name: "Link for another device" }).click();
      await page.locator(".device-link").waitFor();
      const link = new URL(await page.locator(".device-link").inputValue());
      const other = await served.page({ at: link.hash, size: NARROW, isTouch: true });
      await card(other, "Paint the wall").waitFor();
      await other.getByRole("button", { name: "Session" }).tap();
      await other.getByRole("button", { name: "Log out" }).waitFor();
      expect(await other.locator("kbd:visible").count()).toBe(0);
      await page.getByRole("button", { name: "Log out" }).click();
      await page.locator("dialog.login").waitFor();
      await page.reload();
      await page.locator("dialog.login").waitFor();
      expect(await card(other, "Paint the wall").count()).toBe(1);
    });

    it("takes a one-time code out of the address before anything else", async () => {
      const response = await fetch(`${served.url}/web/codes`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      const { link } = (await response.json()) as { link: string };
      const page = await served.page({ at: new URL(link).hash });
      await card(page, "Paint the wall").waitFor();
      expect(page.url()).not.toContain("login");
      expect(await page.locator("dialog").count()).toBe(0);
      const again = await served.page({ at: new URL(link).hash });
      await again.locator("dialog.login").waitFor();
      expect(again.url()).not.toContain("login");
    });
  });

  describe("of a server that only shows", () => {
    serve({ args: ["--read-only"] });

    it("shows pictures of a note that was drawn before the tools were known", async () => {
      const dot = readFileSync(new URL("../../docs/pictures/today-light.png", import.meta.url));
      served.writeBytes("dot.png", dot);
      served.write("Colours.md", "![[dot.png]]\n");
      const listsLate = (on: Page) =>
        on.route("**/web/session", async (route) => {
          await on.locator("dialog.drawer .note-text:not(.plain)").waitFor();
          await route.continue();
        });
      const page = await served.page({ at: "#/today?note=Colours", before: listsLate });
      await page.locator("dialog.drawer img").waitFor();
      // The picture may come before the delayed answer.
      await page.unrouteAll({ behavior: "wait" });
    });

    it("offers no control whose tool is not offered", async () => {
      let offered: Promise<unknown> | undefined;
      const listen = async (on: Page) => {
        offered = on.waitForResponse("**/web/session");
      };
      const page = await served.page({ before: listen });
      await offered;
      await card(page, "Paint the wall").waitFor();
      for (const name of [/^Complete/, /^Move/, /^Add/])
        expect(await page.getByRole("button", { name }).count(), String(name)).toBe(0);
      expect(await page.getByRole("button", { name: "Search" }).count()).toBe(1);
      expect(await page.locator("[draggable=true]").count()).toBe(0);
      await card(page, "Paint the wall").locator(".card-title").focus();
      for (const key of ["4", "Space", "m", "n", "p", "Shift+ArrowRight"]) await page.keyboard.press(key);
      await page.waitForTimeout(200);
      expect(served.read(PAINT)).toBe(pageVault()[PAINT]);
      await page.keyboard.press("Enter");
      await page.locator("dialog.drawer .note-text:not(.plain)").waitFor();
      // A note's own checkboxes are drawn, and cannot be set.
      expect(await page.locator("dialog.drawer input:enabled:not([readonly])").count()).toBe(0);
      expect(await page.locator("dialog.drawer input:disabled").count()).toBe(2);
      expect(await page.getByRole("button", { name: "Edit the note" }).count()).toBe(0);
    });
  });

  it("says that a server without tokens has nothing to log in with, and that one behind a proxy is down", async () => {
    const admit = [{ name: "anna", subject: "anna-id", scopes: ["write"] }];
    const settings = new TemporaryVault({ "tokens.json": JSON.stringify({ admit }) });
    const issuer = ["--issuer", "https://id.example", "--public-url", "https://notes.example"];
    try {
      served = await ServedPage.open(chromium, {
        args: [...issuer, "--tokens-file", settings.at("tokens.json")],
      });
    } finally {
      settings.remove();
    }
    try {
      const page = await served.page({ at: "#/today" });
      await page.getByLabel("Token").fill("a token of the issuer");
      await page.keyboard.press("Enter");
      await page.locator(".problem", { hasText: "no token to log in with" }).waitFor();
      await page.route("**/web/session", (route) => route.fulfill({ status: 502 }));
      await page.keyboard.press("Enter");
      await page.locator(".problem", { hasText: "cannot be reached" }).waitFor();
    } finally {
      await served.close();
    }
  });
});

/** Drags a card to a column by the pointer. @param meanwhile runs before it is dropped */
async function drag(page: Page, from: Locator, to: Locator, meanwhile: () => unknown): Promise<void> {
  const at = async (one: Locator): Promise<readonly [x: number, y: number]> => {
    const { x, y, width } = (await one.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    return [x + width / 2, y + 20];
  };
  // The code for dragging is loaded after the cards.
  await from.and(page.locator("[draggable='true']")).waitFor();
  await page.mouse.move(...(await at(from)));
  await page.mouse.down();
  const [x, y] = await at(to);
  await page.mouse.move(x, y + 60, { steps: 12 });
  await to.and(page.locator(".over")).waitFor();
  await meanwhile();
  // A hand never rests.
  await page.mouse.move(x, y + 64);
  await page.mouse.up();
}
