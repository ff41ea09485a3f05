import { expect, it } from "vitest";
import { SqliteError } from "./sqlite.js";
import { orIfFailed, VaultError } from "./errors.js";

it("an error's words hold nothing of what a caller sent but writing", () => {
  const sent = "a\u001B[2J\u0007\r\n\u0085\u2028\u202Eb\u0000";
  const { message, hint } = new VaultError("INVALID_ARGUMENT", `There is no '${sent}'.`, { hint: `Not ${sent}` });
  expect(message).toBe("There is no 'a [2J      b '.");
  expect(hint).toBe("Not a [2J      b ");
});

it("neither do the candidates that it names; their paths stay as they are", () => {
  const candidates = [{ id: "t\u001B[2J", title: "a\nb\u0007", path: "a\u202Eb.md", status: "To\u2028Do" }];
  const error = new VaultError("AMBIGUOUS_NAME", "Which?", { candidates });
  expect(error.candidates).toEqual([{ id: "t [2J", title: "a b ", path: "a\u202Eb.md", status: "To Do" }]);
});

it.each([
  ["Several tasks are named x:", "Several tasks are named x: a.md, b.md. Give one."],
  ["There is no file x.", "There is no file x. Candidates: a.md, b.md. Give one."],
  ["Item not found: x", "Item not found: x. Candidates: a.md, b.md. Give one."],
])("the sentences of %j name its candidates", (message, sentences) => {
  const candidates = ["a.md", "b.md"].map((path) => ({ id: path, title: path, path }));
  const error = new VaultError("AMBIGUOUS_NAME", message, { candidates, hint: "Give one." });
  expect(String(error.inSentences())).toBe(sentences);
});

it("what an answer says beyond its work never makes it fail, whatever the failure", async () => {
  for (const error of [new VaultError("TIMEOUT", "Too long."), new SqliteError("busy", "locked"), new Error("x")])
    expect(await orIfFailed(Promise.reject(error), "nothing")).toBe("nothing");
});
