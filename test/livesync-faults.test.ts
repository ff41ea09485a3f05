/** Two servers edit notes of one database through a network that spoils every fifth request: nothing acknowledged is lost, nothing half-written is seen. */
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../src/clock.js";
import { isVaultError } from "../src/errors.js";
import { livesyncStorage, type LivesyncStorage } from "../src/storage/livesync/storage.js";
import { vaultPath } from "../src/storage/path.js";
import { isUnreadable } from "../src/storage/storage.js";
import { newDatabase, type NewVault } from "./kit/couch-server.js";
import { clusterNodes } from "./kit/couch-cluster.js";
import { everyFifth, faultProxy } from "./kit/fault-proxy.js";
import { FUZZ_FACTOR } from "./kit/fuzz.js";

/** 2,000 edits and more in the long form (`FUZZ_FACTOR=34`). */
const EDITS = 60 * FUZZ_FACTOR;
const NOTES = ["a.md", "Folder/b.md", "Folder/c.md"].map((path) => vaultPath(path));
const PADDING = `${"A line that makes the note long enough for several chunks. ".repeat(3)}\n`.repeat(12);

type Place = "one server" | "two nodes of a cluster";
const VAULTS: readonly (readonly [name: string, place: Place, settings: NewVault, passphrase: string | undefined])[] = [
  ["plain", "one server", {}, undefined],
  ["encrypted with hidden names", "one server", { encrypt: true, usePathObfuscation: true }, "a pass phrase"],
  ["plain", "two nodes of a cluster", {}, undefined],
];

describe.each(VAULTS)(
  "a database that is %s on %s, behind a network that spoils every fifth request",
  (_, place, settings, passphrase) => {
    const closing: (() => Promise<unknown>)[] = [];
    afterAll(async () => {
      for (const close of closing.toReversed()) await close();
    });

    it(
      "keeps every edit that was acknowledged, and shows no partial note",
      { timeout: 300_000 + EDITS * 2000 },
      async () => {
        const cluster = place === "one server" ? undefined : await clusterNodes();
        if (cluster) closing.push(() => cluster.close());
        const database = await newDatabase(settings, cluster?.at);
        closing.push(() => database.remove());
        const direct = open(database.url);
        const servers = await Promise.all(
          [1, 2].map(async (seed) => {
            const proxy = await faultProxy(cluster?.nodes[seed - 1] ?? database.url, everyFifth(seed));
            closing.push(() => proxy.close());
            return { storage: open(proxy.url), proxy };
          }),
        );
        for (const path of NOTES) await direct.write(path, bytes(`${PADDING}end\n`), { kind: "absent" });

        const acknowledged: string[] = [];
        let refused = 0;
        let isDone = false;
        const edits = servers.map(async ({ storage }, server) => {
          for (let edit = 0; edit < EDITS / 2; edit++) {
            const path = NOTES[edit % NOTES.length] ?? vaultPath("a.md");
            const line = `${server}.${edit}`;
            try {
              await storage.update(path, (current) => bytes(`${text(current?.bytes)}${line}\n`));
              acknowledged.push(line);
            } catch (error) {
              if (!isVaultError(error, "UNAVAILABLE") && !isVaultError(error, "CONFLICT")) throw error;
              refused++;
            }
          }
        });
        const seen = watch(direct, () => isDone);
        await Promise.all(edits);
        isDone = true;

        const lines: string[] = [];
        for (const path of NOTES)
          lines.push(
            ...text((await direct.read(path))?.bytes)
              .slice(PADDING.length)
              .split("\n"),
          );
        const kept = lines.filter((line) => /^\d\.\d+$/.test(line));
        expect(acknowledged.filter((line) => !kept.includes(line))).toEqual([]);
        expect(kept.filter((line, index) => kept.indexOf(line) !== index)).toEqual([]);
        expect(await seen).toEqual([]);
        expect(refused).toBeLessThan(EDITS / 20);
        for (const { proxy } of servers) {
          for (const fault of ["cut", "cut-answer", "delay", "error", "error-answer", "conflict"] as const) {
            expect(proxy.done.get(fault), fault).toBeGreaterThan(0);
          }
        }

        function open(url: string): LivesyncStorage {
          const { name, user, password } = database;
          const storage = livesyncStorage(
            { url, database: name, user, password, passphrase },
            { clock: systemClock(), pause: 2 },
          );
          closing.push(() => storage.close());
          return storage;
        }
      },
    );
  },
);

/** Reads all notes again and again; answers what was wrong with any. */
async function watch(storage: LivesyncStorage, isDone: () => boolean): Promise<readonly string[]> {
  const wrong: string[] = [];
  while (!isDone()) {
    for await (const batch of storage.readMany(NOTES)) {
      for (const file of batch) {
        if (isUnreadable(file)) wrong.push(`${file.path}: ${file.error.message}`);
        else if (!isWhole(text(file.bytes))) wrong.push(`${file.stat.path} is not whole`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return wrong;
}

const isWhole = (content: string): boolean =>
  content.startsWith(`${PADDING}end\n`) && /^(?:\d\.\d+\n)*$/.test(content.slice(PADDING.length + "end\n".length));
const bytes = (content: string): Uint8Array => Buffer.from(content);
const text = (content: Uint8Array | undefined): string => Buffer.from(content ?? []).toString();
