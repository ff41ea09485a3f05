/** A vault, a program that serves it, and pages of a real browser that look at it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Browser, LaunchOptions, Locator, Page } from "playwright-core";
import { builtProgram } from "./built-program.js";
import type { Child } from "./child.js";
import { sharedBrowser } from "./chromium.js";
import { startedHttp } from "./client-front-ends.js";
import { TemporaryVault } from "./temporary-vault.js";

const DAY_MS = 86_400_000;

/** A day so many days from today, as the server counts (UTC). */
export function dayFromNow(days: number): string {
  return new Date(performance.timeOrigin + performance.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/** A task's note. */
export function taskNote(properties: string, body = ""): string {
  return `---\ntype: task\n${properties}\n---\n${body}`;
}

export function pageVault(): Record<string, string> {
  return {
    "_projects/Kitchen/Paint the wall.md": taskNote(
      `id: paint\nstatus: To Do\npriority: High\ndue: ${dayFromNow(-3)}\narea: Home\nprojects: ["[[Kitchen]]"]\ntags: [diy]`,
      "# Paint the wall\n\nTwo coats, see [[Colours]] and [[Order paint]].\n\n- [x] tape\n- [ ] paint\n",
    ),
    "_projects/Kitchen/Order paint.md": taskNote(`id: order\nstatus: In Progress\ndue: ${dayFromNow(0)}\narea: Home`),
    "_areas/Work/Write the report.md": taskNote(
      `id: report\nstatus: To Do\ndue: ${dayFromNow(2)}\narea: Work\npriority: Low`,
    ),
    "_areas/Work/Ask for a budget.md": taskNote('id: budget\nstatus: Blocked\narea: Work\nblockedBy: ["[[report]]"]'),
    "_areas/Work/Call the bank.md": taskNote("id: bank\nstatus: Done\narea: Work"),
    "Learn to whistle.md": taskNote("id: whistle\nstatus: maybe later"),
    "Buy a boat.md": taskNote("id: boat\nstatus: Cancelled"),
    "Rooms.base":
      'views:\n  - type: table\n    name: All\n    filters: type == "task"\n    order: [file.name, due, area, projects]\n    groupBy: { property: status, direction: ASC }\n    summaries: { due: Earliest }\n  - type: table\n    name: Wrong\n    filters: file.hastag("x")\n',
    "Think big.md": taskNote("id: think\nstatus: To Do\npriority: High"),
    "Colours.md": "# Colours\n\nWarm white, says `RAL 9001`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
  };
}

export interface PageSize {
  readonly width: number;
  readonly height: number;
}
export const WIDE: PageSize = { width: 1280, height: 800 };
export const NARROW: PageSize = { width: 390, height: 844 };

export interface PageOptions {
  readonly at?: string;
  readonly size?: PageSize;
  readonly theme?: "light" | "dark";
  readonly isTouch?: boolean;
  /** The browser's; default the machine's. */
  readonly timeZone?: string;
  /** Lets a script of the test's into the page, past its policy. */
  readonly letsScriptsIn?: boolean;
  readonly before?: (page: Page) => Promise<unknown>;
}

export interface ServedOptions {
  readonly files?: Readonly<Record<string, string>>;
  /** IANA name; default UTC. */
  readonly timeZone?: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export class ServedPage {
  readonly vault: TemporaryVault;
  readonly url: string;
  readonly browser: Browser;
  readonly #options: ServedOptions;
  readonly #files: Readonly<Record<string, string>>;
  #server: Child;
  readonly #pages: { readonly page: Page; readonly kind: string }[] = [];

  private constructor(vault: TemporaryVault, browser: Browser, server: Child, url: string, options: ServedOptions) {
    this.vault = vault;
    this.browser = browser;
    this.#server = server;
    this.url = url;
    this.#options = options;
    this.#files = options.files ?? pageVault();
  }

  static async open(chromium: LaunchOptions, options: ServedOptions = {}): Promise<ServedPage> {
    const vault = new TemporaryVault(options.files ?? pageVault());
    const { url, child } = await serve(vault, options);
    const browser = await sharedBrowser(chromium);
    return new ServedPage(vault, browser, child, url, options);
  }

  /** Opens the page with empty storage, cookies and permissions. */
  async page(options: PageOptions = {}): Promise<Page> {
    const { at = "#/board", size = WIDE, theme = "light", isTouch = false, letsScriptsIn = false, timeZone } = options;
    const kind = JSON.stringify([isTouch, letsScriptsIn, timeZone]);
    const page = idlePages.get(kind)?.pop() ?? (await this.#newPage(isTouch, letsScriptsIn, timeZone));
    this.#pages.push({ page, kind });
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme, forcedColors: "none" });
    await options.before?.(page);
    await page.goto(`${this.url}/${at}`);
    return page;
  }

  async #newPage(isTouch: boolean, letsScriptsIn: boolean, timeZone: string | undefined): Promise<Page> {
    const context = await this.browser.newContext({
      hasTouch: isTouch,
      isMobile: isTouch,
      bypassCSP: letsScriptsIn,
      ...(timeZone !== undefined && { timezoneId: timeZone }),
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(100_000);
    return page;
  }

  read(path: string): string {
    return readFileSync(this.vault.at(path), "utf8");
  }

  /** Gives the notes their first text; those that have it are not written, as each write has every open page read anew. */
  restore(): void {
    for (const [path, text] of Object.entries(this.#files))
      if (!existsSync(this.vault.at(path)) || this.read(path) !== text) this.write(path, text);
  }

  /** As another program would. */
  write(path: string, text: string): void {
    writeFileSync(this.vault.at(path), text);
  }

  remove(path: string): void {
    rmSync(this.vault.at(path), { force: true });
  }

  writeBytes(path: string, bytes: Uint8Array): void {
    writeFileSync(this.vault.at(path), bytes);
  }

  /** Ends the server without ceremony. */
  async kill(): Promise<void> {
    this.#server.process.kill("SIGKILL");
    await this.#server.ended;
  }

  /** Starts it again where it was. */
  async restart(): Promise<void> {
    const { child } = await serve(this.vault, this.#options, new URL(this.url).port);
    this.#server = child;
  }

  /** Leaves no page open; those that are as new again serve the next tests, as a new one costs more than most tests. */
  async closePages(): Promise<void> {
    for (const { page, kind } of this.#pages.splice(0)) {
      const isReset = await reset(page, this.url).catch(() => false);
      if (isReset) idlePages.set(kind, [...(idlePages.get(kind) ?? []), page]);
      else await page.context().close();
    }
  }

  async close(): Promise<void> {
    await this.closePages();
    this.#server.process.kill("SIGTERM");
    await this.#server.ended;
    this.vault.remove();
  }
}

/** By what a context cannot change after it was made. */
const idlePages = new Map<string, Page[]>();

/** @returns whether the page is as new */
async function reset(page: Page, url: string): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || context.pages().length > 1) return false;
  for (const event of ["console", "pageerror", "request"] as const) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.setOffline(false);
  await context.clearPermissions();
  // A page of the same origin, for its storage, on which no script of ours runs.
  await page.goto(`${url}/web/none`, { timeout: 5_000 });
  await page.evaluate("localStorage.clear(); sessionStorage.clear()");
  await context.clearCookies();
  return true;
}

async function serve(
  vault: TemporaryVault,
  { args = [], environment = {}, timeZone = "UTC" }: ServedOptions,
  port?: string,
) {
  const places = ["--cache-folder", `${vault.base}/cache`, "--state-folder", `${vault.base}/state`];
  const command = [await builtProgram(), "--vault", vault.folder, ...places, ...args, "--time-zone", timeZone];
  return await startedHttp(command, environment, port);
}

/** Loads an open page anew at another address. To go there and reload would draw it twice. */
export async function load(page: Page, at: string): Promise<void> {
  await page.evaluate(`history.replaceState(null, "", ${JSON.stringify(`/${at}`)})`);
  await page.reload();
}

/** Until the page knows what it may do: before that, no key changes anything. */
export async function whenOffered(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Add task" }).waitFor();
}

/** Notes of many small tasks, for lists that are longer than what is drawn or answered at once. */
export function errands(count: number, properties: string): Record<string, string> {
  const number = (index: number) => String(index + 1).padStart(2, "0");
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`Errands/Errand ${number(index)}.md`, taskNote(properties)]),
  );
}

/** The card of a task. */
export const card = (page: Page, title: string) => page.locator(".card", { hasText: title }).first();
/** A column of the board. */
export const column = (page: Page, name: string) => page.locator(".column", { hasText: name }).first();

/** Drops a card at a place of the target, in pixels from its corner. The code that drags is loaded after the cards. */
export async function dragCard(
  page: Page,
  from: Locator,
  to: Locator,
  [x, y]: readonly [number, number],
): Promise<void> {
  await from.and(page.locator("[draggable='true']")).waitFor();
  // One step alone may be lost on a busy machine.
  await from.dragTo(to, { targetPosition: { x, y }, steps: 5 });
}

interface SentCall {
  readonly id: number;
  readonly params?: object;
}

/** Refuses the calls that the pattern finds; others of the same request are answered. */
export async function refuseCalls(page: Page, pattern: RegExp, message = "Too busy."): Promise<void> {
  const isRefused = ({ params }: SentCall) => pattern.test(JSON.stringify(params));
  await page.route("**/mcp", async (route) => {
    const calls = [route.request().postDataJSON() as SentCall | SentCall[]].flat();
    const rest = calls.filter((call) => !isRefused(call));
    if (rest.length === calls.length) return route.continue();
    const error = { code: -32_000, message };
    const refusals = calls.filter((call) => isRefused(call)).map(({ id }) => ({ jsonrpc: "2.0", id, error }));
    const response = rest.length > 0 ? await route.fetch({ postData: JSON.stringify(rest) }) : undefined;
    const answers = response ? [(await response.json()) as object].flat() : [];
    return route.fulfill({ json: [...answers, ...refusals] });
  });
}
