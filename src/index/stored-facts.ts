/** One reader's facts as bytes from the database, which become text when a fact is needed. */
import { SqliteError } from "../database.js";
import { hashNumber } from "../text/hash.js";
import { assertChecksum } from "./store-files.js";

const [TAB, LINE_BREAK, ZERO] = [9, 10, 48];

export class StoredFacts {
  // By the number of the file: the bytes that have its JSON, and where.
  readonly #bytes: Buffer[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /**
   * @param rows lines of a file's number, a checksum and JSON, separated by tabs
   * @returns how many rows there are
   * @throws SqliteError `corrupt`
   */
  add(rows: Uint8Array): number {
    if (!(rows instanceof Uint8Array)) throw new SqliteError("corrupt", "rows lack a value");
    const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);
    let count = 0;
    for (let at = 0; at < bytes.length; at++, count++) {
      let number = 0;
      for (; at < bytes.length && bytes[at] !== TAB; at++) number = number * 10 + (bytes[at] ?? 0) - ZERO;
      let checksum = 0;
      for (at++; at < bytes.length && bytes[at] !== TAB; at++) checksum = checksum * 10 + (bytes[at] ?? 0) - ZERO;
      const start = ++at;
      // The same as `hashNumber` of the text, without making the text, as far as it is ASCII.
      let hash = 0x811c9dc5;
      let all = 0;
      for (; at < bytes.length && bytes[at] !== LINE_BREAK; at++) {
        const byte = bytes[at] ?? 0;
        all |= byte;
        hash = Math.imul(hash ^ byte, 0x01000193);
      }
      assertChecksum(checksum, all < 0x80 ? hash >>> 0 : hashNumber(bytes.toString("utf8", start, at)));
      [this.#bytes[number], this.#starts[number], this.#ends[number]] = [bytes, start, at];
    }
    return count;
  }

  has(number: number): boolean {
    return this.#bytes[number] !== undefined;
  }

  json(number: number): string {
    return this.#bytes[number]?.toString("utf8", this.#starts[number], this.#ends[number]) ?? "";
  }
}
