/** The App as hosts show it: in a sandboxed frame of another origin, over the package's own bridge, in a real browser. */
import { readFileSync } from "node:fs";
import axe from "axe-core";
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inChromium, sharedBrowser } from "../kit/chromium.js";
import { AppHost, appDocument, type AppHostOptions } from "../kit/app-host.js";
import { builtProgram } from "../kit/built-program.js";
import { HttpTest, json } from "../kit/http-front.js";

const note = (title: string, more = "") => `---\ntype: task\ntitle: ${title}\nstatus: To Do\n${more}---\n`;
const FILES = {
  "a.md": note("Call Anna", "priority: High\ndue: 2025-08-29\narea: Home\n"),
  "b.md": note("Buy milk", "due: 2030-01-01\n"),
  "c.md": note("<img src=x onerror=alert(1)>"),
  ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}.md`, note(`Many ${at}`, "tags: [many]\n")])),
};

const EVERYTHING = { serverTools: {}, updateModelContext: { text: {} }, openLinks: {} };

inChromium("test/web/app.test.ts", (chromium) => {
  let page: Page;
  let http: HttpTest;
  let document: string;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    await builtProgram();
    document = appDocument();
    page = await (await sharedBrowser(chromium)).newPage({ reducedMotion: "reduce" });
  });
  afterAll(() => page.close());
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function result(name: string, args: unknown): Promise<Record<string, unknown>> {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const answer = await http.send("/mcp", { method: "POST", body });
    return (json(answer) as { result: Record<string, unknown> }).result;
  }

  interface Shown {
    readonly page: Page;
    readonly app: FrameLocator;
    /** What the host was asked, in order. */
    readonly log: () => Promise<readonly Record<string, unknown>[]>;
    readonly bridge: (method: string, ...params: unknown[]) => Promise<unknown>;
    readonly problems: readonly string[];
  }

  /** A host that shows the App; nothing is given to it yet. */
  async function host(options: Partial<AppHostOptions> = {}, colorScheme: "light" | "dark" = "light"): Promise<Shown> {
    http = await HttpTest.open({}, FILES);
    closing.push(() => http.close());
    const opened = await AppHost.open({
      document,
      capabilities: EVERYTHING,
      context: { availableDisplayModes: ["inline", "fullscreen"], theme: colorScheme },
      call: async ({ name, arguments: args }) => result(name, args),
      ...options,
    });
    closing.push(() => opened.close());
    await page.setViewportSize({ width: 800, height: 700 });
    await page.emulateMedia({ colorScheme });
    for (const event of ["console", "dialog"] as const) page.removeAllListeners(event);
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("dialog", (dialog) => {
      problems.push("a script of a note ran");
      void dialog.dismiss();
    });
    await page.goto(opened.address);
    await page.waitForFunction("window.log?.some((entry) => entry.initialized)");
    const app = page.frameLocator("iframe").frameLocator("iframe");
    const log = async () => (await page.evaluate("window.log")) as Record<string, unknown>[];
    const bridge = async (method: string, ...params: unknown[]) =>
      page.evaluate(`window.bridge[${JSON.stringify(method)}](...${JSON.stringify(params)})`);
    return { page, app, log, bridge, problems };
  }

  async function given(shown: Shown, name: string, args: object): Promise<void> {
    await shown.bridge("sendToolInput", { arguments: args });
    await shown.bridge("sendToolResult", await result(name, args));
  }

  describe("the App that is given result after result", () => {
    let shown: Shown;
    let ends: (() => Promise<void>)[];
    beforeAll(async () => {
      shown = await host();
      ends = closing.splice(0).toReversed();
    });
    afterAll(async () => {
      for (const end of ends) await end();
    });

    it("waits for a result, draws it, and asks nothing by itself", async () => {
      await shown.app.getByText("Loading").waitFor();
      await given(shown, "search_tasks", { query: "Call Anna" });
      await shown.app.getByRole("link", { name: "Call Anna" }).waitFor();
      expect(await shown.log()).toEqual([{ initialized: true }]);
      expect(shown.problems).toEqual([]);
    });

    it("grows with what is asked for more", async () => {
      await given(shown, "search_tasks", { query: "*", tags: ["many"], limit: 5 });
      await shown.app.getByRole("button", { name: "Show more (25)" }).click();
      await shown.app.getByRole("button", { name: "Show more (5)" }).waitFor();
      expect(await shown.app.locator(".card").count()).toBe(25);
    });

    it("shows no control for a tool that the server does not offer", async () => {
      const answer = await result("search_tasks", { query: "Call Anna" });
      const meta = { "obsidian-vault-mcp-server/tools": ["search_tasks", "get_task"] };
      await shown.bridge("sendToolResult", { ...answer, _meta: meta });
      await shown.app.getByRole("link", { name: "Call Anna" }).waitFor();
      expect(await shown.app.getByRole("button", { name: /Complete|Move/ }).count()).toBe(0);
    });

    it("shows what scripts and pictures in titles are written as, and nothing runs", async () => {
      await given(shown, "search_tasks", { query: "onerror" });
      await shown.app.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).waitFor();
      expect(await shown.app.locator("img").count()).toBe(0);
      expect(shown.problems).toEqual([]);
    });

    it("draws the agenda, the review and the projects", async () => {
      for (const [view, text] of [
        ["day", "Overdue"],
        ["review", "Undated"],
      ]) {
        await given(shown, "get_agenda", { view });
        await shown.app.getByRole("heading", { name: new RegExp(text ?? "") }).waitFor();
      }
      await given(shown, "get_agenda", { view: "week" });
      await shown.app.getByText("Overdue").first().waitFor();
      await given(shown, "get_agenda", { view: "projects" });
      await shown.app.getByRole("link", { name: "Next: Call Anna" }).click();
      await shown.app.getByRole("dialog", { name: "Call Anna" }).waitFor();
      await shown.app.getByRole("button", { name: "Close" }).click();
      await shown.app.getByRole("link", { name: "Home", exact: true }).click();
      // The host gives it the window, for the board of that area.
      await shown.app.getByRole("button", { name: "Clear filters" }).waitFor();
      await shown.app.getByRole("button", { name: "Back to the conversation" }).click();
    });

    it("says what a refusal says, and when the call was cancelled", async () => {
      await given(shown, "get_agenda", { view: "day", date: "2025-02-30" });
      await shown.app.getByRole("alert").getByText("2025-02-30").waitFor();
      await shown.bridge("sendToolCancelled", { reason: "user" });
      await shown.app.getByText("The call was cancelled.").waitFor();
    });
  });

  describe("the App in a host's frame", () => {
    it("completes a task through the host, tells the model in a sentence, and takes it back", async () => {
      const shown = await host();
      await given(shown, "search_tasks", { query: "Call Anna" });
      await shown.app.getByRole("button", { name: "Complete: Call Anna" }).click();
      await shown.app.getByText("Call Anna: Done").waitFor();
      expect(readFileSync(http.vault.at("a.md"), "utf8")).toContain("status: Done");
      const told = (await shown.log()).flatMap((entry) => ("told" in entry ? [JSON.stringify(entry["told"])] : []));
      expect(told).toHaveLength(1);
      expect(told[0]).toContain("The user changed status of the task");
      await shown.app.getByRole("button", { name: "Undo" }).click();
      await shown.app.getByText("Taken back: Call Anna").waitFor();
      expect(readFileSync(http.vault.at("a.md"), "utf8")).toBe(FILES["a.md"]);
    });

    it("only shows where the host carries no calls", async () => {
      const shown = await host({ capabilities: {} });
      await given(shown, "search_tasks", { query: "*", tags: ["many"], limit: 5 });
      await shown.app.getByText("25 more").waitFor();
      expect(await shown.app.getByRole("button").count()).toBe(0);
    });

    it("is the board where the host gives it the window", async () => {
      const shown = await host();
      await given(shown, "scan_vault", {});
      await shown.app.getByText("Most urgent").waitFor();
      await shown.app.getByRole("button", { name: "Open the board" }).click();
      await shown.app.getByRole("heading", { name: "In Progress" }).waitFor();
      // A column is as high as the window lets it be.
      const low = await shown.app
        .locator("html")
        .evaluate("innerHeight - document.querySelector('.column').getBoundingClientRect().bottom");
      expect(low).toBeLessThan(40);
      await shown.app.getByRole("button", { name: "Back to the conversation" }).click();
      await shown.app.getByText("Most urgent").waitFor();
    });

    it("takes the host's theme and colours, and answers its ping and its end", async () => {
      const shown = await host({}, "dark");
      await given(shown, "search_tasks", { query: "Call Anna" });
      const theme = () => shown.app.locator("html").getAttribute("data-theme");
      expect(await theme()).toBe("dark");
      await shown.bridge("setHostContext", {
        theme: "light",
        styles: { variables: { "--color-background-primary": "rgb(1, 2, 3)" } },
      });
      await expect.poll(theme).toBe("light");
      const ground = await shown.app
        .locator("html")
        .evaluate("getComputedStyle(document.documentElement).backgroundColor");
      expect(ground).toBe("rgb(1, 2, 3)");
      expect(await shown.bridge("teardownResource", {})).toEqual({});
    });

    it("gives links to the host, and to be copied where it opens none", async () => {
      const shown = await host();
      await given(shown, "search_tasks", { query: "Call Anna" });
      await shown.app.getByRole("link", { name: "Call Anna" }).click();
      await shown.app.getByRole("link", { name: "Open in Obsidian" }).click();
      await shown.app.getByText("This client opens no links. Copy it: obsidian://").waitFor();
      expect((await shown.log()).some((entry) => String(entry["link"]).startsWith("obsidian://"))).toBe(true);
    });

    it("has no fault that axe finds, in light and dark", async () => {
      const shown = await host();
      await given(shown, "scan_vault", {});
      await shown.app.getByText("Most urgent").waitFor();
      const frame = shown.page.frames().find((one) => one.url().endsWith("/app"));
      await frame?.evaluate(axe.source);
      for (const theme of ["light", "dark"]) {
        await shown.bridge("setHostContext", { theme });
        await shown.app.locator(`html[data-theme=${theme}]`).waitFor();
        const found = await frame?.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })");
        const { violations } = found as { violations: readonly { id: string; nodes: readonly { html: string }[] }[] };
        expect(violations.map(({ id, nodes }) => [theme, id, nodes.map(({ html }) => html)])).toEqual([]);
      }
    });

    it("is one small document that names no other", () => {
      expect(Buffer.byteLength(document)).toBeLessThanOrEqual(145_000);
      expect(document).not.toMatch(/(src|href)="|@import|url\(/);
    });
  });
});
