/**
 * What each caller of one HTTP server finds as its own: the last change is that of the token (docs: tools, "What a
 * changing tool says"). What is kept for callers is bounded.
 */
import { afterEach, expect, it } from "vitest";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ENVELOPE, HttpTest, OPEN_ACCESS } from "../../../test/kit/http-front.js";
import { MAX_VIEWS, type OtherFeatures } from "./caller-view.js";
import { ALL_SCOPES, digestOf } from "./tokens.js";

const SECRETS = { one: "secret-of-the-token-one", two: "secret-of-the-token-two" } as const;
const tokens = Object.entries(SECRETS).map(([name, secret]) => ({
  name,
  digest: digestOf(secret),
  scopes: ALL_SCOPES,
}));

let http: HttpTest;
afterEach(() => http.close());

async function call(name: keyof typeof SECRETS, tool: string, args: object): Promise<string> {
  const { text } = await http.send(`/bridge/v1/tools/${tool}/call`, {
    method: "POST",
    headers: { authorization: `Bearer ${SECRETS[name]}` },
    body: { arguments: args },
  });
  return text;
}

it("takes back what the same token changed last, and says so where that is nothing", async () => {
  http = await HttpTest.open({ access: { ...OPEN_ACCESS, tokens } }, { "A.md": "a\n", "B.md": "b\n" });
  await call("one", "obsidian_append_note", { note: "A.md", content: "one" });
  await call("two", "obsidian_append_note", { note: "B.md", content: "two" });
  expect(await call("one", "undo_edit", {})).toContain("A.md");
  expect(await call("one", "undo_edit", {})).toContain("nothing left to undo");
  expect(await call("two", "undo_edit", {})).toContain("B.md");
});

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

it("keeps no more than its limit, of callers of 2026-07-28 too", async () => {
  const many = Array.from({ length: MAX_VIEWS + 20 }, (_, at) => `secret-of-the-token-${at}`);
  const callers = many.map((secret) => ({ name: secret, digest: digestOf(secret), scopes: ALL_SCOPES }));
  const made: WeakRef<object>[] = [];
  const features: OtherFeatures = async ({ tools }) => {
    made.push(new WeakRef(tools));
    return [];
  };
  http = await HttpTest.open({ access: { ...OPEN_ACCESS, tokens: callers }, features });
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "none", _meta: ENVELOPE } };
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Mcp-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "none",
  };
  for (const secret of many) {
    const { status } = await http.send("/mcp", { body, headers: { ...headers, authorization: `Bearer ${secret}` } });
    expect(status).toBeLessThan(500);
  }
  collectGarbage();
  const kept = new Set(made.flatMap((tools) => tools.deref() ?? []));
  expect([kept.size > 0, kept.size <= MAX_VIEWS]).toEqual([true, true]);
});
