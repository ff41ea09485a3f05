/** The page's files as the build made them: listed once, read and compressed when first asked for, served under the names of that list alone. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { HttpExchange } from "../exchange.js";
import { Refusal, methodNotAllowed, notFound } from "../refusal.js";

const SHELL = "index.html";
/** `<name>-<hash>.<ext>`: what stands under such a name never changes. */
const HASHED = /^[\w.]+(?:-[\w.]+)*-[\w-]{6,}\.([a-z0-9]+)$/i;

const TYPES: ReadonlyMap<string, string> = new Map([
  ["css", "text/css; charset=utf-8"],
  ["html", "text/html; charset=utf-8"],
  ["ico", "image/x-icon"],
  ["js", "text/javascript; charset=utf-8"],
  ["json", "application/json"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["webmanifest", "application/manifest+json"],
  ["woff2", "font/woff2"],
]);
/** Types that are compressed already. */
const DENSE: ReadonlySet<string> = new Set(["png", "woff2"]);

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer | undefined;
}

export class PageFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #read = new Map<string, Promise<PageFile>>();

  private constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    this.#names = new Set(names);
  }

  /** Looks at what there is; a missing folder holds nothing. */
  static async list(folder: string): Promise<PageFiles> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    return new PageFiles(folder, names);
  }

  /** The document that the page begins with. @throws Refusal 404 where no page was built */
  async serveShell(exchange: HttpExchange): Promise<void> {
    if (!this.#names.has(SHELL)) throw new Refusal(404, "Not found", NOT_BUILT);
    await this.#send(exchange, SHELL, "no-store");
  }

  /** One of the files that the shell names. @throws Refusal 404 for every name that is not among them */
  async serveFile(exchange: HttpExchange, name: string): Promise<void> {
    if (!HASHED.test(name) || !this.#names.has(name)) throw notFound();
    await this.#send(exchange, name, "public, max-age=31536000, immutable");
  }

  async #send({ request, response }: HttpExchange, name: string, caching: string): Promise<void> {
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET", "HEAD"]);
    const { type, bytes, gzipped } = await this.#file(name);
    const packed = takesGzip(request.headers["accept-encoding"]) ? gzipped : undefined;
    const body = packed ?? bytes;
    response.writeHead(200, {
      "Content-Type": type,
      "Content-Length": body.length,
      "Cache-Control": caching,
      Vary: "Accept-Encoding",
      ...(packed ? { "Content-Encoding": "gzip" } : {}),
    });
    response.end(request.method === "HEAD" ? undefined : body);
  }

  /** Read once, however many ask; a failure is not kept. */
  #file(name: string): Promise<PageFile> {
    const known = this.#read.get(name);
    if (known) return known;
    const reading = readPageFile(join(this.#folder, name), name.slice(name.lastIndexOf(".") + 1).toLowerCase());
    this.#read.set(name, reading);
    reading.catch(() => this.#read.delete(name));
    return reading;
  }
}

const NOT_BUILT = "This copy of the program was built without its page; npm run build makes it.";

async function readPageFile(path: string, extension: string): Promise<PageFile> {
  const type = TYPES.get(extension) ?? "application/octet-stream";
  const bytes = await readFile(path);
  if (DENSE.has(extension)) return { type, bytes, gzipped: undefined };
  return { type, bytes, gzipped: await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }) };
}

/** `gzip` as a coding of its own, unless it is refused by a weight of 0. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  return String(accepted ?? "")
    .split(",")
    .some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding));
}
