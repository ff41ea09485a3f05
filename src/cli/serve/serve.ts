/** Serves MCP on stdin and stdout. */
import { fstatSync } from "node:fs";
import type { Log } from "../../log.js";
import { serveStdio } from "../../server/stdio/stdio-server.js";
import { instructionsFor, withGuides } from "../../tools/instructions.js";
import { toolsFor } from "../../tools/registry.js";
import { createWorkspace } from "../../tools/workspace.js";
import type { Settings } from "../options/options.js";
import { writeToStderr } from "../log.js";
import { lazyOpener } from "../vault-opener.js";
import { VERSION } from "../../version.js";

export async function serve(settings: Settings, log: Log): Promise<number> {
  const { vault, toolsets, readOnly, toolErrors, apps } = settings;
  const { stdin, stdout } = process;
  // A script's input is a file, or a pipe closed by then.
  const isSession = () => !stdin.readableEnded && !stdin.destroyed && !isFile(stdin.fd);
  const opener = lazyOpener(settings, log, isSession);
  const hasDefaultVault = vault !== undefined;
  const tools = toolsFor({ toolsets, readOnly, hasDefaultVault, denied: settings.denyTool });
  const workspace = createWorkspace({ opener, default: vault, switches: true });
  const instructions = instructionsFor(tools.tools, { hasDefaultVault });
  return serveStdio({
    tools,
    workspace,
    log,
    toolErrors,
    version: VERSION,
    instructions: () => withGuides(instructions, tools.tools, workspace),
    stdin,
    stdout,
    stderr: { write: writeToStderr },
    signals: process,
    close: () => opener.close(),
    app: apps === "off" ? undefined : { mode: apps, transport: "stdio", read: appDocument },
  });
}

async function appDocument(): Promise<string | undefined> {
  const { readAppDocument } = await import("./serve-http.js");
  return readAppDocument();
}

function isFile(descriptor: number): boolean {
  return fstatSync(descriptor).isFile();
}
