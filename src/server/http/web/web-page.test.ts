/** Logging in and out, what a session may do, links for other devices, and notices of changes, over real sockets. */
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HttpTest, OPEN_ACCESS, eventsOf, json } from "../../../../test/kit/http-front.js";
import { LONG } from "../../../../test/kit/fuzz.js";
import { OWNER, TOKEN, WebTest, type LoggedIn } from "../../../../test/kit/web-front.js";
import { defineTool } from "../../../tools/tool.js";
import { RateLimit } from "../guards.js";
import { digestOf } from "../tokens.js";

let web: WebTest | undefined;
afterEach(async () => {
  await web?.close();
  web = undefined;
});
const open = async (...about: Parameters<typeof WebTest.open>) => (web = await WebTest.open(...about));

const TASK = { "Projects/Paint.md": "---\ntype: task\nstatus: To Do\n---\n# Paint the fence\n" };
const rpcBody = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

describe("what the page asks first", () => {
  it("is answered by the names of its tools and the vault's day, to those who have logged in", async () => {
    const web = await open({ vault: TASK });
    expect((await web.send("/web/session", { method: "GET" })).status).toBe(401);
    const headers = web.headers(await web.loggedIn());
    const { tools, today } = json(await web.send("/web/session", { method: "GET", headers })) as {
      tools: string[];
      today: string;
    };
    expect(tools).toContain("search_tasks");
    expect(today).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it("and answers are compressed for the page alone", async () => {
    const web = await open({ vault: TASK });
    const headers: Record<string, string> = { ...web.headers(await web.loggedIn()), "Accept-Encoding": "gzip" };
    expect((await web.list(headers)).headers["content-encoding"]).toBe("gzip");
    const { ["Sec-Fetch-Site"]: _site, ...others } = headers;
    expect((await web.list(others)).headers["content-encoding"]).toBeUndefined();
  });
});

describe("logging in", () => {
  it("gives a cookie and a key, and says until when they are good", async () => {
    const web = await open();
    const answer = await web.login();
    const { key, ...rest } = json(answer) as { key: string };
    expect([answer.status, rest]).toEqual([200, { login: "done", until: "2025-09-06T12:00:00.000Z" }]);
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        new RegExp(`^${web.cookieName}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800$`),
      ),
    ]);
    expect(web.http.logged.join("")).not.toContain(key);
  });

  it("behind a proxy the cookie is sent over TLS only, and the page is known by its public address", async () => {
    const publicUrl = "https://notes.example";
    const access = { ...OPEN_ACCESS, tokens: [OWNER], hosts: ["notes.example"], origins: [publicUrl] };
    const web = await open({ publicUrl, access });
    const about = { Host: "notes.example", Origin: publicUrl, "Sec-Fetch-Site": "same-origin" };
    const answer = await web.login(undefined, about);
    const [cookie = ""] = answer.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/; Secure$/);
    const { key } = json(answer) as { key: string };
    const session = { ...about, Cookie: cookie.split(";")[0] ?? "", "X-Session-Key": key };
    expect((await web.list(session)).status).toBe(200);
    const link = await web.send("/web/codes", { body: {}, headers: session });
    expect(json(link)).toEqual({ link: expect.stringMatching(/^https:\/\/notes\.example\/#login=[\w-]{22}$/) });
  });

  it("takes one token or one code and nothing else", async () => {
    const web = await open();
    for (const body of [{}, [], "x", { token: TOKEN, code: "x" }, { token: 5 }, { code: TOKEN, more: 1 }, null])
      expect((await web.login(JSON.stringify(body))).status, JSON.stringify(body)).toBe(400);
    expect((await web.login({ token: "x".repeat(20_000) })).status).toBe(413);
    expect((await web.send("/web/session", { method: "PUT" })).status).toBe(405);
  });

  it("is tried ten times a minute by an address, on loopback too", async () => {
    const web = await open();
    for (let tries = 0; tries < 10; tries++)
      expect((await web.login({ token: `wrong-${tries}-horse` })).status).toBe(401);
    const late = await web.login();
    expect([late.status, Number(late.headers["retry-after"])]).toEqual([429, expect.any(Number)]);
    expect((await web.list({ Authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  });

  it("is not needed where no token is asked for", async () => {
    const web = await open({ access: OPEN_ACCESS });
    const answer = await web.login({ code: "anything" });
    expect([answer.status, json(answer)]).toEqual([200, { login: "not needed" }]);
    expect(answer.headers).not.toHaveProperty("set-cookie");
    expect((await web.list({})).status).toBe(200);
    expect(json(await web.send("/web/codes", { body: {} }))).toEqual({ link: `${web.origin}/` });
  });
});

describe("a session", () => {
  it("calls tools, reads resources, and ends by logging out", async () => {
    const web = await open({ vault: TASK });
    const headers = web.headers(await web.loggedIn());
    const found = await web.http.rpc("tools/call", { name: "search_tasks", arguments: { query: "*" } }, headers);
    expect(json(found)).toMatchObject({ result: { structuredContent: { total: 1, tasks: [{ status: "To Do" }] } } });
    const listed = json(await web.http.rpc("resources/list", {}, headers)) as {
      result: { resources: { uri: string }[] };
    };
    const [{ uri } = { uri: "" }] = listed.result.resources;
    const read = json(await web.http.rpc("resources/read", { uri }, headers));
    expect(read).toMatchObject({ result: { contents: [{ text: TASK["Projects/Paint.md"] }] } });
    const out = await web.send("/web/session", { method: "DELETE", headers });
    expect([out.status, out.headers["set-cookie"]]).toEqual([204, [expect.stringMatching(/=; .*Max-Age=0$/)]]);
    expect((await web.list(headers)).status).toBe(401);
    expect((await web.send("/web/session", { method: "DELETE", headers })).status).toBe(401);
  });

  it("expires by the clock", async () => {
    const web = await open();
    const headers = web.headers(await web.loggedIn());
    web.wait(12 * 3_600_000 - 1);
    expect((await web.list(headers)).status).toBe(200);
    web.wait(12 * 3_600_000);
    expect((await web.list(headers)).status).toBe(401);
  });

  it("may do what its token may", async () => {
    const digest = digestOf("another-horse-battery");
    const reader = { name: "reader", digest, scopes: { write: false, toolsets: ["tasks"] as const } };
    const web = await open({ access: { ...OPEN_ACCESS, tokens: [OWNER, reader] } });
    const narrow = web.headers(await web.loggedIn({ token: "another-horse-battery" }));
    const names = async (headers: Record<string, string>) =>
      (json(await web.list(headers)) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
    expect(await names(narrow)).toContain("search_tasks");
    expect(await names(narrow)).not.toContain("update_task");
    expect(await names(narrow)).not.toContain("create");
    const link = json(await web.send("/web/codes", { body: {}, headers: narrow })) as { link: string };
    const handedOn = web.headers(await web.loggedIn({ code: link.link.split("#login=")[1] }));
    expect(await names(handedOn)).toEqual(await names(narrow));
  });

  it("is for the page alone: not for the bridge, the figures, or sessions of the protocol", async () => {
    const web = await open();
    const headers = web.headers(await web.loggedIn());
    for (const path of ["/bridge/v1/tools", "/metrics"]) expect((await web.send(path, { headers })).status).toBe(401);
    for (const method of ["GET", "DELETE"]) expect((await web.send("/mcp", { method, headers })).status).toBe(401);
  });

  it("asks 300 times a minute, 60 at once, where callers are limited at all; files and shell are free", async () => {
    const rate = new RateLimit({ perMinute: 1, burst: 1 });
    const web = await open({ access: { ...OPEN_ACCESS, tokens: [OWNER], rate } });
    const [one, other] = [web.headers(await web.loggedIn()), web.headers(await web.loggedIn())];
    // Else the minute's share keeps coming on a busy machine.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    const answers = await Promise.all(Array.from({ length: 70 }, () => web.list(one)));
    clock.mockRestore();
    const served = answers.filter(({ status }) => status === 200).length;
    expect([served, answers.filter(({ status }) => status === 429).length]).toEqual([60, 10]);
    expect((await web.list(other)).status).toBe(200);
    expect((await web.send("/", { headers: one })).status).toBe(200);
  });

  it("hears how far a call is: the answer is a stream when it takes long", async () => {
    const slow = defineTool({
      name: "slow",
      title: "Slow",
      toolset: "tasks",
      description: "Takes its time.",
      effect: "reads",
      input: { type: "object", properties: {}, additionalProperties: false },
      output: { type: "object", properties: {}, additionalProperties: false },
      failure: "Error:",
      async run(_, { onProgress }) {
        onProgress?.({ done: 1, total: 2 });
        await sleep(30);
        return {};
      },
      text: () => "done",
    });
    const tools = { tools: [slow], find: () => slow };
    const web = await open({ tools, progress: { afterMs: 1, everyMs: 1 } });
    const headers = { ...web.headers(await web.loggedIn()), Accept: "application/json, text/event-stream" };
    const call = (meta: object) =>
      web.send("/mcp", { body: rpcBody("tools/call", { name: "slow", arguments: {}, ...meta }), headers });
    const told = await call({ _meta: { progressToken: "p" } });
    expect(told.headers["content-type"]).toBe("text/event-stream");
    expect([...told.text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as unknown)).toEqual([
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress: 1, total: 2 } },
      { jsonrpc: "2.0", id: 1, result: expect.objectContaining({ structuredContent: {} }) as unknown },
    ]);
    expect((await call({})).headers["content-type"]).toBe("application/json");
  });
});

describe("notices of changes", () => {
  const listen = async (http: HttpTest, headers: Record<string, string>, signal?: AbortSignal) =>
    fetch(`${http.url}/web/events`, { headers, ...(signal ? { signal } : {}) });
  const headersOf = (web: WebTest, session: LoggedIn) => {
    const { Origin: _, ...headers } = web.headers(session);
    return headers;
  };
  /** Milliseconds until the stream says that something changed. */
  const untilChanged = async (response: Response): Promise<number> => {
    const begun = performance.now();
    await eventsOf(response, (messages) => messages.length > 0);
    return performance.now() - begun;
  };

  it("come within a second of another program's change, to every page", async () => {
    const web = await open({ vault: TASK });
    const headers = headersOf(web, await web.loggedIn());
    const pages = await Promise.all([listen(web.http, headers), listen(web.http, headers)]);
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    // The watch stands, and the first page has been told that the vault was looked at.
    await sleep(500);
    const told = pages.map(untilChanged);
    await Promise.all(told);
    const again = await Promise.all([listen(web.http, headers), listen(web.http, headers)]);
    const heard = again.map(untilChanged);
    appendFileSync(join(web.http.vault.folder, "Projects", "Paint.md"), "more\n");
    // A busy machine may miss the second.
    for (const ms of await Promise.all(heard)) expect(ms).toBeLessThan(LONG ? 1000 : 10_000);
  });

  it("end when the session does, and when the server stops", async () => {
    const web = await open({ vault: TASK });
    const [one, other] = [await web.loggedIn(), await web.loggedIn()];
    const streams = await Promise.all([one, other].map((session) => listen(web.http, headersOf(web, session))));
    const ended = streams.map((stream) => stream.text());
    await web.send("/web/session", { method: "DELETE", headers: web.headers(one) });
    expect(await ended[0]).not.toContain("error");
    const stopped = web.http.server.stop();
    expect(await ended[1]).not.toContain("error");
    await stopped;
  });

  it("tell of a vault that vanishes", async () => {
    const web = await open({ vault: TASK });
    const headers = headersOf(web, await web.loggedIn());
    await web.list(web.headers(await web.loggedIn()));
    const stream = await listen(web.http, headers);
    await sleep(500);
    const heard = eventsOf(stream, (messages) => messages.length > 1);
    rmSync(web.http.vault.folder, { recursive: true });
    expect((await heard).length).toBeGreaterThan(1);
  });
});
