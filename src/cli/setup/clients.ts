/** The MCP clients: files, formats, signs of installation, when changes take effect. */
import { posix, win32 } from "node:path";
import type { Platform } from "../places.js";

export interface ServerList {
  readonly format: "json" | "toml" | "yaml";
  readonly serversKey: "mcpServers" | "servers" | "mcp_servers" | "mcp" | "context_servers" | "extensions";
}

export type StdioServer = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** In every configuration. */
export const CLIENT_ENTRY_NAME = "obsidian-vault";

/** Exists where it is installed. */
export interface ConfigPlace {
  readonly file: string;
  readonly evidence: string;
}

export interface McpClient extends ServerList {
  readonly id: string;
  readonly name: string;
  /** Default: the command and its arguments. */
  readonly entry?: (command: string, args: readonly string[]) => StdioServer;
  /** The first with evidence, else the first. */
  readonly places: (folders: Folders) => readonly ConfigPlace[];
  /** In a project's folder. */
  readonly projectFile?: string;
  readonly where: string;
  readonly restart: string;
}

export interface Folders {
  readonly system: NodeJS.Platform;
  readonly home: string;
  readonly applications: string;
  readonly environment: Platform["environment"];
  readonly join: (...parts: string[]) => string;
  readonly list: (folder: string) => readonly string[];
}

const JSON_LIST = { format: "json", serversKey: "mcpServers" } as const;

export const MCP_CLIENTS: readonly McpClient[] = [
  {
    ...JSON_LIST,
    id: "claude-desktop",
    name: "Claude Desktop",
    places: (folders) => {
      const { applications, join } = folders;
      const folder = join(applications, "Claude");
      return [...packagedClaude(folders), { file: join(folder, "claude_desktop_config.json"), evidence: folder }];
    },
    where: "Settings, Developer, Edit Config: `claude_desktop_config.json`",
    restart: "quit Claude Desktop (closing its window is not enough) and start it again",
  },
  {
    ...JSON_LIST,
    id: "claude-code",
    name: "Claude Code",
    entry: typed,
    places: ({ home, environment, join }) => {
      const folder = environment["CLAUDE_CONFIG_DIR"];
      if (folder) return [{ file: join(folder, ".claude.json"), evidence: folder }];
      const file = join(home, ".claude.json");
      return [
        { file, evidence: file },
        { file, evidence: join(home, ".claude") },
      ];
    },
    projectFile: ".mcp.json",
    where: "a command, or `.mcp.json` in a project's folder",
    restart: "start a new session; /mcp shows the server",
  },
  {
    format: "json",
    serversKey: "servers",
    id: "vscode",
    name: "VS Code",
    entry: typed,
    places: ({ applications, join }) => [
      { file: join(applications, "Code", "User", "mcp.json"), evidence: join(applications, "Code") },
    ],
    projectFile: ".vscode/mcp.json",
    where: "the command *MCP: Open User Configuration*, or `.vscode/mcp.json` in a project's folder",
    restart: 'run the command "MCP: List Servers" and start the server there',
  },
  {
    ...JSON_LIST,
    id: "cursor",
    name: "Cursor",
    places: inHome(".cursor", "mcp.json"),
    projectFile: ".cursor/mcp.json",
    where: "`~/.cursor/mcp.json`",
    restart: "switch the server on under Settings, MCP, or restart Cursor",
  },
  {
    ...JSON_LIST,
    id: "windsurf",
    name: "Windsurf",
    places: inHome(".codeium", "windsurf", "mcp_config.json"),
    where: "`~/.codeium/windsurf/mcp_config.json`",
    restart: "press Refresh in Cascade's list of MCP servers, or restart Windsurf",
  },
  {
    format: "toml",
    serversKey: "mcp_servers",
    id: "codex",
    name: "Codex",
    places: ({ home, environment, join }) => {
      const folder = environment["CODEX_HOME"] || join(home, ".codex");
      return [{ file: join(folder, "config.toml"), evidence: folder }];
    },
    projectFile: ".codex/config.toml",
    where: "`~/.codex/config.toml`",
    restart: "start Codex again; /mcp shows the server",
  },
  {
    ...JSON_LIST,
    id: "gemini-cli",
    name: "Gemini CLI",
    places: inHome(".gemini", "settings.json"),
    projectFile: ".gemini/settings.json",
    where: "`~/.gemini/settings.json`",
    restart: "start Gemini CLI again; /mcp shows the server",
  },
  {
    ...JSON_LIST,
    id: "lm-studio",
    name: "LM Studio",
    places: ({ home, join }) =>
      [join(home, ".lmstudio"), join(home, ".cache", "lm-studio")].map((folder) => ({
        file: join(folder, "mcp.json"),
        evidence: folder,
      })),
    where: "Program, Install, Edit mcp.json: `~/.lmstudio/mcp.json`",
    restart: "switch the server on in the Program tab, or restart LM Studio",
  },
  {
    format: "json",
    serversKey: "mcp",
    id: "opencode",
    name: "OpenCode",
    entry: (command, args) => ({ type: "local", command: [command, ...args], enabled: true }),
    // It merges the files of this folder on every system.
    places: ({ home, environment, join }) => {
      const folder = join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
      const [file, commented] = [join(folder, "opencode.json"), join(folder, "opencode.jsonc")];
      return [
        { file, evidence: file },
        { file: commented, evidence: commented },
        { file, evidence: folder },
      ];
    },
    projectFile: "opencode.json",
    where: "`~/.config/opencode/opencode.json`",
    restart: "start OpenCode again",
  },
  {
    format: "json",
    serversKey: "context_servers",
    id: "zed",
    name: "Zed",
    places: ({ system, home, applications, join }) => {
      const folders = {
        win32: [join(applications, "Zed")],
        darwin: [join(home, ".config", "zed")],
        linux: [join(applications, "zed"), join(home, ".var", "app", "dev.zed.Zed", "config", "zed")],
      };
      const own = system === "win32" || system === "darwin" ? system : "linux";
      return folders[own].map((folder) => ({ file: join(folder, "settings.json"), evidence: folder }));
    },
    projectFile: ".zed/settings.json",
    where: "the command *zed: open settings file*: `~/.config/zed/settings.json`",
    restart: "nothing is needed; the agent panel's settings show the server",
  },
  {
    format: "yaml",
    serversKey: "extensions",
    id: "goose",
    name: "Goose",
    entry: (cmd, args) => ({ enabled: true, type: "stdio", name: CLIENT_ENTRY_NAME, cmd, args, timeout: 300 }),
    places: ({ system, home, applications, join }) => {
      const posixFolder = join(system === "darwin" ? join(home, ".config") : applications, "goose");
      const folder = system === "win32" ? join(applications, "Block", "goose", "config") : posixFolder;
      return [{ file: join(folder, "config.yaml"), evidence: folder }];
    },
    where: "`~/.config/goose/config.yaml`",
    restart: "start a new session",
  },
  {
    ...JSON_LIST,
    id: "jetbrains-ai",
    name: "JetBrains AI",
    places: ({ home, join }) => [{ file: join(home, ".junie", "mcp", "mcp.json"), evidence: join(home, ".junie") }],
    projectFile: ".junie/mcp/mcp.json",
    where:
      "`~/.junie/mcp/mcp.json`, which Junie reads; AI Assistant's own list is in no documented file: paste the text under Settings, Tools, AI Assistant, Model Context Protocol",
    restart: "restart the IDE, or switch the server on under Settings, Tools, Junie, MCP Settings",
  },
];

function typed(command: string, args: readonly string[]): StdioServer {
  return { type: "stdio", command, args };
}

function inHome(...parts: readonly string[]): McpClient["places"] {
  return ({ home, join }) => [{ file: join(home, ...parts), evidence: join(home, ...parts.slice(0, -1)) }];
}

/** MSIX packages have another roaming folder. */
function packagedClaude({ system, home, environment, join, list }: Folders): ConfigPlace[] {
  if (system !== "win32") return [];
  const packages = join(environment["LOCALAPPDATA"] || join(home, "AppData", "Local"), "Packages");
  return list(packages)
    .filter((name) => name.startsWith("Claude_"))
    .map((name) => ({
      file: join(packages, name, "LocalCache", "Roaming", "Claude", "claude_desktop_config.json"),
      evidence: join(packages, name),
    }));
}

export function clientFolders({ system, home, environment }: Platform, list: Folders["list"]): Folders {
  const paths = system === "win32" ? win32 : posix;
  const join = (...parts: string[]): string => paths.join(...parts);
  const applications = (): string => {
    if (system === "win32") return environment["APPDATA"] || join(home, "AppData", "Roaming");
    if (system === "darwin") return join(home, "Library", "Application Support");
    return environment["XDG_CONFIG_HOME"] || join(home, ".config");
  };
  return { system, home, applications: applications(), environment, join, list };
}

export interface ClientConfig extends ServerList {
  readonly client: string;
  readonly path: string;
}

/** @param workingFolder undefined when it is gone */
export function clientConfigs(folders: Folders, workingFolder: string | undefined): readonly ClientConfig[] {
  return MCP_CLIENTS.flatMap(({ name, format, serversKey, places, projectFile }) => {
    const own = new Set(places(folders).map(({ file }) => file));
    const configs: ClientConfig[] = [...own].map((path) => ({ client: name, path, format, serversKey }));
    if (workingFolder === undefined || projectFile === undefined) return configs;
    const path = folders.join(workingFolder, projectFile);
    if (!own.has(path)) configs.push({ client: `${name} (project)`, path, format, serversKey });
    return configs;
  });
}

export function serverOf({ entry }: McpClient, command: string, args: readonly string[]): StdioServer {
  return entry ? entry(command, args) : { command, args };
}
