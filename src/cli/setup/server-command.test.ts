/** The command a configuration gets: it exists after an update of Node, after npx has emptied its cache, and on Windows. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readCommandLine } from "../options/arguments.js";
import { serverCommand, type RunningProgram } from "./server-command.js";

const folder = mkdtempSync(join(tmpdir(), "command-"));
afterAll(() => rmSync(folder, { recursive: true }));
const node = join(folder, "Cellar", "node", "24.1.0", "node");
for (const path of ["Cellar/node/24.1.0", "bin", "fnm_multishells/1", "other"])
  mkdirSync(join(folder, path), { recursive: true });
writeFileSync(node, "");
writeFileSync(join(folder, "other", "node"), "");
for (const path of ["bin", "fnm_multishells/1"]) symlinkSync(node, join(folder, path, "node"));
const searchPath = ["fnm_multishells/1", "other", "missing", "bin"].map((path) => join(folder, path)).join(":");

const { settings } = readCommandLine(["setup", "--read-only", "--time-zone", "Europe/Berlin"], {}, () => false);
const started = (program: Partial<RunningProgram>) =>
  serverCommand(
    { system: "linux", node, script: "/opt/x/dist/index.js", searchPath, ...program },
    settings,
    "/v",
    "/s",
  );

describe("Node", () => {
  it("is named by a link that survives its updates, where there is one", () => {
    expect(started({})).toEqual({
      command: join(folder, "bin", "node"),
      args: ["/opt/x/dist/index.js", "/v", "--read-only", "--time-zone", "Europe/Berlin", "--toolsets", "core"],
      secrets: [],
    });
  });

  it("gets every option that was given, and no variable of this shell", () => {
    const argv = "setup --no-undo --undo-limit 5 --global-filter #task --inline-tasks all --state-folder st --deny x";
    const environment = { LOG_LEVEL: "debug", MAX_FILE_SIZE: "1", VAULT_ID: "mine" };
    const { settings } = readCommandLine(argv.split(" "), environment, () => false);
    const { args } = serverCommand({ system: "linux", node, script: "/i.js", searchPath }, settings, "/v", "/s");
    const state = join(process.cwd(), "st");
    const words = `--vault-id mine --deny x --inline-tasks all --global-filter #task --state-folder ${state}`;
    expect(args.join(" ")).toBe(`/i.js /v ${words} --no-undo --undo-limit 5 --toolsets core`);
  });

  it("is named by itself otherwise", () => {
    expect(started({ searchPath: undefined }).command).toBe(node);
    expect(started({ searchPath: join(folder, "other") }).command).toBe(node);
  });
});

it.each([
  ["linux", "/home/me/.npm/_npx/1a2b/node_modules/obsidian-vault-mcp-server/dist/index.js", "npx", ["-y"]],
  ["win32", "C:\\npm-cache\\_npx\\1a2b\\node_modules\\x\\dist\\index.js", "cmd", ["/c", "npx", "-y"]],
] as const)("npx is named on %s when it runs us", (system, script, command, words) => {
  const made = started({ system, script });
  expect(made.command).toBe(command);
  expect(made.args.slice(0, words.length + 2)).toEqual([...words, "obsidian-vault-mcp-server", "/v"]);
});
