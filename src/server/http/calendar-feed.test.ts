/** Calendars over HTTP: who gets them, what a guess gets, that revoking counts at once, and that no secret is told. */
import { join } from "node:path";
import { renameSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { HttpTest, OPEN_ACCESS } from "../../../test/kit/http-front.js";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import { type LinkFolder, linkFolder } from "../../calendar/link-folder.js";
import { fixedClock } from "../../clock.js";
import { silentLog } from "../../log.js";
import { vaultOpener } from "../../open.js";
import { createWorkspace } from "../../tools/workspace.js";
import { secretCalendars } from "./calendar-feed.js";
import { type AccessRules, RateLimit } from "./guards.js";
import { digestOf } from "./tokens.js";

const TOKEN = "correct-horse-battery";
const CALENDAR_TOKEN = "c".repeat(43);
const ACCESS: AccessRules = {
  ...OPEN_ACCESS,
  hosts: ["notes.example"],
  tokens: [{ name: "me", digest: digestOf(TOKEN), scopes: { write: true, toolsets: undefined } }],
};

let http: HttpTest;
let vault: TemporaryVault;
let links: LinkFolder;
let end: () => Promise<void>;
afterEach(async () => {
  await http.close();
  await end();
  vault.remove();
});

async function open({ rate, access = ACCESS }: { rate?: RateLimit; access?: AccessRules } = {}): Promise<void> {
  vault = new TemporaryVault({
    "Paint.md": "---\ntype: task\ndue: 2026-03-12\narea: Home\n---\nA secret text\n",
    "Report.md": "---\ntype: task\ndue: 2026-03-13\narea: Work\n---\n",
  });
  links = linkFolder({ folder: join(vault.base, "state"), vault: () => vault.folder });
  const opener = vaultOpener({ clock: fixedClock("2026-03-10T12:00:00Z") });
  end = () => opener.close();
  const workspace = createWorkspace({ opener, default: vault.folder, switches: false });
  const tokens = [{ name: "container", digest: digestOf(CALENDAR_TOKEN), scopes: { write: false, toolsets: [] } }];
  const calendar = secretCalendars({ links, tokens, workspace, rate, log: silentLog });
  http = await HttpTest.open({ workspace, calendar, access });
}

const get = (secret: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  http.send(`/calendar/${secret}.ics`, { method, headers });

describe("a secret address", () => {
  it("gives its calendar without a header, and nothing of the notes' text", async () => {
    await open();
    const secret = links.add({ name: "House", filters: { area: "Home" } });
    const answer = await get(secret);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "text/calendar; charset=utf-8",
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
    });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(answer.text).toContain("SUMMARY:Paint\r\n");
    expect(answer.text).toContain("X-WR-CALNAME:House\r\n");
    expect(answer.text).toContain("URL:obsidian://open?vault=vault&file=Paint\r\n");
    expect(answer.text).not.toContain("Report");
    expect(answer.text).not.toContain("secret text");
  });

  it("is asked again for nothing while nothing has changed", async () => {
    await open();
    const secret = links.add({ name: "All", filters: {} });
    const first = await get(secret);
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    for (const tags of [etag, `"x", W/${etag}`, "*"]) {
      const again = await get(secret, { "If-None-Match": tags });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, "", etag]);
    }
    writeFileSync(vault.at("New.md"), "---\ntype: task\ndue: 2026-03-14\n---\n");
    const changed = await get(secret, { "If-None-Match": etag });
    expect(changed.status).toBe(200);
    expect(changed.text).toContain("SUMMARY:New\r\n");
  });

  it("answers HEAD like GET, without the calendar, and no other method", async () => {
    await open();
    const secret = links.add({ name: "All", filters: {} });
    const [head, whole] = [await get(secret, {}, "HEAD"), await get(secret)];
    expect([head.status, head.text, head.headers.etag]).toEqual([200, "", whole.headers.etag]);
    expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(whole.text)));
    for (const method of ["POST", "DELETE", "OPTIONS"]) {
      const refused = await get(secret, {}, method);
      expect([refused.status, refused.headers.allow]).toEqual([405, "GET, HEAD"]);
    }
  });

  it("leads nowhere from the moment it is revoked", async () => {
    await open();
    const secret = links.add({ name: "All", filters: {} });
    expect((await get(secret)).status).toBe(200);
    links.revoke("All");
    expect((await get(secret)).status).toBe(404);
  });

  it("opens nothing else, and a token opens no calendar", async () => {
    await open();
    const secret = links.add({ name: "All", filters: {} });
    for (const other of [secret, CALENDAR_TOKEN]) {
      const listed = await http.rpc("tools/list", {}, { Authorization: `Bearer ${other}` });
      expect(listed.status).toBe(401);
      expect((await http.send(`/bridge/v1/tools?token=${other}`)).status).toBe(401);
    }
    expect((await get(TOKEN)).status).toBe(404);
  });

  it("may be a named token's", async () => {
    await open();
    const answer = await get(CALENDAR_TOKEN);
    expect(answer.status).toBe(200);
    expect(answer.text.match(/BEGIN:VEVENT/g)).toHaveLength(2);
    expect(answer.text).toContain("X-WR-CALNAME:container\r\n");
  });

  it("is reached under allowed hosts only", async () => {
    await open();
    const secret = links.add({ name: "All", filters: {} });
    expect((await get(secret, { Host: "notes.example" })).status).toBe(200);
    expect((await get(secret, { Host: "evil.example" })).status).toBe(403);
    expect((await get(secret, { Origin: "https://evil.example" })).status).toBe(403);
  });

  it("may be tried ten times a minute, while right ones go on", async () => {
    await open();
    const secret = links.add({ name: "All", filters: {} });
    const guesses = Array.from({ length: 12 }, (_, n) => `${"x".repeat(41)}${10 + n}`);
    const found: number[] = [];
    for (const guess of guesses) found.push((await get(guess)).status);
    expect(found).toEqual([...Array<number>(10).fill(404), 429, 429]);
    expect((await get("short")).status).toBe(429);
    expect((await get(secret)).status).toBe(200);
  });

  it("is asked for at the rate that holds for all", async () => {
    await open({ rate: new RateLimit({ perMinute: 1, burst: 2 }, () => 0) });
    const secret = links.add({ name: "All", filters: {} });
    expect([(await get(secret)).status, (await get(secret)).status]).toEqual([200, 200]);
    const refused = await get(secret);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
  });

  it("stands in no log and no figure", async () => {
    await open();
    const secret = links.add({ name: "All", filters: {} });
    await get(secret);
    await get("x".repeat(43));
    const figures = (await http.send("/metrics", { headers: { Authorization: `Bearer ${TOKEN}` } })).text;
    expect(figures).toContain('route="/calendar/{secret}.ics",method="GET",status="200"');
    for (const shown of [figures, http.logged.join("\n")]) {
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain("xxxxx");
    }
    expect(http.logged.join("\n")).toContain("/calendar/{secret}.ics");
  });

  it("says that the vault is away, and serves when it is back", async () => {
    await open();
    const secret = links.add({ name: "All", filters: {} });
    const [here, away] = [vault.folder, join(vault.base, "away")];
    renameSync(here, away);
    const answer = await get(secret);
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "60"]);
    expect(answer.text).not.toContain(vault.base);
    renameSync(away, here);
    expect((await get(secret)).status).toBe(200);
  });
});

it("is not there where no calendars are served", async () => {
  await open();
  const bare = await HttpTest.open();
  expect((await bare.send(`/calendar/${CALENDAR_TOKEN}.ics`)).status).toBe(404);
  await bare.close();
});
