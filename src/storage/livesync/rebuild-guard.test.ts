import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Marks } from "./inspect.js";
import { RebuildGuard } from "./rebuild-guard.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "guard-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Changes {
  readonly milestone?: object;
  readonly salt?: string | null;
  readonly instance?: string;
}

const marks = ({ milestone = {}, salt = "salt", instance = "1700000000" }: Changes = {}): Marks => ({
  version: undefined,
  milestone: { _id: "m", created: 1, locked: false, accepted_nodes: ["phone", "laptop"], ...milestone },
  parameters: { _id: "p", pbkdf2salt: salt },
  instance,
  copies: 1,
});
const LOCKED = { locked: true };
const guard = (options: object = {}) => new RebuildGuard({ folder, identity: "livesync:x", ...options });
const files = () => readdirSync(join(folder, "livesync")).map((name) => join(folder, "livesync", name));

describe("a database is written", () => {
  it.each<[string, Changes, Changes]>([
    ["that nobody locked", {}, {}],
    ["whose lock was there at first", { milestone: LOCKED }, { milestone: LOCKED }],
    ["that is not locked any more", { milestone: LOCKED }, {}],
    [
      "whose lock accepts a further device",
      { milestone: LOCKED },
      { milestone: { ...LOCKED, accepted_nodes: ["laptop", "phone", "tablet"] } },
    ],
    ["that was cleaned at first", { milestone: { cleaned: true } }, { milestone: { cleaned: true } }],
    ["that gets a salt", { salt: null }, { salt: "new" }],
    // The server does not give the database's time of creation but that of its own start.
    ["on an older server that was started again", { instance: "1700000000000" }, { instance: "1700000099000" }],
  ])("%s", (_, first, later) => {
    expect(guard().judge(marks(first))).toBeUndefined();
    expect(guard().judge(marks(later))).toBeUndefined();
  });
});

describe("a database is not written", () => {
  it.each<[string, Changes, Changes, RegExp]>([
    ["that was locked since", {}, { milestone: LOCKED }, /locked after/],
    [
      "that was locked again",
      { milestone: LOCKED },
      { milestone: { ...LOCKED, accepted_nodes: ["laptop"] } },
      /locked after/,
    ],
    ["that was cleaned since", {}, { milestone: { cleaned: true } }, /cleaned/],
    ["that LiveSync set up again", {}, { milestone: { created: 2 } }, /rebuilt or replaced/],
    ["with another salt", {}, { salt: "other" }, /rebuilt or replaced/],
    ["that CouchDB created later", {}, { instance: "1700000001" }, /rebuilt or replaced/],
  ])("%s, until it is accepted", (_, first, later, words) => {
    const long = guard();
    expect(long.judge(marks(first))).toBeUndefined();
    for (const one of [long, guard()]) {
      const fault = one.judge(marks(later));
      expect(fault).toMatchObject({ code: "PERMISSION_DENIED", message: expect.stringMatching(words) });
      expect(fault?.hint).toContain("doctor --accept-rebuilt");
    }
    guard({ isCheck: true }).accept(marks(later));
    for (const one of [long, guard()]) expect(one.judge(marks(later))).toBeUndefined();
    expect(files()).toHaveLength(1);
  });

  it("whose lock went and came back", () => {
    for (const milestone of [LOCKED, {}]) expect(guard().judge(marks({ milestone }))).toBeUndefined();
    expect(guard().judge(marks({ milestone: LOCKED }))?.message).toContain("locked after");
  });

  it("whose lock accepts no device", () => {
    const fault = guard().judge(marks({ milestone: { ...LOCKED, accepted_nodes: [] } }));
    expect(fault?.message).toContain("no device is accepted");
    expect(fault?.hint).toContain("Maintenance");
  });
});

describe("the memory", () => {
  it("is a file of each database that only its owner reads, and a check writes none", () => {
    guard({ isCheck: true }).judge(marks());
    expect(existsSync(join(folder, "livesync"))).toBe(false);
    guard().judge(marks());
    guard({ identity: "livesync:y" }).judge(marks());
    expect(files()).toHaveLength(2);
    for (const file of files()) expect(statSync(file).mode & 0o077).toBe(0);
  });

  it.each<[string, () => string]>([
    [
      "that is a file",
      () => {
        const file = join(folder, "file");
        writeFileSync(file, "");
        return file;
      },
    ],
    [
      "with a damaged file",
      () => {
        guard().judge(marks());
        writeFileSync(files()[0] ?? "", '{"isLocked":');
        return folder;
      },
    ],
  ])("in a folder %s: a locked database is not written, another one is", (_, prepare) => {
    const at = guard({ folder: prepare() });
    expect(at.judge(marks())).toBeUndefined();
    const fault = at.judge(marks({ milestone: LOCKED }));
    expect(fault?.message).toContain("whether that is new is unknown");
    expect(fault?.hint).toContain("--state-folder");
    expect(JSON.stringify([fault?.message, fault?.hint])).not.toContain(folder);
  });

  it("that is damaged is written again when the database is accepted", () => {
    guard().judge(marks());
    writeFileSync(files()[0] ?? "", "");
    guard().accept(marks({ milestone: LOCKED }));
    expect(guard().judge(marks({ milestone: LOCKED }))).toBeUndefined();
    expect(JSON.parse(readFileSync(files()[0] ?? "", "utf8"))).toMatchObject({ isLocked: true });
  });

  it("ends with the process where there is no folder", () => {
    const one = guard({ folder: undefined });
    expect(one.judge(marks())).toBeUndefined();
    expect(one.judge(marks({ milestone: LOCKED }))?.message).toContain("locked after");
    expect(guard({ folder: undefined }).judge(marks({ milestone: LOCKED }))).toBeUndefined();
  });

  it("that cannot be written says so when a database is accepted", () => {
    writeFileSync(join(folder, "livesync"), "");
    expect(() => guard().accept(marks())).toThrow("the state folder cannot be written");
  });
});
