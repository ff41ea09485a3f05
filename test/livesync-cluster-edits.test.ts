/**
 * Two servers edit the notes of one cluster while it is disturbed: every edit that was acknowledged is in the current version in the end.
 * `npm run check:long` makes 2,000 acknowledged edits under each disturbance.
 */
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../src/clock.js";
import { isVaultError } from "../src/errors.js";
import { livesyncStorage, type LivesyncStorage } from "../src/storage/livesync/storage.js";
import { httpTransport, type HttpFetch } from "../src/storage/livesync/transport.js";
import { vaultPath } from "../src/storage/path.js";
import { fakeCluster, type FakeCluster } from "./kit/couch-cluster.js";
import { newDatabase, type TestDatabase } from "./kit/couch-server.js";
import { LONG } from "./kit/fuzz.js";
import { all } from "./kit/storage-contract.js";

const EDITS = Number(process.env["CLUSTER_EDITS"] ?? (LONG ? 2000 : 30));
const NOTES = Array.from({ length: 4 }, (_, at) => vaultPath(`Folder/note ${at}.md`));
/** Where a line is put in: edits at several places of a note come together more often. */
const PLACES = ["# Begin\n", "# Middle\n", "# End\n"];
const TEMPLATE = `${PLACES[0]}one\ntwo\n\n${PLACES[1]}three\nfour\n\n${PLACES[2]}`;

let cluster: FakeCluster;
beforeAll(async () => {
  cluster = await fakeCluster();
});
afterAll(() => cluster.close());

/** A server that can be killed: from then on nothing that it asked for reaches it, and it asks for nothing more. */
interface TestServer {
  readonly storage: LivesyncStorage;
  readonly isDead: () => boolean;
  kill(): void;
}

function server(url: string, { name, user, password }: TestDatabase, cacheFolder?: string): TestServer {
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  const transport: HttpFetch = async (target, init) => {
    if (isDead) return never;
    const answer = await httpTransport(target, init);
    return isDead ? never : answer;
  };
  const storage = livesyncStorage(
    { url, database: name, user, password },
    { clock: systemClock(), transport, cacheFolder, pause: 5, deadline: EDITS > 100 ? 20_000 : 4000 },
  );
  return { storage, isDead: () => isDead, kill: () => void (isDead = true) };
}

interface Disturbance {
  readonly name: string;
  /** Where the servers work. */
  readonly urls: () => readonly [string, string];
  /** Runs until the edits are done. */
  readonly disturb?: (isDone: () => boolean, restart: () => void) => Promise<void>;
}

const nodes = (): readonly [string, string] => [cluster.nodes[0] ?? "", cluster.nodes[1] ?? ""];

async function nodeBecomes(node: number, state: "stopped" | "alone", isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await delay(randomInt(300, 900));
    cluster.set(node, state);
    await delay(randomInt(300, 1500));
    cluster.set(node, "up");
  }
}

const DISTURBANCES: readonly Disturbance[] = [
  { name: "nothing", urls: nodes },
  {
    name: "servers that are killed",
    urls: nodes,
    disturb: async (isDone, restart) => {
      while (!isDone()) {
        await delay(randomInt(200, 1000));
        restart();
      }
    },
  },
  { name: "a node that is stopped", urls: nodes, disturb: (isDone) => nodeBecomes(2, "stopped", isDone) },
  { name: "a node that is cut off from the others", urls: nodes, disturb: (isDone) => nodeBecomes(1, "alone", isDone) },
  { name: "a balancer in front of the nodes", urls: () => [cluster.balanced, cluster.balanced] },
];

/** A short check takes those that its few edits meet. */
const MET = DISTURBANCES.filter(
  ({ name }) => LONG || ["servers that are killed", "a balancer in front of the nodes"].includes(name),
);

it.for(MET)(
  "$name: no acknowledged edit is lost from view, and none is made twice",
  { timeout: 300_000 + EDITS * 1000 },
  async ({ urls, disturb }) => {
    cluster.lag = 12;
    const database = await newDatabase({}, cluster.balanced);
    const caches = [0, 1].map((which) => mkdtempSync(join(tmpdir(), `cluster-${which}-`)));
    const servers = urls().map((url, which) => server(url, database, caches[which]));
    for (const note of NOTES) await servers[0]?.storage.write(note, Buffer.from(TEMPLATE), { kind: "absent" });
    const acknowledged: { readonly line: string; readonly note: (typeof NOTES)[number] }[] = [];
    let next = 0;
    const isDone = (): boolean => acknowledged.length >= EDITS;
    const restart = (): void => {
      const which = randomInt(2);
      servers[which]?.kill();
      servers[which] = server(urls()[which] ?? "", database, caches[which]);
    };
    const disturbing = disturb?.(isDone, restart);
    const editing = [0, 1, 0, 1].map(async (which) => {
      while (!isDone()) {
        const one = servers[which];
        const note = NOTES[randomInt(NOTES.length)] ?? vaultPath("a.md");
        const line = `edit ${next++}`;
        const place = PLACES[randomInt(PLACES.length)] ?? "";
        const edit = one?.storage.update(note, (file) => {
          const text = Buffer.from(file?.bytes ?? []).toString();
          return Buffer.from(text.replace(place, `${place}${line}\n`));
        });
        // A killed server never answers.
        const death = (async () => {
          while (one?.isDead() === false && !isDone()) await delay(50);
          await delay(8000 * (one?.isDead() === true ? 0 : 1), undefined, { ref: false });
          return "dead";
        })();
        await Promise.race([edit, death]).then(
          (result) => result !== "dead" && acknowledged.push({ line, note }),
          async (error: unknown) => {
            if (!isVaultError(error, "UNAVAILABLE") && !isVaultError(error, "CONFLICT")) throw error;
            await delay(50);
          },
        );
      }
    });
    await Promise.all([...editing, disturbing]);
    await delay(300);
    await cluster.settle(database.name);
    // Each server looks after what it wrote as soon as it is asked for anything.
    await expect
      .poll(
        async () => {
          for (const { storage } of servers) await all(storage.list());
          return missing(await reader(), acknowledged);
        },
        { interval: 300 },
      )
      .toEqual([]);
    const found = await texts(await reader());
    const lines = [...found.values()].flatMap((text) => text.split("\n")).filter((line) => line.startsWith("edit "));
    expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
    for (const { storage } of servers) await storage.close();
    await database.remove();
    for (const cache of caches) rmSync(cache, { recursive: true });

    async function reader(): Promise<LivesyncStorage> {
      return server(cluster.nodes[2] ?? "", database).storage;
    }
  },
);

async function texts(storage: LivesyncStorage): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    NOTES.map(async (note): Promise<[string, string]> => {
      const file = await storage.read(note);
      return [note, Buffer.from(file?.bytes ?? []).toString()];
    }),
  );
  return new Map(found);
}

async function missing(
  storage: LivesyncStorage,
  acknowledged: readonly { readonly line: string; readonly note: string }[],
): Promise<readonly string[]> {
  const found = await texts(storage);
  return acknowledged.flatMap(({ line, note }) => (found.get(note)?.split("\n").includes(line) === true ? [] : line));
}
