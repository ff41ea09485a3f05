/** `setup` from the first question to the last file: what it finds, asks, writes, leaves alone and takes back. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectGolden } from "../../../test/kit/golden.js";
import { readCommandLine } from "../options/arguments.js";
import type { Conversation } from "../terminal.js";
import { setUp, type SetupMachine } from "./setup.js";

let home: string;
let vault: string;
let script: string;
let said: string[];
let asked: string[];
/** What happens while the person thinks. */
let meanwhile: () => void;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "setup-"));
  vault = join(home, "My Vault");
  script = join(home, "program", "dist", "index.js");
  mkdirSync(join(vault, ".obsidian"), { recursive: true });
  put("program/package.json", '{"name":"obsidian-vault-mcp-server"}');
  put("program/dist/index.js", "");
  said = [];
  asked = [];
  meanwhile = () => {};
});
afterEach(() => rmSync(home, { recursive: true }));

function put(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
const at = (path: string) => readFileSync(join(home, path), "utf8");

/** Runs the command; `answers` undefined: there is no terminal. */
function setup(
  argv: readonly string[],
  answers?: readonly string[],
  environment: Record<string, string> = {},
  system: NodeJS.Platform = "linux",
): Promise<number> {
  const left = [...(answers ?? [])];
  const conversation: Conversation = {
    canAsk: answers !== undefined,
    say: async (line) => void said.push(line),
    ask: async (question) => {
      asked.push(question);
      meanwhile();
      return left.shift();
    },
  };
  const machine: SetupMachine = {
    platform: { system, home, environment: {} },
    program: { system, node: "/usr/local/bin/node", script, searchPath: undefined },
    conversation,
    stamp: "20261122-190000",
  };
  return setUp(readCommandLine(["setup", ...argv], environment, () => false).settings, machine);
}
const withoutHome = (text: string) => text.replaceAll(home, "/home/me");
const told = () => withoutHome(said.join("\n"));

/** Configurations as they are found on people's machines. */
const CONFIGURATIONS: readonly (readonly [name: string, path: string, text: string])[] = [
  [
    "Claude Desktop: two servers, tabs, a byte order mark",
    ".config/Claude/claude_desktop_config.json",
    '\ufeff{\n\t"globalShortcut": "",\n\t"mcpServers": {\n\t\t"filesystem": {\n\t\t\t"command": "npx",\n\t\t\t"args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Documents"]\n\t\t},\n\t\t"github": {\n\t\t\t"command": "docker",\n\t\t\t"args": ["run", "-i", "--rm", "ghcr.io/github/github-mcp-server"],\n\t\t\t"env": { "GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_secret" }\n\t\t}\n\t}\n}\n',
  ],
  [
    "Claude Code: its own state, servers of projects",
    ".claude.json",
    '{\n  "numStartups": 42,\n  "projects": {\n    "/home/me/code": {\n      "allowedTools": [],\n      "mcpServers": {\n        "linter": { "type": "stdio", "command": "lint-mcp", "args": [] }\n      }\n    }\n  },\n  "oauthAccount": {\n    "emailAddress": "me@example.org"\n  }\n}',
  ],
  [
    "VS Code: comments and trailing commas",
    ".config/Code/User/mcp.json",
    '{\n  // Servers for every workspace\n  "inputs": [\n    { "type": "promptString", "id": "key", "description": "Key", "password": true },\n  ],\n  "servers": {\n    "playwright": {\n      "type": "stdio",\n      "command": "npx",\n      "args": ["@playwright/mcp@latest"], // newest\n    }, // browser\n    // "disabled": { "command": "none" },\n  },\n}\n',
  ],
  [
    "Cursor: carriage returns",
    ".cursor/mcp.json",
    '{\r\n    "mcpServers": {\r\n        "remote": { "url": "https://mcp.example.org/mcp" }\r\n    }\r\n}\r\n',
  ],
  [
    "Windsurf: on one line",
    ".codeium/windsurf/mcp_config.json",
    '{"mcpServers":{"memory":{"command":"npx","args":["-y","memory"],"disabled":true}}}',
  ],
  [
    "Codex: settings, comments, servers with tables below them",
    ".codex/config.toml",
    '# Codex\nmodel = "gpt-5"  # newest\napproval_policy = "on-request"\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "-y", # no question\n  "docs-mcp",\n]\n\n[mcp_servers.docs.env]\nAPI_KEY = "sk-secret"\n\n[projects."/home/me/code"]\ntrust_level = "trusted"\n',
  ],
  [
    "Gemini CLI: settings, no servers",
    ".gemini/settings.json",
    '{\n  "theme": "Dracula",\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n',
  ],
  ["LM Studio: an empty list", ".lmstudio/mcp.json", '{\n  "mcpServers": {}\n}\n'],
  [
    "OpenCode: comments, a server with its command in a list",
    ".config/opencode/opencode.jsonc",
    '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    // off at home\n    "jira": { "type": "remote", "url": "https://jira.example.org/mcp", "enabled": false },\n    "memory": { "type": "local", "command": ["npx", "memory", "--key=sk-secret"] }\n  },\n}\n',
  ],
  [
    "Zed: comments before the first brace, tabs",
    ".config/zed/settings.json",
    '// Zed settings\n{\n\t"theme": "One Dark", // at night\n\t"context_servers": {\n\t\t"github": { "source": "extension", "settings": { "github_personal_access_token": "ghp_secret" } },\n\t},\n}\n',
  ],
  [
    "Goose: extensions with keys, comments between them",
    ".config/goose/config.yaml",
    "GOOSE_PROVIDER: anthropic # best\nextensions:\n  # mine\n  github:\n    args:\n    - -y\n    - '@modelcontextprotocol/server-github'\n    cmd: npx\n    enabled: true\n    envs:\n      GITHUB_PERSONAL_ACCESS_TOKEN: ghp_secret\n    name: github\n    timeout: 300\n    type: stdio\n\n  developer:\n    enabled: true\n    type: builtin\nGOOSE_MODEL: claude # newest\n",
  ],
  [
    "JetBrains AI: four spaces, no line break at the end",
    ".junie/mcp/mcp.json",
    '{\n    "mcpServers": {\n        "a": { "command": "b" }\n    }\n}',
  ],
];

describe("real configurations", () => {
  it("are changed in one place and given back", async () => {
    for (const [, path, text] of CONFIGURATIONS) put(path, text);
    expect(await setup([vault, "--yes"])).toBe(0);
    const visible = (text: string) =>
      text.replaceAll("\ufeff", "<byte order mark>").replaceAll("\t", "→").replaceAll("\r", "<cr>");
    const after = CONFIGURATIONS.map(([name, path]) => `# ${name}\n${visible(at(path))}\n`).join("\n");
    expectGolden("setup-configurations.txt", withoutHome(after));
    expectGolden("setup-told.txt", `${told()}\n`);
    expect(told()).not.toMatch(/secret|example\.org/);
    for (const [, path, text] of CONFIGURATIONS) expect(at(`${path}.backup-20261122-190000`)).toBe(text);

    said = [];
    expect(await setup([vault, "--yes"])).toBe(0);
    expect(told().match(/Nothing to do/g)).toHaveLength(CONFIGURATIONS.length);

    for (const [, path] of CONFIGURATIONS) rmSync(join(home, `${path}.backup-20261122-190000`));
    expect(await setup(["--remove", "--yes"])).toBe(0);
    for (const [, path, text] of CONFIGURATIONS)
      if (path.includes("lmstudio")) expect(existsSync(join(home, path))).toBe(false);
      else expect(at(path)).toBe(text);
  });

  it("leave nothing of setup behind when it has taken itself out: no copies, no file that it made", async () => {
    put(".cursor/mcp.json", '{ "theme": "dark" }');
    const clients = ["--client", "cursor,gemini-cli,codex"];
    await setup([vault, "--yes", ...clients]);
    expect(readdirSync(join(home, ".cursor"))).toHaveLength(2);
    said = [];
    expect(await setup(["--remove", "--yes", ...clients])).toBe(0);
    expect(told()).toContain("\nStart these again: Cursor, ");
    expect(told()).not.toContain("/mcp shows the server");
    expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
    expect(at(".cursor/mcp.json")).toBe('{ "theme": "dark" }');
    expect(readdirSync(join(home, ".gemini"))).toEqual([]);
    expect(readdirSync(join(home, ".codex"))).toEqual([]);
  });

  it("keep the copy of settings that are not in the file any more", async () => {
    put(".cursor/mcp.json", '{ "theme": "dark" }');
    await setup([vault, "--yes"]);
    put(".cursor/mcp.json", at(".cursor/mcp.json").replace("dark", "light"));
    await setup(["--remove", "--yes"]);
    expect(at(".cursor/mcp.json.backup-20261122-190000")).toBe('{ "theme": "dark" }');
    expect(told()).toContain("hold other settings and stay: /home/me/.cursor/mcp.json.backup-20261122-190000");
  });

  it.runIf(process.platform !== "win32")("that are pipes are refused, not waited for", async () => {
    mkdirSync(join(home, ".cursor"));
    mkdirSync(join(home, ".config/obsidian"), { recursive: true });
    execFileSync("mkfifo", [join(home, ".cursor/mcp.json"), join(home, ".config/obsidian/obsidian.json")]);
    expect(await setup([vault, "--yes"])).toBe(1);
    expect(told()).toContain("Left alone: it is no ordinary file");
  });

  it("lose the temporary copy that a killed setup left, and no other", async () => {
    put(".cursor/mcp.json", "{}");
    const { pid } = spawnSync(process.execPath, ["--version"]);
    const copies = [pid, process.pid, 0].map((id) => put(`.cursor/.mcp.json.${id || "mine"}.tmp`, "a key"));
    await setup([vault, "--print"]);
    expect(copies.map((file) => existsSync(file))).toEqual([true, true, true]);
    rmSync(copies[1] ?? "");
    await setup([vault, "--yes"]);
    expect(copies.map((file) => existsSync(file))).toEqual([false, false, true]);
  });

  it.each([
    ...["{ }", "{\n}\n", '{"mcpServers":{}}', '{\n  "mcpServers": {\n  }\n}', '{"a":1,}', "{ /* c */ }"].map(
      (text) => [".cursor/mcp.json", text] as const,
    ),
    ...[
      "",
      "# c",
      "a: 1",
      "extensions:\n",
      "extensions: {}\na: 1\n",
      "extensions: {} # mine\n",
      "extensions: ~ # mine\n",
      "extensions:\r\n    x:\r\n        cmd: y\r\nz: 1",
      "---\nextensions:\n  x:\n    args:\n    - >-\n      long\n      text\n\n# end\n",
    ].map((text) => [".config/goose/config.yaml", text] as const),
    ...["// c\n{}\n", '{\n\t"context_servers": {},\n}'].map((text) => [".config/zed/settings.json", text] as const),
    ...["", "\r\n", "a = 1", "# c", "a = 1\n\n\n", '[mcp_servers.x]\r\ncommand = "y"'].map(
      (text) => [".codex/config.toml", text] as const,
    ),
  ])("%s that was %j is that again when setup has taken itself out", async (path, text) => {
    put(path, text);
    for (let round = 0; round < 2; round++) {
      expect(await setup([vault, "--yes"])).toBe(0);
      expect(at(path)).toContain("obsidian-vault");
      expect(await setup(["--remove", "--yes"])).toBe(0);
      expect(at(path)).toBe(text);
    }
  });

  it("that were changed since are not put back", async () => {
    put(".cursor/mcp.json", "{ }");
    await setup([vault, "--yes"]);
    put(".cursor/mcp.json", at(".cursor/mcp.json").replace('"mcpServers"', '"theme": "dark",\n  "mcpServers"'));
    await setup(["--remove", "--yes"]);
    expect(at(".cursor/mcp.json")).toBe('{\n  "theme": "dark"\n}');
  });

  it("are found on macOS", async () => {
    const file = put("Library/Application Support/Claude/claude_desktop_config.json", "{}");
    put(
      "Library/Application Support/obsidian/obsidian.json",
      JSON.stringify({ vaults: { a: { path: vault, ts: 1 } } }),
    );
    expect(await setup(["--yes"], undefined, {}, "darwin")).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      mcpServers: { "obsidian-vault": { command: "/usr/local/bin/node", args: [script, vault, "--toolsets", "core"] } },
    });
  });

  it.each([
    ["JSON", ".cursor/mcp.json", '{ "mcpServers": {'],
    ["JSON", ".cursor/mcp.json", "\u0000"],
    ["JSON (it is no object", ".cursor/mcp.json", "[]"],
    ["YAML (it is no object", ".config/goose/config.yaml", "- a\n"],
    ["TOML", ".codex/config.toml", "a = \n"],
    ["YAML", ".config/goose/config.yaml", "a: [\n"],
    ["YAML", ".config/goose/config.yaml", "extensions:\n\tx: 1\n"],
    ["YAML", ".config/goose/config.yaml", "extensions: {}\nextensions: {}\n"],
    ["YAML", ".config/goose/config.yaml", "a: 1\n---\nb: 2\n"],
  ])("that cannot be read as %s are not touched", async (format, path, text) => {
    put(path, text);
    expect(await setup([vault, "--yes"])).toBe(1);
    expect(at(path)).toBe(text);
    expect(told()).toContain(`cannot be read as ${format}`);
    expect(readdirSync(join(home, dirname(path)))).toHaveLength(1);
  });

  it.each([
    [".cursor/mcp.json", '{"mcpServers": []}'],
    [".cursor/mcp.json", '{"mcpServers": {"obsidian-vault": {"command": "uvx", "args": ["mcp-obsidian"]}}}'],
    [".cursor/mcp.json", '{"mcpServers": {"obsidian-vault": {"url": "https://notes.example/mcp"}}}'],
    [".cursor/mcp.json", '{"mcpServers": {"a": {}}, "mcpServers": {}}'],
    [".codex/config.toml", 'mcp_servers = { a = { command = "b" } }\n'],
    [".config/goose/config.yaml", "extensions: { a: { cmd: b } }\n"],
    [".config/goose/config.yaml", "{ extensions: {} }\n"],
    [".config/goose/config.yaml", "a: 1\n...\n"],
    [".config/goose/config.yaml", "base: &x\n  a: { cmd: b }\nextensions: *x\n"],
    [".config/goose/config.yaml", "extensions:\n- cmd: x\n"],
    [".config/opencode/opencode.json", '{"mcp": true}'],
  ])("%s that holds %s is left alone", async (path, text) => {
    put(path, text);
    expect(await setup([vault, "--yes"])).toBe(1);
    expect(at(path)).toBe(text);
    expect(told()).toContain("Left alone");
  });
});

describe.each([
  ".cursor/mcp.json",
  ".config/opencode/opencode.json",
  ".config/zed/settings.json",
  ".config/goose/config.yaml",
  ".junie/mcp/mcp.json",
])("%s", (path) => {
  it("is changed for another vault, and in no other place", async () => {
    put(path, "");
    expect(await setup([vault, "--yes"])).toBe(0);
    const first = at(path);
    const other = join(home, "Other: #1");
    mkdirSync(other);
    expect(await setup([other, "--yes"])).toBe(0);
    const inQuotes = (text: string) =>
      text.replaceAll(JSON.stringify(vault), vault).replaceAll(JSON.stringify(other), other);
    expect(inQuotes(at(path)).replaceAll(other, vault)).toBe(inQuotes(first));
    expect(await setup(["--remove", "--yes"])).toBe(0);
    expect(existsSync(join(home, path)) ? at(path).trim() : "").toBe("");
  });

  it("in another encoding is left alone", async () => {
    const file = put(path, "");
    writeFileSync(file, Buffer.from("\ufeff{}\n", "utf16le"));
    expect(await setup([vault, "--yes"])).toBe(1);
    expect(told()).toContain("is not written in UTF-8");
    expect(readFileSync(file)).toEqual(Buffer.from("\ufeff{}\n", "utf16le"));
  });

  it("that is a link stays one", async () => {
    const real = put("dotfiles/config", "");
    mkdirSync(dirname(join(home, path)), { recursive: true });
    symlinkSync(real, join(home, path));
    expect(await setup([vault, "--yes"])).toBe(0);
    expect(lstatSync(join(home, path)).isSymbolicLink()).toBe(true);
    expect(at("dotfiles/config")).toContain("obsidian-vault");
  });
});

describe("what a person did stays", () => {
  it("words added to the entry, and its other fields when the vault changes", async () => {
    const entry = { command: "node", args: [script, vault, "--read-only"], alwaysAllow: ["scan_vault"] };
    put(".cursor/mcp.json", JSON.stringify({ mcpServers: { "obsidian-vault": entry } }, undefined, 2));
    expect(await setup([vault, "--yes"])).toBe(0);
    expect(told()).toContain("Nothing to do");
    const other = join(home, "Other");
    mkdirSync(other);
    expect(await setup([other, "--yes"])).toBe(0);
    const { mcpServers } = JSON.parse(at(".cursor/mcp.json")) as { mcpServers: Record<string, unknown> };
    expect(mcpServers["obsidian-vault"]).toEqual({
      command: "/usr/local/bin/node",
      args: [script, other, "--toolsets", "core"],
      alwaysAllow: ["scan_vault"],
    });
  });

  it("an entry of another name for the same vault, and a server of our name that is another", async () => {
    const own = put(
      ".cursor/mcp.json",
      JSON.stringify({ mcpServers: { notes: { command: "node", args: [script, vault] } } }),
    );
    const foreign = put(".lmstudio/mcp.json", JSON.stringify({ mcpServers: { "obsidian-vault": { command: "uvx" } } }));
    const texts = [own, foreign].map((file) => readFileSync(file, "utf8"));
    await setup([vault, "--yes"]);
    await setup(["--remove", "--yes"]);
    expect([own, foreign].map((file) => readFileSync(file, "utf8"))).toEqual(texts);
    expect(told()).toContain('"notes" starts this server with this vault already');
    expect(told()).toContain('its "obsidian-vault" is another server and stays');
  });

  it("a file that is marked read-only", async () => {
    const file = put(".cursor/mcp.json", "{}");
    chmodSync(file, 0o444);
    expect(await setup([vault, "--yes"])).toBe(1);
    expect(at(".cursor/mcp.json")).toBe("{}");
    expect(told()).toContain("is read-only");
    expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
  });

  it("a link that leads nowhere", async () => {
    mkdirSync(join(home, ".cursor"));
    symlinkSync("gone.json", join(home, ".cursor/mcp.json"));
    expect(await setup([vault, "--yes"])).toBe(1);
    expect(lstatSync(join(home, ".cursor/mcp.json")).isSymbolicLink()).toBe(true);
  });

  it("a link to the file, and its mode", async () => {
    const real = put("dotfiles/cursor.json", "{}");
    chmodSync(real, 0o640);
    mkdirSync(join(home, ".cursor"));
    symlinkSync(real, join(home, ".cursor/mcp.json"));
    expect(await setup([vault, "--yes"])).toBe(0);
    expect(lstatSync(join(home, ".cursor/mcp.json")).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(at("dotfiles/cursor.json")).toContain("obsidian-vault");
  });
});

describe("asking", () => {
  beforeEach(() => void put(".cursor/mcp.json", "{}"));

  it("writes on yes, and only then", async () => {
    expect(await setup([vault], [""])).toBe(0);
    expect(await setup([vault], ["n"])).toBe(0);
    expect(at(".cursor/mcp.json")).toBe("{}");
    expect(await setup([vault], ["y"])).toBe(0);
    expect(at(".cursor/mcp.json")).toContain("obsidian-vault");
  });

  it("keeps what the client wrote while the person was thinking", async () => {
    meanwhile = () => void put(".cursor/mcp.json", '{"theme":"dark"}');
    expect(await setup([vault], ["y"])).toBe(0);
    expect(JSON.parse(at(".cursor/mcp.json"))).toMatchObject({ theme: "dark", mcpServers: { "obsidian-vault": {} } });
    meanwhile = () => void put(".cursor/mcp.json", "{ half");
    rmSync(join(home, ".cursor/mcp.json"));
    await setup([vault], ["y"]);
    expect(at(".cursor/mcp.json")).toBe("{ half");
  });

  it("asks once for all clients", async () => {
    put(".lmstudio/mcp.json", "{}");
    put(".config/goose/config.yaml", "");
    expect(await setup([vault], ["y"])).toBe(0);
    expect(asked).toEqual(["\nWrite these 3 changes? [y/N] "]);
    for (const path of [".cursor/mcp.json", ".lmstudio/mcp.json", ".config/goose/config.yaml"])
      expect(at(path)).toContain("obsidian-vault");
    expect(await setup(["--remove"], [""])).toBe(0);
    expect(at(".cursor/mcp.json")).toContain("obsidian-vault");
  });

  it("ends when the person has gone", async () => {
    put(".lmstudio/mcp.json", "{}");
    expect(await setup([vault], [])).toBe(130);
    expect(asked).toHaveLength(1);
    expect(at(".cursor/mcp.json")).toBe("{}");
  });

  it("prints without writing", async () => {
    expect(await setup([vault, "--print"])).toBe(0);
    expect(told()).toContain('+   "mcpServers": {');
    expect(at(".cursor/mcp.json")).toBe("{}");
    expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
  });

  it("needs a terminal or --yes", async () => {
    await expect(setup([vault])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining("--yes"),
    });
  });

  it("takes a client that is not installed when it is named, and no name that is none", async () => {
    expect(await setup([vault, "--yes", "--client", "Gemini CLI"])).toBe(0);
    expect(statSync(join(home, ".gemini/settings.json")).mode & 0o777).toBe(0o600);
    expect(at(".cursor/mcp.json")).toBe("{}");
    await expect(setup([vault, "--yes", "--client", "emacs"])).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    rmSync(join(home, ".cursor"), { recursive: true });
    rmSync(join(home, ".gemini"), { recursive: true });
    await expect(setup([vault, "--yes"])).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });
});

describe("which vault", () => {
  const list = (...paths: string[]) =>
    put(
      ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
      JSON.stringify({ vaults: Object.fromEntries(paths.map((path, ts) => [String(ts), { path, ts }])) }),
    );
  beforeEach(() => void put(".cursor/mcp.json", "{}"));

  it("the only one that Obsidian knows and that exists", async () => {
    list(vault, "/nowhere");
    expect(await setup(["--yes"])).toBe(0);
    expect(at(".cursor/mcp.json")).toContain(JSON.stringify(vault));
  });

  it("the one picked of several, the last opened first; by its name; none without a word", async () => {
    const other = join(home, "Other");
    mkdirSync(other);
    list(vault, other);
    expect(await setup([], ["", "y"])).toBe(0);
    expect(at(".cursor/mcp.json")).toContain(JSON.stringify(other));
    expect(await setup([], ["2", "y"])).toBe(0);
    expect(at(".cursor/mcp.json")).toContain(JSON.stringify(vault));
    expect(await setup(["Other", "--yes"])).toBe(0);
    expect(at(".cursor/mcp.json")).toContain(JSON.stringify(other));
    expect(await setup([], [])).toBe(130);
    await expect(setup(["--yes"])).rejects.toMatchObject({ code: "AMBIGUOUS_NAME" });
    const priced = join(home, "At $5");
    mkdirSync(priced);
    expect(await setup([priced, "--print"])).toBe(0);
    expect(said.join()).toContain(`'${priced}' --toolsets core`);
    for (const folder of ["/", homedir()])
      await expect(setup([folder, "--yes", "--client", "cursor"])).rejects.toThrow("cannot be used as a vault");
    await expect(setup(["Nowhere", "--yes"])).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
  });

  it("one that Obsidian Headless keeps", async () => {
    put(
      ".config/obsidian-headless/sync/413f/config.json",
      JSON.stringify({ vaultPath: vault, encryptionKey: "secret" }),
    );
    put(".config/obsidian-headless/sync/broken/config.json", "{");
    expect(await setup(["--yes"])).toBe(0);
    expect(at(".cursor/mcp.json")).toContain(JSON.stringify(vault));
    expect(told()).not.toContain("secret");
  });

  it("none that is known", async () => {
    await expect(setup(["--yes"])).rejects.toMatchObject({ code: "VAULT_NOT_FOUND" });
  });
});

describe("a database", () => {
  const DATABASE = {
    COUCHDB_BASE_URL: "https://me:hunter2@couch.example/",
    COUCHDB_DATABASE_NAME: "notes",
    VAULT_PASSPHRASE: "hunter3",
  };
  const folder = ".config/obsidian-vault-mcp-server/secrets";
  const secrets = () => readdirSync(join(home, folder)).sort();
  beforeEach(() => {
    put(".cursor/mcp.json", "{}");
    put(".codex/config.toml", "");
  });

  it("is named in the configuration, and its secrets lie in files that only their owner may read", async () => {
    expect(await setup(["--yes", "--read-only"], undefined, DATABASE)).toBe(0);
    const { mcpServers } = JSON.parse(withoutHome(at(".cursor/mcp.json"))) as {
      mcpServers: Record<string, { args: string[] }>;
    };
    expect(mcpServers["obsidian-vault"]?.args.slice(1)).toEqual([
      "--couchdb-url",
      "https://couch.example/",
      "--couchdb-database",
      "notes",
      "--couchdb-user",
      "me",
      "--couchdb-password-file",
      `/home/me/${folder}/${secrets()[0]}`,
      "--vault-passphrase-file",
      `/home/me/${folder}/${secrets()[1]}`,
      "--read-only",
      "--toolsets",
      "core",
    ]);
    expect(secrets()).toEqual([
      expect.stringMatching(/^notes-[0-9a-f]{8}\.couchdb-password$/),
      expect.stringMatching(/^notes-[0-9a-f]{8}\.vault-passphrase$/),
    ]);
    expect(secrets().map((name) => at(`${folder}/${name}`))).toEqual(["hunter2\n", "hunter3\n"]);
    expect(statSync(join(home, folder)).mode & 0o777).toBe(0o700);
    for (const name of secrets()) expect(statSync(join(home, folder, name)).mode & 0o777).toBe(0o600);
    expect(told() + at(".cursor/mcp.json") + at(".codex/config.toml")).not.toContain("hunter");
    said = [];
    expect(await setup(["--yes"], undefined, DATABASE)).toBe(0);
    expect(told().match(/Nothing to do/g)).toHaveLength(2);
  });

  it("is read by the program as it was written", async () => {
    await setup(["--yes"], undefined, DATABASE);
    const { mcpServers } = JSON.parse(at(".cursor/mcp.json")) as { mcpServers: Record<string, { args: string[] }> };
    const { settings } = readCommandLine(mcpServers["obsidian-vault"]?.args.slice(1) ?? [], {}, () => false);
    expect(settings).toMatchObject({
      vault: "livesync:notes",
      couchdbUser: "me",
      vaultPassphrase: { file: join(home, folder, secrets()[1] ?? "") },
    });
  });

  it("writes no secret that nobody agreed to", async () => {
    expect(await setup([], ["n"], DATABASE)).toBe(0);
    expect(await setup(["--print"], undefined, DATABASE)).toBe(0);
    expect(existsSync(join(home, folder))).toBe(false);
  });

  it("has secrets apart from those of another", async () => {
    await setup(["--yes", "--client", "cursor"], undefined, DATABASE);
    await setup(["--yes", "--client", "codex"], undefined, {
      ...DATABASE,
      COUCHDB_BASE_URL: "https://me:x@other.example",
    });
    expect(secrets()).toHaveLength(4);
  });

  it("takes its secrets along when the last client lets go of it", async () => {
    await setup(["--yes"], undefined, DATABASE);
    await setup(["--yes", "--remove", "--client", "cursor"]);
    expect(readdirSync(join(home, folder))).toHaveLength(2);
    await setup(["--yes", "--remove"]);
    expect(readdirSync(join(home, folder))).toEqual([]);
  });

  it("keeps pointing to files that were given", async () => {
    const password = put("password", "x\n");
    const argv = ["--yes", "--client", "cursor", "--couchdb-url", "http://localhost:5984", "--couchdb-database", "n"];
    await setup([...argv, "--couchdb-password-file", password]);
    expect(at(".cursor/mcp.json")).toContain(JSON.stringify(password));
    await setup(["--yes", "--remove"]);
    expect(existsSync(password)).toBe(true);
  });
});
