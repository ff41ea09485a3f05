/** Many callers and bad callers at once, the short form: answers stay right and nothing is held. The long form: scripts/load.js. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { builtProgram } from "../kit/built-program.js";
import { LoadedServer } from "./loaded-server.js";
import { NOTES, brokenOff, callsAtOnce, leftSessions, slowReaders, slowWriters, type Found } from "./scenarios.js";
import { soak } from "./soak.js";
import { LONG } from "../kit/fuzz.js";

let server: LoadedServer;
beforeAll(async () => {
  server = await LoadedServer.start(await builtProgram(), NOTES);
});
afterAll(async () => {
  expect(await server.stop()).toEqual({ code: 0, complaints: [] });
});

/** Far above what it should be: a finding of this test is a leak, not a bad day of the collector's. */
const MOST_MEGABYTES = 1200;

it.each<[string, () => Promise<Found>]>([
  ["300 calls at once", () => callsAtOnce(server, { rounds: LONG ? 10 : 1 })],
  ["callers who do not take their answers", () => slowReaders(server, { readers: LONG ? 200 : 40 })],
  ["callers who do not finish their requests", () => slowWriters(server)],
  ["callers who break off", () => brokenOff(server, { requests: LONG ? 1500 : 30 })],
  ["sessions that are begun and left", () => leftSessions(server, { sessions: LONG ? 2000 : 510 })],
  ["mixed calls by several callers", () => soak(server, { minutes: 0 })],
])("%s", async (_, scenario) => {
  const { wrong, figures } = await scenario();
  expect({ wrong, figures }).toEqual({ wrong: [], figures: expect.anything() });
  expect(server.memory().most).toBeLessThan(MOST_MEGABYTES);
});
