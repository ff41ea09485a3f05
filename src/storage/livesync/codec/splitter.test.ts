import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { vaultPath } from "../../path.js";
import { cutIntoPieces, pieceEnds } from "./cut-chunks.js";
import { FUZZ_FACTOR } from "../../../../test/kit/fuzz.js";

const RULES = { pieceBytes: 102_400, minimumPiece: 20 };
const NOTE = vaultPath("note.md");
const FILE = vaultPath("file.bin");
const RUNS = 100 * FUZZ_FACTOR;

/** Prose without repetition, with letters of every length in UTF-8. */
function prose(length: number, seed = 1): string {
  const words = ["alpha", "Größe", "naïve", "хранилище", "資料", "🚀", "note", "👩‍💻", "x"];
  let [text, state] = ["", seed];
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += `${words[(state >>> 16) % words.length]}${state % 977} `;
    if (state % 13 === 0) text += "\n";
  }
  return text;
}

const newPieces = (old: readonly string[], next: readonly string[]) => next.filter((piece) => !old.includes(piece));

describe("cutting", () => {
  it("joins to the text, splits no character, and keeps pieces short", () => {
    const unit = fc.oneof(fc.constantFrom("a", "\n", "é", "資", "🚀", "👩‍💻", "\ufeff"), fc.lorem());
    const text = fc.array(unit, { maxLength: 400 }).map((units) => units.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (unitText, times) => {
        const whole = unitText.repeat(times);
        const pieces = cutIntoPieces(NOTE, Buffer.from(whole), RULES);
        expect(pieces.join("")).toBe(whole);
        for (const piece of pieces) {
          expect(piece).toBe(Buffer.from(piece).toString());
          expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(RULES.pieceBytes + 3);
          expect(piece.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("cuts long texts and files into pieces under about 100 KB", () => {
    const text = Buffer.from(prose(4_500_000));
    const file = new Uint8Array(1_000_000).map((_, index) => (index * index) >>> 5);
    for (const [path, bytes, encoding] of [
      [NOTE, text, "utf8"],
      [FILE, file, "base64"],
    ] as const) {
      const pieces = cutIntoPieces(path, bytes, RULES).map((piece) => Buffer.from(piece, encoding));
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(RULES.pieceBytes + 3);
    }
  });

  it("longer pieces only where the database asks for them", () => {
    const file = new Uint8Array(5_000_000);
    const longest = (pieceBytes: number) => {
      const ends = pieceEnds(file, false, { ...RULES, pieceBytes });
      return Math.max(...ends.map((end, index) => end - (ends[index - 1] ?? 0)));
    };
    expect(longest(102_400)).toBe(102_400);
    expect(longest(102_400 * 11)).toBe(102_400 * 11);
    expect(longest(102_400 * 100)).toBe(4 * 1024 * 1024);
    expect(longest(1)).toBe(30 * 1024);
  });

  it("nothing of nothing", () => expect(cutIntoPieces(NOTE, new Uint8Array(0), RULES)).toEqual([]));

  it("keeps a byte order mark", () => {
    expect(cutIntoPieces(NOTE, Buffer.from("\ufefftext"), RULES)).toEqual(["\ufefftext"]);
  });

  it.each([[[0xff, 0xfe, 0x00]], [[0xed, 0xa0, 0x80]], [[0x61, 0xc3]]])("refuses %j as text", (bytes) => {
    expect(() => cutIntoPieces(NOTE, Uint8Array.from(bytes), RULES)).toThrow(
      expect.objectContaining({ code: "NOT_TEXT" }),
    );
    expect(cutIntoPieces(FILE, Uint8Array.from(bytes), RULES)).toHaveLength(1);
  });
});

describe("an edit", () => {
  const replaced = (text: string, at: number) => `${text.slice(0, at)}EDITED ${text.slice(at)}`;

  it("of a long note writes few new pieces", () => {
    const [text, length] = [prose(300_000), 300_000];
    const before = cutIntoPieces(NOTE, Buffer.from(text), RULES);
    for (const at of [0, 5, Math.floor(length / 2), length - 3]) {
      const start = text.indexOf(" ", at) + 1;
      const after = cutIntoPieces(NOTE, Buffer.from(replaced(text, start)), RULES, before);
      expect(after.join("")).toBe(replaced(text, start));
      expect(newPieces(before, after).length).toBeLessThanOrEqual(4);
    }
  });

  it("of a short note is cut as the client cuts it, so that a copy still shares it", () => {
    const text = prose(20_000);
    const before = cutIntoPieces(NOTE, Buffer.from(text), RULES);
    const edited = Buffer.from(replaced(text, text.indexOf(" ", 10_000)));
    expect(cutIntoPieces(NOTE, edited, RULES, before)).toEqual(cutIntoPieces(NOTE, edited, RULES));
  });

  it("leaves no crumbs, however often a note is added to", () => {
    let text = prose(200_000);
    let pieces = cutIntoPieces(NOTE, Buffer.from(text), RULES);
    const many = pieces.length;
    for (let round = 0; round < 30; round++) {
      text = round % 2 === 0 ? `x${text}` : `${text}y`;
      pieces = cutIntoPieces(NOTE, Buffer.from(text), RULES, pieces);
    }
    expect(pieces.join("")).toBe(text);
    expect(pieces.length).toBeLessThan(many + 4);
  });

  it("of any file, whatever the pieces were before", () => {
    const bytes = fc.uint8Array({ maxLength: 3000 });
    const body = new Uint8Array(100_000).map((_, index) => (index * index) >>> 7);
    const place = fc.integer({ min: 0, max: body.length });
    fc.assert(
      fc.property(bytes, place, place, fc.array(bytes, { maxLength: 3 }), (added, one, other, stale) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const whole = Buffer.concat([body.subarray(0, from), added, body.subarray(to)]);
        const strange = [...stale.map((piece) => Buffer.from(piece).toString("base64")), "", "no base64 ✓"];
        const old = cutIntoPieces(FILE, body, { pieceBytes: 1, minimumPiece: 1 });
        for (const before of [old, [...strange, ...old], [...old, ...strange], [...old.slice(1), ...old]]) {
          const pieces = cutIntoPieces(FILE, whole, RULES, before);
          expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64"))).equals(whole)).toBe(true);
          expect(pieces).not.toContain("");
        }
      }),
      { numRuns: RUNS / 2 },
    );
  });
});
