/** The fixture and the common oracle of test/hostile-inputs.md: a vault with secrets in it and beside it, behind three front ends. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";
import { StringDecoder } from "node:string_decoder";
import { afterAll, beforeAll, expect } from "vitest";
import { fixedClock } from "../../src/clock.js";
import { openVault } from "../../src/library.js";
import type { Log } from "../../src/log.js";
import { callResult, ERROR_META_KEY, type CallResult } from "../../src/tools/outcome.js";
import { builtProgram } from "./built-program.js";
import { Child, jsonLines } from "./child.js";
import { LONG } from "./fuzz.js";
import { busyTime } from "./processor-time.js";

/** Every secret is a task, so that a tool that reached it would show it, and has a word of its own to be searched by. */
export const SECRETS = ["SECRET-OUT", "SECRET-SIB", "CONF-MD", "SECRET-TRASH"] as const;
export const SECRET_WORD = "zebra";
const secret = (canary: string): string => `---\nid: ${canary}\ntype: task\ntitle: ${canary} ${SECRET_WORD}\n---\n`;

const TODAY = "2025-08-30";
const CLOCK = fixedClock(`${TODAY}T12:00:00Z`);

export type Files = Readonly<Record<string, string | Uint8Array>>;

export class HostileVault {
  readonly parent: string;
  readonly folder: string;
  /** For the program's cache; outside of what is compared. */
  readonly cache: string;

  constructor(files: Files = {}) {
    this.parent = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), "hostile-")));
    this.cache = fs.mkdtempSync(nodePath.join(os.tmpdir(), "hostile-cache-"));
    this.folder = nodePath.join(this.parent, "vault");
    const task = (id: string) =>
      `---\nid: ${id}\ntype: task\ntitle: Title of ${id}\nstatus: To Do\n---\n# Title of ${id}\n`;
    const fixture: Files = {
      "../out.md": secret("SECRET-OUT"),
      "../vault-evil/s.md": secret("SECRET-SIB"),
      "_projects/a.md": task("task-a"),
      "_areas/Work/ok.md": task("task-ok"),
      "_resources/r.md": "# A note\n",
      ".obsidian/app.json": "{}",
      ".obsidian/c.md": secret("CONF-MD"),
      ".obsidian/plugins/p/data.json": '{"apiKey":"CONF-MD"}',
      ".git/config": "[core]\n",
      ".trash/old.md": secret("SECRET-TRASH"),
      "sub/.hidden/x.md": secret("SECRET-TRASH"),
    };
    for (const [path, content] of Object.entries({ ...fixture, ...files })) this.put(path, content);
  }

  at(path: string): string {
    return nodePath.join(this.folder, path);
  }

  put(path: string, content: string | Uint8Array): void {
    fs.mkdirSync(nodePath.dirname(this.at(path)), { recursive: true });
    fs.writeFileSync(this.at(path), content);
  }

  bytes(path: string): string {
    return fs.readFileSync(this.at(path), "latin1");
  }

  text(path: string): string {
    return fs.readFileSync(this.at(path), "utf8");
  }

  /** A line for everything in the vault and beside it: kind, mode, and what it holds or leads to. */
  tree(): string[] {
    return [...this.#within(this.parent)].map((place) => this.#line(place)).sort();
  }

  /** Not by a recursive `readdir`: from Node 22 on that follows links, here round in circles. */
  *#within(folder: string): Generator<string> {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const place = nodePath.join(folder, entry.name);
      yield place;
      if (entry.isDirectory()) yield* this.#within(place);
    }
  }

  #line(place: string): string {
    const stat = fs.lstatSync(place);
    const holds = stat.isSymbolicLink()
      ? fs.readlinkSync(place)
      : stat.isFile()
        ? createHash("sha256").update(fs.readFileSync(place)).digest("hex")
        : "";
    return `${nodePath.relative(this.parent, place)} ${stat.mode.toString(8)} ${holds}`;
  }

  /** What is new in the vault or beside it since a look at the tree, by path. */
  news(before: readonly string[]): string[] {
    const known = new Set(before);
    return this.tree()
      .filter((line) => !known.has(line))
      .map((line) => line.replace(/ \d+ \S*$/, ""))
      .sort();
  }

  remove(): void {
    for (const folder of [this.parent, this.cache]) fs.rmSync(folder, { recursive: true, force: true });
  }
}

export type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

export interface HostileFrontEnd {
  readonly name: string;
  call(...call: Call): Promise<CallResult>;
  /** Milliseconds that the program works until it answers a ping; of the same process as before. */
  ping(): Promise<number>;
  log(): string;
  close(): Promise<void>;
}

export async function libraryFrontEnd(vault: HostileVault): Promise<HostileFrontEnd> {
  let logged = "";
  const write = (message: string, fields: object = {}) => void (logged += `${message} ${JSON.stringify(fields)}\n`);
  const log: Log = { error: write, warn: write, info: write, debug: write };
  const handle = await openVault(vault.folder, { clock: CLOCK, log });
  return {
    name: "library",
    call: async (tool, args) => callResult(await handle.call(tool, args)),
    ping: async () => 0,
    log: () => logged,
    close: () => handle.close(),
  };
}

/** One process for all calls; with a handshake the SDK answers, without one the one-shot path. */
export async function programFrontEnd(
  vault: HostileVault,
  { handshake = true, args = ["--vault", vault.folder] }: { handshake?: boolean; args?: readonly string[] } = {},
): Promise<HostileFrontEnd & { readonly child: Child }> {
  const options = ["--time-zone", "UTC", "--cache-folder", vault.cache];
  const child = new Child([await builtProgram(), ...args, ...options], { LOG_LEVEL: "debug" });
  const waiting = new Map<unknown, (answer: unknown) => void>();
  let rest = "";
  const decoder = new StringDecoder("utf8");
  child.process.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const answer of jsonLines(lines.join("\n"))) waiting.get(idOf(answer))?.(answer);
  });
  const { pid } = child.process;
  let last = 0;
  const request = (method: string, params: unknown): Promise<unknown> => {
    const id = ++last;
    return new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      void child.ended.then(({ stderr }) => reject(new Error(`the program ended: ${stderr}`)));
      child.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  };
  if (handshake) {
    const clientInfo = { name: "hostile", version: "1" };
    await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    child.process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }
  return {
    name: handshake ? "stdio" : "one-shot",
    child,
    call: async (name, args) => resultOf(await request("tools/call", { name, arguments: args })),
    async ping() {
      const start = busyTime(pid);
      await request("ping", {});
      expect([child.process.pid, child.process.exitCode]).toEqual([pid, null]);
      return busyTime(pid) - start;
    },
    log: () => child.stderr,
    async close() {
      expect((await child.end()).code).toBe(0);
    },
  };
}

type NamedFrontEnd = readonly [name: string, open: (vault: HostileVault) => Promise<HostileFrontEnd>];

/** Front ends that stay open for many calls: right for tables so long that a process for each call would take minutes. */
export const SESSION_FRONT_ENDS: readonly NamedFrontEnd[] = [
  ["library", libraryFrontEnd],
  ["stdio", (vault) => programFrontEnd(vault)],
];

/** For what the tools alone decide: the program, whose tools are the same, comes with `LONG=1`. */
export const TOOLS_ALONE: readonly NamedFrontEnd[] = SESSION_FRONT_ENDS.slice(0, LONG ? 2 : 1);

export const FRONT_ENDS: readonly NamedFrontEnd[] = [
  ...SESSION_FRONT_ENDS,
  ["one-shot", (vault) => programFrontEnd(vault, { handshake: false })],
];

/**
 * The texts of a table that go through a front end: all of them through the library; through the program, whose tools are the same, one of
 * sixteen in a session, and another of them without a handshake; with `LONG=1` each goes one of these two ways.
 */
export function shareOf(
  frontEnd: string,
  table: readonly (readonly [id: string, texts: readonly string[]])[],
): [id: string, texts: readonly string[]][] {
  let next = frontEnd === "stdio" ? 0 : 1;
  const isOfShare = () => frontEnd === "library" || next++ % (LONG ? 2 : 16) === 0;
  const rows = table.map(([id, texts]): [string, readonly string[]] => [id, texts.filter(isOfShare)]);
  return rows.filter(([, texts]) => texts.length > 0);
}

/**
 * The calls that one text of a row makes: a third, another for each of its texts, so that the row makes all of them. With `LONG=1` each
 * text makes all.
 */
export function thirdOf(calls: readonly Call[], at: number, texts: readonly string[]): readonly Call[] {
  return LONG || texts.length < 3 ? calls : calls.filter((_, call) => call % 3 === at % 3);
}

function idOf(message: unknown): unknown {
  return typeof message === "object" && message !== null ? Reflect.get(message, "id") : undefined;
}

function resultOf(answer: unknown): CallResult {
  if (typeof answer === "object" && answer !== null && "result" in answer) return answer.result as CallResult;
  return { content: [{ type: "text", text: JSON.stringify(answer) }], isError: true };
}

/** The error code of a refused call; undefined when it was not refused. */
export function codeOf(result: CallResult): string | undefined {
  return result.isError ? (result["_meta"]?.[ERROR_META_KEY]?.code ?? "PROTOCOL") : undefined;
}

/** No secret, no path of the host, no stack, whatever was asked; the caller's own words do not count. */
export function expectDiscreet(vault: HostileVault, text: string, asked = ""): void {
  const told = asked === "" ? text : text.replaceAll(asked, "").replaceAll(JSON.stringify(asked).slice(1, -1), "");
  const trace = /(^|\n)\s+at .+:\d+|node:internal|\/proc\/self|root:x:0/.exec(told)?.[0];
  const known = [...SECRETS, vault.parent].filter((one) => told.includes(one));
  if (trace !== undefined || known.length > 0) expect({ told, trace, known }).toEqual({ told, known: [] });
}

/** Checks calls that must be refused, by the whole oracle. */
export async function expectRefused(
  vault: HostileVault,
  frontEnd: HostileFrontEnd,
  calls: readonly Call[],
  asked = "",
): Promise<void> {
  const before = vault.tree();
  for (const call of calls) {
    const result = await frontEnd.call(...call);
    expect(codeOf(result), JSON.stringify([call, result])).toMatch(
      /^(PERMISSION_DENIED|INVALID_ARGUMENT|(FILE|VAULT)_NOT_FOUND|VAULT_NOT_INITIALIZED|ALREADY_EXISTS|NOT_TEXT|TOO_LARGE|CONFLICT)$/,
    );
    expectDiscreet(vault, JSON.stringify(result), asked);
  }
  expect(vault.tree()).toEqual(before);
  expect(await frontEnd.ping()).toBeLessThan(10_000);
}

/**
 * A front end for the tests of a `describe`: opened before them; after them it is closed and the vault removed.
 * @param before the vault's tree as it was: then nothing may have come of the tests outside it, hidden in it, or in the log
 */
export function frontEndFor(
  vault: HostileVault,
  open: (vault: HostileVault) => Promise<HostileFrontEnd>,
  before?: readonly string[],
): HostileFrontEnd {
  let frontEnd: HostileFrontEnd | undefined;
  const opened = (): HostileFrontEnd => {
    if (!frontEnd) throw new Error("The front end opens before the first test.");
    return frontEnd;
  };
  beforeAll(async () => {
    frontEnd = await open(vault);
  });
  afterAll(async () => {
    if (before) expectClean(vault, opened(), before);
    await opened().close();
    vault.remove();
  });
  return {
    get name() {
      return opened().name;
    },
    call: (...call) => opened().call(...call),
    ping: () => opened().ping(),
    log: () => opened().log(),
    close: () => opened().close(),
  };
}

/** Checks what holds after any calls: no secret was logged, and nothing of ours was left in the vault. */
export function expectClean(vault: HostileVault, frontEnd: HostileFrontEnd, before: readonly string[]): void {
  for (const canary of SECRETS) expect(frontEnd.log()).not.toContain(canary);
  const outside = (lines: readonly string[]) => lines.filter((line) => !line.startsWith("vault/"));
  const hidden = (lines: readonly string[]) => lines.filter((line) => /^vault\/(.*\/)?\./.test(line));
  expect([outside(vault.tree()), hidden(vault.tree())]).toEqual([outside(before), hidden(before)]);
}
