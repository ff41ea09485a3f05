/** Notices of changes: one follower for all pages, storages with and without announcements, midnight, a vault that comes and goes. */
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fixedClock, type LocalDate } from "../../../clock.js";
import { VaultError } from "../../../errors.js";
import { silentLog } from "../../../log.js";
import { assembleVault } from "../../../open.js";
import { MemoryStorage } from "../../../../test/kit/memory-storage.js";
import { vaultPath } from "../../../storage/path.js";
import type { Change } from "../../../storage/storage.js";
import { VaultChanges, type ChangePace } from "./web-page.js";

const PACE: ChangePace = { settleMs: 10, longestSettleMs: 60, tickMs: 20, fullCheckMs: 100_000 };
const STEP_MS = 5;
/** Longer than each of the waits in `PACE`, in a row. */
const LONG_MS = 150;
/** Turns of the event loop in which a refresh of a vault in memory ends. */
const TURNS = 5;
const PATH = vaultPath("Paint.md");

/** Counts its followers and looks, can fall silent, and can be away. */
class WatchedStorage extends MemoryStorage {
  followers = 0;
  looks = 0;
  isAway = false;

  override async *changes(signal: AbortSignal): AsyncGenerator<Change> {
    this.followers++;
    signal.addEventListener("abort", () => this.followers--, { once: true });
    yield* super.changes(signal);
  }

  override list(...about: Parameters<MemoryStorage["list"]>): ReturnType<MemoryStorage["list"]> {
    this.looks++;
    if (this.isAway) throw new VaultError("VAULT_NOT_FOUND", "away");
    return super.list(...about);
  }
}

const open: VaultChanges[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  for (const changes of open.splice(0)) changes.close();
  vi.useRealTimers();
});

/** Lets the clock of timers go on, in small steps, and what they begin come to its end. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
    await vi.advanceTimersByTimeAsync(STEP_MS);
    for (let n = 0; n < TURNS; n++) await turn();
  }
}

interface Setup {
  readonly changes: VaultChanges;
  readonly storage: WatchedStorage;
  readonly clock: { day: LocalDate };
  /** Puts a note in place as another program would. */
  readonly write: (text: string) => Promise<unknown>;
  /** Brings the catalog up to date, as every answer to a call does. */
  readonly answer: () => Promise<unknown>;
}

/** @param announces whether the storage tells of changes */
function setup(announces: boolean, pace: Partial<ChangePace> = {}): Setup {
  const fixed = fixedClock("2025-08-30T12:00:00Z");
  const day = { day: fixed.today() };
  const clock = { ...fixed, today: () => day.day };
  const storage = new WatchedStorage({ files: { "Paint.md": "# Paint\n" }, clock: fixed });
  if (!announces) Object.defineProperty(storage, "changes", { value: undefined });
  const vault = assembleVault({ storage, name: "notices", clock });
  const changes = new VaultChanges({ current: async () => vault }, silentLog, { ...PACE, ...pace });
  open.push(changes);
  const write = (text: string) => storage.write(PATH, new TextEncoder().encode(text), { kind: "any" });
  return { changes, storage, clock: day, write, answer: () => vault.vault.index.refresh() };
}

/** Listens, and counts what is told after the first look at the vault. */
async function listener({ changes, storage }: Setup): Promise<{ told: number; leave: () => void }> {
  const page = { told: 0, leave: () => {} };
  page.leave = await changes.listen(() => page.told++);
  await pass(LONG_MS);
  expect(storage.looks).toBeGreaterThan(0);
  page.told = 0;
  return page;
}

describe.each([
  ["announces changes", true],
  ["announces nothing", false],
])("a storage that %s", (_, announces) => {
  it("is followed once for all pages, which all hear of a change, and of nothing else", async () => {
    const vault = setup(announces);
    const pages = [await listener(vault), await listener(vault), await listener(vault)];
    expect(vault.storage.followers).toBe(announces ? 1 : 0);
    await pass(60);
    expect(pages.map(({ told }) => told)).toEqual([0, 0, 0]);
    await vault.write("# Paint the fence\n");
    await pass(LONG_MS);
    expect(pages.map(({ told }) => told)).toEqual([1, 1, 1]);
    pages[0]?.leave();
    await vault.write("# Paint the roof\n");
    await pass(LONG_MS);
    expect(pages.map(({ told }) => told)).toEqual([1, 2, 2]);
  });

  it("is left alone when nobody listens", async () => {
    const vault = setup(announces);
    const page = await listener(vault);
    page.leave();
    await pass(30);
    const { looks } = vault.storage;
    await vault.write("# Paint the fence\n");
    await pass(80);
    expect([vault.storage.followers, vault.storage.looks, page.told]).toEqual([0, looks, 0]);
    const again = await listener(vault);
    await vault.write("# Paint the roof\n");
    await pass(LONG_MS);
    expect(again.told).toBe(1);
  });

  it("tells of midnight", async () => {
    const vault = setup(announces);
    const page = await listener(vault);
    vault.clock.day = "2025-08-31" as LocalDate;
    await pass(LONG_MS);
    expect(page.told).toBe(1);
  });

  it("tells when it goes and when it comes back, once each", async () => {
    const vault = setup(announces, { fullCheckMs: 30 });
    const page = await listener(vault);
    vault.storage.isAway = true;
    await pass(LONG_MS);
    expect(page.told).toBe(1);
    vault.storage.isAway = false;
    await pass(LONG_MS);
    expect(page.told).toBe(2);
    await pass(LONG_MS);
    expect(vault.storage.followers).toBe(announces ? 1 : 0);
    await vault.write("# Back\n");
    await pass(LONG_MS);
    expect(page.told).toBe(3);
  });
});

it("many changes in a row are told of as one when they have settled, and now and again while they do not", async () => {
  const vault = setup(true, { settleMs: 60, longestSettleMs: 200 });
  const page = await listener(vault);
  for (let n = 0; n < 5; n++) await vault.write(`# Paint ${n}\n`);
  await pass(LONG_MS);
  expect(page.told).toBe(1);
  await pass(100);
  expect(page.told).toBe(1);
  const begun = performance.now();
  for (let n = 0; n < 40; n++) {
    await vault.write(`# Roof ${n}\n`);
    await pass(15);
  }
  expect(page.told).toBeGreaterThan(1);
  expect(page.told).toBeLessThan(3 + (performance.now() - begun) / 200);
});

it("a change that an answer knew before the look is told all the same", async () => {
  const vault = setup(false, { tickMs: 50 });
  const page = await listener(vault);
  await vault.write("# Paint the fence\n");
  await vault.answer();
  await pass(LONG_MS);
  expect(page.told).toBe(1);
});

it("a vault that cannot be opened yet is waited for", async () => {
  let isThere = false;
  const { storage } = setup(true);
  const vault = assembleVault({ storage, name: "late", clock: fixedClock("2025-08-30T12:00:00Z") });
  const changes = new VaultChanges(
    {
      current: async () => {
        if (!isThere) throw new VaultError("UNAVAILABLE", "not yet");
        return vault;
      },
    },
    silentLog,
    PACE,
  );
  open.push(changes);
  let told = 0;
  await changes.listen(() => told++);
  await pass(60);
  const before = told;
  isThere = true;
  await pass(LONG_MS);
  expect(told).toBe(before + 1);
});
