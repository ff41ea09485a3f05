/** A PDF's text by the optional package unpdf, in a worker thread with limits. */
import { join } from "node:path";
import { Semaphore } from "../async/turns.js";
import { startThread } from "../async/thread.js";
import { VaultError } from "../errors.js";
import type { VaultPath } from "../storage/path.js";

export interface PdfTask {
  readonly bytes: Uint8Array;
}

export type PdfMessage =
  | { readonly kind: "opened"; readonly pages: number }
  | { readonly kind: "page"; readonly text: string }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly why: PdfFailure };

type PdfFailure = "not-installed" | "encrypted" | "broken" | "memory";

interface PdfText {
  readonly pageCount: number;
  /** Fewer than `pageCount` when the time was up. */
  readonly pages: readonly string[];
}

const READ_TIMEOUT_MS = 20_000;
const MAX_MEMORY_MB = 512;
/** One thread has 512 MB. */
const reading = new Semaphore(1, Infinity);

/**
 * @param options.timeout milliseconds
 * @throws NOT_TEXT for an unreadable PDF, UNAVAILABLE without the package, TIMEOUT before the first page; the signal's
 * reason
 */
export async function pdfText(
  path: VaultPath,
  bytes: Uint8Array,
  options: { readonly signal?: AbortSignal | undefined; readonly timeout?: number | undefined } = {},
): Promise<PdfText> {
  return reading.run(() => inWorker(path, bytes, options));
}

async function inWorker(
  path: VaultPath,
  bytes: Uint8Array,
  {
    signal,
    timeout = READ_TIMEOUT_MS,
  }: { readonly signal?: AbortSignal | undefined; readonly timeout?: number | undefined },
): Promise<PdfText> {
  signal?.throwIfAborted();
  const copy = new Uint8Array(bytes);
  const worker = await startThread(join(import.meta.dirname, "pdf-worker.js"), {
    workerData: { bytes: copy } satisfies PdfTask,
    transferList: [copy.buffer],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    // Answers are on stdout.
    stdout: true,
    stderr: true,
  });
  const pages: string[] = [];
  let pageCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  try {
    const isInTime = await new Promise<boolean>((resolve, reject) => {
      timer = setTimeout(() => resolve(false), timeout);
      abort = () => reject(signal?.reason as Error);
      signal?.addEventListener("abort", abort, { once: true });
      worker.on("message", (message: PdfMessage) => {
        if (message.kind === "opened") pageCount = message.pages;
        else if (message.kind === "page") pages.push(message.text);
        else if (message.kind === "done") resolve(true);
        else reject(failure(path, message.why));
      });
      worker.on("error", (error) => {
        const isMemory = Reflect.get(error, "code") === "ERR_WORKER_OUT_OF_MEMORY";
        reject(isMemory ? failure(path, "memory") : error);
      });
    });
    if (!isInTime && pages.length === 0) throw tooSlow(path, timeout);
  } finally {
    clearTimeout(timer);
    if (abort) signal?.removeEventListener("abort", abort);
    await worker.terminate();
  }
  return { pageCount, pages };
}

const FAILURES: Readonly<Record<PdfFailure, readonly [what: string, hint: string]>> = {
  "not-installed": [
    "is a PDF, and the package that reads them is not installed.",
    "A person can add it on the server's machine: npm install unpdf@1.4.0.",
  ],
  encrypted: ["is an encrypted PDF: it opens with a password only.", "Ask for a copy without a password."],
  broken: ["is a damaged PDF: it cannot be read.", "Open it in a PDF viewer, which may be able to save it again."],
  memory: [`is a PDF that needs more than ${MAX_MEMORY_MB} MB of memory to be read.`, "Ask for a smaller copy of it."],
};

function failure(path: VaultPath, why: PdfFailure): VaultError {
  const [what, hint] = FAILURES[why];
  return new VaultError(why === "not-installed" ? "UNAVAILABLE" : "NOT_TEXT", `'${path}' ${what}`, { path, hint });
}

function tooSlow(path: VaultPath, timeout: number): VaultError {
  return new VaultError("TIMEOUT", `No page of '${path}' could be read within ${timeout / 1000} seconds.`, {
    path,
    hint: "Ask for a smaller copy of it.",
  });
}
