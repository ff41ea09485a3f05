import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { isMap, isNode, isScalar, isSeq, parseDocument } from "yaml";

import { isVaultError, type VaultError } from "../../errors.js";
import { setProperty, writeFrontmatter, type NewValue, type SetOptions } from "./edit.js";
import { readFrontmatter, splitNote } from "./frontmatter.js";
import { anyCharacter } from "../../../test/kit/any-character.js";
import { FUZZ_FACTOR } from "../../../test/kit/fuzz.js";

/** Multiplies the runs of the long properties: `FUZZ_FACTOR=200` edits 100,000 notes. */
vi.setConfig({ testTimeout: 60_000 * FUZZ_FACTOR });

const PLAIN: SetOptions = { plain: true };

interface Row {
  readonly name: string;
  readonly before: string;
  readonly key?: string;
  readonly value?: NewValue;
  readonly options?: SetOptions;
  readonly after: string;
}

/** Awkward notes; each row sets `status` to `done` unless it says otherwise, and states every byte of the result. */
const rows: readonly Row[] = [
  { name: "plain", before: "---\nstatus: todo\n---\nBody\n", after: "---\nstatus: done\n---\nBody\n" },
  {
    name: "comment after the value",
    before: "---\nstatus: todo   # why\n---\n",
    after: "---\nstatus: done   # why\n---\n",
  },
  { name: "double quotes stay", before: '---\nstatus: "to do"\n---\n', after: '---\nstatus: "done"\n---\n' },
  { name: "single quotes stay", before: "---\nstatus: 'to do' # x\n---\n", after: "---\nstatus: 'done' # x\n---\n" },
  {
    name: "CRLF",
    before: "---\r\nstatus: todo\r\nb: 1\r\n---\r\nx\r\n",
    after: "---\r\nstatus: done\r\nb: 1\r\n---\r\nx\r\n",
  },
  { name: "BOM", before: "\uFEFF---\nstatus: todo\n---\nx", after: "\uFEFF---\nstatus: done\n---\nx" },
  { name: "no final newline", before: "---\nstatus: todo\n---", after: "---\nstatus: done\n---" },
  { name: "blanks behind the fence", before: "---\nstatus: todo\n---  \nx", after: "---\nstatus: done\n---  \nx" },
  { name: "odd spacing", before: "---\nstatus:    todo  \n---\n", after: "---\nstatus:    done  \n---\n" },
  { name: "blank before the colon", before: "---\nstatus : todo\n---\n", after: "---\nstatus : done\n---\n" },
  { name: "quoted key", before: '---\n"status": todo\n---\n', after: '---\n"status": done\n---\n' },
  { name: "explicit key", before: "---\n? status\n: todo\na: 1\n---\n", after: "---\n? status\n: done\na: 1\n---\n" },
  { name: "key in another case", before: "---\nStatus: todo\n---\n", after: "---\nStatus: done\n---\n" },
  { name: "exact key wins", before: "---\nStatus: a\nstatus: b\n---\n", after: "---\nStatus: a\nstatus: done\n---\n" },
  { name: "empty value", before: "---\nstatus:\nb: 1\n---\n", after: "---\nstatus: done\nb: 1\n---\n" },
  { name: "empty value with blanks", before: "---\nstatus:  \n---\n", after: "---\nstatus:  done\n---\n" },
  { name: "empty value with a comment", before: "---\nstatus: # c\n---\n", after: "---\nstatus: done # c\n---\n" },
  {
    name: "empty value with a far comment",
    before: "---\nstatus:   # c\n---\n",
    after: "---\nstatus: done  # c\n---\n",
  },
  { name: "empty value, CRLF", before: "---\r\nstatus:\r\n---\r\n", after: "---\r\nstatus: done\r\n---\r\n" },
  { name: "null", before: "---\nstatus: ~\n---\n", after: "---\nstatus: done\n---\n" },
  { name: "literal block", before: "---\nstatus: |\n  a\n  b\nc: 1\n---\n", after: "---\nstatus: done\nc: 1\n---\n" },
  {
    name: "folded block, CRLF",
    before: "---\r\nstatus: >-\r\n  a\r\n  b\r\nc: 1\r\n---\r\n",
    after: "---\r\nstatus: done\r\nc: 1\r\n---\r\n",
  },
  { name: "block with comment", before: "---\nstatus: | # why\n  a\n---\n", after: "---\nstatus: done # why\n---\n" },
  { name: "keeping block", before: "---\nstatus: |+\n  a\n\n\nc: 1\n---\n", after: "---\nstatus: done\nc: 1\n---\n" },
  {
    name: "value over several lines",
    before: "---\nstatus: to\n  do\n  it\nc: 1\n---\n",
    after: "---\nstatus: done\nc: 1\n---\n",
  },
  {
    name: "quotes over several lines",
    before: '---\nstatus: "to\n  do"\nc: 1\n---\n',
    after: '---\nstatus: "done"\nc: 1\n---\n',
  },
  {
    name: "list in brackets gives way to text",
    options: { whole: true },
    before: "---\nstatus: [a, b] # c\n---\n",
    after: "---\nstatus: done # c\n---\n",
  },
  {
    name: "block list gives way to text",
    options: { whole: true },
    before: "---\nstatus:\n  - a\n  # c\n  - b\nd: 1\n---\n",
    after: "---\nstatus: done\n  # c\nd: 1\n---\n",
  },
  { name: "unquoted link", before: "---\nstatus: [[a]]\n---\n", after: "---\nstatus: done\n---\n" },
  {
    name: "anchor nobody uses",
    before: "---\nstatus: &s todo\nb: 1\n---\n",
    after: "---\nstatus: &s done\nb: 1\n---\n",
  },
  { name: "alias", before: "---\na: &s todo\nstatus: *s\n---\n", after: "---\na: &s todo\nstatus: done\n---\n" },
  { name: "missing key", before: "---\na: 1\n---\nx\n", after: "---\na: 1\nstatus: done\n---\nx\n" },
  { name: "missing key, CRLF", before: "---\r\na: 1\r\n---\r\n", after: "---\r\na: 1\r\nstatus: done\r\n---\r\n" },
  {
    name: "missing key behind a list",
    before: "---\na:\n- 1\n- 2\n---\n",
    after: "---\na:\n- 1\n- 2\nstatus: done\n---\n",
  },
  {
    name: "missing key behind a block",
    before: "---\na: |+\n  x\n\n---\n",
    after: "---\na: |+\n  x\n\nstatus: done\n---\n",
  },
  {
    name: "missing key, indented mapping",
    before: "---\n  a: 1\n  b: x y\n---\n",
    after: "---\n  a: 1\n  b: x y\n  status: done\n---\n",
  },
  { name: "empty frontmatter", before: "---\n---\nx\n", after: "---\nstatus: done\n---\nx\n" },
  { name: "only a comment", before: "---\n# c\n---\n", after: "---\n# c\nstatus: done\n---\n" },
  { name: "no frontmatter", before: "# Title\n", after: "---\nstatus: done\n---\n# Title\n" },
  {
    name: "no frontmatter, CRLF and BOM",
    before: "\uFEFFa\r\nb\r\n",
    after: "\uFEFF---\r\nstatus: done\r\n---\r\na\r\nb\r\n",
  },
  { name: "empty note", before: "", after: "---\nstatus: done\n---\n" },
  { name: "rule of four dashes", before: "----\nx\n", after: "---\nstatus: done\n---\n----\nx\n" },
  {
    name: "neighbours of every kind",
    before:
      "---\nver: 1.10\nid: 0123\nn: 1e3\nt: 12:30:00\nyes: yes # c\nq: 'x'\nl: [a, b]\nup: [[Note]]\ndue: 2025-08-30\nstatus: todo\n---\n",
    after:
      "---\nver: 1.10\nid: 0123\nn: 1e3\nt: 12:30:00\nyes: yes # c\nq: 'x'\nl: [a, b]\nup: [[Note]]\ndue: 2025-08-30\nstatus: done\n---\n",
  },
  { name: "tab after the colon", before: "---\nstatus:\ttodo\n---\n", after: "---\nstatus:\tdone\n---\n" },
  {
    name: "mixed line ends",
    before: "---\nstatus: todo\r\na: 1\n---\r\nx",
    after: "---\nstatus: done\r\na: 1\n---\r\nx",
  },
  {
    name: "a fence look-alike inside",
    before: "---\na: |\n  ---\n---x: 1\nstatus: todo\n---\n",
    after: "---\na: |\n  ---\n---x: 1\nstatus: done\n---\n",
  },
  {
    name: "line separators",
    before: "---\na: x\u2028y\u0085\u00a0\nstatus: todo\n---\n",
    after: "---\na: x\u2028y\u0085\u00a0\nstatus: done\n---\n",
  },
  {
    name: "unknown tag elsewhere",
    before: "---\na: !x y\nstatus: todo\n---\n",
    after: "---\na: !x y\nstatus: done\n---\n",
  },
  {
    name: "merge key elsewhere",
    before: "---\n<<: {__proto__: 1}\nstatus: todo\n---\n",
    after: "---\n<<: {__proto__: 1}\nstatus: done\n---\n",
  },
  {
    name: "date, plain",
    before: "---\nstatus:\n---\n",
    value: "2025-09-01",
    options: PLAIN,
    after: "---\nstatus: 2025-09-01\n---\n",
  },
  {
    name: "date, as text",
    before: "---\nstatus:\n---\n",
    value: "2025-09-01",
    after: '---\nstatus: "2025-09-01"\n---\n',
  },
  {
    name: "date, plain in old quotes",
    before: "---\nstatus: '2025-01-01'\n---\n",
    value: "2025-09-01",
    options: PLAIN,
    after: "---\nstatus: '2025-09-01'\n---\n",
  },
  { name: "wikilink", before: "---\nstatus: x\n---\n", value: "[[Note]]", after: '---\nstatus: "[[Note]]"\n---\n' },
  {
    name: "text that needs quotes",
    before: "---\nstatus: x\n---\n",
    value: '- [x] @home: "quotes" #1',
    after: '---\nstatus: "- [x] @home: \\"quotes\\" #1"\n---\n',
  },
  {
    name: "apostrophe in single quotes",
    before: "---\nstatus: 'x'\n---\n",
    value: "it's",
    after: "---\nstatus: 'it''s'\n---\n",
  },
  {
    name: "line break leaves single quotes",
    before: "---\nstatus: 'x'\n---\n",
    value: "a\nb",
    after: '---\nstatus: "a\\nb"\n---\n',
  },
  { name: "number as text", before: "---\nstatus: 5\n---\n", value: "5", after: '---\nstatus: "5"\n---\n' },
  {
    name: "number as it stands",
    before: "---\nstatus: 5\n---\n",
    value: "5",
    options: PLAIN,
    after: "---\nstatus: 5\n---\n",
  },
  { name: "emptied", before: "---\nstatus: todo\nb: 1\n---\n", value: "", after: "---\nstatus:\nb: 1\n---\n" },
  {
    name: "emptied, comment kept",
    before: "---\nstatus: todo  # c\n---\n",
    value: "",
    after: "---\nstatus:  # c\n---\n",
  },
  { name: "emptied quotes", before: '---\nstatus: ""\n---\n', value: "", after: "---\nstatus:\n---\n" },
  { name: "emptied block", before: "---\nstatus: |\n  a\nb: 1\n---\n", value: "", after: "---\nstatus:\nb: 1\n---\n" },
  {
    name: "emptied list",
    options: { whole: true },
    before: "---\nstatus:\n  - a\n  - b\nb: 1\n---\n",
    value: "",
    after: "---\nstatus:\nb: 1\n---\n",
  },
  { name: "already empty", before: "---\nstatus:   # c\n---\n", value: "", after: "---\nstatus:   # c\n---\n" },
  { name: "already so", before: "---\nstatus: 'done' \n---\n", after: "---\nstatus: 'done' \n---\n" },
  {
    name: "block list grows",
    before: "---\ntags:\n  - a # x\n  - b\nc: 1\n---\n",
    key: "tags",
    value: ["a", "b", "c"],
    after: "---\ntags:\n  - a # x\n  - b\n  - c\nc: 1\n---\n",
  },
  {
    name: "block list grows in front",
    before: "---\ntags:\n- a\n---\n",
    key: "tags",
    value: ["z", "a"],
    after: "---\ntags:\n- z\n- a\n---\n",
  },
  {
    name: "block list shrinks",
    before: "---\ntags:\n    -   a\n    # c\n    -   b\n    -   d\n---\n",
    key: "tags",
    value: ["a", "d"],
    after: "---\ntags:\n    -   a\n    # c\n    -   d\n---\n",
  },
  {
    name: "block list keeps indentation",
    before: "---\ntags:\n    -   a\n---\n",
    key: "tags",
    value: ["a", "b"],
    after: "---\ntags:\n    -   a\n    -   b\n---\n",
  },
  {
    name: "block list, CRLF",
    before: "---\r\ntags:\r\n  - a\r\n---\r\n",
    key: "tags",
    value: ["b"],
    after: "---\r\ntags:\r\n  - b\r\n---\r\n",
  },
  {
    name: "block list keeps quotes",
    before: '---\nup:\n  - "[[A]]"\n---\n',
    key: "up",
    value: ["[[A]]", "[[B]]"],
    after: '---\nup:\n  - "[[A]]"\n  - "[[B]]"\n---\n',
  },
  {
    name: "block list with unquoted link",
    before: "---\nup:\n  - [[A]]\n---\n",
    key: "up",
    value: ["[[A]]", "[[B]]"],
    after: '---\nup:\n  - [[A]]\n  - "[[B]]"\n---\n',
  },
  {
    name: "block list emptied",
    before: "---\ntags: # t\n  - a\n---\n",
    key: "tags",
    value: [],
    after: "---\ntags: [] # t\n---\n",
  },
  {
    name: "list in brackets grows",
    before: "---\ntags: [ a,b ] # c\n---\n",
    key: "tags",
    value: ["a", "b", "c d"],
    after: "---\ntags: [ a,b,c d ] # c\n---\n",
  },
  {
    name: "list in brackets shrinks",
    before: "---\ntags: ['a', b, c]\n---\n",
    key: "tags",
    value: ["a", "c"],
    after: "---\ntags: ['a', c]\n---\n",
  },
  {
    name: "list in brackets over lines",
    before: "---\ntags: [\n  a,\n  b, # x\n  c\n]\n---\n",
    key: "tags",
    value: ["b", "c", "d"],
    after: "---\ntags: [\n  b, # x\n  c,\n  d\n]\n---\n",
  },
  {
    name: "list in brackets emptied",
    before: "---\ntags: [a]\n---\n",
    key: "tags",
    value: [],
    after: "---\ntags: []\n---\n",
  },
  {
    name: "empty brackets filled",
    before: "---\ntags: []\n---\n",
    key: "tags",
    value: ["a", "b,c"],
    after: '---\ntags: [a, "b,c"]\n---\n',
  },
  {
    name: "comma scalar",
    before: "---\ntags: a, b # c\n---\n",
    key: "tags",
    value: ["a", "b", "c"],
    after: "---\ntags: a, b, c # c\n---\n",
  },
  {
    name: "comma scalar in quotes",
    before: '---\ntags: "a, b"\n---\n',
    key: "tags",
    value: ["x", "y"],
    after: '---\ntags: "x, y"\n---\n',
  },
  {
    name: "scalar becomes a list",
    before: "---\ntags: a # c\nb: 1\n---\n",
    key: "tags",
    value: ["a", "b"],
    after: "---\ntags: # c\n  - a\n  - b\nb: 1\n---\n",
  },
  {
    name: "scalar that says the list",
    before: "---\ntags: a\n---\n",
    key: "tags",
    value: ["a"],
    after: "---\ntags: a\n---\n",
  },
  {
    name: "empty becomes a list",
    before: "---\ntags:\nb: 1\n---\n",
    key: "tags",
    value: ["a", "yes"],
    after: '---\ntags:\n  - a\n  - "yes"\nb: 1\n---\n',
  },
  {
    name: "empty becomes brackets",
    before: "---\ntags: \n---\n",
    key: "tags",
    value: ["a", "b"],
    options: { listStyle: "flow" },
    after: "---\ntags: [a, b]\n---\n",
  },
  {
    name: "new list",
    before: "---\na: 1\n---\n",
    key: "tags",
    value: ["a", "b"],
    after: "---\na: 1\ntags:\n  - a\n  - b\n---\n",
  },
  {
    name: "new comma list",
    before: "---\na: 1\n---\n",
    key: "tags",
    value: ["a", "b"],
    options: { listStyle: "comma" },
    after: "---\na: 1\ntags: a, b\n---\n",
  },
  { name: "new odd key", before: "---\na: 1\n---\n", key: "a: b", value: "x", after: '---\na: 1\n"a: b": x\n---\n' },
];

function refusal(text: string, key = "status", value: NewValue = "done"): VaultError {
  try {
    setProperty(text, key, value);
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("setProperty", () => {
  it.each(rows)("$name", ({ before, key = "status", value = "done", options, after }) => {
    expect(setProperty(before, key, value, options)).toBe(after);
    expect(setProperty(after, key, value, options)).toBe(after);
  });

  it.each([
    ["unclosed bracket", "---\na: [\n---\n", 2, 4],
    ["duplicate key", "---\nstatus: a\nb: 1\nstatus: b\n---\n", 4, 1],
    ["duplicate key below", "---\na: 1\nb:\n  c: 1\n  c: 2\n---\n", 5, 3],
    ["colon in the text", "---\ntitle: Foo: bar\nstatus: a\n---\n", 2, 8],
    ["reserved character", "---\r\na: 1\r\nowner: @bob\r\n---\r\n", 3, 8],
    ["tab", "---\nb: 1\na:\n\tb: 1\n---\n", 4, 1],
    ["scalar", "---\njust text\n---\n", 1, 1],
    ["scalar with a colon", "---\njust:text\n---\n", 2, 1],
    ["list", "---\n- a: b\n---\n", 2, 1],
    ["JSON", '\uFEFF---\n{"a": 1}\n---\n', 2, 1],
    ["script", "---js\n{a: 1}\n---\n", 1, 4],
    ["not closed", "---\na: 1\nbody\n", 1, 1],
    ["two documents", "---\na: 1\n...\nb: 1\n---\n", 4, 1],
    ["mapping as value", "---\nstatus:\n  a: 1\n---\n", 3, 3],
    ["anchor in use", "---\nstatus: &s a\nb: *s\n---\n", 2, 1],
    ["over 64 KiB", `---\na: ${"x".repeat(65_536)}\n---\n`, 2, 1],
  ])("refuses: %s", (_name, text, line, column) => {
    const error = refusal(text);
    expect([error.line, error.column]).toEqual([line, column]);
    expect(error.message).toContain(`line ${line}, column ${column}`);
  });

  it.each(["created: {{date}}", "title: {{title}} - x", 'a: <% tp.date.now("YYYY: x") %>', "a: [{{x}}, y] # {{"])(
    "changes one value beside a placeholder: %s",
    (line) => {
      expect(setProperty(`---\n${line}\nstatus: a\n---\n`, "status", "done")).toBe(`---\n${line}\nstatus: done\n---\n`);
    },
  );

  it.each<[string, string, NewValue]>([
    ["text over a list of several", "status: [a, b]", "done"],
    ["nothing over a list of several", "status:\n  - a\n  - b", ""],
    ["text over a mapping in a list", "status:\n  - a: 1", "done"],
    ["a list over a mapping in brackets", "status: [a, { b: 1 }]", ["a"]],
    ["a list over a mapping in lines", "status:\n  - a: 1\n    b: 2\n  - c", ["c", "d"]],
    ["a list over a list in a list", "status:\n  - - a\n  - c", ["c"]],
    ["a list over an empty item", "status:\n  - a\n  -", ["a"]],
    ["a list without the item that a comment is about", "status: [\n  a, # why\n  b\n]", ["a"]],
  ])("refuses to drop items that are not named: %s", (_name, yaml, value) => {
    const text = `---\n${yaml}\n---\n`;
    expect(() => setProperty(text, "status", value)).toThrow(/change it by hand|the change would drop/);
  });

  it("replaces them where the whole value is named", () => {
    const text = "---\nstatus:\n  - a: 1\n  - b\nc: 1\n---\n";
    expect(setProperty(text, "status", "done", { whole: true })).toBe("---\nstatus: done\nc: 1\n---\n");
    expect(setProperty(text, "status", ["x"], { whole: true })).toBe("---\nstatus:\n  - x\nc: 1\n---\n");
  });

  it("says nothing of the note's text when it refuses", () => {
    for (const text of [
      "---\na: [SECRET\n---\n",
      "---\na: @SECRET\n---\n",
      '---\na: "SECRET\\q"\n---\n',
      "---\n*SECRET\n: [\n---\n",
    ]) {
      expect(refusal(text).message).not.toContain("SECRET");
    }
  });
});

/** Any text a caller may send; lone surrogates are refused before they come here. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(...Array.from("ab:::  -#'\"[],{}\n&*!|>%@`?.~1\\\t\r\u00a0\u2028\u0085\ufeff")),
    maxLength: 12,
  }),
  fc.constantFrom(
    ..."@x|*x|&x|!x|%x|`x`|\"|'|#x|- x|null|true|123|2025-01-01|~|yes|No|on|0x1F|0o17|0b11|1_000|1.10|12:30:00|1e3|.inf|.nan|=|<<|?|-|:|...|---|a:|a: b|a #b|[[N]]|{{t}}|a,b|[x|x]|2001-1-1 1:2".split(
      "|",
    ),
    '- [x] @home: "quotes" #1',
    " a",
    "a ",
    "\t",
    "x\n---\nevil: 1",
    "---\na: 1",
    "x".repeat(300),
    "a\r\nb",
    "\\",
    "🚀",
    "\u00a0a",
    "\u200b",
  ),
);

describe("writeFrontmatter", () => {
  it("writes Obsidian's style", () => {
    const block = writeFrontmatter([
      ["id", "task-x-1"],
      ["title", "yes"],
      ["due", "2025-09-01", PLAIN],
      ["Due Date", ""],
      ["tags", ["a", "b: c"]],
      ["up", "[[Note]]"],
      ["flow", ["a", "b"], { listStyle: "flow" }],
      ["comma", ["a", "b"], { listStyle: "comma" }],
      ["none", []],
    ]);
    expect(block).toBe(
      '---\nid: task-x-1\ntitle: "yes"\ndue: 2025-09-01\nDue Date:\ntags:\n  - a\n  - "b: c"\nup: "[[Note]]"\nflow: [a, b]\ncomma: a, b\nnone: []\n---\n',
    );
  });

  it("refuses a key given twice", () => {
    expect(() =>
      writeFrontmatter([
        ["a", "1"],
        ["a", "2"],
      ]),
    ).toThrow(/twice/);
  });

  it("reads a character as itself that stands for a hidden brace elsewhere", () => {
    const note = writeFrontmatter([["a", "\ufdd0"]]);
    expect(readFrontmatter(note)).toMatchObject({ properties: [{ text: "\ufdd0" }], warning: undefined });
  });

  it("writes what reads back as the same strings", () => {
    const value = fc.oneof(anyText, fc.array(anyText, { maxLength: 4 }));
    const entry = fc.record({ key: anyText, value, listStyle: fc.constantFrom("block", "flow"), plain: fc.boolean() });
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ({ key }) => key, maxLength: 5 }), (entries) => {
        const options = ({ listStyle, plain }: (typeof entries)[number]): SetOptions => ({
          listStyle: listStyle === "flow" ? "flow" : "block",
          plain,
        });
        const note = writeFrontmatter(entries.map((one) => [one.key, one.value, options(one)])) + "body";
        expect(note.slice(splitNote(note).bodyStart)).toBe("body");
        const { properties, problem, warning } = readFrontmatter(note);
        expect({ note, problem, warning }).toEqual({ note, problem: undefined, warning: undefined });
        expect(properties.map(({ key }) => key)).toEqual(entries.map(({ key }) => key));
        properties.forEach((property, index) => {
          const one = entries[index];
          if (typeof one?.value === "string") {
            expect(property.text).toBe(one.value);
            if (!one.plain && one.value !== "") expect(property.value).toBe(one.value);
          } else if (one?.plain === false) expect(property.value).toEqual(one.value);
        });
      }),
      { numRuns: 200 * FUZZ_FACTOR },
    );
  });
});

const sources = fc.constantFrom(
  ..."todo|'to do'|\"to do\"|5|~||[a, b]|[ 'a',\"b\" ]|[[Note]]|a, b|2025-08-30|&x a|!t a|{a: 1}|\"a\\nb\"|'it''s'|@x|*x|a: b|[a".split(
    "|",
  ),
  "|\n  a\n  b",
  ">-\n  a\n\n  b",
  "a\n  b",
  "\n  - a\n  - b",
  "\n- a\n- 'b' # c",
  "\n  - a\n  # c\n\n  - [[b]]\n  - c: d\n    e: f",
  "[\n  a, # c\n  b\n]",
  "\n  a: 1\n  b: 2",
  '"a\n  b"',
);
const noteKeys = fc.constantFrom("a", "status", "Due Date", "tags", '"q k"', "'x'", "x.y", "Status");
const line = fc
  .tuple(
    noteKeys,
    fc.constantFrom(":", ": ", ": ", ": ", ":  ", ":\t"),
    sources,
    fc.constantFrom("", "", "", " ", " # c", "  # c: d", "\n# c", "\n"),
  )
  .map(([key, colon, source, rest]) =>
    source.startsWith("\n") || source.includes("\n") ? `${key}${colon}${source}` : `${key}${colon}${source}${rest}`,
  );
const note = fc
  .record({
    lines: fc.uniqueArray(line, { selector: (text) => text.split(":")[0]?.toLowerCase(), maxLength: 6 }),
    bom: fc.constantFrom("", "", "\uFEFF"),
    ending: fc.constantFrom("\n", "\n", "\r\n"),
    body: fc.constantFrom("", "# Title\n\ntext\n", "no end", "---\na: 1\n---\n", "\n\n"),
  })
  .map(({ lines, bom, ending, body }) => bom + ["---", ...lines, "---", body].join("\n").replaceAll("\n", ending));

describe("setProperty on generated notes", () => {
  it("touches only the bytes of its value, or refuses", () => {
    const value = fc.oneof(
      anyText,
      fc.constantFrom("done", "2025-09-01", ""),
      fc.array(fc.oneof(anyText, fc.constantFrom("a", "b")), { maxLength: 4 }),
    );
    const style = fc.constantFrom<SetOptions["listStyle"]>("block", "flow", "comma");
    let edits = 0;
    const runs = 200 * FUZZ_FACTOR;
    fc.assert(
      fc.property(
        note,
        fc.constantFrom("a", "status", "tags", "q k", "x", "new key"),
        value,
        fc.boolean(),
        style,
        (text, key, wanted, plain, listStyle) => {
          const options: SetOptions = { plain, ...(listStyle === undefined ? {} : { listStyle }) };
          const result = edited(text, key, wanted, options);
          if (result === undefined) return;
          edits += 1;
          if (result !== text) expectOnlyChange(text, result, key, wanted);
          expect(edited(result, key, wanted, options)).toBe(result);
        },
      ),
      { numRuns: runs },
    );
    expect(edits).toBeGreaterThan(runs / 4);
  });
});

function edited(text: string, key: string, value: NewValue, options: SetOptions): string | undefined {
  try {
    return setProperty(text, key, value, options);
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return undefined;
    throw error;
  }
}

/** Every byte outside the value is the same; `yaml`, asked independently, says where the value stands. */
function expectOnlyChange(text: string, result: string, key: string, value: NewValue): void {
  const [before, after] = [parts(text, key), parts(result, key)];
  if (before === undefined) {
    expect({ text, result, above: after?.above, below: after?.below }).toEqual({ text, result, ...appended(text) });
    return;
  }
  expect({ text, result, above: after?.above, below: after?.below }).toEqual({
    text,
    result,
    above: before.above,
    below: before.below,
  });
  if (typeof value !== "string" || before.isBlockList) return;
  // Blanks around a value that was or becomes empty belong to it.
  const isEmpty = before.start === before.end;
  const head = text.slice(0, before.start).replace(isEmpty || value === "" ? /[ \t]+$/ : /$^/, "");
  const tail = text.slice(before.end).replace(isEmpty ? /^[ \t]+/ : /$^/, "");
  expect({ text, result, kept: result.startsWith(head) && result.endsWith(tail) }).toEqual({
    text,
    result,
    kept: true,
  });
}

function appended(text: string): { above: string; below: string } {
  const end = splitNote(text).frontmatter?.end ?? 0;
  return { above: text.slice(0, end), below: text.slice(end) };
}

interface Parts {
  readonly above: string;
  readonly below: string;
  readonly start: number;
  readonly end: number;
  readonly isBlockList: boolean;
}

/** What stands above a property's key and from the next key on, and where its value stands. */
function parts(text: string, key: string): Parts | undefined {
  const block = splitNote(text).frontmatter;
  if (block === undefined) return undefined;
  const root = parseDocument(text.slice(block.start, block.end), {
    uniqueKeys: false,
    keepSourceTokens: true,
  }).contents;
  if (!isMap(root)) return undefined;
  const names = root.items.map((pair) => (isScalar(pair.key) ? (pair.key.source ?? "") : ""));
  const exact = names.indexOf(key);
  const index = exact === -1 ? names.findIndex((name) => name.toLowerCase() === key.toLowerCase()) : exact;
  const pair = root.items[index];
  if (pair === undefined) return undefined;
  const offset = (node: unknown): number => block.start + (isNode(node) ? (node.range?.[0] ?? 0) : 0);
  const next = root.items[index + 1]?.key;
  const { value } = pair;
  const [start, end] = isNode(value) ? (value.range ?? [0, 0]) : [0, 0];
  const isLine = text.charAt(block.start + end - 1) === "\n";
  const lineEnd = isLine && text.charAt(block.start + end - 2) === "\r" ? 2 : Number(isLine);
  return {
    above: text.slice(0, offset(pair.key)),
    below: text.slice(next === undefined ? block.end : offset(next)),
    start: block.start + start,
    end: block.start + end - lineEnd,
    isBlockList: isSeq(value) && value.flow !== true,
  };
}

it("gives no second frontmatter to a note whose lines end in CR alone", () => {
  for (const text of ["---\rtype: task\r---\rBody\r", "\uFEFF---\ra: 1\r---\r"])
    expect(() => setProperty(text, "status", "done")).toThrow("lines end in CR alone");
});

it.each(['+++\ntitle = "a"\n+++\nb\n', "\uFEFF+++\r\n+++\r\n"])("puts no YAML above properties in TOML: %j", (text) => {
  expect(() => setProperty(text, "a", "b")).toThrow("in TOML");
  expect(setProperty("+++ a\nb\n", "a", "b")).toBe("---\na: b\n---\n+++ a\nb\n");
});
