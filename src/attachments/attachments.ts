/** Shows images, PDFs as text, canvases and drawings in words (docs: notes-and-files, "Pictures and PDFs"). */
import { isVaultError, VaultError } from "../errors.js";
import { call, said, counted } from "../text/said.js";
import { mediaTypeOf } from "../links/uri.js";
import { baseName, extensionOf, folderPath, isMarkdown, ROOT, type VaultPath } from "../storage/path.js";
import type { FileStat, Revision } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";
import { type ImageFacts, imageFacts } from "./image.js";

type AttachmentKind = "image" | "pdf" | "canvas" | "drawing";

interface ShownAttachment {
  readonly kind: AttachmentKind;
  readonly path: VaultPath;
  readonly revision: Revision;
  readonly stat: FileStat;
  /** Lines, or pages. */
  readonly parts: readonly string[];
  readonly image?: { readonly mimeType: string; readonly bytes: Uint8Array } | undefined;
}

interface AttachmentOptions {
  /** Bytes; default 700 KB. */
  readonly maxImageSize?: number | undefined;
}

const MAX_IMAGE_SIZE = 700 * 1024;
/** Pixels. */
const MAX_IMAGE_SIDE = 8_000;

const TEXT = /^\.(?:md|txt|csv|html|css|js|json|base|ya?ml|xml|svg)$/i;
const DRAWING = /\.excalidraw(?:\.md)?$/i;

export class Attachments {
  readonly #vault: Vault;
  readonly #maxImageSize: number;
  /** For later parts. */
  #lastPdf: { readonly path: VaultPath; readonly revision: Revision; readonly parts: readonly string[] } | undefined;

  constructor(vault: Vault, { maxImageSize = MAX_IMAGE_SIZE }: AttachmentOptions = {}) {
    this.#vault = vault;
    this.#maxImageSize = maxImageSize;
  }

  /**
   * @param reference from the vault's root
   * @returns undefined for plain text and missing files
   * @throws NOT_TEXT when nothing can be shown, TOO_LARGE, PERMISSION_DENIED, and as `pdfText`
   */
  async show(reference: string, signal?: AbortSignal): Promise<ShownAttachment | undefined> {
    const path = folderPath(reference, this.#vault.pathRules);
    if (path === ROOT || (!DRAWING.test(path) && (isMarkdown(path) || TEXT.test(extensionOf(path))))) return undefined;
    const file = await this.#vault.readFile(path).catch((error: unknown) => {
      if (isVaultError(error, "FILE_NOT_FOUND") || isVaultError(error, "INVALID_ARGUMENT")) return undefined;
      throw error;
    });
    if (file === undefined) return undefined;
    const { bytes, text, ...known } = file;
    const shown = { path, ...known };
    const image = imageFacts(bytes);
    if (image !== undefined) return { kind: "image", ...shown, ...this.#shownImage(path, bytes, image) };
    if (isPdf(bytes)) return { kind: "pdf", ...shown, parts: await this.#pages(path, bytes, known.revision, signal) };
    if (text === undefined || (text === "" && isBinary(path))) throw notShown(path, bytes.length);
    if (DRAWING.test(path)) return described("drawing", shown, (await import("./canvas.js")).drawingLines(text));
    return extensionOf(path) === ".canvas"
      ? described("canvas", shown, (await import("./canvas.js")).canvasLines(text))
      : undefined;
  }

  #shownImage(path: VaultPath, bytes: Uint8Array, { format, mimeType, size }: ImageFacts) {
    const dimensions = size === undefined ? "dimensions unknown, the file is damaged" : inPixels(size);
    const line = `'${baseName(path)}': ${format}, ${dimensions}, ${inKilobytes(bytes.length)}.`;
    const isShown =
      size !== undefined && bytes.length <= this.#maxImageSize && Math.max(size.width, size.height) <= MAX_IMAGE_SIDE;
    if (isShown) return { parts: [line], image: { mimeType, bytes } };
    const limit = `at most ${inKilobytes(this.#maxImageSize)} and ${MAX_IMAGE_SIDE.toLocaleString("en-US")} pixels a side are shown`;
    return {
      parts: [
        size === undefined ? `${line} It is not shown.` : `${line} It is not shown: ${limit} (--max-image-size).`,
      ],
    };
  }

  async #pages(path: VaultPath, bytes: Uint8Array, revision: Revision, signal: AbortSignal | undefined) {
    const known = this.#lastPdf;
    if (known?.path === path && known.revision === revision) return known.parts;
    const { pdfText } = await import("./pdf.js");
    const { pageCount, pages } = await pdfText(path, bytes, { signal });
    const parts = pageLines(pageCount, pages);
    if (pages.length === pageCount) this.#lastPdf = { path, revision, parts };
    return parts;
  }
}

/** Up to 1,024 bytes may precede the header. */
const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-");

const isBinary = (path: VaultPath): boolean => /^(?:image|audio|video)\/|pdf$/.test(mediaTypeOf(path));

function pageLines(pageCount: number, pages: readonly string[]): readonly string[] {
  const isWhole = pages.length === pageCount;
  if (isWhole && pages.every((text) => text.trim() === "")) return [`No text: ${counted(pageCount, "scanned page")}.`];
  const shown = pages.map((text, at) => `Page ${at + 1} of ${pageCount}\n${text.trim() || "(no text)"}`);
  return isWhole ? shown : [...shown, `Pages ${pages.length + 1} to ${pageCount} were not read: the time was up.`];
}

function described(
  kind: AttachmentKind,
  shown: Pick<ShownAttachment, "path" | "revision" | "stat">,
  parts: readonly string[] | undefined,
): ShownAttachment | undefined {
  return parts && { kind, ...shown, parts };
}

const inPixels = ({ width, height }: { readonly width: number; readonly height: number }): string =>
  `${width} × ${height}`;

const inKilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024).toLocaleString("en-US")} KB`;

export function notShown(path: VaultPath, size: number): VaultError {
  const known = `${mediaTypeOf(path)}, ${inKilobytes(size)}`;
  const message =
    size === 0 ? `'${path}' is empty (0 bytes).` : `'${path}' (${known}) is no text, PDF or image that can be shown.`;
  return new VaultError("NOT_TEXT", message, {
    path,
    hint: said`${call("find_notes", { kind: "attachment", query: baseName(path) })} says which notes link to it.`,
  });
}
