import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VaultError } from "../../errors.js";
import { refuseSystemFolder, resolveVaultFolder } from "./vault-folder.js";

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "vault-folder-")));
  mkdirSync(join(folder, "Notes"));
  writeFileSync(join(folder, "file.md"), "");
  symlinkSync(join(folder, "Notes"), join(folder, "link"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof VaultError) return error.code;
    throw error;
  }
  return "accepted";
}

describe("resolveVaultFolder", () => {
  it("answers one absolute path for one folder", () => {
    const notes = join(folder, "Notes");
    for (const text of [
      notes,
      `${notes}/`,
      join(folder, "link"),
      join(notes, "..", "Notes"),
      relative(process.cwd(), notes),
    ]) {
      expect(resolveVaultFolder(text)).toBe(notes);
    }
  });

  it.each(["", "  ", "~", "~/Vault", "$HOME", "${HOME}/Vault", "%USERPROFILE%\\Vault", "a\0b", "/nowhere/at/all"])(
    "refuses %j",
    (text) => expect(codeOf(() => resolveVaultFolder(text))).toBe("VAULT_NOT_FOUND"),
  );

  it("refuses a file, and does not name it", () => {
    expect(codeOf(() => resolveVaultFolder(join(folder, "file.md")))).toBe("VAULT_NOT_FOUND");
    expect(() => resolveVaultFolder(join(folder, "missing"))).toThrow(/^(?!.*missing)/);
  });
});

describe("resolveVaultFolder with allowed folders", () => {
  it("accepts them and what lies below, by real path", () => {
    expect(resolveVaultFolder(join(folder, "Notes"), ["/nowhere", folder])).toBe(join(folder, "Notes"));
    expect(resolveVaultFolder(join(folder, "link"), [join(folder, "Notes")])).toBe(join(folder, "Notes"));
  });

  it("refuses every other folder in the same words, whether it exists or not", () => {
    mkdirSync(join(folder, "Notes-2"), { recursive: true });
    symlinkSync(folder, join(folder, "Notes", "out"));
    const outside = [
      join(folder, "Notes-2"),
      join(folder, "missing"),
      "/etc",
      "/",
      join(folder, "Notes", ".."),
      join(folder, "Notes", "out"),
    ];
    const messages = outside.map((path) => {
      try {
        return resolveVaultFolder(path, [join(folder, "Notes")]);
      } catch (error) {
        return error instanceof VaultError ? error.message : error;
      }
    });
    expect(new Set(messages)).toEqual(new Set(["That folder is not one this server may use as a vault."]));
  });
});

describe("refuseSystemFolder", () => {
  it.each([
    "/",
    "/etc",
    "/etc/ssl",
    "/usr/share",
    "/proc/self",
    "/home",
    "/home/anyone",
    "/Users/anyone",
    "/root",
    "/tmp",
    "/var/lib/x",
  ])("refuses %s", (path) => expect(codeOf(() => refuseSystemFolder(path))).toBe("VAULT_NOT_FOUND"));

  it("refuses this user's home folder", () => {
    expect(codeOf(() => refuseSystemFolder(realpathSync(homedir())))).toBe("VAULT_NOT_FOUND");
  });

  it.each([
    "/vault",
    "/home/me/Notes",
    "/Users/me/Documents/Vault",
    "/tmp/x",
    "/mnt/disk",
    "/srv/notes",
    "/usr/home/me/Notes",
  ])("accepts %s", (path) => expect(codeOf(() => refuseSystemFolder(path))).toBe("accepted"));
});
