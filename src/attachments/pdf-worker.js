/** Runs in the worker thread of a PDF: sends the text of each page as it is read. JavaScript, because a thread reads its file without the build. */
import { parentPort, workerData } from "node:worker_threads";

/** @type {import("./pdf.js").PdfTask} */
const { bytes } = workerData;

/** @param {import("./pdf.js").PdfMessage} message */
const send = (message) => parentPort?.postMessage(message, []);

/** @returns {Promise<typeof import("unpdf") | undefined>} undefined where the optional package is not installed */
async function library() {
  try {
    return await import("unpdf");
  } catch (error) {
    const code = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** @param {{ str?: string, hasEOL?: boolean }} item marks of structure have no text */
const withLineEnd = ({ str = "", hasEOL = false }) => (hasEOL ? `${str}\n` : str);

async function main() {
  const unpdf = await library();
  if (unpdf === undefined) return send({ kind: "failed", why: "not-installed" });
  let pages = 0;
  try {
    const pdf = await unpdf.getDocumentProxy(bytes, { verbosity: 0 });
    pages = pdf.numPages;
    send({ kind: "opened", pages });
    for (let number = 1; number <= pages; number += 1) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map(withLineEnd).join("");
      page.cleanup();
      send({ kind: "page", text });
    }
    return send({ kind: "done" });
  } catch (error) {
    const isEncrypted = error instanceof Error && error.name === "PasswordException";
    return send({ kind: "failed", why: isEncrypted ? "encrypted" : "broken" });
  }
}

void main();
