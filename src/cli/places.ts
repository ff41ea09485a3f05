/** The platform's cache and state folders. `env-paths` would accept a relative XDG folder, perhaps in a vault. */
import { homedir, platform } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Platform {
  readonly system: NodeJS.Platform;
  readonly home: string;
  readonly environment: Environment;
}

export function thisPlatform(environment: Environment): Platform {
  return { system: platform(), home: homedir(), environment };
}

/** Need not exist. */
export function cacheFolder({ system, home, environment }: Platform): string {
  const name = "obsidian-vault-mcp-server";
  if (system === "win32") return join(environment["LOCALAPPDATA"] || join(home, "AppData", "Local"), name, "Cache");
  if (system === "darwin") return join(home, "Library", "Caches", name);
  const xdg = environment["XDG_CACHE_HOME"];
  return join(xdg?.startsWith("/") ? xdg : join(home, ".cache"), name);
}

/** For undo journals. Need not exist. */
export function stateFolder({ system, home, environment }: Platform): string {
  const name = "obsidian-vault-mcp-server";
  if (system === "win32") return join(environment["LOCALAPPDATA"] || join(home, "AppData", "Local"), name, "State");
  if (system === "darwin") return join(home, "Library", "Application Support", name);
  const xdg = environment["XDG_STATE_HOME"];
  return join(xdg?.startsWith("/") ? xdg : join(home, ".local", "state"), name);
}
