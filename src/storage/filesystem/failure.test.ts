/** What a caller is told of failures below. */
import fs from "node:fs";
import os from "node:os";
import { expect, test, vi } from "vitest";
import { ROOT, vaultPath } from "../path.js";
import { IsLink, translate } from "./failure.js";
import { filesystemStorage } from "./storage.js";

test("a file that was exchanged for a link under a running call is refused as a link, not taken for a failing disk", () => {
  expect(translate(new IsLink(), vaultPath("a.md"))).toMatchObject({
    code: "PERMISSION_DENIED",
    message: "'a.md' is, or runs through, a link to a place that is closed to this server.",
  });
});

test("a listing of the vault's own folder that fails says so without the folder's place", async () => {
  const folder = fs.mkdtempSync(`${os.tmpdir()}/vault-`);
  const storage = await filesystemStorage(folder);
  const listing = vi.spyOn(fs, "readdirSync").mockImplementation(() => {
    throw Object.assign(new Error(`EIO: i/o error, scandir '${folder}'`), { code: "EIO" });
  });
  try {
    const error: unknown = await storage.children(ROOT).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "UNAVAILABLE" });
    expect(String(error)).not.toContain(folder);
    await expect(storage.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  } finally {
    listing.mockRestore();
    fs.rmSync(folder, { recursive: true });
  }
});
