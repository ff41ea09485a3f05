import { describe, expect, it } from "vitest";
import { csvOf, csvRemarks } from "./columns.js";

const answer = {
  source: "B.base",
  view: "A",
  columns: ["file.name", "tags"],
  groups: [{ labels: ["x, y"], total: 3, rows: [{ path: "N.md", cells: ['a "b"', ["#c", null]] }] }],
  total: 3,
  shown: 1,
  warnings: ["1 note cannot be read in full: Bad.md."],
};

describe("a view as CSV", () => {
  it("quotes fields and puts groups first", () => {
    expect(csvOf(answer)).toBe('group,file.name,tags\r\n"x, y","a ""b""","#c, null"\r\n');
  });

  it("says what the rows do not: warnings, and that rows are missing", () => {
    expect(csvRemarks({ ...answer, cursor: "g" })).toBe(
      "⚠️ 1 note cannot be read in full: Bad.md.\n\n1 of 3 rows are shown. More: --limit shows them.",
    );
    expect(csvRemarks({ sources: [], total: 60, shown: 50, cursor: "g" })).toBe(
      "50 of 60 sources are shown. More: --limit shows them.",
    );
    expect(csvRemarks({ ...answer, warnings: [] })).toBeUndefined();
  });
});
