/** Where the platform wants things: our cache, our state, and the configurations of the clients that start us. */
import { homedir, platform } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Platform {
  readonly system: NodeJS.Platform;
  readonly home: string;
  readonly environment: Environment;
}

/** The machine this process runs on. */
export function thisPlatform(environment: Environment): Platform {
  return { system: platform(), home: homedir(), environment };
}

/** The folder for our cache, which need not exist. */
export function cacheFolder({ system, home, environment }: Platform): string {
  const name = "obsidian-vault-mcp-server";
  if (system === "win32") return join(environment["LOCALAPPDATA"] || join(home, "AppData", "Local"), name, "Cache");
  if (system === "darwin") return join(home, "Library", "Caches", name);
  const xdg = environment["XDG_CACHE_HOME"];
  return join(xdg?.startsWith("/") ? xdg : join(home, ".cache"), name);
}

/** The folder for what must outlive a cleaned cache: the undo journals. It need not exist. */
export function stateFolder({ system, home, environment }: Platform): string {
  const name = "obsidian-vault-mcp-server";
  if (system === "win32") return join(environment["LOCALAPPDATA"] || join(home, "AppData", "Local"), name, "State");
  if (system === "darwin") return join(home, "Library", "Application Support", name);
  const xdg = environment["XDG_STATE_HOME"];
  return join(xdg?.startsWith("/") ? xdg : join(home, ".local", "state"), name);
}

/** A client's configuration file, and the key under which it lists MCP servers. */
export interface ClientConfig {
  readonly client: string;
  readonly path: string;
  readonly serversKey: "mcpServers" | "servers";
}

/**
 * All configuration files that may name this server.
 * @param workingFolder where project files are looked for; undefined when it is gone
 */
export function clientConfigs(
  { system, home, environment }: Platform,
  workingFolder: string | undefined,
): readonly ClientConfig[] {
  const applications = applicationFolder(system, home, environment);
  return [
    {
      client: "Claude Desktop",
      path: join(applications, "Claude", "claude_desktop_config.json"),
      serversKey: "mcpServers",
    },
    { client: "Claude Code", path: join(home, ".claude.json"), serversKey: "mcpServers" },
    { client: "VS Code", path: join(applications, "Code", "User", "mcp.json"), serversKey: "servers" },
    { client: "Cursor", path: join(home, ".cursor", "mcp.json"), serversKey: "mcpServers" },
    ...(workingFolder === undefined ? [] : projectConfigs(workingFolder)),
  ];
}

function projectConfigs(folder: string): readonly ClientConfig[] {
  return [
    { client: "Claude Code (project)", path: join(folder, ".mcp.json"), serversKey: "mcpServers" },
    { client: "VS Code (project)", path: join(folder, ".vscode", "mcp.json"), serversKey: "servers" },
    { client: "Cursor (project)", path: join(folder, ".cursor", "mcp.json"), serversKey: "mcpServers" },
  ];
}

function applicationFolder(system: NodeJS.Platform, home: string, environment: Environment): string {
  if (system === "win32") return environment["APPDATA"] || join(home, "AppData", "Roaming");
  if (system === "darwin") return join(home, "Library", "Application Support");
  return environment["XDG_CONFIG_HOME"] || join(home, ".config");
}
