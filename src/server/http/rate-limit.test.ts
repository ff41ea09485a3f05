/** The token bucket: bursts, refilling, callers apart, and no growth without bound. */
import { describe, expect, it } from "vitest";
import { RateLimit } from "./guards.js";

function limitAt(rate: { perMinute: number; burst: number }) {
  let now = 0;
  const limit = new RateLimit(rate, () => now);
  return { limit, pass: (ms: number) => (now += ms) };
}

describe("a rate limit", () => {
  it("lets a burst through, then so many a minute, and says how long to wait", () => {
    const { limit, pass } = limitAt({ perMinute: 60, burst: 10 });
    const answers = Array.from({ length: 12 }, () => limit.take("a"));
    expect(answers).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    pass(1000);
    expect([limit.take("a"), limit.take("a")]).toEqual([0, 1]);
    pass(60_000);
    expect(Array.from({ length: 11 }, () => limit.take("a")).filter((wait) => wait === 0)).toHaveLength(10);
  });

  it("tells a slow rate's wait in whole seconds that suffice", () => {
    const { limit, pass } = limitAt({ perMinute: 1, burst: 1 });
    limit.take("a");
    const wait = limit.take("a");
    expect(wait).toBe(60);
    pass(wait * 1000);
    expect(limit.take("a")).toBe(0);
  });

  it("keeps callers apart, and forgets the one unused longest past ten thousand", () => {
    const { limit } = limitAt({ perMinute: 1, burst: 1 });
    expect([limit.take("a"), limit.take("b"), limit.take("a")]).toEqual([0, 0, 60]);
    for (let i = 0; i < 12_000; i++) limit.take(`caller ${i}`);
    expect(limit.size).toBe(10_000);
  });
});
