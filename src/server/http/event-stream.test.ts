/** Streams whose caller may be no longer admitted (docs: sign-in, "Tokens"). */
import { PassThrough } from "node:stream";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EventStream, type MayListen } from "./event-stream.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(mayListen?: MayListen) {
  const response = new PassThrough();
  Object.assign(response, { writeHead: () => response, flushHeaders: () => undefined });
  const stream = new EventStream(response as unknown as ServerResponse, {}, mayListen);
  return { response, stream, text: () => String(response.read() ?? "") };
}

it("a stream without events ends within five seconds of its credentials", async () => {
  let isAdmitted = true;
  const { response, text } = open(() => isAdmitted);
  await vi.advanceTimersByTimeAsync(5000);
  expect([response.writableEnded, text()]).toEqual([false, ": keepalive\n\n"]);
  isAdmitted = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect([response.writableEnded, text()]).toEqual([true, ""]);
});

it("an event is not sent when nobody can say whether the caller is admitted", async () => {
  const { response, stream, text } = open(() => Promise.reject(new Error("the store is away")));
  stream.event("changed", "{}");
  await vi.advanceTimersByTimeAsync(0);
  expect([response.writableEnded, text()]).toEqual([true, ""]);
});

it("events keep their order, whatever time each judgement takes", async () => {
  const waits = [30, 1, 10];
  const { stream, text } = open(() => new Promise((resolve) => setTimeout(resolve, waits.pop(), true)));
  for (const data of ["1", "2", "3"]) stream.event("n", data);
  await vi.advanceTimersByTimeAsync(100);
  expect(text()).toBe("event: n\ndata: 1\n\nevent: n\ndata: 2\n\nevent: n\ndata: 3\n\n");
});

it("a stream that forwards another one ends with it, and lets go of it when the reader leaves", async () => {
  const forwarded = (end: boolean) => {
    let isCancelled = false;
    const events = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from("data: 1\n\n"));
        if (end) controller.close();
      },
      cancel: () => void (isCancelled = true),
    });
    return { events, isCancelled: () => isCancelled };
  };
  const ending = open(() => true);
  await ending.stream.forward(forwarded(true).events);
  expect([ending.response.writableEnded, ending.text()]).toEqual([true, "data: 1\n\n"]);
  const left = open(() => true);
  const { events, isCancelled } = forwarded(false);
  const done = left.stream.forward(events);
  left.response.destroy();
  await done;
  expect(isCancelled()).toBe(true);
});
