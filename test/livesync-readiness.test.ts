/** `/ready` of a server whose vault is in CouchDB: not ready while the database is away, saying so, and ready as soon as it is there. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { newDatabase } from "./kit/couch-server.js";
import { faultProxy } from "./kit/fault-proxy.js";
import { HttpTest, json } from "./kit/http-front.js";
import { silentLog } from "../src/log.js";
import { vaultOpener } from "../src/open.js";
import { createWorkspace } from "../src/tools/workspace.js";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

it("tells of a database that is away, from the start and later, and never shows where it is", async () => {
  const database = await newDatabase();
  closing.push(() => database.remove());
  let isAway = true;
  const proxy = await faultProxy(database.url, () => (isAway ? "cut" : undefined));
  closing.push(() => proxy.close());
  const { name, user, password } = database;
  const configuration = { url: proxy.url, database: name, user, password };
  const opener = vaultOpener({
    log: silentLog,
    livesync: { name: "notes", configuration: async () => configuration },
  });
  closing.push(() => opener.close());
  const http = await HttpTest.open({ workspace: createWorkspace({ opener, default: "notes", switches: false }) });
  closing.push(() => http.close());

  const probe = async () => {
    const answer = await http.send("/ready");
    expect(answer.text).not.toContain(new URL(proxy.url).port);
    return [answer.status, json(answer)];
  };
  const AWAY = [503, { status: "not ready", reason: "UNAVAILABLE" }];
  const READY = [200, { status: "ready", journal: "kept" }];
  const soon = { interval: 500 };
  await expect.poll(probe, soon).toEqual(AWAY);
  // Probes come at any pace: the reason stays the same while the next look is at work.
  for (const pause of [1_100, 0, 1_100, 0]) {
    await sleep(pause);
    expect(await probe()).toEqual(AWAY);
  }
  isAway = false;
  await expect.poll(probe, soon).toEqual(READY);
  isAway = true;
  await expect.poll(probe, soon).toEqual(AWAY);
  expect((await http.send("/health")).status).toBe(200);
});
