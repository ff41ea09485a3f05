/** Whether a process has ended, also where a sandbox hides a part of what tells (reliability, "Writing a file"). */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { hasEnded, isShownToHaveEnded, ownIdentity, worldOf } from "./process-identity.js";

const NOW = Date.now();
const MINUTES = 60_000;
const ended = spawnSync(process.execPath, ["-e", ""]).pid;
const [, start = "", world = ""] = ownIdentity().split("-");
const [boot = "", namespace = ""] = world.split("n");

describe.runIf(process.platform === "linux")("a process that lives", () => {
  test.each([
    ["nothing is hidden", `${start}-${world}`],
    ["its world is hidden", `${start}-0`],
    ["its boot is hidden", `${start}-0n${namespace}`],
    ["its namespace is hidden", `${start}-${boot}n0`],
    ["its start is hidden", `0-${world}`],
    ["all is hidden", "0-0n0"],
  ])("is not taken for dead when %s", (_what, rest) => {
    expect(hasEnded(`${process.pid}-${rest}`, NOW, NOW)).toBe(false);
  });

  test.each(["0", "0n0", `0n${namespace}`, `${boot}n0`])("nor by one whose own world is %s", (hidden) => {
    expect(isShownToHaveEnded(ownIdentity(), NOW, worldOf(hidden))).toBe(false);
    // In another namespace this number may be anybody's.
    expect(isShownToHaveEnded(`${ended}-1-${boot}n1`, NOW, worldOf(hidden))).toBe(false);
  });

  test("nor in another container, until it gave no sign of life for five minutes", () => {
    const elsewhere = `${ended}-1-${boot}n1`;
    expect(hasEnded(elsewhere, NOW - 4 * MINUTES, NOW)).toBe(false);
    expect(hasEnded(elsewhere, NOW - 6 * MINUTES, NOW)).toBe(true);
    expect(isShownToHaveEnded(elsewhere, NOW - 6 * MINUTES)).toBe(false);
  });
});

describe.runIf(process.platform === "linux")("a process that is shown to have ended", () => {
  test.each([
    ["its number is free", `${ended}-1-${world}`],
    ["its number is free, and its boot is hidden", `${ended}-1-0n${namespace}`],
    ["another has its number", `${process.pid}-1-${world}`],
    ["it ran in an earlier boot", `${process.pid}-${start}-00000000deadn${namespace}`],
  ])("%s", (_what, identity) => {
    expect(isShownToHaveEnded(identity, NOW)).toBe(true);
  });
});
