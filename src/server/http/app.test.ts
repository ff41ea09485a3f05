/** `/bridge/v1` as the document has it (docs: http, "The bridge"), over real sockets. */
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HttpTest, json } from "../../../test/kit/http-front.js";
import { toolsFor } from "../../tools/registry.js";
import { toolHash, type BridgeTool } from "./app.js";

let http: HttpTest;
beforeAll(async () => {
  http = await HttpTest.open();
});
afterAll(() => http.close());

const MIB = 1024 * 1024;
/** A call of exactly so many bytes. */
const bodyOf = (bytes: number) => {
  const [head, tail] = ['{"arguments":{"path":"', '"}}'];
  return head + "x".repeat(bytes - head.length - tail.length) + tail;
};
const CALL = "/bridge/v1/tools/read_note/call";

describe("the bridge", () => {
  it("tells its health", async () => {
    const answer = await http.send("/bridge/v1/health");
    expect(json(answer)).toEqual({ status: "ok", version: "9.8.7", protocolVersion: "1" });
    expect(answer.headers["content-type"]).toBe("application/json");
  });

  it("lists the tools with name, description and schema, and their hash", async () => {
    const { tools, hash } = json(await http.send("/bridge/v1/tools")) as { tools: BridgeTool[]; hash: string };
    const all = toolsFor({ hasDefaultVault: true }).tools.map(({ listing: { name, description, inputSchema } }) => ({
      name,
      description,
      inputSchema,
    }));
    expect(tools).toEqual(all);
    expect(tools.every((tool) => Object.keys(tool).join() === "name,description,inputSchema")).toBe(true);
    expect(hash).toBe(toolHash(all));
  });

  it("calls a tool: success, and a failure that is an answer", async () => {
    expect(json(await http.call("read_note", { path: "Notes/Example.md" }))).toEqual({
      success: true,
      content: [{ type: "text", text: "# Example\n" }],
      structuredContent: expect.objectContaining({ path: "Notes/Example.md" }) as object,
    });
    const failed = await http.call("read_note", { path: "Notes/None.md" });
    expect(failed.status).toBe(200);
    expect(json(failed)).toEqual({
      success: false,
      content: [{ type: "text", text: expect.stringMatching(/^Error: .*None/) as string }],
      isError: true,
    });
    expect(
      json(await http.send("/bridge/v1/tools/read%5Fnote/call", { body: { arguments: { path: "Notes/Example.md" } } })),
    ).toMatchObject({ success: true });
  });

  // test/hostile-inputs.md, H08
  it("takes a body of 1 MiB and not one byte more, announced or counted", async () => {
    for (const chunked of [false, true]) {
      const fits = await http.send(CALL, { body: bodyOf(MIB), chunked });
      expect([fits.status, Object.keys(json(fits) as object)]).toEqual([200, ["success", "content", "isError"]]);
      const over = await http.send(CALL, { body: bodyOf(MIB + 1), chunked });
      expect([over.status, json(over)]).toEqual([
        413,
        { error: "Request body too large", message: "The body may have at most 1 MiB." },
      ]);
    }
  });

  // test/hostile-inputs.md, H09
  it("refuses 5 MiB without a length, closes, and holds none of it", async () => {
    const refused = await Promise.all(
      Array.from({ length: 8 }, () => http.send(CALL, { body: bodyOf(5 * MIB), chunked: true })),
    );
    for (const { status, headers } of refused) expect([status, headers.connection]).toEqual([413, "close"]);
    expect((await http.send("/health")).status).toBe(200);
  });

  // test/hostile-inputs.md, H09
  it("does not read a body on and on that it has refused", async () => {
    const head = `POST ${CALL} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`;
    const begun = performance.now();
    expect(await http.raw(head)).toMatch(/^HTTP\/1\.1 413 .*\r\n/);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  // test/hostile-inputs.md, H10
  it("says what is wrong with a body, in JSON and without a stack", async () => {
    const bodies = [
      "{bad",
      "[]",
      "{}",
      '{"arguments":null}',
      '{"arguments":[]}',
      '{"arguments":"x"}',
      "null",
      "1",
      "",
      "\ufeff{}",
      Buffer.from([0x22, 0xff, 0x22]),
    ];
    for (const body of bodies) {
      const refused = await http.send(CALL, { body, method: "POST" });
      expect(refused.status, String(body)).toBe(400);
      expect(json(refused)).toMatchObject({
        error: "Invalid request body",
        message: expect.stringMatching(/./) as string,
      });
      expect(refused.text).not.toMatch(/<|\\n|\n|\bat \w+.*:\d/);
    }
    expect(json(await http.send(CALL, { body: "{bad" }))).toHaveProperty("details");
    expect(json(await http.send(CALL, { body: "{}" }))).not.toHaveProperty("details");
  });

  it("checks in the document's order: size, tool, JSON, shape", async () => {
    const path = "/bridge/v1/tools/nope/call";
    expect((await http.send(path, { body: "x".repeat(MIB + 1) })).status).toBe(413);
    expect(json(await http.send(path, { body: "{bad" }))).toMatchObject({ error: "Tool not found" });
    expect((await http.send(CALL, { body: "{bad" })).status).toBe(400);
  });

  // test/hostile-inputs.md, H11
  it("knows its paths and methods", async () => {
    const statuses: [string, string, number][] = [];
    for (const path of ["/bridge/v1/health", "/bridge/v1/tools", CALL, "/mcp", "/health", "/ready", "/metrics"])
      for (const method of ["HEAD", "PUT", "DELETE", "TRACE", "PATCH", "POST", "GET"]) {
        const answer = await http.send(path, {
          method,
          headers: method === "POST" ? { "Content-Type": "application/json" } : {},
        });
        statuses.push([path, method, answer.status]);
        if (answer.status === 405)
          expect(answer.headers.allow, `${method} ${path}`).toMatch(path === CALL ? /^POST, OPTIONS$/ : /GET|POST/);
      }
    const allowed = statuses.filter(([, , status]) => status !== 405);
    expect(allowed).toEqual([
      ["/bridge/v1/health", "GET", 200],
      ["/bridge/v1/tools", "GET", 200],
      [CALL, "POST", 400],
      ["/mcp", "POST", 400],
      ["/health", "HEAD", 200],
      ["/health", "GET", 200],
      ["/ready", "HEAD", 200],
      ["/ready", "GET", 200],
      ["/metrics", "GET", 200],
    ]);
    for (const path of [
      "/",
      "/bridge",
      "/bridge/v1",
      "/bridge/v1/",
      "/bridge/v1/tool",
      "/bridge/v2/health",
      "/MCP",
      "/sse",
      "/messages",
      "//mcp",
      "/index.html",
    ]) {
      const missing = await http.send(path);
      expect([missing.status, json(missing)], path).toEqual([
        404,
        { error: "Not found", message: "There is nothing at this path." },
      ]);
    }
  });

  // test/hostile-inputs.md, H12
  it("is not led astray by encoded or climbing paths", async () => {
    const before = readdirSync(http.vault.folder);
    const paths = [
      "/bridge/v1/tools/..%2Fhealth/call",
      "/bridge/v1/tools/%00/call",
      "/bridge/v1/tools/%zz/call",
      "/bridge/v1/tools/read_note%2Fcall",
      "/bridge/v1/../../mcp",
      "/bridge/v1/tools/../health",
      "/bridge/v1/tools/__proto__/call",
      "/bridge/v1/tools/constructor/call",
      "/bridge/v1%2Fhealth",
      "/%6dcp",
    ];
    for (const path of paths) {
      const refused = await http.send(path, { body: { arguments: {} } });
      expect(refused.status, path).toBe(404);
    }
    expect(readdirSync(http.vault.folder)).toEqual(before);
  });

  it("tells a failure of its own without particulars", async () => {
    const broken = {
      ...toolsFor({ hasDefaultVault: true }),
      find: () => {
        throw new Error("secret /etc/path");
      },
    };
    const server = await HttpTest.open({ tools: broken });
    const answer = await server.call("read_note", {});
    await server.close();
    expect([answer.status, json(answer)]).toEqual([
      500,
      { error: "Internal server error", message: "The server's log says more." },
    ]);
    expect(answer.text + server.logged.join("")).not.toContain("secret");
  });
});
