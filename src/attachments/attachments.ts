/** Shows images, PDFs as text, canvases and drawings in words (docs: notes-and-files, "Pictures and PDFs"). */
import { isVaultError, VaultError } from "../errors.js";
import { call, said, counted } from "../text/wording.js";
import { mediaTypeOf } from "../links/uri.js";
import { baseName, extensionOf, folderPath, isMarkdown, ROOT, type VaultPath } from "../storage/path.js";
import type { FileStat, Revision } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";

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
  /** Kept for calls that ask for its later pages. */
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

interface ImageFacts {
  readonly format: "PNG" | "JPEG" | "GIF" | "WebP";
  readonly mimeType: string;
  /** Undefined when the file ends before. */
  readonly size: ImageSize | undefined;
}

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Undefined for a format that clients cannot show. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const { format, starts, size } of FORMATS)
    if (starts(ascii(bytes, 0, 16))) {
      return { format, mimeType: `image/${format.toLowerCase()}`, size: within(() => size(data, bytes)) };
    }
  return undefined;
}

interface Format {
  readonly format: ImageFacts["format"];
  /** @param head 16 bytes as Latin-1 */
  readonly starts: (head: string) => boolean;
  /** @throws RangeError when the bytes end */
  readonly size: (data: DataView, bytes: Uint8Array) => ImageSize | undefined;
}

const FORMATS: readonly Format[] = [
  {
    format: "PNG",
    starts: (head) => head.startsWith("\x89PNG\r\n\x1a\n"),
    size: (data, bytes) =>
      ascii(bytes, 12, 16) === "IHDR" ? { width: data.getUint32(16), height: data.getUint32(20) } : undefined,
  },
  { format: "JPEG", starts: (head) => head.startsWith("\xff\xd8\xff"), size: jpegSize },
  {
    format: "GIF",
    starts: (head) => /^GIF8[79]a/.test(head),
    size: (data) => ({ width: data.getUint16(6, true), height: data.getUint16(8, true) }),
  },
  { format: "WebP", starts: (head) => /^RIFF[^]{4}WEBP/.test(head), size: webpSize },
];

/** Reads the frame header (SOF: C0 to CF except C4, C8 and CC), which follows other segments. */
function jpegSize(data: DataView): ImageSize | undefined {
  for (let at = 2; data.getUint8(at) === 0xff;) {
    const marker = data.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: data.getUint16(at + 7), height: data.getUint16(at + 5) };
    else at += 2 + data.getUint16(at + 2);
  }
  return undefined;
}

/** RFC 9649: the first chunk is simple lossy, simple lossless or extended. */
function webpSize(data: DataView, bytes: Uint8Array): ImageSize | undefined {
  const chunk = ascii(bytes, 12, 16);
  if (chunk === "VP8 ") return { width: data.getUint16(26, true) & 0x3fff, height: data.getUint16(28, true) & 0x3fff };
  if (chunk === "VP8L") {
    const bits = data.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  const three = (at: number): number => data.getUint16(at, true) + data.getUint8(at + 2) * 0x10000;
  return chunk === "VP8X" ? { width: three(24) + 1, height: three(27) + 1 } : undefined;
}

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

function within<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
