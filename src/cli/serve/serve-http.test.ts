/** The bound on open vaults of a server with many callers, and what is run to open a link. */
import { describe, expect, it } from "vitest";
import { vaultOpener } from "../../open.js";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import { boundedOpener, openerFor } from "./serve-http.js";

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

/** A link is an argument of its own and never goes through a shell. */
const LINK = "http://127.0.0.1:3000/#login=abc";

it.each<[NodeJS.Platform, string | undefined, readonly string[]]>([
  ["linux", undefined, ["xdg-open", LINK]],
  ["linux", "", ["xdg-open", LINK]],
  ["darwin", undefined, ["open", LINK]],
  ["win32", undefined, ["rundll32", "url.dll,FileProtocolHandler", LINK]],
  ["linux", "/opt/my browser/run", ["/opt/my browser/run", LINK]],
  ["darwin", "firefox --new-window; rm", ["firefox --new-window; rm", LINK]],
])("a link is opened on %s, BROWSER %s", (system, browser, command) => {
  expect(openerFor(LINK, browser, system)).toEqual(command);
});
