import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrontmatter, splitNote } from "../markdown/frontmatter/frontmatter.js";
import type { VaultPath } from "../storage/path.js";
import type { StoredFile } from "../storage/storage.js";
import { readContent } from "./read-note.js";
import type { FactReader, NoteSource } from "./facts.js";
import { decodeText, encodeText, textOf } from "../storage/note-text.js";
import { anyCharacter } from "../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

function fileOf(bytes: Uint8Array, size = bytes.length): StoredFile {
  const stat = { path: "a.md" as VaultPath, size, modified: 0, created: 0, stamp: [] };
  return { stat, bytes, revision: "" as StoredFile["revision"] };
}

/** Everything a reader can see. */
const everything: FactReader<unknown> = {
  name: "everything",
  version: 1,
  read: ({ text, parts, frontmatter, truncated }) => ({ text, parts, ...frontmatter, truncated }),
};

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

  it("is the same to its readers, however little of it was decoded at first", () => {
    fc.assert(
      fc.property(note, (text) => {
        const parts = splitNote(text);
        const frontmatter = readFrontmatter(text, parts);
        const content = readContent(fileOf(encodeText(text)), [everything]);
        const expected: unknown = JSON.parse(JSON.stringify({ text, parts, ...frontmatter, truncated: false }));
        expect(JSON.parse(content.facts[0] ?? "null")).toEqual(expected);
        const problem = frontmatter.problem ?? frontmatter.warning;
        expect(content.problems[0]?.message).toBe(problem?.message);
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });

  it("may end its frontmatter just where the first decoding stops", () => {
    for (const fence of ["---", "---\n", "---\r\n", "---  \n", "----\n", "--- x\n"])
      for (let at = 1006; at <= 1036; at++) {
        const text = `---\na: ${"x".repeat(at - 8)}\n${fence}b: 2\n---\nbody`.padEnd(3000, " body");
        const read: unknown = JSON.parse(readContent(fileOf(encodeText(text)), [everything]).facts[0] ?? "null");
        const parts = splitNote(text);
        expect(read).toEqual(
          JSON.parse(JSON.stringify({ text, parts, ...readFrontmatter(text, parts), truncated: false })),
        );
      }
  });

  it("shows a start that holds the whole frontmatter, whether the rest was asked for or not", () => {
    fc.assert(
      fc.property(note, fc.boolean(), (text, asksFirst) => {
        const read = (seen: NoteSource): void => {
          if (asksFirst) expect(seen.text).toBe(text);
          expect(text.startsWith(seen.start)).toBe(true);
          expect(seen.start.length).toBeGreaterThanOrEqual(seen.parts.frontmatter?.end ?? 0);
        };
        readContent(fileOf(encodeText(text)), [{ ...everything, read }]);
      }),
    );
  });

  it("keeps no part of a note that no reader wants", () => {
    const reader: FactReader<unknown> = { ...everything, read: () => undefined };
    expect(readContent(fileOf(encodeText("---\na: 1\n---\nbody")), [reader])).toMatchObject({
      facts: [],
      problems: [],
    });
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
