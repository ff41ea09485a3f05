/** Sessions and one-time codes by a clock that tests turn: how long they last, how many there are, what ends them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../guards.js";
import { ALL_SCOPES } from "../tokens.js";
import { loginCodes, WebSessions } from "./web-login.js";

const HOUR = 3_600_000;
const CALLER: Caller = { name: "owner", scopes: ALL_SCOPES };

let now = 0;
let sessions: WebSessions;
beforeEach(() => {
  now = Date.parse("2025-08-30T12:00:00Z");
  sessions = new WebSessions(() => now);
});
afterEach(() => sessions.close());

const begin = () => {
  const { cookie, key } = sessions.begin(CALLER);
  return { isOpen: () => sessions.find([cookie], key) !== undefined, cookie, key };
};

describe("sessions", () => {
  it("are opened by cookie and key together, whatever else was planted beside the cookie", () => {
    const [one, other] = [begin(), begin()];
    expect(sessions.find([one.cookie], one.key)?.caller).toBe(CALLER);
    expect(sessions.find([one.cookie], other.key)).toBeUndefined();
    expect(sessions.find([other.cookie], one.key)).toBeUndefined();
    expect(sessions.find([one.cookie], "")).toBeUndefined();
    expect(sessions.find([], one.key)).toBeUndefined();
    expect(sessions.find([one.key], one.cookie)).toBeUndefined();
    expect(sessions.find(["planted", other.cookie, one.cookie], one.key)?.caller).toBe(CALLER);
    expect([one.cookie.length, one.key.length]).toEqual([43, 43]);
  });

  it("end after 12 hours without a request, and after 7 days in all", () => {
    const [used, unused] = [begin(), begin()];
    for (let hours = 11; hours < 7 * 24; hours += 11) {
      now += 11 * HOUR;
      expect(used.isOpen(), `${hours} hours`).toBe(true);
    }
    expect(unused.isOpen()).toBe(false);
    now += 11 * HOUR;
    expect(used.isOpen()).toBe(false);
    const brief = begin();
    now += 12 * HOUR - 1;
    expect(brief.isOpen()).toBe(true);
    now += 12 * HOUR;
    expect(brief.isOpen()).toBe(false);
  });

  it("are not idle while a page listens, and end its stream with them", () => {
    const { cookie, key } = begin();
    let ended = 0;
    const session = sessions.find([cookie], key);
    session?.streams.add(() => ended++);
    now += 13 * HOUR;
    sessions.sweep();
    expect([ended, sessions.find([cookie], key)]).toEqual([0, session]);
    now += 7 * 24 * HOUR;
    sessions.sweep();
    expect([ended, sessions.find([cookie], key)]).toEqual([1, undefined]);
  });

  it("are at most 100: the one unused longest makes room", () => {
    const all = Array.from({ length: 100 }, begin);
    now += 1;
    expect(all[0]?.isOpen()).toBe(true);
    const newest = begin();
    expect([all[0]?.isOpen(), all[1]?.isOpen(), newest.isOpen()]).toEqual([true, false, true]);
  });
});

describe("codes", () => {
  it("are good once, for two minutes, and of 128 bits", () => {
    const codes = loginCodes(() => now);
    const code = codes.make(CALLER);
    expect(Buffer.from(code, "base64url")).toHaveLength(16);
    expect([codes.redeem("guessed"), codes.redeem(code), codes.redeem(code)]).toEqual([undefined, CALLER, undefined]);
    const late = codes.make(CALLER);
    now += 120_000 - 1;
    const inTime = codes.make(CALLER);
    now += 1;
    expect([codes.redeem(late), codes.redeem(inTime)]).toEqual([undefined, CALLER]);
  });

  it("are at most 100: the oldest is good no longer", () => {
    const codes = loginCodes(() => now);
    const [first = "", second = ""] = Array.from({ length: 101 }, () => codes.make(CALLER));
    expect([codes.redeem(first), codes.redeem(second)]).toEqual([undefined, CALLER]);
  });
});
