import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixedClock } from "../clock.js";
import { silentLog } from "../log.js";
import { DriverDatabase } from "./driver-database.js";

let folder: string;
beforeEach(() => (folder = fs.mkdtempSync(join(os.tmpdir(), "driver-"))));
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const clock = fixedClock("2025-08-30T12:00:00Z");
const open = (at: string | undefined = folder, maxTexts?: number) =>
  new DriverDatabase({ folder: at, identity: "livesync:test", clock }, silentLog, maxTexts);
const nothing = (): [string, string][] => [];

describe("rows", () => {
  it("are those that the last process saved, changed ones and all others", async () => {
    const first = open();
    expect(await first.rows()).toEqual(new Map());
    const all = new Map([
      ["a", "1"],
      ["b", "2"],
      ["\ud800\0", "3"],
    ]);
    await first.saveRows(undefined, () => all);
    await first.saveRows(
      new Map([
        ["a", undefined],
        ["c", "4"],
      ]),
      nothing,
    );
    await first.close();
    const second = open();
    expect(await second.rows()).toEqual(
      new Map([
        ["b", "2"],
        ["\ud800\0", "3"],
        ["c", "4"],
      ]),
    );
    await second.close();
  });

  it("of two processes are never mixed: who saves after another saves everything", async () => {
    const [one, two] = [open(), open()];
    await one.saveRows(undefined, () => [["a", "1"]]);
    await two.rows();
    await one.rows();
    await one.saveRows(new Map([["b", "1"]]), nothing);
    await two.saveRows(new Map([["c", "2"]]), () => [
      ["a", "2"],
      ["c", "2"],
    ]);
    const three = open();
    expect(await three.rows()).toEqual(
      new Map([
        ["a", "2"],
        ["c", "2"],
      ]),
    );
    for (const process of [one, two, three]) await process.close();
  });
});

describe("texts", () => {
  it("are dropped, the oldest first, when there are too many", async () => {
    const store = open(folder, 1000);
    const names = Array.from({ length: 30 }, (_, at) => `${at}`);
    for (const name of names) await store.addTexts(new Map([[name, "é".repeat(50)]]));
    const held = [...(await store.texts(names)).keys()];
    expect(held.length).toBeGreaterThanOrEqual(8);
    expect(held.length).toBeLessThanOrEqual(10);
    expect(held).toEqual(names.slice(-held.length));
    await store.close();
  });

  it("are forgotten with the process where the folder cannot be written, and are there until then", async () => {
    fs.writeFileSync(join(folder, "file"), "");
    const store = open(join(folder, "file", "cache"));
    await store.addTexts(new Map([["a", "text"]]));
    expect(await store.texts(["a", "b"])).toEqual(new Map([["a", "text"]]));
    await store.close();
  });
});

it("damage costs what was stored, and no answer", async () => {
  const first = open();
  await first.saveRows(undefined, () => Array.from({ length: 500 }, (_, at) => [`row ${at}`, `value ${at}`] as const));
  await first.addTexts(new Map(Array.from({ length: 500 }, (_, at) => [`name ${at}`, `text ${at}`])));
  await first.close();
  const file = fs.readdirSync(folder).find((name) => name.endsWith(".index")) ?? "";
  const sound = fs.readFileSync(join(folder, file));
  for (let place = 0; place < 30; place++) {
    const spoilt = Buffer.from(sound);
    const at = Math.floor((place * sound.length) / 30) + place;
    spoilt[at] = (spoilt[at] ?? 0) ^ (1 << (place % 8));
    for (const name of fs.readdirSync(folder)) fs.rmSync(join(folder, name));
    fs.writeFileSync(join(folder, file), spoilt);
    const store = open();
    for (const [name, value] of await store.rows()) expect(value).toBe(name.replace("row", "value"));
    const names = Array.from({ length: 500 }, (_, number) => `name ${number}`);
    for (const [name, text] of await store.texts(names)) expect(text).toBe(name.replace("name", "text"));
    await store.addTexts(new Map([["new", "text"]]));
    expect((await store.texts(["new"])).get("new") ?? "text").toBe("text");
    await store.close();
  }
});
