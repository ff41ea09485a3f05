/**
 * Makes the pictures of the page in `docs/pictures/`, light and dark: the sample vault on its own day, drawn by the Chromium of this
 * machine (CHROMIUM names another). The same source, vault, fonts and Chromium give the same pictures. `npm run build` first, and fonts for
 * Arabic, Chinese and Japanese, whose titles are empty boxes otherwise (Debian: fonts-noto-core, fonts-noto-cjk).
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, "docs", "pictures");
const PLACES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The day of the sample vault, and when its notes were changed last. */
const NOW = Date.parse("2026-11-21T09:30:00Z");
const CHANGED = new Date("2026-11-18T09:00:00Z");
const VIEWS = ["today", "week", "board", "projects", "review"];
/** The week after that day has more to show. */
const FILTERS = { week: "?day=2026-11-25" };
const SIZE = { width: 1280, height: 800 };
const MOST_BYTES = 150_000;
/** Corners of what is drawn anew in part are not those of what is drawn whole. */
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-partial-raster"];

/** What the program loads before anything else: a clock that begins at NOW. */
const CLOCK = `const Clock = Date, ahead = ${NOW} - Clock.now();
globalThis.Date = class extends Clock {
  constructor(...given) { if (given.length > 0) super(...given); else super(Clock.now() + ahead); }
  static now() { return Clock.now() + ahead; }
};`;

/** A copy of the sample vault, as old as it is on every machine. */
function vaultIn(folder) {
  const vault = join(folder, "Vault");
  cpSync(join(ROOT, "test-vault"), vault, { recursive: true });
  for (const entry of readdirSync(vault, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), CHANGED, CHANGED);
  return vault;
}

/** Starts the program over a vault. @returns it, and the address of its page */
async function served(folder) {
  const places = ["--cache-folder", join(folder, "cache"), "--state-folder", join(folder, "state")];
  const clock = ["--import", `data:text/javascript,${encodeURIComponent(CLOCK)}`];
  const vault = ["--vault", vaultIn(folder), "--time-zone", "UTC", "--inline-tasks", "marked"];
  const http = ["--http", "127.0.0.1:0", "--log-format", "json"];
  const args = [...clock, join(ROOT, "dist", "index.js"), ...vault, ...places, ...http];
  const program = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  for await (const part of program.stderr) {
    told += part;
    const [, url] = /"url":"([^"]+)"/.exec(told) ?? [];
    if (url !== undefined) return { program, url };
  }
  throw new Error(`The program did not start:\n${told}`);
}

async function drawn(browser, url, view, theme) {
  const context = await browser.newContext({
    viewport: SIZE,
    colorScheme: theme,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  try {
    const page = await context.newPage();
    await page.clock.setFixedTime(NOW);
    await page.goto(`${url}/#/${view}${FILTERS[view] ?? ""}`);
    await page.locator("main .card, main .project").first().waitFor();
    await page.waitForLoadState("load");
    // Columns come one by one.
    await page.waitForTimeout(1_000);
    const path = join(FOLDER, `${view}-${theme}.png`);
    await page.screenshot({ path });
    const { size } = statSync(path);
    if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}`);
  } finally {
    await context.close();
  }
}

const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
if (executablePath === undefined) throw new Error("No Chromium was found (CHROMIUM names one).");
mkdirSync(FOLDER, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "pictures-"));
const { program, url } = await served(folder);
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  for (const view of VIEWS) for (const theme of ["light", "dark"]) await drawn(browser, url, view, theme);
} finally {
  await browser.close();
  program.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
