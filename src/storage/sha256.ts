/** SHA-256 in hexadecimal: the hash that revisions, signed names and checksums of files of our own are made with. */
import { createHash } from "node:crypto";

/** Of a text, its UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
