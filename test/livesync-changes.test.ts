/**
 * News over LiveSync: what another device writes into the database shows on the page within three seconds, also through a proxy that
 * holds back the database's own announcements, and after an outage.
 */
import { afterEach, expect, it } from "vitest";
import { newDatabase } from "./kit/couch-server.js";
import { faultProxy } from "./kit/fault-proxy.js";
import { eventsOf } from "./kit/http-front.js";
import { WebTest } from "./kit/web-front.js";
import { silentLog } from "../src/log.js";
import { vaultOpener } from "../src/open.js";
import { vaultPath } from "../src/storage/path.js";
import { createWorkspace } from "../src/tools/workspace.js";
import { LONG } from "./kit/fuzz.js";

/** A busy machine may miss the three seconds. */
const MAX_MS = LONG ? 3000 : 60_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

it("another device's change is told within three seconds", async () => {
  const database = await newDatabase();
  closing.push(() => database.remove());
  let isAway = false;
  // It passes on whole answers only, so that a continuous feed says nothing through it.
  const proxy = await faultProxy(database.url, () => (isAway ? "cut" : undefined));
  closing.push(() => proxy.close());
  const { name, user, password } = database;
  const frontEndTo = (url: string) => {
    const configuration = { url, database: name, user, password };
    const opener = vaultOpener({
      log: silentLog,
      livesync: { name: "notes", configuration: async () => configuration },
    });
    closing.push(() => opener.close());
    return opener;
  };
  const workspace = createWorkspace({ opener: frontEndTo(proxy.url), default: "notes", switches: false });
  const device = await frontEndTo(database.url).open("notes", "notes");
  const web = await WebTest.open({ workspace });
  closing.push(() => web.close());
  const session = web.headers(await web.loggedIn());
  const { Origin: _, ...headers } = session;

  const titles = async () =>
    (await web.http.rpc("tools/call", { name: "search_tasks", arguments: { query: "*" } }, session)).text;
  expect(await titles()).toContain('"total":0');

  let told = 0;
  const stream = await fetch(`${web.http.url}/web/events`, { headers });
  const reading = eventsOf(stream, (messages) => {
    told = messages.length;
    return false;
  });
  /** Milliseconds from another device's writing until the page has been told and finds it. */
  const untilShown = async (title: string): Promise<number> => {
    const [before, begun] = [told, performance.now()];
    await device.vault.writing.create(vaultPath(`${title}.md`), "---\ntype: task\n---\n", "test");
    await expect.poll(() => told).toBeGreaterThan(before);
    expect(await titles()).toContain(title);
    return performance.now() - begun;
  };
  const untilTold = (before: number) => expect.poll(() => told).toBeGreaterThan(before);

  expect(await untilShown("Paint")).toBeLessThan(MAX_MS);
  isAway = true;
  await untilTold(told);
  const whileAway = told;
  isAway = false;
  await untilTold(whileAway);
  expect(await untilShown("Roof")).toBeLessThan(MAX_MS);
  await web.http.server.stop();
  await reading;
});
