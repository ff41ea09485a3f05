/** The front ends the official clients come through: a process of ours at the other end of their stdio, or of a socket. */
import { StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as V1Stdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as V1Http } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { join } from "node:path";
import { expect } from "vitest";
import { bundleProgram } from "./bundle.js";
import { Child } from "./child.js";
import { listening } from "./program-front-ends.js";

/** Something that is served to any number of clients: over stdio each has a process of its own. */
export interface Served {
  v1(): V1Stdio | V1Http;
  modern(): ModernStdio | ModernHttp;
  end(): Promise<void>;
}

export interface ClientFrontEnd {
  readonly name: string;
  fixtures(): Promise<string>;
  serve(args: readonly string[]): Promise<Served>;
}

const programs = new Map<string, Promise<string>>();
function bundled(file: string): Promise<string> {
  const program = programs.get(file) ?? bundleProgram(join(import.meta.dirname, file));
  programs.set(file, program);
  return program;
}

const stdioFrontEnd: ClientFrontEnd = {
  name: "stdio",
  fixtures: () => bundled("stdio-program.ts"),
  async serve(args) {
    const command = { command: process.execPath, args: [...args], stderr: "ignore" as const };
    return { v1: () => new V1Stdio(command), modern: () => new ModernStdio(command), end: async () => {} };
  },
};

const httpFrontEnd: ClientFrontEnd = {
  name: "Streamable HTTP",
  fixtures: () => bundled("http-program.ts"),
  async serve(args) {
    const { url, child } = await startedHttp(args);
    const endpoint = new URL(`${url}/mcp`);
    return {
      v1: () => new V1Http(endpoint),
      modern: () => new ModernHttp(endpoint),
      async end() {
        child.process.kill("SIGTERM");
        expect((await child.ended).code).toBe(0);
      },
    };
  },
};

/** Starts a program that serves HTTP on a free port or the one given, and waits until it says where. */
export async function startedHttp(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  port = "0",
): Promise<{ readonly url: string; readonly child: Child }> {
  const child = new Child([...args, "--http", `127.0.0.1:${port}`, "--log-format", "json"], environment);
  return { url: await listening(child), child };
}

export const CLIENT_FRONT_ENDS: readonly ClientFrontEnd[] = [stdioFrontEnd, httpFrontEnd];
