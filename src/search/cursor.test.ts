import { describe, expect, it } from "vitest";
import { cursorText, listName, parseCursor } from "./cursor.js";

const list = listName("search_tasks", "due=overdue");

describe("a cursor", () => {
  it("is read back", () => {
    const cursor = { offset: 20, fingerprint: "9f3a22c1" };
    expect(parseCursor(cursorText(cursor, list), list)).toEqual(cursor);
  });
  it.each(["", "20", "#9f3a22c10000", "20#xyz", "-1#9f3a22c10000", "20#9f3a22c100"])("'%s' is refused", (text) =>
    expect(() => parseCursor(text, list)).toThrow(/is none that an answer gave/),
  );
  it("of another list is refused", () => {
    const text = cursorText({ offset: 20, fingerprint: "9f3a22c1" }, listName("search_tasks", "due=today"));
    expect(() => parseCursor(text, list)).toThrow(/is of another list/);
    expect(() => parseCursor(text)).toThrow(/is of another list/);
  });
});
