/** A server with a page, one token and a clock that tests turn, asked as the page asks: with cookie, key and origin. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALL_SCOPES, digestOf, type NamedToken } from "../../src/server/http/tokens.js";
import type { HttpOptions } from "../../src/server/http/http-server.js";
import { HttpTest, OPEN_ACCESS, type Received, type Sent } from "./http-front.js";

export const TOKEN = "correct-horse-battery";
export const OWNER: NamedToken = { name: "owner", digest: digestOf(TOKEN), scopes: ALL_SCOPES };

const SCRIPT = `console.log(${JSON.stringify("a line that compresses well. ".repeat(50))});\n`;
export const PAGE_FILES = {
  "index.html": '<!doctype html><script type="module" src="/web/page-0a1b2c3d.js"></script>\n',
  "page-0a1b2c3d.js": SCRIPT,
  "page-0a1b2c3d.css": "body { margin: 0 }\n",
  "icon-0a1b2c3d.png": "not compressed again",
  "tasks-app.html": "<!doctype html>for another part\n",
  "notes.txt": "no name with a hash\n",
} as const;

export interface LoggedIn {
  readonly cookie: string;
  readonly key: string;
}

export class WebTest {
  readonly http: HttpTest;
  readonly folder: string;
  readonly #clock: { now: number };

  private constructor(http: HttpTest, folder: string, clock: { now: number }) {
    this.http = http;
    this.folder = folder;
    this.#clock = clock;
  }

  /** @param options `files`: of the page; `vault`: of the vault */
  static async open(
    options: Partial<HttpOptions> & {
      readonly files?: Readonly<Record<string, string>>;
      readonly vault?: Readonly<Record<string, string>>;
      readonly publicUrl?: string;
    } = {},
  ): Promise<WebTest> {
    const { files = PAGE_FILES, vault, publicUrl, ...server } = options;
    const base = mkdtempSync(join(tmpdir(), "page-"));
    const folder = join(base, "web");
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const clock = { now: Date.parse("2025-08-30T12:00:00Z") };
    const web = { folder, publicUrl, now: () => clock.now };
    const access = { ...OPEN_ACCESS, tokens: [OWNER] };
    const http = await HttpTest.open({ access, web, ...server }, vault);
    return new WebTest(http, base, clock);
  }

  now(): number {
    return this.#clock.now;
  }

  /** Lets time pass. */
  wait(ms: number): void {
    this.#clock.now += ms;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.http.server.port}`;
  }

  get cookieName(): string {
    return `vault-${this.http.server.port}`;
  }

  login(body: unknown = { token: TOKEN }, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.http.send("/web/session", { body, headers });
  }

  async loggedIn(body?: unknown): Promise<LoggedIn> {
    const answer = await this.login(body);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    const [cookie = ""] = answer.headers["set-cookie"] ?? [];
    const { key } = JSON.parse(answer.text) as { key: string };
    return { cookie: cookie.split(";")[0] ?? "", key };
  }

  /** The headers that a browser sends for the page. */
  headers({ cookie, key }: LoggedIn): Record<string, string> {
    return { Cookie: cookie, "X-Session-Key": key, Origin: this.origin, "Sec-Fetch-Site": "same-origin" };
  }

  /** A call at `/mcp`, as the page makes it. */
  list(headers: Readonly<Record<string, string>>): Promise<Received> {
    return this.http.rpc("tools/list", {}, headers);
  }

  send(path: string, about?: Sent): Promise<Received> {
    return this.http.send(path, about);
  }

  async close(): Promise<void> {
    await this.http.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
