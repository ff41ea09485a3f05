/** Who holds a lock, and whose claims stand in nobody's way. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fails } from "../../../test/kit/storage-contract.js";
import { sha256 } from "../../text/hash.js";
import { FileLocks } from "./lock.js";
import { ownIdentity } from "./process-identity.js";

const MINUTES = 60_000;
let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(nodePath.join(os.tmpdir(), "locks-"));
  fs.mkdirSync(nodePath.join(folder, "vault"));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** Makes the claim of another on `note`, so many milliseconds ago. */
function claim(holder: string, age = 0): string {
  const place = nodePath.join(folder, "vault", `${sha256("note").slice(0, 32)}.1`);
  fs.symlinkSync(holder, place);
  const then = new Date(Date.now() - age);
  fs.lutimesSync(place, then, then);
  return place;
}

const take = async (): Promise<string> =>
  await new FileLocks({ folder, timeout: 50 }, () => Date.now()).run("vault", ["note"], async () => "taken");

const ended = spawnSync(process.execPath, ["-e", ""]).pid;

test.each([
  ["this one, by a server that could not read its boot", `${process.pid}-0-0`],
  ["one in another container", `${ended}-7-${ownIdentity().split("-")[2]?.split("n")[0]}n7`],
])("a claim of a process that may live is respected: %s", async (_whose, holder) => {
  const place = claim(holder);
  await fails(take(), "UNAVAILABLE");
  expect(fs.readlinkSync(place)).toBe(holder);
});

test.each([
  ["of a process that has ended", () => `${ended}-1-${ownIdentity().split("-")[2]}`, 0],
  ["that nobody renewed for six minutes", () => `${ended}-7-0`, 6 * MINUTES],
  ["that is no claim at all", () => "../../garbage", 3000],
])("a claim %s stands in nobody's way", async (_whose, holder, age) => {
  claim(holder(), age);
  expect(await take()).toBe("taken");
  expect(fs.readdirSync(nodePath.join(folder, "vault"))).toEqual([]);
});

test("who works for long shows that it lives", async () => {
  await new FileLocks({ folder, renewedEvery: 5 }, () => Date.now()).run("vault", ["note"], async () => {
    const [name = ""] = fs.readdirSync(nodePath.join(folder, "vault"));
    const place = nodePath.join(folder, "vault", name);
    const past = new Date(Date.now() - 10 * MINUTES);
    fs.lutimesSync(place, past, past);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(Date.now() - fs.lstatSync(place).mtimeMs).toBeLessThan(MINUTES);
  });
});
