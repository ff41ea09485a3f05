/** What the page may cost, in counts: bytes over the wire, elements and requests at 10,000 tasks (docs: web, "Stack"). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

inChromium("test/web/budget.test.ts", (executablePath) => {
  let served: ServedPage;
  beforeAll(async () => {
    const line = (number: number) =>
      `- [${"   /x"[number % 6]}] #task Task ${number} of many #tag${number % 7} 📅 2026-01-0${1 + (number % 9)}`;
    const notes = Array.from({ length: 20 }, (_, note) => [
      `List ${note}.md`,
      Array.from({ length: 500 }, (_, number) => line(note * 500 + number)).join("\n"),
    ]);
    served = await ServedPage.open(executablePath, {
      files: Object.fromEntries(notes),
      args: ["--inline-tasks", "all"],
    });
  });
  afterAll(() => served.close());

  it("are at most 5,000 elements at 10,000 tasks, after any scrolling, and few requests", async () => {
    const page = await served.page({ at: "#/today" });
    await page.locator(".card").first().waitFor();
    const questions = new Set<string>();
    page.on("request", (request) => {
      if (!request.url().endsWith("/mcp")) return;
      const { method, params } = request.postDataJSON() as {
        method: string;
        params: { name?: string; arguments?: object };
      };
      questions.add(JSON.stringify([method, params.name, params.arguments]));
    });
    await page.reload();
    await page.goto(`${served.url}/#/board`);
    await page.locator(".column[data-status='Done'] .card").first().waitFor();
    await page.waitForTimeout(500);
    // Two of Today and its two counts, what is offered, five columns, the names to filter by; asked once more when the news begin.
    expect([...questions]).toHaveLength(11);
    const elements = "document.querySelectorAll('*').length";
    expect(await page.locator(".card").count()).toBeGreaterThanOrEqual(40);
    expect(Number(await page.evaluate(elements))).toBeLessThanOrEqual(5_000);
    // A card that is loaded and not drawn yet can be reached by a key all the same.
    await page.locator(".column[data-status='To Do'] .card-title").first().focus();
    await page.keyboard.press("End");
    const place = "Number(document.activeElement.closest('[aria-posinset]')?.getAttribute('aria-posinset'))";
    await expect.poll(() => page.evaluate(place)).toBe(50);
    const list = "document.querySelector(\".column[data-status='To Do'] .task-list\")";
    const isAtEnd = async () => (await page.locator(".column[data-status='To Do'] .hint").count()) > 0;
    let most = 0;
    const scrolled = async () => {
      await page.evaluate(`${list}.scrollTo(0, ${list}.scrollHeight)`);
      most = Math.max(most, Number(await page.evaluate(elements)));
      return await isAtEnd();
    };
    await expect.poll(scrolled, { timeout: 25_000, interval: 100 }).toBe(true);
    expect(most).toBeLessThanOrEqual(5_000);
    expect(await page.locator(".column[data-status='To Do'] .hint").textContent()).toContain("more");
  });
});
