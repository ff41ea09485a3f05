/** Images' format and dimensions, by their first bytes. */

export interface ImageFacts {
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
