import { fingerprintOf } from "../../text/hash.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSelection, parseSelection, selectionText } from "./selection.js";
import { TASK_STATES, type TaskFilters } from "../task.js";
import { STATUSES } from "../fields/vocabulary.js";

const tasks = (...ids: readonly string[]) => ids.map((id) => ({ id }));

describe("a selection", () => {
  it.each<[TaskFilters, string]>([
    [{ query: "*" }, "query=*#9f3a22c1"],
    [{ query: "*", is: ["ready"], due: "overdue" }, "due=overdue;is=ready#9f3a22c1"],
    [{ query: "a, b; 50%", status: "To Do" }, "query=a%2C b%3B 50%25;status=To Do#9f3a22c1"],
    [
      { query: "*", tags: ["x", "a=b"], status: ["Done", "Blocked"], includeArchived: true },
      "status=Done,Blocked;tags=x,a%3Db;includeArchived=true#9f3a22c1",
    ],
    [{ query: "*", area: "", tags: [], includeArchived: false }, "query=*#9f3a22c1"],
  ])("%j is %s", (filters, text) => expect(selectionText(filters, "9f3a22c1")).toBe(text));

  it("is read back as the filters it was made of", () => {
    const word = fc
      .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
      .filter((text) => text.trim() === text && text !== "");
    const filters = fc.record(
      {
        query: fc.oneof(
          fc.constant("*"),
          word.filter((text) => !/^[\s*]*$/.test(text)),
        ),
        status: fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1 }),
        area: word,
        tags: fc.array(word, { minLength: 1 }),
        includeArchived: fc.constant(true),
        project: fc.array(word, { minLength: 1 }),
        due: word,
        scheduled: word,
        completed: word,
        is: fc.uniqueArray(fc.constantFrom(...TASK_STATES), { minLength: 1 }),
      },
      { requiredKeys: ["query"] },
    );
    fc.assert(
      fc.property(filters, (given) => {
        const text = selectionText(given, "0123abcd");
        expect(text).not.toMatch(/\p{Cc}/u);
        expect(isSelection(text)).toBe(true);
        expect(parseSelection(`Selection: ${text}`)).toEqual({ filters: given, fingerprint: "0123abcd" });
      }),
    );
  });

  it.each([
    ["due=overdue", "it does not end in # and eight hexadecimal digits"],
    ["colour=red#0123abcd", '"colour=red" is no filter'],
    ["due=#0123abcd", '"due=" is no filter'],
    ["priority=Later#0123abcd", '"Later" is no priority'],
    ["due=today,tomorrow#0123abcd", "due takes one value"],
    ["area=50%#0123abcd", '"50%" holds a %'],
  ])("%s is refused", (text, why) => expect(() => parseSelection(text)).toThrow(why));

  it.each([
    ["Selection: due=overdue#9f3a22c1", true],
    ["due=overdue#9f3a22c1", true],
    ["Note.md:14~a3f9c2", false],
    ["Note.md#^9f3a22c1", false],
    ["Buy milk", false],
  ])("%s is one: %s", (text, is) => expect(isSelection(text)).toBe(is));
});

describe("a fingerprint", () => {
  it("does not depend on the order, and does on the tasks", () => {
    expect(fingerprintOf(tasks("a", "b", "c"))).toBe(fingerprintOf(tasks("c", "a", "b")));
    const different = [[], ["a"], ["b"], ["a", "b"], ["ab"], ["a1", "b2"], ["a2", "b1"]];
    const digits = different.map((ids) => fingerprintOf(tasks(...ids)));
    expect(new Set(digits).size).toBe(different.length);
    for (const each of digits) expect(each).toMatch(/^[0-9a-f]{8}$/);
  });

  it("tells sets of similar ids apart", () => {
    const ids = Array.from({ length: 400 }, (_, number) => `task-${number}`);
    const pairs = ids.flatMap((one, at) => ids.slice(at + 1).map((other) => fingerprintOf(tasks(one, other))));
    // By the birthday bound less than one of the 79,800 pairs is expected to meet another.
    expect(pairs.length - new Set(pairs).size).toBeLessThan(5);
  });
});
