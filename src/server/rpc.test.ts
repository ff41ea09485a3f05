import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silentLog } from "../log.js";
import { asFailure, BatchAnswers, readMessage, RpcFailure } from "./rpc.js";

const base = { jsonrpc: "2.0", method: "ping" };

describe("readMessage", () => {
  it.each([1, 0, -7, "", "a", 9_007_199_254_740_991])("takes the id %j", (id) => {
    expect(readMessage({ ...base, id })).toEqual({ kind: "request", message: { ...base, id } });
  });
  it.each([[null], [1.5], [{}], [[]], [true], [1e300]])("refuses the id %j", (id) => {
    expect(readMessage({ ...base, id })).toMatchObject({ kind: "fault", id: undefined, error: { code: -32600 } });
  });
  it("takes a message without id for a notification", () => {
    expect(readMessage(base)).toEqual({ kind: "notification", message: base });
  });
  it.each([[undefined], ["1.0"], [2]])("refuses the version %j, echoing the id", (jsonrpc) => {
    expect(readMessage({ ...base, jsonrpc, id: 5 })).toMatchObject({ kind: "fault", id: 5, error: { code: -32600 } });
  });
  it.each([["text"], [[1]], [null], [7]])("refuses the params %j of a request", (params) => {
    expect(readMessage({ ...base, id: 5, params })).toMatchObject({ kind: "fault", id: 5, error: { code: -32602 } });
  });
  it("reads a notification whose params make no sense without them", () => {
    expect(readMessage({ ...base, params: [1] })).toEqual({ kind: "notification", message: base });
  });
  it("knows answers", () => {
    expect(readMessage({ jsonrpc: "2.0", id: 1, result: {} }).kind).toBe("answer");
    expect(readMessage({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } }).kind).toBe("answer");
    expect(readMessage({ jsonrpc: "2.0", id: 1 })).toMatchObject({ kind: "fault", id: 1, error: { code: -32600 } });
  });
  it("takes whatever JSON holds without throwing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(["request", "notification", "answer", "fault"]).toContain(readMessage(value).kind);
      }),
    );
  });
});

describe("asFailure", () => {
  it("passes a failure of ours on", () => {
    const failure = new RpcFailure(-32601, "no such method");
    expect(asFailure(failure, silentLog)).toBe(failure);
  });
  it("hides what nobody foresaw", () => {
    const failure = asFailure(new Error("at /home/me/secret"), silentLog);
    expect(failure).toMatchObject({ code: -32603, message: "Internal error" });
  });
});

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
