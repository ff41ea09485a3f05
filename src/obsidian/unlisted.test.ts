import { describe, expect, it } from "vitest";
import { ROOT, vaultPath } from "../storage/path.js";
import type { UnlistedEntry } from "../storage/storage.js";
import { leftOut, unfollowedLinks } from "./unlisted.js";

const what = (name: string, reason: UnlistedEntry["reason"], kind: UnlistedEntry["kind"] = "file", folder = ROOT) => ({
  folder,
  name,
  kind,
  reason,
});

describe("leftOut", () => {
  it("names a document without a readable name by its id: it is perhaps a note", () => {
    const [notice] = leftOut([what("f:00ff", "unreadable")]);
    expect(notice).toMatchObject({ path: "f:00ff", message: expect.stringContaining("left out") });
  });

  it("names notes and folders with the reason and what to do", () => {
    const told = leftOut([what("CON.md", "name"), what("Attic", "closed", "folder"), what("pipe.md", "special")]);
    expect(told.map(({ path, message, advice }) => `${path}: ${message} ${advice}`)).toEqual([
      "CON.md: The note is left out: no tool can open it. " +
        "The path holds a name that Windows keeps for devices (CON, NUL, COM1 ...). Rename it.",
      "Attic: The folder, with all that is in it, is left out: it may not be read. Check its permissions.",
      "pipe.md: It is left out: it is no regular file. Only regular files are opened.",
    ]);
  });

  it("shows a name so that it forges nothing", () => {
    const [shown] = leftOut([what("a\n\u001b[2J\u202eb\\c.md", "name", "file", vaultPath("sub"))]);
    expect(shown?.path).toBe("sub/a\\u{a}\\u{1b}[2J\\u{202e}b\\c.md");
  });

  it("says nothing of attachments, conflict copies and links", () => {
    const files = ["CON.png", "a:\\b (conflicted copy).md"].map((name) => what(name, "name"));
    expect(leftOut([...files, what("out.md", "link")])).toEqual([]);
    expect(unfollowedLinks([what("out.md", "link"), what("CON.md", "name")])).toMatchObject([{ path: "out.md" }]);
  });
});
