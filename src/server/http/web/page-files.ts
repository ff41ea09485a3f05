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

export type PageFiles = Awaited<ReturnType<typeof pageFiles>>;

/** A missing folder is empty. */
export async function pageFiles(folder: string) {
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
