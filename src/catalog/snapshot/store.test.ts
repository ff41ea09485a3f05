import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { randomIds, systemClock } from "../../clock.js";
import { silentLog } from "../../log.js";
import type { VaultPath } from "../../storage/path.js";
import { SnapshotFolder } from "./store.js";
import { Entry, noContent } from "../table.js";
import { StatBlocks } from "../packed-stat.js";
import { encodeSnapshot } from "./write.js";
import { summaryOf, type SnapshotKind } from "./read.js";

const reader = { name: "a", version: 1, read: () => undefined };
const kind: SnapshotKind = { edition: "1", identity: "folder:1-2", stampLength: 1, reader, position: 0 };
const stat = { path: "a.md" as VaultPath, size: 0, modified: 0, created: 0, stamp: [1] };
const entries = [new Entry(new StatBlocks().keep(stat), noContent(1), true, false)];
const pieces = await encodeSnapshot(kind, { entries, summary: "summary" });
const bytes = Buffer.concat(pieces);
const { identity } = kind;

let home: string;
let store: SnapshotFolder;
const folder = () => join(home, "cache", "ours");

beforeEach(() => {
  home = fs.mkdtempSync(join(os.tmpdir(), "snapshots-"));
  store = open(folder());
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

function open(folder: string): SnapshotFolder {
  return new SnapshotFolder({ folder, edition: "1", clock: systemClock("UTC"), ids: randomIds(), log: silentLog });
}

it("keeps what it was given, and the head alone tells the summaries", async () => {
  expect([await store.load(identity), await store.loadHead(identity)]).toEqual([undefined, undefined]);
  expect(await store.save(identity, pieces)).toBe(true);
  expect(Buffer.compare((await store.load(identity)) ?? bytes.subarray(1), bytes)).toBe(0);
  const start = await store.loadHead(identity);
  expect(start?.bytes.byteLength).toBeLessThan(bytes.byteLength);
  expect(start && summaryOf(start, kind)).toBe("summary");
  expect(await store.load("another vault")).toBeUndefined();
});

it("lets no one else look", async () => {
  const mask = process.umask(0);
  try {
    await store.save(identity, pieces);
    const modeOf = (path: string) => fs.statSync(path).mode & 0o777;
    expect([modeOf(folder()), modeOf(store.fileOf(identity))]).toEqual([0o700, 0o600]);
  } finally {
    process.umask(mask);
  }
});

it("follows no link and waits for no pipe", async () => {
  await store.save(identity, pieces);
  fs.renameSync(store.fileOf(identity), join(home, "elsewhere"));
  fs.symlinkSync(join(home, "elsewhere"), store.fileOf(identity));
  expect(await store.load(identity)).toBeUndefined();
  fs.rmSync(store.fileOf(identity));
  fs.mkdirSync(store.fileOf(identity));
  expect(await store.load(identity)).toBeUndefined();
  expect(await store.save(identity, pieces)).toBe(false);
});

it("never fails, also where nothing can be written", async () => {
  fs.writeFileSync(join(home, "file"), "");
  const nowhere = open(join(home, "file", "cache"));
  expect(await nowhere.save(identity, pieces)).toBe(false);
  expect([await nowhere.load(identity), await nowhere.loadHead(identity)]).toEqual([undefined, undefined]);
});

it("is whole at every moment, while several write at once", async () => {
  const stores = Array.from({ length: 4 }, () => open(folder()));
  const saved = await Promise.all(stores.flatMap((one) => [one.save(identity, pieces), one.save(identity, pieces)]));
  expect(saved).not.toContain(false);
  expect((await store.load(identity))?.byteLength).toBe(bytes.byteLength);
  expect(fs.readdirSync(folder()).length).toBe(1);
});

it("clears what dead processes left, nothing younger, and nobody else's files", async () => {
  await store.save(identity, pieces);
  const [old, young] = [`${store.fileOf(identity)}.1-abc123.tmp`, `${store.fileOf(identity)}.2-abc123.tmp`];
  const theirs = join(folder(), "thesis.tmp");
  for (const file of [old, young, theirs]) fs.writeFileSync(file, "");
  for (const file of [old, theirs]) fs.utimesSync(file, 1, 1);
  await store.save(identity, pieces);
  expect([old, young, theirs].filter((file) => fs.existsSync(file))).toEqual([young, theirs]);
});

it("leaves the mode of a folder that was there before", async () => {
  fs.mkdirSync(folder(), { recursive: true });
  fs.chmodSync(folder(), 0o755);
  expect(await store.save(identity, pieces)).toBe(true);
  expect(fs.statSync(folder()).mode & 0o777).toBe(0o755);
  expect(fs.statSync(store.fileOf(identity)).mode & 0o777).toBe(0o600);
});
