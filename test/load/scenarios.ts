/** What many callers and bad callers do to a server, with figures; each answers what went wrong (nothing, when all is well). */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { INITIALIZE, waysToCall, type LoadedServer } from "./loaded-server.js";

export interface Found {
  readonly wrong: readonly string[];
  readonly figures: Readonly<Record<string, unknown>>;
}

/** Notes for all scenarios: small ones that each hold a word of their own, and one that is large. */
const SMALL_NOTES = 100;
const LARGE_BYTES = 4 * 1024 * 1024;
export const NOTES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from({ length: SMALL_NOTES }, (_, at) => [`Small/Note ${at}.md`, smallNote(at)])),
  "Large.md": `${"0123456789abcdef".repeat(LARGE_BYTES / 16)}\n`,
};

function smallNote(at: number): string {
  return `# Note ${at}\n\nIts word is word${at}x.\n`;
}

const rounded = (figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, Math.round(figure)]));

/** So many calls at once, of every kind and by every way, again and again; each answer must be the one to its question. */
export async function callsAtOnce(server: LoadedServer, { calls = 300, rounds = 10 } = {}): Promise<Found> {
  const wrong: string[] = [];
  const before = server.memory().now;
  const times: number[] = [];
  let created = 0;
  const session = (await server.post(INITIALIZE)).session ?? "";
  const one = async (round: number, at: number) => {
    const note = at % SMALL_NOTES;
    const [name, args, holds] = [
      ["read_note", { path: `Small/Note ${note}.md` }, `word${note}x`],
      ["search", { query: `word${note}x`, path: "Small" }, `Note ${note}.md`],
      ["create_task", { title: `Load ${round} ${at}`, area: "Work" }, `Load ${round} ${at}`],
      ["get_task", { taskId: `nothing ${round} ${at}` }, `nothing ${round} ${at}`],
    ][at % 4] as [string, object, string];
    if (name === "create_task") created++;
    const ways = waysToCall(name, args);
    const way = ways[Math.floor(at / 4) % (ways.length + 1)];
    const start = performance.now();
    const answer = await server.post(way ?? inSession(name, args, session, round * calls + at + 10));
    times.push(performance.now() - start);
    if (answer.status !== 200 || !answer.text.includes(holds))
      wrong.push(
        `${name} ${JSON.stringify(args)} by ${way?.path ?? "session"}: ${answer.status} ${answer.text.slice(0, 300)}`,
      );
  };
  const work = (async () => {
    for (let round = 0; round < rounds; round++)
      await Promise.all(Array.from({ length: calls }, (_, at) => one(round, at)));
  })();
  const pulse = await server.pulseDuring(work);
  const made = server.notes().filter((path) => /load.\d+.\d+\.md$/i.test(path)).length;
  if (made !== created) wrong.push(`${made} of ${created} tasks were made`);
  const memory = server.memory();
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const slowest = sorted.at(-1) ?? 0;
  const figures = {
    answers: times.length,
    median,
    slowest,
    ...pulse,
    before,
    after: memory.now,
    most: memory.most,
  };
  return { wrong, figures: rounded(figures) };
}

function inSession(name: string, args: object, session: string, id: number) {
  return {
    path: "/mcp",
    headers: { Accept: "application/json, text/event-stream", "Mcp-Session-Id": session },
    body: { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } },
  };
}

/** Callers who ask for much and take nothing; one of them then reads slowly and must get all of it. */
export async function slowReaders(server: LoadedServer, { readers = 200 } = {}): Promise<Found> {
  const wrong: string[] = [];
  const before = server.memory().now;
  const sockets = await Promise.all(Array.from({ length: readers }, () => dial(server.port)));
  const asked = (async () => {
    for (const socket of sockets) {
      socket.pause();
      socket.write(rawCall("read_note", { path: "Large.md" }));
      await sleep(5);
    }
    await sleep(500);
  })();
  const pulse = await server.pulseDuring(asked);
  const during = server.memory();
  const other = await server.post(waysToCall("read_note", { path: "Small/Note 1.md" })[0] ?? INITIALIZE);
  // When all room for answers is taken, others are told to come back; more must not be held.
  if (![200, 503].includes(other.status)) wrong.push(`another caller was answered ${other.status}`);
  const slow = sockets[0];
  if (slow) {
    const { status, bytes, announced } = await readSlowly(slow);
    if (status !== 200 || bytes !== announced)
      wrong.push(`a slow reader got ${bytes} of ${announced} bytes, ${status}`);
  }
  for (const socket of sockets) socket.destroy();
  await settled(server, wrong);
  const again = await server.post(waysToCall("read_note", { path: "Small/Note 1.md" })[0] ?? INITIALIZE);
  if (again.status !== 200) wrong.push(`after they had gone, another caller was answered ${again.status}`);
  const figures = { readers, ...pulse, before, during: during.now, most: during.most, after: server.memory().now };
  return { wrong, figures: rounded(figures) };
}

/** Takes a piece every other millisecond. */
async function readSlowly(socket: Socket): Promise<{ status: number; bytes: number; announced: number }> {
  let head = "";
  let bytes = 0;
  let announced = Infinity;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 20_000);
    socket.once("close", resolve).on("data", (part: Buffer) => {
      socket.pause();
      setTimeout(() => socket.resume(), 2);
      bytes += part.length;
      if (announced === Infinity) {
        head += part.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end >= 0) announced = Number(/^content-length: (\d+)/im.exec(head)?.[1]) + end + 4;
      }
      if (bytes < announced) return;
      clearTimeout(timer);
      resolve();
    });
    socket.resume();
  });
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), bytes, announced };
}

/** Callers who send a byte now and again; others are answered meanwhile, and `patience` after the beginning none of them is left. */
export async function slowWriters(server: LoadedServer, { writers = 200, patienceMs = 0 } = {}): Promise<Found> {
  const wrong: string[] = [];
  const before = server.memory().now;
  const call = rawCall("create_task", { title: "Slowly written", area: "Work" });
  const sockets = await Promise.all(Array.from({ length: writers }, () => dial(server.port)));
  for (const [at, socket] of sockets.entries()) {
    // Half of them stop within the head, half within the body.
    const sent = at % 2 === 0 ? 40 : call.length - 10;
    socket.write(call.subarray(0, sent));
    const timer = setInterval(() => socket.write("x"), 1000);
    socket.once("close", () => clearInterval(timer));
  }
  const pulse = await server.pulseDuring(sleep(Math.max(1500, patienceMs)));
  const left = sockets.filter((socket) => !socket.destroyed).length;
  if (patienceMs > 0 && left > 0) wrong.push(`${left} of ${writers} are still connected`);
  if (pulse.pulse > 500) wrong.push(`other callers waited for ${pulse.pulse} ms of work`);
  for (const socket of sockets) socket.destroy();
  await settled(server, wrong);
  if (server.notes().some((path) => /slowly.written/i.test(path))) wrong.push("a call that was never finished ran");
  return { wrong, figures: rounded({ writers, ...pulse, left, before, after: server.memory().now }) };
}

/** Callers who break off: before the end of their request, right after it, or with the answer half taken. */
export async function brokenOff(server: LoadedServer, { requests = 600 } = {}): Promise<Found> {
  const wrong: string[] = [];
  const before = server.memory().now;
  const one = async (at: number) => {
    const call = rawCall(
      ...((at % 3 === 2
        ? ["read_note", { path: "Large.md" }]
        : ["create_task", { title: `Broken ${at}`, area: "Work" }]) as [string, object]),
    );
    const socket = await dial(server.port);
    if (at % 3 === 0) socket.write(call.subarray(0, call.length - 1 - (at % 50)));
    else socket.write(call);
    await sleep(at % 3 === 2 ? 20 : at % 5);
    socket.destroy();
  };
  const work = (async () => {
    for (let from = 0; from < requests; from += 50)
      await Promise.all(Array.from({ length: Math.min(50, requests - from) }, (_, at) => one(from + at)));
  })();
  const pulse = await server.pulseDuring(work);
  await settled(server, wrong);
  const made = server.notes().filter((path) => /broken.\d+/i.test(path));
  for (const path of made) {
    const at = Number(/broken.(\d+)/i.exec(path)?.[1]);
    if (at % 3 !== 1) wrong.push(`half a request ran: ${path}`);
  }
  if (new Set(made).size !== made.length) wrong.push("a request ran twice");
  if (server.notes().some((path) => /(^|\/)\.(?!obsidian|trash)/.test(path)))
    wrong.push("something was left in the vault");
  return { wrong, figures: rounded({ requests, made: made.length, ...pulse, before, after: server.memory().now }) };
}

/** Sessions that are begun and left, some with their stream open; there are never more than the cap, and memory comes to rest. */
export async function leftSessions(server: LoadedServer, { sessions = 2000, cap = 1000 } = {}): Promise<Found> {
  const wrong: string[] = [];
  const before = server.memory().now;
  const begin = async (count: number) => {
    const ids: string[] = [];
    for (let from = 0; from < count; from += 50) {
      const begun = await Promise.all(
        Array.from({ length: Math.min(50, count - from) }, () => server.post(INITIALIZE)),
      );
      for (const { status, session } of begun) {
        if (session === undefined) wrong.push(`a session was refused: ${status}`);
        else ids.push(session);
      }
    }
    return ids;
  };
  const ids = await begin(sessions);
  const after = server.memory().now;
  const again = await begin(sessions);
  const afterAgain = server.memory().now;
  const open = await server.figure("sessions");
  if (open !== Math.min(cap, sessions * 2)) wrong.push(`${open} sessions are open`);
  const asked = async (session: string | undefined) => {
    const headers = { ...INITIALIZE.headers, "Mcp-Session-Id": session ?? "" };
    return (await server.post({ path: "/mcp", headers, body: { jsonrpc: "2.0", id: 2, method: "ping" } })).status;
  };
  const [oldest, newest] = [await asked(ids[0]), await asked(again.at(-1))];
  if (sessions * 2 > cap && oldest !== 404) wrong.push(`the oldest session was answered ${oldest}`);
  if (newest !== 200) wrong.push(`the newest session was answered ${newest}`);
  return { wrong, figures: rounded({ sessions, open, before, after, afterAgain }) };
}

function dial(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", reject).once("connect", () => {
      // From here on it may be cut off: that is what some scenarios are about.
      socket.off("error", reject).on("error", () => {});
      resolve(socket);
    });
  });
}

function rawCall(name: string, args: object): Buffer {
  const body = JSON.stringify({ arguments: args });
  const head = [
    `POST /bridge/v1/tools/${name}/call HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Waits until nothing is being served but the question itself. What is left over never ends; a busy machine only takes its time. */
async function settled(server: LoadedServer, wrong: string[]): Promise<void> {
  const start = performance.now();
  while (performance.now() - start < 45_000) {
    const [requests, calls] = [await server.figure("http_requests_open"), await server.figure("tool_calls_open")];
    if (requests <= 1 && calls === 0) return;
    await sleep(50);
  }
  wrong.push("requests are still being served though nobody waits for them");
}
