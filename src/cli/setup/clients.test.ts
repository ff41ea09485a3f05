/** Where each client keeps its servers, on each system: held word for word. */
import { expect, it } from "vitest";
import { expectGolden } from "../../../test/kit/golden.js";
import { clientConfigs, clientFolders, MCP_CLIENTS } from "./clients.js";
import { headlessFiles, obsidianLists } from "./setup.js";
import { secretsFolder } from "./server-command.js";

const PLATFORMS = [
  ["Linux", { system: "linux", home: "/home/me", environment: {} }],
  [
    "Linux, folders moved",
    {
      system: "linux",
      home: "/home/me",
      environment: { XDG_CONFIG_HOME: "/data/config", CODEX_HOME: "/data/codex", CLAUDE_CONFIG_DIR: "/data/claude" },
    },
  ],
  ["macOS", { system: "darwin", home: "/Users/me", environment: {} }],
  [
    "Windows",
    { system: "win32", home: "C:\\Users\\me", environment: { APPDATA: "D:\\Roaming", LOCALAPPDATA: "D:\\Local" } },
  ],
] as const;

it("the places of clients and vaults", () => {
  const list = (folder: string) =>
    folder.endsWith("Packages") ? ["Claude_pzs8sxrjxfjjc", "Microsoft.Paint"] : ["413f99"];
  const sections = PLATFORMS.map(([name, platform]) => {
    const folders = clientFolders(platform, list);
    const configs = clientConfigs(folders, undefined).map(
      ({ client, path, serversKey }) => `${client}: ${path} (${serversKey})`,
    );
    const lists = [...obsidianLists(folders), ...headlessFiles(folders)].map((path) => `Obsidian: ${path}`);
    return [`# ${name}`, ...configs, ...lists, `Secrets: ${secretsFolder(folders)}`].join("\n");
  });
  expectGolden("setup-places.txt", `${sections.join("\n\n")}\n`);
});

it("names each client once, in a form that can be typed", () => {
  const ids = MCP_CLIENTS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(12);
  for (const id of ids) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

it("finds the files of a project, and none twice", () => {
  const folders = clientFolders({ system: "linux", home: "/home/me", environment: {} }, () => []);
  const paths = clientConfigs(folders, "/home/me").map(({ path }) => path);
  expect(paths).toContain("/home/me/.mcp.json");
  expect(new Set(paths).size).toBe(paths.length);
});
