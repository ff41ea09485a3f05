/** The bound on open vaults of a server with many callers. */
import { describe, expect, it } from "vitest";
import { vaultOpener } from "../../open.js";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import { boundedOpener } from "./serve-http.js";

describe("opening vaults for a server", () => {
  it("opens so many vaults and always its own; a failure does not count", async () => {
    const vaults = Array.from({ length: 4 }, () => new TemporaryVault());
    const [own, ...others] = vaults.map(({ folder }) => folder);
    const opener = boundedOpener(vaultOpener({}), own, 2);
    await expect(opener.open("/nowhere/at/all", "none")).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
    for (const folder of others.slice(0, 2)) await opener.open(folder, folder);
    await expect(opener.open(others[2] ?? "", "third")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await opener.open(own ?? "", own ?? "")).name).toBe(own);
    await opener.close();
    for (const vault of vaults) vault.remove();
  });
});
