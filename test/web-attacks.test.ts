/**
 * What is tried against the page's server (docs: web, "Checks"), as raw requests: pages of other ports and sites, secrets that are
 * guessed, planted, used up or halved, and thousands of pages at once. What a real browser adds is tried with the page itself.
 */
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CalendarFeed } from "../src/server/http/calendar-feed.js";
import { json } from "./kit/http-front.js";
import { TOKEN, WebTest, type LoggedIn } from "./kit/web-front.js";

let web: WebTest | undefined;
afterEach(async () => {
  await web?.close();
  web = undefined;
});
const open = async (...about: Parameters<typeof WebTest.open>) => (web = await WebTest.open(...about));

type Headers = Record<string, string>;

/** All that a session opens: what each path answers to a request with these headers, made by the method and with the body it wants. */
async function statusesOf(web: WebTest, headers: Headers): Promise<Record<string, number>> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: CREATE };
  const asked: [string, string, unknown][] = [
    ["/mcp", "POST", call],
    ["/web/codes", "POST", {}],
    ["/web/session", "DELETE", undefined],
  ];
  const statuses: Record<string, number> = { "/web/events": await listen(web, headers) };
  for (const [path, method, body] of asked)
    statuses[path] = (await web.send(path, { method, headers, ...(body === undefined ? {} : { body }) })).status;
  return statuses;
}
const CREATE = { name: "create", arguments: { path: "Attacked.md", file_text: "x" } };

/** The status that a page gets which would listen. */
async function listen(web: WebTest, headers: Headers): Promise<number> {
  const lines = Object.entries({ Host: `127.0.0.1:${web.http.server.port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return new Promise((resolve, reject) => {
    const socket = connect(web.http.server.port, "127.0.0.1");
    socket.setEncoding("utf8").on("error", reject);
    socket.once("data", (text: string) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]));
    });
    socket.write(`GET /web/events HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  });
}

const all = (status: number) => ({
  "/mcp": status,
  "/web/events": status,
  "/web/codes": status,
  "/web/session": status,
});
const attacked = (web: WebTest) => existsSync(join(web.http.vault.folder, "Attacked.md"));

describe("the page itself", () => {
  it("may do all of it", async () => {
    const web = await open();
    const session = web.headers(await web.loggedIn());
    expect(await statusesOf(web, session)).toEqual({ ...all(200), "/web/session": 204 });
    expect(attacked(web)).toBe(true);
  });
});

describe("pages of other origins, with the cookie and even with the key", () => {
  const cases: readonly [string, (web: WebTest) => Headers][] = [
    ["another port of this machine", () => ({ Origin: "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site" })],
    ["another port, to a browser that tells no Origin", () => ({ "Sec-Fetch-Site": "same-site" })],
    ["another port, to a browser that tells no Sec-Fetch-Site", () => ({ Origin: "http://127.0.0.1:1" })],
    ["the same port under another name", (web) => ({ Origin: `http://localhost:${web.http.server.port}` })],
    ["the same port by another scheme", (web) => ({ Origin: web.origin.replace("http:", "https:") })],
    ["an address typed in", () => ({ "Sec-Fetch-Site": "none" })],
    ["another site", () => ({ Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" })],
    ["a sandboxed frame", () => ({ Origin: "null", "Sec-Fetch-Site": "cross-site" })],
    ["Obsidian's pages", () => ({ Origin: "app://obsidian.md", "Sec-Fetch-Site": "cross-site" })],
  ];
  it.each(cases)("%s", async (_, about) => {
    const web = await open();
    const session = await web.loggedIn();
    const { Cookie = "", "X-Session-Key": key = "" } = web.headers(session);
    expect(await statusesOf(web, { Cookie, "X-Session-Key": key, ...about(web) })).toEqual(all(403));
    expect(await statusesOf(web, { Cookie, ...about(web) })).toEqual(all(403));
    const login = await web.login(undefined, about(web));
    expect([login.status, login.headers["set-cookie"]]).toEqual([403, undefined]);
    expect(attacked(web)).toBe(false);
    expect((await web.list(web.headers(session))).status).toBe(200);
  });

  it("are granted nothing by a preflight: neither the key's header nor credentials", async () => {
    const web = await open();
    for (const path of ["/mcp", "/", "/web/session", "/web/codes", "/web/events", "/web/page-0a1b2c3d.js"]) {
      const { headers } = await web.send(path, {
        method: "OPTIONS",
        headers: {
          Origin: "http://127.0.0.1:1",
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "content-type, x-session-key",
        },
      });
      const granted = (headers["access-control-allow-headers"] ?? "").toLowerCase();
      expect(granted.split(/\s*,\s*/), path).not.toEqual(expect.arrayContaining(["x-session-key"]));
      expect(granted, path).not.toContain("*");
      expect(headers, path).not.toHaveProperty("access-control-allow-credentials");
      if (path !== "/mcp") expect(headers, path).not.toHaveProperty("access-control-allow-origin");
    }
  });

  it("cannot rebind a name to this machine", async () => {
    const web = await open();
    const session = web.headers(await web.loggedIn());
    for (const host of ["evil.example", `evil.example:${web.http.server.port}`, "127.0.0.1.evil.example"]) {
      const headers = { ...session, Host: host, Origin: `http://${host}` };
      expect(await statusesOf(web, headers), host).toEqual(all(403));
      for (const path of ["/", "/web/page-0a1b2c3d.js"])
        expect((await web.send(path, { headers: { Host: host } })).status).toBe(403);
    }
    expect(attacked(web)).toBe(false);
  });

  it("cannot frame, read or embed anything of it, refusals included", async () => {
    const web = await open();
    for (const path of ["/", "/web/page-0a1b2c3d.js", "/web/nothing", "/web/session", "/web/codes", "/web/events"]) {
      const { headers } = await web.send(path);
      expect(headers["content-security-policy"], path).toContain("frame-ancestors 'none'");
      expect(headers["content-security-policy"], path).toContain("require-trusted-types-for 'script'");
      expect([headers["cross-origin-resource-policy"], headers["cross-origin-opener-policy"]], path).toEqual([
        "same-origin",
        "same-origin",
      ]);
    }
  });
});

describe("halves of a session", () => {
  const without = (headers: Headers, name: string): Headers => {
    const { [name]: _, ...rest } = headers;
    return rest;
  };
  const cases: readonly [string, (web: WebTest, one: LoggedIn, other: LoggedIn) => Headers][] = [
    ["the cookie without the key", (web, one) => without(web.headers(one), "X-Session-Key")],
    ["the key without the cookie", (web, one) => without(web.headers(one), "Cookie")],
    ["an empty key", (web, one) => web.headers({ ...one, key: "" })],
    ["another session's key", (web, one, other) => web.headers({ ...one, key: other.key })],
    ["the cookie as key", (web, one) => web.headers({ ...one, key: one.cookie.split("=")[1] ?? "" })],
    ["the token as key", (web, one) => web.headers({ ...one, key: TOKEN })],
    [
      "a cookie under another port's name",
      (web, one) => web.headers({ ...one, cookie: one.cookie.replace(web.cookieName, "vault-1") }),
    ],
    ["a cookie in another case", (web, one) => web.headers({ ...one, cookie: one.cookie.toUpperCase() })],
    ["a cookie with more", (web, one) => web.headers({ ...one, cookie: `${one.cookie}x` })],
    ["a cookie with less", (web, one) => web.headers({ ...one, cookie: one.cookie.slice(0, -1) })],
    ["a key with more", (web, one) => web.headers({ ...one, key: `${one.key}x` })],
    [
      "a wrong token beside all of it",
      (web, one) => ({ ...web.headers(one), Authorization: "Bearer wrong-wrong-wrong" }),
    ],
  ];
  it.each(cases)("%s opens nothing", async (_, about) => {
    const web = await open();
    const [one, other] = [await web.loggedIn(), await web.loggedIn()];
    expect(await statusesOf(web, about(web, one, other))).toEqual(all(401));
    expect(attacked(web)).toBe(false);
    expect((await web.list(web.headers(one))).status).toBe(200);
  });

  it("a right token counts alone, whatever cookie a page of another port has left beside it", async () => {
    const web = await open();
    const cookie = `${web.cookieName}=planted`;
    const headers = { Authorization: `Bearer ${TOKEN}`, Cookie: cookie, Origin: "http://127.0.0.1:1" };
    expect((await web.list(headers)).status).toBe(200);
  });

  it("a planted cookie beside the right one changes nothing", async () => {
    const web = await open();
    const one = await web.loggedIn();
    const planted = Array.from({ length: 3 }, (_, n) => `${web.cookieName}=planted${n}`).join("; ");
    expect((await web.list(web.headers({ ...one, cookie: `${planted}; ${one.cookie}` }))).status).toBe(200);
  });
});

describe("codes", () => {
  const codeOf = async (web: WebTest): Promise<string> => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const { link } = json(await web.send("/web/codes", { body: {}, headers })) as { link: string };
    return link.split("#login=")[1] ?? "";
  };

  it("log in once", async () => {
    const web = await open();
    const code = await codeOf(web);
    const answers = await Promise.all([web.login({ code }), web.login({ code }), web.login({ code })]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
    expect(answers.find(({ status }) => status === 401)?.text).toContain("used already");
  });

  it("expire after two minutes", async () => {
    const web = await open();
    const code = await codeOf(web);
    web.wait(120_000);
    expect((await web.login({ code })).status).toBe(401);
  });

  it("are no tokens, and tokens are no codes", async () => {
    const web = await open();
    const code = await codeOf(web);
    expect((await web.login({ token: code })).status).toBe(401);
    expect((await web.login({ code: TOKEN })).status).toBe(401);
    expect((await web.list({ Authorization: `Bearer ${code}` })).status).toBe(401);
    expect((await web.login({ code })).status).toBe(200);
  });

  it("are of the server's own making: a link shows its address alone", async () => {
    const web = await open();
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const { link } = json(await web.send("/web/codes", { body: {}, headers })) as { link: string };
    expect(link).toMatch(new RegExp(`^${web.origin}/#login=[\\w-]{22}$`));
    expect((await web.send("/web/codes", { body: {} })).status).toBe(401);
  });
});

describe("guessing", () => {
  it("is soon told to wait, and does not log anybody else out", async () => {
    const web = await open();
    const session = web.headers(await web.loggedIn());
    const statuses: number[] = [];
    for (let tries = 0; tries < 30; tries++) statuses.push((await web.login({ code: `guess-${tries}` })).status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.slice(-15)).toEqual(Array.from({ length: 15 }, () => 429));
    expect((await web.login()).status).toBe(429);
    expect((await web.list(session)).status).toBe(200);
  });

  it("of calendar addresses is soon told to wait too, while right ones are answered", async () => {
    const calendar: CalendarFeed = {
      read: async (secret) =>
        secret === "right" ? { bytes: Buffer.from("BEGIN:VCALENDAR"), hash: "0", entries: 0 } : undefined,
    };
    const web = await open({ calendar });
    const statuses: number[] = [];
    for (let tries = 0; tries < 20; tries++) statuses.push((await web.send(`/calendar/wrong-${tries}.ics`)).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 404));
    expect(statuses.slice(-5)).toEqual(Array.from({ length: 5 }, () => 429));
    expect((await web.send("/calendar/right.ics")).status).toBe(200);
    expect((await web.send("/calendar/right.ics", { method: "POST", body: {} })).status).toBe(405);
    expect((await web.login()).status).toBe(200);
  });
});

it("no log, figure or answer holds a secret", async () => {
  const web = await open();
  const session = await web.loggedIn();
  const headers = web.headers(session);
  const { link } = json(await web.send("/web/codes", { body: {}, headers })) as { link: string };
  const code = link.split("#login=")[1] ?? "";
  await web.login({ code });
  await web.login({ code: "guessed-code-guessed" });
  await web.send("/web/../secret-name");
  await web.send("/calendar/guessed-secret.ics");
  await web.list({ ...headers, "X-Session-Key": "guessed-key" });
  const { text } = await web.send("/metrics", { headers: { Authorization: `Bearer ${TOKEN}` } });
  for (const route of ["/", "/web/session", "/web/codes", "/web/{file}", "/calendar/{secret}.ics"])
    if (route !== "/") expect(text).toContain(`route="${route}"`);
  const told = text + web.http.logged.join("");
  const secrets = [TOKEN, session.key, session.cookie.split("=")[1] ?? "", code];
  for (const secret of [...secrets, "guessed", "secret-name"]) expect(told).not.toContain(secret);
});

describe("1,000 pages at once", () => {
  it("256 of them listen, the others are told to come again, and everybody else is served as ever", async () => {
    const web = await open();
    const { port } = web.http.server;
    const headers = web.headers(await web.loggedIn());
    const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
    const asked = `GET /web/events HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
    const sockets: Socket[] = [];
    const statuses = new Map<number, number>();
    const page = () =>
      new Promise<void>((resolve) => {
        const socket = connect(port, "127.0.0.1");
        sockets.push(socket);
        socket.setEncoding("utf8").once("data", (text: string) => {
          const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          // Who is told to come again has no use for the connection.
          if (status !== 200) socket.destroy();
          resolve();
        });
        socket.on("error", () => {}).on("close", () => resolve());
        socket.write(asked);
      });
    for (let wave = 0; wave < 2; wave++) await Promise.all(Array.from({ length: 500 }, page));
    expect([statuses.get(200), statuses.get(503)]).toEqual([256, 744]);
    expect((await web.list(headers)).status).toBe(200);
    expect((await web.send("/health")).status).toBe(200);
    // Those that go make room for others.
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => listen(web, headers)).toBe(200);
  });
});
