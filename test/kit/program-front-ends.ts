/** The program as a front end for transcripts: one process for every call, one process for all of them, and one that serves HTTP. */
import { once } from "node:events";
import { systemClock } from "../../src/clock.js";
import type { CallResult } from "../../src/tools/outcome.js";
import { Child, jsonLines } from "./child.js";
import { VaultFolder, type FrontEnd, type FrontEndSetup } from "./front-ends.js";

const FLAGS = ["--time-zone", "UTC"];

export function argumentsFor(setup: FrontEndSetup, { path, cache, state }: VaultFolder): string[] {
  const named = setup.vault === "none" ? [] : ["--vault", path];
  return [
    ...named,
    ...(setup.readOnly ? ["--read-only"] : []),
    ...FLAGS,
    "--cache-folder",
    cache,
    "--state-folder",
    state,
  ];
}

const request = (id: number, name: string, args: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });

const hasId = (message: unknown, id: unknown) =>
  typeof message === "object" && message !== null && Reflect.get(message, "id") === id;

export function resultIn(answer: unknown): CallResult {
  if (typeof answer !== "object" || answer === null || !("result" in answer)) throw new Error(JSON.stringify(answer));
  return answer.result as CallResult;
}

async function answerTo(child: Child, id: unknown): Promise<unknown> {
  for (;;) {
    const lines = child.stdout.slice(0, child.stdout.lastIndexOf("\n") + 1);
    const answer = jsonLines(lines).find((message) => hasId(message, id));
    if (answer !== undefined) return answer;
    if (child.process.exitCode !== null) throw new Error(`the program ended: ${child.stderr}`);
    await Promise.race([once(child.process.stdout, "data"), child.ended]);
  }
}

/** A process for every call, as the document's client examples have it: one request without a newline, then the end of input. */
export function oneShotFrontEnd(program: string): FrontEnd {
  return {
    name: "one-shot",
    today: () => systemClock("UTC").today(),
    async open(setup) {
      const folder = new VaultFolder(setup);
      return {
        vault: folder.path,
        async call(name, args) {
          const ended = await new Child([program, ...argumentsFor(setup, folder)]).end(request(1, name, args));
          if (ended.code !== 0) throw new Error(`exit code ${ended.code}: ${ended.stderr}`);
          return resultIn(jsonLines(ended.stdout)[0]);
        },
        files: async () => folder.files(),
        close: async () => folder.remove(),
      };
    },
  };
}

/** One process and one connection for all calls. @param handshake without one, calls come as from a script, without the SDK's part */
export function stdioFrontEnd(program: string, { handshake = true } = {}): FrontEnd {
  return {
    name: "stdio",
    today: () => systemClock("UTC").today(),
    async open(setup) {
      const folder = new VaultFolder(setup);
      const child = new Child([program, ...argumentsFor(setup, folder)]);
      let last = 0;
      const params = {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "transcripts", version: "1" },
      };
      if (handshake) {
        child.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: "hello", method: "initialize", params })}\n`);
        child.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
        await answerTo(child, "hello");
      }
      return {
        vault: folder.path,
        async call(name, args) {
          const id = ++last;
          child.process.stdin.write(`${request(id, name, args)}\n`);
          return resultIn(await answerTo(child, id));
        },
        files: async () => folder.files(),
        close: async () => {
          const { code, stderr } = await child.end();
          folder.remove();
          if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
        },
      };
    },
  };
}

/** Serves a vault over HTTP: in a process of its own, or in this one. */
export type HttpService = (
  setup: FrontEndSetup,
  folder: VaultFolder,
) => Promise<{ readonly url: string; readonly end: () => Promise<void> }>;

export function servedBy(program: string): HttpService {
  return async (setup, folder) => {
    const child = new Child([program, ...argumentsFor(setup, folder), "--http", "0"]);
    return {
      url: await listening(child),
      end: async () => {
        child.process.kill("SIGTERM");
        const { code, stderr } = await child.ended;
        if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
      },
    };
  };
}

export function streamableFrontEnd(service: HttpService): FrontEnd {
  return httpFrontEnd("http", service, async (url) => {
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const post = (body: object, more: Readonly<Record<string, string>> = {}) =>
      fetch(`${url}/mcp`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "transcripts", version: "1" },
    };
    const begun = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    const session = { "Mcp-Session-Id": begun.headers.get("mcp-session-id") ?? "" };
    await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
    let last = 0;
    return async (name, args) => {
      const asked = { jsonrpc: "2.0", id: ++last, method: "tools/call", params: { name, arguments: args } };
      return resultIn(await (await post(asked, session)).json());
    };
  });
}

/** Asked through `/bridge/v1`, which carries words only. */
export function bridgeFrontEnd(service: HttpService): FrontEnd {
  const frontEnd = httpFrontEnd("bridge", service, async (url) => async (name, args) => {
    const path = `/bridge/v1/tools/${encodeURIComponent(name)}/call`;
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify({ arguments: args }) });
    if (answer.status !== 200) throw new Error(await answer.text());
    const { success, content, isError } = (await answer.json()) as BridgeAnswer;
    if (success === (isError ?? false)) throw new Error("the answer contradicts itself");
    return { content, ...(isError ? { isError } : {}) };
  });
  return { ...frontEnd, wordsOnly: true };
}

interface BridgeAnswer {
  readonly success: boolean;
  readonly content: CallResult["content"];
  readonly isError?: true;
}

type Caller = (name: string, args: unknown) => Promise<CallResult>;

function httpFrontEnd(name: string, serve: HttpService, connect: (url: string) => Promise<Caller>): FrontEnd {
  return {
    name,
    today: () => systemClock("UTC").today(),
    async open(setup) {
      const folder = new VaultFolder(setup);
      const { url, end } = await serve(setup, folder);
      return {
        vault: folder.path,
        call: await connect(url),
        files: async () => folder.files(),
        close: async () => {
          await end();
          folder.remove();
        },
      };
    },
  };
}

/** The URL a program serves at, once it says so on stderr. */
export async function listening(child: Child): Promise<string> {
  for (;;) {
    const url = /Listening.*?(http:[^"]+)/.exec(child.stderr)?.[1];
    if (url !== undefined) return url;
    if (child.process.exitCode !== null || child.process.signalCode !== null)
      throw new Error(`the program ended: ${child.stderr}`);
    await Promise.race([once(child.process.stderr, "data"), child.ended]);
  }
}
