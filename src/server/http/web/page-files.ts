/** The built page's files: listed once, read and compressed on first use. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { getMimeType } from "hono/utils/mime";
import type { HttpContext } from "../context.js";
import { takesGzip } from "../guards.js";
import { Refusal, notFound } from "../refusal.js";

const SHELL = "index.html";
/** `<name>-<hash>.<ext>`: the content never changes. */
const HASHED = /^[\w.]+(?:-[\w.]+)*-[\w-]{6,}\.([a-z0-9]+)$/i;

const COMPRESSED: ReadonlySet<string> = new Set(["png", "woff2"]);

interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
}

export class PageFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #read = new Map<string, Promise<PageFile>>();

  private constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    this.#names = new Set(names);
  }

  static async list(folder: string): Promise<PageFiles> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    return new PageFiles(folder, names);
  }

  async serveShell(c: HttpContext, name = SHELL): Promise<Response> {
    if (!this.#names.has(name)) throw new Refusal(404, "Not found", NOT_BUILT);
    return this.#send(c, name, "no-store");
  }

  async serveFile(c: HttpContext, name: string): Promise<Response> {
    if (!HASHED.test(name) || !this.#names.has(name)) throw notFound();
    return this.#send(c, name, "public, max-age=31536000, immutable");
  }

  async #send(c: HttpContext, name: string, caching: string): Promise<Response> {
    const { type, bytes, gzipped } = await this.#file(name);
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
  const type = getMimeType(path) ?? "application/octet-stream";
  const bytes = await readFile(path);
  if (COMPRESSED.has(extension)) return { type, bytes, gzipped: undefined };
  return { type, bytes, gzipped: await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }) };
}
