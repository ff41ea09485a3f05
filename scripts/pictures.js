/**
 * Makes the pictures of the page in `docs/pictures/`, light and dark, and the moving one of the README (or only that: `-- --moving`): the
 * sample vault on its own day, drawn by the Chromium of this machine (CHROMIUM names another). The same source, vault, fonts and Chromium give the same pictures. `npm run build` first.
 */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
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
  // Titles in Arabic, Chinese and Japanese need fonts that few machines have.
  const isDrawn = (path) => !/weekly-report-ja|准备|Review the contract/.test(path);
  cpSync(join(ROOT, "test-vault"), vault, { recursive: true, filter: isDrawn });
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

const MOVING = {
  file: join(FOLDER, "first-minute.gif"),
  size: { width: 960, height: 600 },
  bytes: 700_000,
  seconds: 15,
};
const QUESTION = "What is on my plate?";
const CHAT = `<!doctype html><style>
  body { margin: 0; background: #f6f5f2; color: #22252b; font: 21px/1.5 system-ui, sans-serif; }
  main { padding: 34px 70px; }
  p, ul { margin: 0 0 14px; } ul { padding-left: 24px; } li { margin: 3px 0; }
  .me { width: fit-content; margin: 0 0 22px auto; padding: 10px 18px; border-radius: 14px; background: #dfe6f7; min-height: 1.5em; }
  .tool { color: #6b6f78; font: 16px ui-monospace, monospace; }
</style><main>`;

/** An assistant's words over what the tool answers. */
async function chatScenes(url) {
  const headers = { "content-type": "application/json" };
  const sent = await fetch(`${url}/bridge/v1/tools/get_agenda/call`, {
    method: "POST",
    headers,
    body: '{"arguments":{}}',
  });
  const { sections } = /** @type {any} */ (await sent.json()).structuredContent;
  const [overdue, today] = [sections[0], sections[1]].map(({ tasks }) => tasks.filter(({ projected }) => !projected));
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const list = (tasks) =>
    `<ul>${tasks
      .slice(0, 3)
      .map(({ title, due }) => `<li>${escaped(title)}${due ? `, due ${due}` : ""}</li>`)
      .join("")}</ul>`;
  const asked = `${CHAT}<p class="me">${QUESTION}</p>`;
  const told = `<p class="tool">get_agenda</p><p>${overdue.length} tasks are overdue:</p>${list(overdue)}<p>and for today:</p>${list(today)}`;
  return [
    { html: `${CHAT}<p class="me">${QUESTION.slice(0, 10)}</p>`, ms: 700 },
    { html: asked, ms: 900 },
    { html: asked + told, ms: 3_800 },
  ];
}

/** A question, its answer, a tick on the page, and undo. */
async function movingPicture(browser, url) {
  const context = await browser.newContext({
    viewport: MOVING.size,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const frames = [];
  try {
    const page = await context.newPage();
    const take = async (ms) => frames.push({ png: await page.screenshot(), ms });
    for (const { html, ms } of await chatScenes(url)) {
      await page.setContent(html);
      await take(ms);
    }
    await page.clock.setFixedTime(NOW);
    await page.goto(`${url}/#/today`);
    await page.locator("main .card").first().waitFor();
    await page.waitForTimeout(1_000);
    await take(2_000);
    const ticks = page.getByRole("button", { name: /^Complete: / });
    await ticks.first().hover();
    await take(700);
    await ticks.first().click();
    const undo = page.locator(".notice").getByRole("button", { name: "Undo" });
    await undo.waitFor();
    await page.mouse.move(0, 300);
    await page.waitForTimeout(500);
    await take(2_600);
    await undo.hover();
    await take(700);
    await undo.click();
    await page.locator(".notice", { hasText: "Taken back" }).waitFor();
    await page.waitForTimeout(500);
    await take(3_000);
    writeFileSync(MOVING.file, await gifOf(page, frames));
  } finally {
    await context.close();
  }
  const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1_000;
  const { size } = statSync(MOVING.file);
  if (size > MOVING.bytes || seconds > MOVING.seconds) throw new Error(`${MOVING.file}: ${size} bytes, ${seconds} s`);
  console.log(`${MOVING.file}: ${size} bytes, ${seconds} s`);
}

/** All frames share their colours; what stays as it was is left out of a frame. */
async function gifOf(page, frames) {
  // A CommonJS module whose exports Node does not find by name.
  const { GIFEncoder, quantize, applyPalette } = (await import("gifenc")).default;
  const { width, height } = MOVING.size;
  const drawn = [];
  for (const { png } of frames) drawn.push(await pixelsOf(page, png));
  const palette = quantize(Buffer.concat(drawn), 255);
  const same = palette.push([0, 0, 0]) - 1;
  const gif = GIFEncoder();
  for (const [at, { ms }] of frames.entries()) {
    const index = applyPalette(drawn[at], palette.slice(0, same));
    const [now, last] = [drawn[at], drawn[at - 1]].map((bytes) => bytes && new Uint32Array(bytes.buffer));
    if (last) for (let pixel = 0; pixel < now.length; pixel++) if (now[pixel] === last[pixel]) index[pixel] = same;
    const left = last ? { transparent: true, transparentIndex: same } : { palette };
    gif.writeFrame(index, width, height, { delay: ms, dispose: 1, ...left });
  }
  gif.finish();
  return gif.bytes();
}

/** Decoded by the browser, which drew it. */
async function pixelsOf(page, png) {
  const text = await page
    .context()
    .newPage()
    .then(async (blank) => {
      const code = `(async () => {
      const image = await createImageBitmap(await (await fetch("data:image/png;base64,${png.toString("base64")}")).blob());
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const { data } = canvas.getImageData(0, 0, image.width, image.height);
      let text = "";
      for (let at = 0; at < data.length; at += 32768) text += String.fromCharCode(...data.subarray(at, at + 32768));
      return btoa(text);
    })()`;
      const found = await blank.evaluate(code);
      await blank.close();
      return found;
    });
  return Uint8Array.from(Buffer.from(text, "base64"));
}

const onlyMoving = process.argv.includes("--moving");
const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
if (executablePath === undefined) throw new Error("No Chromium was found (CHROMIUM names one).");
mkdirSync(FOLDER, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "pictures-"));
const { program, url } = await served(folder);
const browser = await chromium.launch({ executablePath, args: FLAGS });
try {
  if (!onlyMoving)
    for (const view of VIEWS) for (const theme of ["light", "dark"]) await drawn(browser, url, view, theme);
  await movingPicture(browser, url);
} finally {
  await browser.close();
  program.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
