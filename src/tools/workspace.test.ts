/** Which vault a connection works with (docs: tasks, "Vaults"). */
import { describe, expect, it } from "vitest";
import { KnownTasks, vaultOf } from "../../test/kit/known-tasks.js";
import { VaultError } from "../errors.js";
import { createWorkspace, type VaultOpener } from "./workspace.js";

/** Knows the folders given, by any spelling with or without a slash at the end; notes what is opened. */
class Folders implements VaultOpener {
  readonly opened: string[] = [];
  readonly there: Set<string>;

  constructor(...folders: string[]) {
    this.there = new Set(folders);
  }

  async resolve(path: string) {
    const folder = path.replace(/\/$/, "");
    if (!this.there.has(folder)) throw new VaultError("VAULT_NOT_FOUND", "There is no such folder.");
    return folder;
  }

  async open(folder: string, name: string) {
    this.opened.push(folder);
    return vaultOf(new KnownTasks([]), name);
  }
}

describe("a workspace", () => {
  it("without a configured vault has none until one is scanned", async () => {
    const workspace = createWorkspace({ opener: new Folders("/a"), switches: true });
    expect(workspace.hasDefault).toBe(false);
    await expect(workspace.current()).rejects.toThrow("Vault not initialized. Please scan a vault first.");
    await expect(workspace.open(undefined)).rejects.toMatchObject({ code: "VAULT_NOT_INITIALIZED" });
    const scanned = await workspace.open("/a");
    expect(await workspace.current()).toBe(scanned);
  });

  it("starts with the configured vault and opens it once, however many ask", async () => {
    const opener = new Folders("/a");
    const workspace = createWorkspace({ opener, default: "/a", switches: true });
    expect(workspace.hasDefault).toBe(true);
    const vaults = await Promise.all([
      workspace.current(),
      workspace.open(undefined),
      workspace.open("/a/"),
      workspace.current(),
    ]);
    expect(new Set(vaults).size).toBe(1);
    expect(vaults[0]?.name).toBe("/a");
    expect(opener.opened).toEqual(["/a"]);
  });

  it("switches to the vault scanned last, and back", async () => {
    const workspace = createWorkspace({ opener: new Folders("/a", "/b"), default: "/a", switches: true });
    await workspace.open("/b");
    expect((await workspace.current()).name).toBe("/b");
    await workspace.open(undefined);
    expect((await workspace.current()).name).toBe("/a");
  });

  it("stays with the configured vault where it may not switch", async () => {
    const workspace = createWorkspace({ opener: new Folders("/a", "/b"), default: "/a", switches: false });
    expect((await workspace.open("/b")).name).toBe("/b");
    expect((await workspace.current()).name).toBe("/a");
  });

  it("stays where it is when a scan fails", async () => {
    const workspace = createWorkspace({ opener: new Folders("/a"), default: "/a", switches: true });
    await expect(workspace.open("/nowhere")).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
    expect((await workspace.current()).name).toBe("/a");
  });

  it("tries a missing configured vault again with every call", async () => {
    const opener = new Folders();
    const workspace = createWorkspace({ opener, default: "/a", switches: true });
    await expect(workspace.current()).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
    opener.there.add("/a");
    expect((await workspace.current()).name).toBe("/a");
  });

  it.each(["configured", "scanned"])("follows a %s path that leads elsewhere by now, and back", async (way) => {
    const opener = new Folders("/a", "/b");
    let link = "/a";
    const linked: VaultOpener = {
      resolve: (path) => opener.resolve(path === "/link" ? link : path),
      open: (folder, name) => opener.open(folder, name),
    };
    const workspace = createWorkspace({
      opener: linked,
      switches: true,
      ...(way === "configured" && { default: "/link" }),
    });
    const first = way === "configured" ? await workspace.current() : await workspace.open("/link");
    link = "/b";
    const second = await workspace.current();
    expect(second).not.toBe(first);
    expect(opener.opened).toEqual(["/a", "/b"]);
    link = "/gone";
    await expect(workspace.current()).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
    link = "/a";
    expect(await workspace.current()).toBe(first);
  });

  it("opens again what failed to open", async () => {
    const opener = new Folders("/a");
    let failures = 1;
    const failing: VaultOpener = {
      resolve: (path) => opener.resolve(path),
      open: async (folder, name) => {
        if (failures-- > 0) throw new VaultError("UNAVAILABLE", "Not now.");
        return opener.open(folder, name);
      },
    };
    const workspace = createWorkspace({ opener: failing, switches: true });
    await expect(workspace.open("/a")).rejects.toThrow("Not now.");
    await expect(workspace.current()).rejects.toThrow("Vault not initialized");
    expect((await workspace.open("/a")).name).toBe("/a");
  });
});
