/**
 * Pages in a real browser against a server on this machine: those of other sites do nothing, those
 * that may work. Needs Chromium (CHROMIUM names it when it is in no usual place); attacks.test.ts sends the same as raw requests.
 */
import type { LaunchOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DONE, PageSite, ReboundSite } from "./kit/attack-pages.js";
import { RecklessServer } from "./kit/attacks.js";
import { builtProgram } from "./kit/built-program.js";
import type { Child } from "./kit/child.js";
import { FOREIGN, inChromium, REBOUND, sharedBrowser } from "./kit/chromium.js";
import { startedHttp } from "./kit/client-front-ends.js";
import { HostileVault } from "./kit/hostile-vault.js";

inChromium("test/attacks-browser.test.ts", browserTests);

function browserTests(chromium: LaunchOptions): void {
  let page: Page;
  let vault: HostileVault;
  let server: Child;
  let port = 0;
  let reckless: RecklessServer;
  beforeAll(async () => {
    vault = new HostileVault();
    const options = ["--vault", vault.folder, "--cache-folder", vault.cache, "--legacy-sse"];
    const started = await startedHttp([await builtProgram(), ...options], { LOG_LEVEL: "info" });
    server = started.child;
    port = Number(new URL(started.url).port);
    reckless = await RecklessServer.open();
    page = await (await sharedBrowser(chromium)).newPage();
  });
  afterAll(async () => {
    await page.close();
    await reckless.close();
    server.process.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
    vault.remove();
  });

  /** Opens a page and waits until its script has ended. @returns what it found open */
  async function visit(url: string): Promise<unknown> {
    await page.goto(url);
    const done = await page.waitForFunction(`window[${JSON.stringify(DONE)}]`, undefined, {
      timeout: 100_000,
      polling: 50,
    });
    // Beacons leave by themselves.
    await page.waitForTimeout(200);
    return await done.jsonValue();
  }

  const refused = () => [...server.stderr.matchAll(/"method":"(?:POST|GET)","status":(?:403|415)/g)].length;

  describe("pages of other sites", () => {
    /** The least number of requests that must have come to the server, or the browser did the refusing. */
    it.each([
      ["scripts", 10],
      ["forms", 6],
      ["sandboxed", 10],
    ])("%s: nothing runs", async (name, least) => {
      const site = await PageSite.open(`http://127.0.0.1:${port}`);
      const before = [vault.tree(), refused()] as const;
      try {
        expect(await visit(`http://${FOREIGN}:${site.port}/${name}`)).toEqual([]);
        expect(vault.tree()).toEqual(before[0]);
        expect(refused() - before[1]).toBeGreaterThanOrEqual(least);
      } finally {
        await site.close();
      }
    });

    it.each([
      ["scripts", 6],
      ["forms", 2],
      ["sandboxed", 6],
    ])("%s: would run at a server that reads the bridge document to the letter", async (name, least) => {
      const site = await PageSite.open(`http://127.0.0.1:${reckless.port}`);
      const before = reckless.ran.length;
      try {
        await visit(`http://${FOREIGN}:${site.port}/${name}`);
        expect(reckless.ran.length - before).toBeGreaterThanOrEqual(least);
      } finally {
        await site.close();
      }
    });

    it("a name that was made to lead here: nothing runs", async () => {
      const site = await ReboundSite.open(port);
      const before = [vault.tree(), refused()] as const;
      try {
        expect(await visit(`http://${REBOUND}:${port}/page`)).toEqual([]);
        expect(vault.tree()).toEqual(before[0]);
        expect(refused() - before[1]).toBeGreaterThanOrEqual(10);
      } finally {
        await site.close();
      }
    });

    it("a name that was made to lead here: would run at the other server", async () => {
      const site = await ReboundSite.open(reckless.port);
      const before = reckless.ran.length;
      try {
        expect(await visit(`http://${REBOUND}:${reckless.port}/page`)).not.toEqual([]);
        expect(reckless.ran.length - before).toBeGreaterThanOrEqual(6);
      } finally {
        await site.close();
      }
    });
  });

  it.each(["localhost", "127.0.0.1"])("a page of %s works", async (host) => {
    const site = await PageSite.open(`http://127.0.0.1:${port}`);
    const before = vault.tree();
    try {
      expect(await visit(`http://${host}:${site.port}/friendly`)).toEqual([
        "/bridge/v1/tools/create_task/call",
        "/mcp",
        "session",
      ]);
      expect(vault.news(before)).toHaveLength(2);
    } finally {
      await site.close();
    }
  });
}
