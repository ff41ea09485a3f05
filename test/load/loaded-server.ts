/** The program over HTTP on a vault made for the purpose, in a process of its own, with its memory and its figures at hand. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "../kit/child.js";
import { busyTime } from "../kit/processor-time.js";
import { listening } from "../kit/program-front-ends.js";

export interface Answer {
  readonly status: number;
  readonly session: string | undefined;
  readonly text: string;
}

export interface Posting {
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of Node with which a process collects its garbage on a signal. */
const COLLECTING = ["--expose-gc", "--import", "data:text/javascript,process.on('SIGUSR2',()=>gc())"];

export class LoadedServer {
  readonly vault: string;
  readonly port: number;
  readonly #folder: string;
  readonly #child: Child;
  /** It leaves a connection at rest before the server does, which may be when the next request is on its way. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity, timeout: 2_000 });

  private constructor(folder: string, vault: string, child: Child, url: string) {
    this.#folder = folder;
    this.#child = child;
    this.vault = vault;
    this.port = Number(new URL(url).port);
  }

  /**
   * @param notes files by path, or what fills the vault's folder
   * @param collects whether `collect` can be asked for
   */
  static async start(
    program: string,
    notes: Readonly<Record<string, string>> | ((vault: string) => void),
    { collects = false } = {},
  ): Promise<LoadedServer> {
    const folder = mkdtempSync(join(tmpdir(), "load-"));
    const vault = join(folder, "vault");
    mkdirSync(join(vault, "Small"), { recursive: true });
    if (typeof notes === "function") notes(vault);
    else for (const [path, text] of Object.entries(notes)) writeFileSync(join(vault, path), text);
    const kept = ["--cache-folder", join(folder, "cache"), "--state-folder", join(folder, "state")];
    const child = new Child([
      ...(collects ? COLLECTING : []),
      program,
      vault,
      ...kept,
      "--http",
      "127.0.0.1:0",
      "--log-format",
      "json",
    ]);
    return new LoadedServer(folder, vault, child, await listening(child));
  }

  /** Sends one request on a connection that is kept, and reads the answer to its end. */
  post({ path, body, headers = {} }: Posting): Promise<Answer> {
    const bytes = Buffer.from(JSON.stringify(body));
    return this.#ask(
      "POST",
      path,
      { "Content-Type": "application/json", "Content-Length": bytes.length, ...headers },
      bytes,
    );
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#ask("GET", path, headers);
  }

  #ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | number>>,
    body?: Buffer,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { port } = this;
      const request = httpRequest(
        { host: "127.0.0.1", port, path, method, headers, agent: this.#agent },
        (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part)).on("error", reject);
          response.on("end", () => {
            const session = response.headers["mcp-session-id"];
            const text = Buffer.concat(parts).toString("utf8");
            resolve({
              status: response.statusCode ?? 0,
              session: typeof session === "string" ? session : undefined,
              text,
            });
          });
        },
      );
      request.on("error", reject).end(body);
    });
  }

  /** Megabytes in use now, and the most there ever were; both 0 where the system does not tell. */
  memory(): { readonly now: number; readonly most: number } {
    try {
      const status = readFileSync(`/proc/${this.#child.process.pid}/status`, "latin1");
      const of = (field: string) =>
        Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024);
      return { now: of("VmRSS"), most: of("VmHWM") };
    } catch {
      return { now: 0, most: 0 };
    }
  }

  /** Has all garbage collected, so that the heap's figure is what is really held. */
  async collect(): Promise<void> {
    this.#child.process.kill("SIGUSR2");
    // The signal is seen in a turn of its own: two answers later it has been.
    for (let at = 0; at < 2; at++) await this.pulse();
  }

  /** One of the server's own figures. */
  async figure(name: string): Promise<number> {
    const { text } = await this.get("/metrics");
    return Number(new RegExp(`^\\w*${name} (\\S+)$`, "m").exec(text)?.[1]);
  }

  /** Milliseconds that the server works until it answers `GET /health`. */
  async pulse(): Promise<number> {
    const { pid } = this.#child.process;
    const start = busyTime(pid);
    await this.get("/health");
    return busyTime(pid) - start;
  }

  /** The pulse while some work is done, asked again and again. */
  async pulseDuring(work: Promise<unknown>): Promise<{ readonly pulse: number; readonly longestPulse: number }> {
    const over = work.then(
      () => true,
      () => true,
    );
    const pulses: number[] = [];
    do pulses.push(await this.pulse());
    while (!(await Promise.race([over, sleep(20, false)])));
    await work;
    const sorted = pulses.toSorted((a, b) => a - b);
    return { pulse: sorted[Math.floor(sorted.length / 2)] ?? 0, longestPulse: sorted.at(-1) ?? 0 };
  }

  /** Names of all notes. */
  notes(): string[] {
    return readdirSync(this.vault, { recursive: true }).map(String);
  }

  /** Ends it in order. @returns the exit code, and what it had to say besides where it listened */
  async stop(): Promise<{ readonly code: number | null; readonly complaints: readonly string[] }> {
    this.#agent.destroy();
    this.#child.process.kill("SIGTERM");
    const { code, stderr } = await this.#child.ended;
    rmSync(this.#folder, { recursive: true });
    return { code, complaints: stderr.split("\n").filter((line) => line !== "" && !line.includes("Listening")) };
  }
}

const rpc = (method: string, params: object): object => ({ jsonrpc: "2.0", id: 1, method, params });

export const INITIALIZE: Posting = {
  path: "/mcp",
  headers: { Accept: "application/json, text/event-stream" },
  body: rpc("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "load", version: "1" },
  }),
};

/** One call of a tool by each way there is. */
export function waysToCall(name: string, args: object): readonly Posting[] {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "load", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const modern = { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name };
  return [
    { path: `/bridge/v1/tools/${name}/call`, body: { arguments: args } },
    { path: "/mcp", body: rpc("tools/call", { name, arguments: args }) },
    {
      path: "/mcp",
      headers: { Accept: "application/json, text/event-stream", ...modern },
      body: rpc("tools/call", { name, arguments: args, _meta: envelope }),
    },
  ];
}
