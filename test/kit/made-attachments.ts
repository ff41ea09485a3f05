/** Images, PDFs and canvases made in code. */
import { deflateSync } from "node:zlib";

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(ascii(type), 4);
  chunk.set(data, 8);
  return chunk;
}

/** A PNG of these dimensions; its checksums are 0, and `noise` bytes behind its pixels make it larger. */
export function madePng(width: number, height: number, noise = 0): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    ascii("\x89PNG\r\n\x1a\n"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(Buffer.alloc(16))),
    pngChunk("tEXt", Buffer.alloc(noise, 7)),
    pngChunk("IEND", new Uint8Array()),
  ]);
}

/** A JPEG's head: an Exif segment of `exif` bytes, then the frame header. */
export function madeJpeg(width: number, height: number, exif = 40): Uint8Array {
  const app = Buffer.alloc(exif + 2, 0x41);
  app.writeUInt16BE(exif, 0);
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 17, 0]);
  return Buffer.concat([ascii("\xff\xd8\xff\xe1"), app.subarray(0, exif), frame, ascii("\xff\xd9")]);
}

export function madeGif(width: number, height: number): Uint8Array {
  return Buffer.concat([
    ascii("GIF89a"),
    Buffer.from([width & 255, width >> 8, height & 255, height >> 8, 0, 0, 0, 59]),
  ]);
}

export function madeWebp(width: number, height: number, kind: "VP8 " | "VP8L" | "VP8X"): Uint8Array {
  const data = Buffer.alloc(18);
  if (kind === "VP8 ") {
    data.set([0, 0, 0, 0x9d, 1, 0x2a], 0);
    data.writeUInt16LE(width, 6);
    data.writeUInt16LE(height, 8);
  } else if (kind === "VP8L") {
    data.writeUInt8(0x2f, 0);
    data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  } else {
    data.writeUIntLE(width - 1, 4, 3);
    data.writeUIntLE(height - 1, 7, 3);
  }
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  return Buffer.concat([ascii("RIFF"), size, ascii(`WEBP${kind}`), size, data]);
}

/** A PDF of one text a page, in lines; an empty text makes a page that only has a picture. */
export function madePdf(pages: readonly string[], { encrypted = false } = {}): Uint8Array {
  const objects: string[] = ["<< /Type /Catalog /Pages 2 0 R >>", ""];
  const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
  const kids: string[] = [];
  for (const page of pages) {
    const shown = page.split("\n").map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`);
    const drawn =
      page === ""
        ? "q 100 0 0 100 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"
        : `BT /F 12 Tf 14 TL 50 700 Td ${shown.join(" ")} ET`;
    objects.push(`<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`);
    kids.push(`${objects.length + 1} 0 R`);
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 60000 800] /Contents ${objects.length} 0 R /Resources << /Font << /F ${font} >> >> >>`,
    );
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages.length} >>`;
  if (encrypted) {
    const key = "00".repeat(32);
    objects.push(`<< /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`);
  }
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const encryption = encrypted ? ` /Encrypt ${objects.length} 0 R /ID [<00> <00>]` : "";
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join("")}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${encryption} >>\nstartxref\n${start}\n%%EOF\n`;
  return ascii(text);
}
