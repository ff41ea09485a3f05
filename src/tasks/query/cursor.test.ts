import { describe, expect, it } from "vitest";
import { cursorText, parseCursor } from "./selection.js";

describe("a cursor", () => {
  it("is read back", () => {
    expect(parseCursor(cursorText({ offset: 20, fingerprint: "9f3a22c1" }))).toEqual({
      offset: 20,
      fingerprint: "9f3a22c1",
    });
  });
  it.each(["", "20", "#9f3a22c1", "20#xyz", "-1#9f3a22c1"])("'%s' is refused", (text) =>
    expect(() => parseCursor(text)).toThrow(/is none that an answer gave/),
  );
});
