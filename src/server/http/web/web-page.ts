/** Serves the page, login, and notices of changes (docs: web). */
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Hono } from "hono";
import { getMimeType } from "hono/utils/mime";
import type { VaultRules } from "../../../access/rules.js";
import type { Log } from "../../../log.js";
import type { Workspace } from "../../../tools/workspace.js";
import { EventStream } from "../event-stream.js";
import { type CallerViews, workspaceOf } from "../caller-view.js";
import { ALREADY_SENT, PAGE_FILE, addRoute, type HttpContext, type HttpEnv } from "../context.js";
import { takesGzip, type Caller } from "../guards.js";
import { Refusal, notFound, unavailable } from "../refusal.js";
import { type IdentifyByToken, type LoginOptions, WebLogin, checkSameOrigin } from "./web-login.js";
import { traceOf } from "../../../tools/outcome.js";
import type { Vault } from "../../../vault/vault.js";

export interface WebOptions extends Pick<LoginOptions, "publicUrl" | "now"> {
  readonly folder: string;
}

interface WebContext extends WebOptions, LoginOptions {
  readonly workspace: Workspace;
  readonly workspaceFor?: ((rules: readonly VaultRules[]) => Workspace) | undefined;
  readonly log: Log;
}

const MAX_LISTENERS = 256;

export class WebPage {
  readonly login: WebLogin;
  readonly #context: WebContext;
  readonly #files: PageFiles;
  /** Hidden notes' changes are not reported. */
  readonly #changes = new Map<string, VaultChanges>();

  private constructor(context: WebContext, files: PageFiles) {
    this.login = new WebLogin(context);
    this.#context = context;
    this.#files = files;
  }

  static async open(context: WebContext): Promise<WebPage> {
    return new WebPage(context, await pageFiles(context.folder));
  }

  addRoutes(app: Hono<HttpEnv>, byToken: IdentifyByToken, views: CallerViews): void {
    const shell = (c: HttpContext) => this.#files.serveShell(c);
    const file = (c: HttpContext) => this.#files.serveFile(c, c.req.param("file") ?? "");
    addRoute(app, "/", { GET: shell, HEAD: shell });
    addRoute(app, "/web/session", {
      GET: (c) => this.#begin(c, byToken, views),
      POST: (c) => this.login.login(c),
      DELETE: (c) => this.login.logout(c),
    });
    addRoute(app, "/web/codes", { POST: (c) => this.login.offerLink(c, byToken) });
    addRoute(app, "/web/events", { GET: (c) => this.#listen(c, byToken) });
    // Sign-in has its own.
    addRoute(app, "/web/connections", { GET: (c) => c.body(null, 204) });
    addRoute(app, PAGE_FILE, { GET: file, HEAD: file });
  }

  personOf(request: IncomingMessage): Caller {
    return this.login.personOf(request);
  }

  /** Keeps the opener connected. */
  serveConsent(c: HttpContext): Promise<Response> {
    c.env.outgoing.setHeader("Cross-Origin-Opener-Policy", "unsafe-none");
    return this.#files.serveShell(c, "consent.html");
  }

  close(): void {
    this.login.close();
    for (const changes of this.#changes.values()) changes.close();
  }

  get #listeners(): number {
    return [...this.#changes.values()].reduce((sum, { listeners }) => sum + listeners, 0);
  }

  #changesFor(caller: Caller): VaultChanges {
    const rules = JSON.stringify(caller.scopes.rules ?? null);
    const known = this.#changes.get(rules);
    if (known) return known;
    const made = new VaultChanges(workspaceOf(this.#context, caller), this.#context.log);
    this.#changes.set(rules, made);
    return made;
  }

  async #begin(c: HttpContext, byToken: IdentifyByToken, views: CallerViews): Promise<Response> {
    const { tools, workspace } = views(await this.login.callerOf(c.env.incoming, byToken));
    const today = await workspace.current().then(
      ({ vault }) => vault.clock.today(),
      () => undefined,
    );
    return c.json({ tools: tools.tools.map(({ name }) => name), today });
  }

  async #listen(c: HttpContext, byToken: IdentifyByToken): Promise<Response> {
    const { incoming, outgoing: response, open } = c.env;
    checkSameOrigin(incoming, this.#context.publicUrl);
    const session = this.login.sessionOf(incoming);
    const changes = this.#changesFor(session?.caller ?? (await byToken(incoming)));
    if (this.#listeners >= MAX_LISTENERS)
      throw unavailable("Too many pages", `At most ${MAX_LISTENERS} pages can listen at a time.`, 30);
    open.isStream = true;
    let stream: EventStream | undefined;
    const leave = await changes.listen(() => stream?.event("changed", "{}"));
    if (response.destroyed) {
      leave();
      return ALREADY_SENT;
    }
    stream = new EventStream(response, {}, session && (() => this.login.isOpen(session)));
    const end = () => stream?.end();
    session?.streams.add(end);
    response.once("close", () => {
      leave();
      session?.streams.delete(end);
      if (session) session.lastUsed = this.#context.now();
    });
    return ALREADY_SENT;
  }
}

const SHELL = "index.html";
/** The content never changes. */
const HASHED = /^[\w.]+(?:-[\w.]+)*-[\w-]{6,}\.([a-z0-9]+)$/i;

const COMPRESSED: ReadonlySet<string> = new Set(["png", "woff2"]);

interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
}

type PageFiles = Awaited<ReturnType<typeof pageFiles>>;

/** A missing folder is empty. */
async function pageFiles(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  const read = new Map<string, Promise<PageFile>>();

  async function send(c: HttpContext, name: string, caching: string): Promise<Response> {
    const { type, bytes, gzipped } = await fileOf(name);
    const packed = takesGzip(c.req.header("accept-encoding")) ? gzipped : undefined;
    const body = packed ?? bytes;
    return c.body(body, 200, {
      "Content-Type": type,
      "Content-Length": String(body.length),
      "Cache-Control": caching,
      Vary: "Accept-Encoding",
      ...(packed ? { "Content-Encoding": "gzip" } : {}),
    });
  }

  /** Does not cache a failure. */
  function fileOf(name: string): Promise<PageFile> {
    const known = read.get(name);
    if (known) return known;
    const reading = readPageFile(join(folder, name), name.slice(name.lastIndexOf(".") + 1).toLowerCase());
    read.set(name, reading);
    reading.catch(() => read.delete(name));
    return reading;
  }

  return {
    async serveShell(c: HttpContext, name = SHELL): Promise<Response> {
      if (!names.has(name)) throw new Refusal(404, "Not found", NOT_BUILT);
      return send(c, name, "no-store");
    },
    async serveFile(c: HttpContext, name: string): Promise<Response> {
      if (!HASHED.test(name) || !names.has(name)) throw notFound();
      return send(c, name, "public, max-age=31536000, immutable");
    },
  };
}

const NOT_BUILT = "This copy of the program was built without its page; npm run build makes it.";

async function readPageFile(path: string, extension: string): Promise<PageFile> {
  const type = getMimeType(path) ?? "application/octet-stream";
  const bytes = await readFile(path);
  if (COMPRESSED.has(extension)) return { type, bytes, gzipped: undefined };
  return { type, bytes, gzipped: await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }) };
}

const NEWS_PACE = {
  /** Without further changes. */
  settleMs: 150,
  longestSettleMs: 600,
  /** For the date, and vaults that announce no changes. */
  tickMs: 2000,
  /** For unannounced changes. */
  fullCheckMs: 30_000,
};
export type ChangePace = Readonly<typeof NEWS_PACE>;

const FAILING = -1;

export class VaultChanges {
  readonly #workspace: Pick<Workspace, "current">;
  readonly #log: Log;
  readonly #pace: ChangePace;
  readonly #listeners = new Set<() => void>();
  #begun: Promise<void> | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #settling: NodeJS.Timeout | undefined;
  #firstChange: number | undefined;
  #vault: Vault | undefined;
  #unfollow: (() => void) | undefined;
  /** Known to pages. */
  #seen: number | undefined;
  #today: string | undefined;
  #isRefreshing = false;
  #isRefreshDue = false;
  #refreshedAt = 0;

  constructor(workspace: Pick<Workspace, "current">, log: Log, pace: Partial<ChangePace> = {}) {
    this.#workspace = workspace;
    this.#log = log;
    this.#pace = { ...NEWS_PACE, ...pace };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Until the returned function is called. */
  async listen(notify: () => void): Promise<() => void> {
    this.#listeners.add(notify);
    await (this.#begun ??= this.#begin());
    return () => {
      this.#listeners.delete(notify);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#unfollow?.();
    clearInterval(this.#ticking);
    clearTimeout(this.#settling);
    this.#begun = this.#ticking = this.#settling = this.#firstChange = undefined;
    this.#vault = this.#unfollow = this.#seen = this.#today = undefined;
  }

  async #begin(): Promise<void> {
    this.#ticking = setInterval(() => void this.#tick(), this.#pace.tickMs).unref();
    await this.#openVault();
  }

  async #openVault(): Promise<void> {
    try {
      const { vault } = await this.#workspace.current();
      if (this.#ticking === undefined || this.#vault) return;
      this.#vault = vault;
      this.#today = vault.clock.today();
      // The next refresh checks the last answers' generation.
      this.#seen ??= vault.index.latest?.generation;
      this.#refreshedAt = performance.now();
      this.#follow(vault);
    } catch (error) {
      this.#log.debug("Pages cannot be notified of changes yet", traceOf(error));
      this.#take(FAILING);
    }
  }

  #follow(vault: Vault): void {
    this.#unfollow = vault.follow(
      () => this.#settle(),
      () => (this.#unfollow = undefined),
    );
  }

  async #tick(): Promise<void> {
    if (!this.#vault) await this.#openVault();
    const today = this.#vault?.clock.today();
    if (today !== this.#today) {
      this.#today = today;
      this.#notify();
    }
    const isHeard = this.#unfollow !== undefined && this.#vault?.announcesLate === false;
    if (!isHeard || performance.now() - this.#refreshedAt > this.#pace.fullCheckMs) void this.#refresh();
  }

  /** A save causes several events. */
  #settle(): void {
    const now = performance.now();
    this.#firstChange ??= now;
    clearTimeout(this.#settling);
    const { settleMs, longestSettleMs } = this.#pace;
    const longest = Math.max(0, this.#firstChange + longestSettleMs - now);
    this.#settling = setTimeout(() => void this.#refresh(), Math.min(settleMs, longest)).unref();
  }

  /** One at a time. */
  async #refresh(): Promise<void> {
    this.#firstChange = undefined;
    this.#isRefreshDue = true;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    while (this.#isRefreshDue && this.#vault) {
      this.#isRefreshDue = false;
      this.#refreshedAt = performance.now();
      const vault = this.#vault;
      const generation = await vault.index.refresh().then(
        (view) => view.generation,
        () => FAILING,
      );
      if (vault === this.#vault) this.#found(vault, generation);
    }
    this.#isRefreshing = false;
  }

  /** A removed folder's watch does not cover its replacement. */
  #found(vault: Vault, generation: number): void {
    if (generation === FAILING) {
      this.#unfollow?.();
      this.#unfollow = undefined;
    } else if (this.#seen === FAILING && !this.#unfollow) this.#follow(vault);
    this.#take(generation);
  }

  #take(generation: number): void {
    if (generation === this.#seen) return;
    this.#seen = generation;
    this.#notify();
  }

  #notify(): void {
    for (const notify of this.#listeners) notify();
  }
}
