/** What the page may cost, in counts: bytes over the wire, elements and requests at 10,000 tasks (docs: web, "Stack"). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CDPSession, Page } from "playwright-core";
import { builtProgram, ROOT } from "../kit/built-program.js";
import { inChromium } from "../kit/chromium.js";
import { ServedPage } from "../kit/task-page.js";

const FOLDER = join(ROOT, "dist", "web");
const KB = 1024;

describe("bytes", () => {
  let files: string[];
  beforeAll(async () => {
    await builtProgram();
    files = readdirSync(FOLDER);
  });
  const size = (wanted: Iterable<string>) =>
    [...wanted].reduce((sum, file) => sum + gzipSync(readFileSync(join(FOLDER, file)), { level: 9 }).length, 0);

  /** The shell, what it names, and what that imports before it can run. */
  function firstLoad(file = "index.html", found = new Set<string>()): Set<string> {
    if (found.has(file)) return found;
    found.add(file);
    const text = readFileSync(join(FOLDER, file), "utf8");
    const named = file.endsWith(".html") ? /\/web\/([\w.-]+)/g : /(?:from|import)\s*"\.\/([\w.-]+)"/g;
    for (const [, name = ""] of file.endsWith(".css") ? [] : text.matchAll(named)) firstLoad(name, found);
    return found;
  }

  it("of the first load are at most 55 KB", () => {
    const load = [...firstLoad()];
    expect(load).toEqual(expect.arrayContaining([expect.stringMatching(/^main-/), expect.stringMatching(/^page-/)]));
    expect(size(load)).toBeLessThanOrEqual(55 * KB);
  });

  it("of the note renderer are at most 20 KB", () => {
    const note = () => files.filter((file) => file.startsWith("note-text-"));
    expect(size(note())).toBeGreaterThan(0);
    expect(size(note())).toBeLessThanOrEqual(20 * KB);
  });

  it("of the other views are no part of the first load", () => {
    const later = files.filter((file) => /^(projects|review)-view-/.test(file));
    expect(later).toHaveLength(2);
    expect([...firstLoad()].filter((file) => later.includes(file))).toEqual([]);
  });

  it("hold no inline script or style, which the policy would refuse", () => {
    const shell = readFileSync(join(FOLDER, "index.html"), "utf8");
    expect(shell).not.toMatch(/<style|style=|<script(?![^>]* src=)| on\w+=/);
    for (const [, file] of shell.matchAll(/\/web\/([\w.-]+)/g)) expect(files).toContain(file);
  });
});

inChromium("test/web/budget.test.ts", (chromium) => {
  let served: ServedPage;
  beforeAll(async () => {
    const line = (number: number) =>
      `- [${"   /x"[number % 6]}] #task Task ${number} of many #tag${number % 7} 📅 2026-01-0${1 + (number % 9)}`;
    const notes = Array.from({ length: 20 }, (_, note) => [
      `List ${note}.md`,
      Array.from({ length: 500 }, (_, number) => line(note * 500 + number)).join("\n"),
    ]);
    served = await ServedPage.open(chromium, {
      files: Object.fromEntries(notes),
      args: ["--inline-tasks", "all"],
    });
    // The server reads the vault only once.
    await (await served.page()).locator(".card").first().waitFor();
    await served.closePages();
  });
  afterEach(() => served.closePages());
  afterAll(() => served.close());

  it.each(["today", "week", "board"])(
    "of answers of the first load of %s are at most 60 KB in 4 calls",
    async (view) => {
      const asked = new Set<string>();
      let bytes = 0;
      let session: Promise<CDPSession> | undefined;
      const before = async (of: Page) => {
        const network = await (session = of.context().newCDPSession(of));
        await network.send("Network.enable");
        network.on("Network.requestWillBeSent", ({ requestId, request }) => {
          if (/\/mcp$|\/web\/session$/.test(request.url)) asked.add(requestId);
        });
        network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
          if (asked.has(requestId)) bytes += encodedDataLength;
        });
      };
      const page = await served.page({ at: `#/${view}`, before });
      await page.locator(".card").first().waitFor();
      await page.waitForTimeout(1_000);
      await (await session)?.detach();
      expect(asked.size).toBeLessThanOrEqual(4);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(60 * KB);
    },
  );

  it("are at most 5,000 elements at 10,000 tasks", async () => {
    const page = await served.page({ at: "#/board" });
    await page.locator(".column[data-status='Done'] .card").first().waitFor();
    await page.waitForTimeout(500);
    const elements = "document.querySelectorAll('*').length";
    expect(await page.locator(".card").count()).toBeGreaterThanOrEqual(40);
    expect(Number(await page.evaluate(elements))).toBeLessThanOrEqual(5_000);
    const title = page.locator(".column[data-status='To Do'] .card-title").first();
    await title.focus();
    await page.keyboard.press("End");
    const place = "Number(document.activeElement.closest('[aria-posinset]')?.getAttribute('aria-posinset'))";
    await expect.poll(() => page.evaluate(place)).toBe(50);
    // Columns grow up to their limit, and then ask for a filter.
    const list = page.getByRole("list", { name: "To Do tasks" });
    const isAtEnd = async () => {
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return (await page.locator(".column[data-status='To Do'] .hint").count()) > 0;
    };
    await expect.poll(isAtEnd, { interval: 100 }).toBe(true);
    expect(await page.locator(".column[data-status='To Do'] .hint").textContent()).toContain("more");
  });
});
