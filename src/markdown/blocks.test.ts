import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { scanBlocks } from "./blocks.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

function blocks(text: string): { prose: string[]; headings: string[]; items: string[] } {
  const found = { prose: [] as string[], headings: [] as string[], items: [] as string[] };
  scanBlocks(text, 0, {
    prose: (start, end) => void found.prose.push(text.slice(start, end)),
    heading({ level, text: words }) {
      found.headings.push(`${level} ${words}`);
      return false;
    },
    item: (start, end) => void found.items.push(text.slice(start, end)),
  });
  return found;
}

describe("scanBlocks", () => {
  it.each([
    ["<!--\n# no\n- no\n-->\n# yes\n", ["1 yes"], []],
    ["<!-- # no -->\n# yes\n", ["1 yes"], []],
    ["$$\n# no\n- no\n$$\n# yes\n", ["1 yes"], []],
    ["$$ never closed\n# yes\n", ["1 yes"], []],
    ["<!-- never closed\n# no\n- no", [], []],
    ["%%\n- [ ] no\n%%\n- [ ] yes\n", [], ["- [ ] yes"]],
    ["```\n- no\n```\n* a\n  + b\n1. c\n2) d\n", [], ["* a", "  + b", "1. c", "2) d"]],
    ["> - a\n> # no\n", [], ["> - a"]],
    ["- # no\n", [], ["- # no"]],
    ["    - code\n\n- a\n\n        code\n", [], ["- a"]],
    ["- a\n  ```\n  - no\n  ```\n- b\r\n", [], ["- a", "- b\r"]],
    ["[^1]: a footnote\n\n    - in it\n", [], ["    - in it"]],
    ["- a\nlazy\n===\n", [], ["- a"]],
    ["text\n***\nmore\n===\n", ["1 more"], []],
    ["- [ ]\n```\n- no\n```\n- b\n", [], ["- [ ]", "- b"]],
    ["- a\n# b\nc\n===\n", ["1 b", "1 c"], ["- a"]],
    ["- - [ ] twice\n", [], ["- - [ ] twice"]],
  ])("%j", (text, headings, items) => {
    expect(blocks(text)).toMatchObject({ headings, items });
  });

  it("stops where a visitor has seen enough", () => {
    const seen: string[] = [];
    scanBlocks("# a\n# b\n", 0, { heading: ({ text }) => seen.push(text) > 0 });
    expect(seen).toEqual(["a"]);
  });

  it("finds headings and items only where there is prose, in order, none twice", () => {
    const part = fc.constantFrom(
      ..."# a\n|## b #\n|text\n|===\n|---\n|\n|> |- |1. |  |    |\t|```\n|~~~\n|%%|<!--|-->|$$|[^1]: || a |\n|[ ] x|\r\n"
        .split("|")
        .filter((word) => word !== ""),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
        const text = parts.join("");
        const prose: [number, number][] = [];
        const starts: number[] = [];
        scanBlocks(text, 0, {
          prose: (start, end) => void prose.push([start, end]),
          heading({ textStart, textEnd, start, end }) {
            expect(start <= textStart && textStart <= textEnd && textEnd <= end).toBe(true);
            if (textStart < textEnd) starts.push(textStart);
            return false;
          },
        });
        for (const [index, [start, end]] of prose.entries()) {
          expect(start).toBeLessThanOrEqual(end);
          expect(start).toBeGreaterThanOrEqual(prose[index - 1]?.[1] ?? 0);
        }
        expect(starts).toEqual([...starts].toSorted((a, b) => a - b));
        for (const at of starts) expect(prose.some(([start, end]) => start <= at && at < end)).toBe(true);
      }),
      { numRuns: 500 * FUZZ_FACTOR },
    );
  });
});

it.each([
  ["<details>\n<summary>s</summary>\n- [ ] no\n</details>\n- [ ] no\n\n- [ ] yes", ["- [ ] yes"]],
  ["<details>\n\n- [ ] yes\n\n</details>", ["- [ ] yes"]],
  ["- a\n  <div>\n  - [ ] no\n- [ ] yes", ["- a", "- [ ] yes"]],
  ["text <b>x</b>\n- [ ] yes", ["- [ ] yes"]],
  ["> <div>\n> - [ ] no\n- [ ] yes", ["- [ ] yes"]],
])("%j has the items outside HTML blocks, as Obsidian has", (text, expected) => {
  const found: string[] = [];
  scanBlocks(text, 0, { item: (start, end) => void found.push(text.slice(start, end)) });
  expect(found).toEqual(expected);
});

it.each([
  ["# Top\nt\n<details>\n## inside\nx\n</details>\n\n## After", ["Top", "After"]],
  ["<details><summary>s</summary>\n## no\nno\n==\n</details>\n\n## Yes", ["Yes"]],
  ["# T\n<div>\n\n## three\n\n</div>\n\n## After", ["T", "three", "After"]],
  ["text<br>\n## six\n<span> x\n## Seven", ["six", "Seven"]],
  ["<pre>\n\n# no\n</pre>\n# Yes", ["Yes"]],
  ["> <div>\n# Yes", ["Yes"]],
])("%j has the headings outside HTML blocks", (text, expected) => {
  const found: string[] = [];
  scanBlocks(text, 0, { heading: (heading) => (found.push(heading.text), false) });
  expect(found).toEqual(expected);
});
