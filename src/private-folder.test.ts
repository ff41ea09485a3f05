import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makePrivateFolder } from "./private-folder.js";

it.runIf(process.platform === "linux")("ends with an error where no folder can be made", () => {
  expect(() => makePrivateFolder("/proc/none/below")).toThrow(/ENOENT|EACCES/);
});

it.skipIf(process.platform === "win32")("makes what is missing for this user alone, and leaves what is there", () => {
  const base = mkdtempSync(join(tmpdir(), "private-"));
  try {
    const folder = join(base, "a", "b");
    makePrivateFolder(folder);
    makePrivateFolder(folder);
    expect([folder, join(base, "a")].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
    writeFileSync(join(base, "file"), "");
    expect(() => makePrivateFolder(join(base, "file", "below"))).toThrow("ENOTDIR");
  } finally {
    rmSync(base, { recursive: true });
  }
});
