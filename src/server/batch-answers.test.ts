import { describe, expect, it } from "vitest";
import { BatchAnswers } from "./batch-answers.js";

const answer = (id: number, letters: number) => ({ jsonrpc: "2.0", id, result: "x".repeat(letters) }) as const;

describe("answers to a batch", () => {
  it("are one array in the order they came, and nothing where there are none", () => {
    const answers = new BatchAnswers();
    answers.add(undefined);
    expect(answers.text()).toBeUndefined();
    answers.add(answer(2, 1));
    answers.add(answer(1, 1));
    expect(JSON.parse(answers.text() ?? "")).toEqual([answer(2, 1), answer(1, 1)]);
  });

  it("are held up to a size; what goes beyond it is refused, a single answer never", () => {
    const answers = new BatchAnswers(1000);
    for (const [id, letters] of [2000, 900, 10].entries()) answers.add(answer(id, letters));
    const [first, ...others] = JSON.parse(answers.text() ?? "") as { id: number; error?: { code: number } }[];
    expect(first).toEqual(answer(0, 2000));
    expect(others.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -32600],
      [2, -32600],
    ]);
  });
});
