/** The page's line to the server: lost and found, logged in and out, and what a caller may only read (docs: web, "Who may", "Calls, news, conflicts"). */
import { afterEach, expect, it } from "vitest";
import { inChromium } from "../kit/chromium.js";
import { card, pageVault, ServedPage } from "../kit/task-page.js";

const PAINT = "_projects/Kitchen/Paint the wall.md";
const TOKEN = "a-token-of-thirty-two-characters";

inChromium("test/web/line.test.ts", (executablePath) => {
  let served: ServedPage;
  afterEach(() => served.close());

  it("says that the server is gone, keeps what was read and typed, and comes back by itself", async () => {
    served = await ServedPage.open(executablePath);
    const page = await served.page({ at: "#/today" });
    await card(page, "Paint the wall").waitFor();
    await page.locator("#quick-add").fill("Half a thought");
    await served.kill();
    await page.locator(".offline", { hasText: "cannot be reached" }).waitFor();
    expect(await page.locator("#quick-add").inputValue()).toBe("Half a thought");
    expect(await card(page, "Paint the wall").count()).toBe(1);
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

  it("asks for the token, and again when the session has ended, with the typed text kept", async () => {
    served = await ServedPage.open(executablePath, { environment: { AUTH_TOKEN: TOKEN } });
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
    await dialog.waitFor({ timeout: 10_000 });
    await page.getByLabel("Token").fill(TOKEN);
    await page.keyboard.press("Enter");
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await page.locator("#quick-add").inputValue()).toBe("Half a thought");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".notice", { hasText: "Added: Half a thought" }).waitFor();
  });

  it("makes a link for another device, and logs out", async () => {
    served = await ServedPage.open(executablePath, { environment: { AUTH_TOKEN: TOKEN } });
    const page = await served.page({ at: "#/today" });
    await page.getByLabel("Token").fill(TOKEN);
    await page.keyboard.press("Enter");
    await card(page, "Paint the wall").waitFor();
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("button", { name: "Link for another device" }).click();
    await page.locator(".device-link").waitFor();
    const link = new URL(await page.locator(".device-link").inputValue());
    const other = await served.page({ at: link.hash });
    await card(other, "Paint the wall").waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.locator("dialog.login").waitFor();
    await page.reload();
    await page.locator("dialog.login").waitFor();
    expect(await card(other, "Paint the wall").count()).toBe(1);
  });

  it("takes a one-time code out of the address before anything else", async () => {
    served = await ServedPage.open(executablePath, { environment: { AUTH_TOKEN: TOKEN } });
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

  it("offers no control whose tool is not offered", async () => {
    served = await ServedPage.open(executablePath, { args: ["--read-only"] });
    const page = await served.page();
    await Promise.all([
      page.waitForResponse((response) => response.request().postData()?.includes("tools/list") ?? false),
      page.reload(),
    ]);
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
