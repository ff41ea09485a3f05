import { expect, it } from "vitest";
import { stateFolder } from "./places.js";

const NAME = "obsidian-vault-mcp-server";

it.each([
  ["linux", {}, "/home/me/.local/state"],
  ["linux", { XDG_STATE_HOME: "/data/state" }, "/data/state"],
  ["linux", { XDG_STATE_HOME: "relative" }, "/home/me/.local/state"],
  ["darwin", { XDG_STATE_HOME: "/data/state" }, "/home/me/Library/Application Support"],
] as const)("the state folder of %s with %j", (system, environment, expected) => {
  expect(stateFolder({ system, home: "/home/me", environment })).toBe(`${expected}/${NAME}`);
});

it("the state folder of Windows", () => {
  const folder = stateFolder({ system: "win32", home: "/home/me", environment: { LOCALAPPDATA: "/local" } });
  expect(folder).toBe(`/local/${NAME}/State`);
});
