/** The bound on open vaults of a server with many callers. */
import { describe, expect, it } from "vitest";
import { vaultOpener } from "../../open.js";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import { boundedOpener } from "./serve-http.js";

describe("the door of a server", () => {
  it("opens so many vaults and always its own; a failure does not count", async () => {
    const vaults = Array.from({ length: 4 }, () => new TemporaryVault());
    const [own, ...others] = vaults.map(({ folder }) => folder);
    const door = boundedOpener(vaultOpener({}), own, 2);
    await expect(door.open("/nowhere/at/all", "none")).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
    for (const folder of others.slice(0, 2)) await door.open(folder, folder);
    await expect(door.open(others[2] ?? "", "third")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await door.open(own ?? "", own ?? "")).name).toBe(own);
    await door.close();
    for (const vault of vaults) vault.remove();
  });
});
