/** What writing a file leaves behind: modes, owners, other names of the file, no temporary files; and what it refuses. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import nodePath from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { all, fails } from "../../../test/kit/storage-contract.js";
import { mayMount } from "../../../test/kit/mounts.js";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import { fixedClock, systemClock } from "../../clock.js";
import { isVaultError } from "../../errors.js";
import { vaultPath } from "../path.js";
import { filesystemStorage, type FilesystemStorage } from "./storage.js";
import { ownIdentity } from "./process-identity.js";
import { signedName, temporaryName } from "./temporary.js";

let vault: TemporaryVault;
let storage: FilesystemStorage;
const note = vaultPath("a.md");
const bytes = (text: string): Uint8Array => Buffer.from(text);
const modeOf = (path: string): number => fs.statSync(vault.at(path)).mode & 0o7777;

beforeEach(async () => {
  vault = new TemporaryVault({ "a.md": "one" });
  storage = await vault.open();
});
afterEach(async () => {
  await storage.close();
  vault.remove();
});

describe("opening", () => {
  test("a folder that is missing, or is a file, is no vault, and is not made", async () => {
    await fails(filesystemStorage(nodePath.join(vault.base, "no")), "VAULT_NOT_FOUND");
    await fails(filesystemStorage(vault.at("a.md")), "VAULT_NOT_FOUND");
    expect(fs.existsSync(nodePath.join(vault.base, "no"))).toBe(false);
  });

  test("a vault that vanishes is missed, and found again when it is back", async () => {
    const away = `${vault.folder}-away`;
    fs.renameSync(vault.folder, away);
    const sweep = async (): Promise<number> => (await all(storage.list())).length;
    await fails(storage.read(note), "VAULT_NOT_FOUND");
    await fails(storage.write(note, bytes("x"), { kind: "any" }), "VAULT_NOT_FOUND");
    await fails(storage.remove(note, { kind: "any" }), "VAULT_NOT_FOUND");
    await fails(sweep(), "VAULT_NOT_FOUND");
    await fails(all(storage.readMany([note])), "VAULT_NOT_FOUND");
    expect(fs.existsSync(vault.folder)).toBe(false);
    fs.renameSync(away, vault.folder);
    expect(await sweep()).toBe(1);
    await storage.update(note, () => bytes("two"));
    expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("two");
  });
});

describe.runIf(mayMount())("a vault whose disk comes and goes", () => {
  const mount = (): unknown => execFileSync("mount", ["-t", "tmpfs", "none", vault.folder]);
  // Lazily: a handle that is just being closed, ours or another program's, does not keep the disk.
  const umount = (): unknown => execFileSync("umount", ["--lazy", vault.folder]);

  test("is not written into the empty folder beneath its disk, though it was listed", async () => {
    fs.unlinkSync(vault.at("a.md"));
    mount();
    try {
      fs.writeFileSync(vault.at("a.md"), "on the disk");
      storage = await vault.open();
    } finally {
      umount();
    }
    expect(await all(storage.list())).toEqual([]);
    await fails(storage.write(note, bytes("x"), { kind: "any" }), "VAULT_NOT_FOUND");
    await fails(storage.write(vaultPath("x/b.md"), bytes("x"), { kind: "absent" }), "VAULT_NOT_FOUND");
    expect(fs.readdirSync(vault.folder)).toEqual([]);
  });

  test("is written on another disk only after a look at what is there", async () => {
    mount();
    try {
      fs.writeFileSync(vault.at("a.md"), "another vault's");
      await fails(storage.write(note, bytes("x"), { kind: "any" }), "VAULT_NOT_FOUND");
      await fails(storage.remove(note, { kind: "any" }), "VAULT_NOT_FOUND");
      expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("another vault's");
      await all(storage.list());
      await storage.write(note, bytes("meant"), { kind: "any" });
      expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("meant");
    } finally {
      umount();
    }
  });
});

describe("a replaced file", () => {
  test.each([0o600, 0o640, 0o666, 0o444 | 0o200, 0o755])("keeps mode %o", async (mode) => {
    fs.chmodSync(vault.at("a.md"), mode);
    await storage.update(note, () => bytes("two"));
    expect(modeOf("a.md")).toBe(mode);
  });

  test("is given no setuid bit", async () => {
    fs.chmodSync(vault.at("a.md"), 0o6755);
    await storage.update(note, () => bytes("two"));
    expect(modeOf("a.md")).toBe(0o755);
  });

  test.runIf(process.getuid?.() === 0)("keeps its owner and group", async () => {
    fs.chownSync(vault.at("a.md"), 1234, 2345);
    await storage.update(note, () => bytes("two"));
    const { uid, gid } = fs.statSync(vault.at("a.md"));
    expect([uid, gid]).toEqual([1234, 2345]);
  });

  test("leaves a hard link elsewhere with the old text", async () => {
    fs.linkSync(vault.at("a.md"), nodePath.join(vault.base, "backup.md"));
    await storage.update(note, () => bytes("two"));
    expect(fs.readFileSync(nodePath.join(vault.base, "backup.md"), "utf8")).toBe("one");
    expect(fs.statSync(vault.at("a.md")).nlink).toBe(1);
  });

  test("leaves no temporary file and no lock behind, whatever the outcome", async () => {
    await storage.update(note, () => bytes("two"));
    await storage.write(vaultPath("x/b.md"), bytes("b"), { kind: "absent" });
    await fails(storage.write(note, bytes("c"), { kind: "absent" }), "ALREADY_EXISTS");
    await storage.move(vaultPath("x/b.md"), vaultPath("x/c.md"), { kind: "any" });
    await storage.remove(vaultPath("x/c.md"), { kind: "any" });
    expect([...vault.hiddenNames(), ...vault.hiddenNames("x")]).toEqual([]);
    const locks = fs.readdirSync(vault.locks, { recursive: true, withFileTypes: true });
    expect(locks.filter((entry) => !entry.isDirectory())).toEqual([]);
    expect(fs.statSync(vault.locks).mode & 0o777).toBe(0o700);
  });
});

describe("refusals", () => {
  test("a read-only file is neither replaced nor removed nor moved", async () => {
    fs.chmodSync(vault.at("a.md"), 0o444);
    await fails(
      storage.update(note, () => bytes("two")),
      "PERMISSION_DENIED",
    );
    await fails(storage.remove(note, { kind: "any" }), "PERMISSION_DENIED");
    await fails(storage.move(note, vaultPath("b.md"), { kind: "any" }), "PERMISSION_DENIED");
    expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("one");
    expect(fs.readdirSync(vault.folder)).toEqual(["a.md"]);
  });

  test("a name too long for the disk, and no path of the host in the text", async () => {
    const deep = vaultPath(`${"d".repeat(200)}/`.repeat(19) + "a.md");
    const error: unknown = await storage.write(deep, bytes("x"), { kind: "any" }).catch((error: unknown) => error);
    if (isVaultError(error)) expect(`${error.message} ${error.hint}`).not.toContain(vault.base);
    else expect(await storage.read(deep)).toBeDefined();
  });

  test.runIf(canMakeImmutable())("an immutable file stays, and no temporary file does", async () => {
    execFileSync("chattr", ["+i", vault.at("a.md")]);
    try {
      await fails(
        storage.update(note, () => bytes("two")),
        "PERMISSION_DENIED",
      );
      await fails(storage.remove(note, { kind: "any" }), "PERMISSION_DENIED");
      await fails(storage.move(note, vaultPath("new/b.md"), { kind: "any" }), "PERMISSION_DENIED");
    } finally {
      execFileSync("chattr", ["-i", vault.at("a.md")]);
    }
    expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("one");
    expect(fs.readdirSync(vault.folder)).toEqual(["a.md"]);
  });

  test("a lock folder that others could write to", async () => {
    fs.mkdirSync(vault.locks, { mode: 0o777 });
    fs.chmodSync(vault.locks, 0o777);
    await fails(
      storage.update(note, () => bytes("two")),
      "UNAVAILABLE",
    );
    expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("one");
  });
});

describe("programs that know no locks", () => {
  test("a save between reading and writing is met by changing what was saved", async () => {
    const seen: string[] = [];
    await storage.update(note, (current) => {
      const text = Buffer.from(current?.bytes ?? []).toString();
      seen.push(text);
      if (seen.length === 1) fs.writeFileSync(vault.at("a.md"), "saved outside");
      return bytes(`${text} + ours`);
    });
    expect(seen).toEqual(["one", "saved outside"]);
    expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("saved outside + ours");
    expect(vault.hiddenNames()).toEqual([]);
  });

  test("a save in place that stops for long between emptying and filling the note is waited for", async () => {
    // Later than it was made, by the clock of the disk.
    const { birthtimeMs } = fs.statSync(vault.at("a.md"));
    let changed = 0;
    while (changed <= birthtimeMs) {
      fs.writeFileSync(vault.at("a.md"), "");
      changed = fs.statSync(vault.at("a.md")).mtimeMs;
    }
    const editor = fs.openSync(vault.at("a.md"), "w");
    const updated = storage.update(note, (current) => bytes(`${Buffer.from(current?.bytes ?? []).toString()} + ours`));
    setTimeout(() => {
      fs.writeSync(editor, "saved");
      fs.closeSync(editor);
    }, 300);
    await updated;
    expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("saved + ours");
  });

  test("a note that was made empty is not waited for as long", async () => {
    const waits: number[] = [];
    // A busy machine may miss the tenth of a second now and then.
    while (!waits.some((wait) => wait < 700) && waits.length < 10) {
      fs.rmSync(vault.at("new.md"), { force: true });
      fs.writeFileSync(vault.at("new.md"), "");
      const started = performance.now();
      await storage.update(vaultPath("new.md"), () => bytes("text"));
      waits.push(performance.now() - started);
    }
    expect(Math.min(...waits)).toBeLessThan(700);
  });

  test("a same-size edit within one clock tick counts as a change", async () => {
    const { mtime, atime } = fs.statSync(vault.at("a.md"));
    const revision = (await storage.read(note))?.revision;
    fs.writeFileSync(vault.at("a.md"), "two");
    fs.utimesSync(vault.at("a.md"), atime, mtime);
    if (!revision) throw new Error("no revision");
    await fails(storage.write(note, bytes("x"), { kind: "revision", revision }), "CONFLICT");
  });

  test("a file that is removed or made meanwhile is neither resurrected nor replaced", async () => {
    const gone = storage.update(note, (current) => {
      if (!current) return undefined;
      fs.unlinkSync(vault.at("a.md"));
      return bytes("two");
    });
    expect(await gone).toBeUndefined();
    expect(fs.existsSync(vault.at("a.md"))).toBe(false);
    const made = storage.update(note, (current) => {
      if (current) return undefined;
      fs.writeFileSync(vault.at("a.md"), "theirs");
      return bytes("ours");
    });
    expect(await made).toBeUndefined();
    expect(fs.readFileSync(vault.at("a.md"), "utf8")).toBe("theirs");
  });
});

test.runIf(process.platform === "linux")(
  "a left-over of a process that has ended is cleared by the next listing",
  async () => {
    const world = ownIdentity().split("-")[2];
    const [dead, living] = [signedName(`4194305-1-${world}`, "0".repeat(16), "old"), temporaryName("new")];
    for (const name of [dead, living]) fs.writeFileSync(vault.at(name), "x");
    expect((await all(storage.list())).map(({ path }) => path)).toEqual(["a.md"]);
    expect(vault.hiddenNames()).toEqual([living]);
  },
);

test("left-overs of which nobody can tell whether their process lives are cleared once they are old; nothing else is", async () => {
  const unsigned = temporaryName("new").replace(/server\.\d+-/, "server.4194305-");
  const dead = Array.from({ length: 3 }, (_, index) => deadName(index));
  const lookAlikes = [
    unsigned,
    ".obsidian-vault-mcp-server.new",
    ".obsidian-vault-mcp-server.1-2-3.0123456789abcdef.0123456789ab.new",
    `${dead[0]}.md`,
    `${dead[0]?.slice(0, -1)}`,
    `${dead[0]?.slice(1)}.md`,
  ];
  const living = temporaryName("old");
  for (const name of [...dead, ...lookAlikes, living]) fs.writeFileSync(vault.at(name), "x");
  fs.mkdirSync(vault.at(deadName(9)));
  const kept = [...lookAlikes, living, deadName(9), "a.md"].sort();

  expect(await all(storage.list())).toHaveLength(2);
  expect(fs.readdirSync(vault.folder).sort()).toEqual([...kept, ...dead].sort());

  const later = fixedClock(new Date(systemClock().now() + 2 * 3600_000).toISOString());
  const laterStorage = await vault.open({ clock: later });
  const readOnly = await vault.open({ clock: later, clearLeftOvers: false });
  await all(readOnly.list());
  expect(fs.readdirSync(vault.folder)).toHaveLength(kept.length + dead.length);
  await all(laterStorage.list());
  expect(fs.readdirSync(vault.folder).sort()).toEqual(kept);
});

/** A name that a process which is no more would have given. */
function deadName(index: number): string {
  return signedName("4194305-1-0", `${index}`.padStart(16, "0"), "new");
}

function canMakeImmutable(): boolean {
  const probe = new TemporaryVault({ "a.md": "" });
  try {
    execFileSync("chattr", ["+i", probe.at("a.md")], { stdio: "ignore" });
    execFileSync("chattr", ["-i", probe.at("a.md")]);
    return true;
  } catch {
    return false;
  } finally {
    probe.remove();
  }
}
