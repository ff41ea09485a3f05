/** What answers the page in the browser (spec: web, sections 1 to 3): its files, its login, and news of changes. */
import type { Log } from "../../../log.js";
import type { Workspace } from "../../../tools/workspace.js";
import { EventStream } from "../event-stream.js";
import type { HttpExchange } from "../exchange.js";
import { Refusal, methodNotAllowed, notFound } from "../refusal.js";
import { PageFiles } from "./page-files.js";
import { VaultNews } from "./vault-news.js";
import { type IdentifyByToken, type LoginOptions, WebLogin } from "./web-login.js";
import { checkSameOrigin } from "./web-session-guard.js";

export interface WebOptions extends Pick<LoginOptions, "publicUrl" | "now"> {
  /** Where the build put the page. */
  readonly folder: string;
}

interface WebContext extends WebOptions, LoginOptions {
  readonly workspace: Workspace;
  readonly log: Log;
}

/** Streams of news that may be open at a time; each keeps a connection, and those are limited. */
const MOST_LISTENERS = 256;

export class WebPage {
  readonly login: WebLogin;
  readonly #context: WebContext;
  readonly #files: PageFiles;
  readonly #news: VaultNews;

  private constructor(context: WebContext, files: PageFiles) {
    this.login = new WebLogin(context);
    this.#context = context;
    this.#files = files;
    this.#news = new VaultNews(context.workspace, context.log);
  }

  static async open(context: WebContext): Promise<WebPage> {
    return new WebPage(context, await PageFiles.list(context.folder));
  }

  /** @throws Refusal */
  async serve(exchange: HttpExchange, byToken: IdentifyByToken): Promise<void> {
    const { path } = exchange;
    if (path === "/") return this.#files.serveShell(exchange);
    if (path === "/web/session") return this.login.serveSession(exchange);
    if (path === "/web/codes") return this.login.offerLink(exchange, byToken);
    if (path === "/web/events") return this.#listen(exchange, byToken);
    if (path.startsWith("/web/")) return this.#files.serveFile(exchange, path.slice("/web/".length));
    throw notFound();
  }

  /** Ends all sessions and streams. */
  close(): void {
    this.login.close();
    this.#news.close();
  }

  async #listen(exchange: HttpExchange, byToken: IdentifyByToken): Promise<void> {
    const { request, response } = exchange;
    checkSameOrigin(exchange, this.#context.publicUrl);
    if (request.method !== "GET") throw methodNotAllowed(["GET"]);
    const session = this.login.sessionOf(exchange);
    if (!session) byToken();
    if (this.#news.listeners >= MOST_LISTENERS) throw tooManyPages();
    exchange.lasting = true;
    let stream: EventStream | undefined;
    const leave = await this.#news.listen(() => stream?.event("changed", "{}"));
    if (response.destroyed) return leave();
    stream = new EventStream(response);
    const end = () => stream?.end();
    session?.streams.add(end);
    response.once("close", () => {
      leave();
      session?.streams.delete(end);
      if (session) session.lastUsed = this.#context.now();
    });
  }
}

function tooManyPages(): Refusal {
  return new Refusal(503, "Too many pages", `At most ${MOST_LISTENERS} pages can listen at a time.`, {
    headers: { "Retry-After": "30" },
  });
}
