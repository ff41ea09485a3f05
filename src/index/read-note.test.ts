import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrontmatter, splitNote } from "../markdown/frontmatter/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { StoredFile } from "../storage/storage.js";
import { noteSource } from "./read-note.js";
import type { NoteSource } from "./subject.js";
import { decodeText, encodeText, textOf } from "../storage/note-text.js";
import { anyCharacter } from "../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

function fileOf(bytes: Uint8Array, size = bytes.length): StoredFile {
  const stat = { path: "a.md" as VaultPath, size, modified: 0, created: 0, stamp: [] };
  return { stat, bytes, revision: "" as StoredFile["revision"] };
}

/** Everything that a subject can see. */
function everything({ text, parts, frontmatter, truncated }: NoteSource): unknown {
  return { text, parts, ...frontmatter, truncated };
}

function noteOf(text: string): NoteSource {
  const { note } = noteSource(fileOf(encodeText(text)));
  if (!note) throw new Error("not a text");
  return note;
}

describe("a note", () => {
  const line = fc.constantFrom(
    "---",
    "a: 1",
    "b: [x, y]",
    "c: 'ü 🎯'",
    "text",
    "",
    "# Title",
    "--- ",
    "d: [",
    "x".repeat(700),
  );
  const note = fc
    .tuple(
      fc.constantFrom("", "\ufeff"),
      fc.constantFrom("---\n", ""),
      fc.array(line, { maxLength: 12 }),
      fc.constantFrom("\n", "\r\n"),
    )
    .map(([bom, fence, lines, end]) => bom + fence + lines.join(end));

  it("is the same to its subjects, however little of it was decoded at first", () => {
    fc.assert(
      fc.property(note, (text) => {
        const parts = splitNote(text);
        const frontmatter = readFrontmatter(text, parts);
        const { note, problems } = noteSource(fileOf(encodeText(text)));
        expect(note && everything(note)).toEqual({ text, parts, ...frontmatter, truncated: false });
        const problem = frontmatter.problem ?? frontmatter.warning;
        expect(problems[0]?.message).toBe(problem?.message);
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("may end its frontmatter just where the first decoding stops", () => {
    for (const fence of ["---", "---\n", "---\r\n", "---  \n", "----\n", "--- x\n"])
      for (let at = 1006; at <= 1036; at++) {
        const text = `---\na: ${"x".repeat(at - 8)}\n${fence}b: 2\n---\nbody`.padEnd(3000, " body");
        const parts = splitNote(text);
        const expected = { text, parts, ...readFrontmatter(text, parts), truncated: false };
        expect(everything(noteOf(text))).toEqual(expected);
      }
  });

  it("shows a start that holds the whole frontmatter, whether the rest was asked for or not", () => {
    fc.assert(
      fc.property(note, fc.boolean(), (text, asksFirst) => {
        const seen = noteOf(text);
        if (asksFirst) expect(seen.text).toBe(text);
        expect(text.startsWith(seen.start)).toBe(true);
        expect(seen.start.length).toBeGreaterThanOrEqual(seen.parts.frontmatter?.end ?? 0);
      }),
    );
  });
});

describe("bytes and text", () => {
  it("are the same forth and back, whatever the bytes", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const text = decodeText(bytes);
          let valid = true;
          try {
            new TextDecoder("utf-8", { fatal: true }).decode(bytes);
          } catch {
            valid = false;
          }
          expect(text !== undefined).toBe(valid);
          if (text !== undefined) expect(Buffer.compare(encodeText(text), bytes)).toBe(0);
        },
      ),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("begin alike wherever the beginning is cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 12 }), fc.nat(60), (source, length) => {
        fc.pre(!/\p{Surrogate}/u.test(source));
        const bytes = encodeText(source);
        const start = textOf(bytes)?.start(length) ?? "-";
        expect(source.startsWith(start)).toBe(true);
        expect(Buffer.byteLength(start)).toBeGreaterThan(Math.min(length, bytes.length) - 4);
        const head = textOf(bytes.subarray(0, length), true);
        expect(head?.whole()).toBe(start);
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("refuses half a character", () => {
    expect(() => encodeText("a\ud800")).toThrow("Unicode");
    expect(decodeText(Uint8Array.of(65, 0xe2, 0x82))).toBeUndefined();
    expect(textOf(Uint8Array.of(65, 0xff, 66), true)).toBeUndefined();
  });
});
