/** Front ends hand on arguments and results unchanged: what a tool gets and answers is the same behind each. */
import { assert, asyncProperty, boolean, jsonValue } from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { VaultError } from "../src/errors.js";
import { callResult, type ToolOutcome } from "../src/tools/outcome.js";
import type { Tool } from "../src/tools/tool.js";
import { fixtureTools } from "./kit/fixture-tools.js";
import { FUZZ_FACTOR } from "./kit/fuzz.js";
import { HttpTest } from "./kit/http-front.js";
import { StdioSession } from "./kit/stdio-session.js";

const [echo] = fixtureTools.tools;
if (!echo) throw new Error("no fixture tool");
const received: unknown[] = [];

function outcome(args: unknown): ToolOutcome {
  const { value, fails } = args as { value: unknown; fails: boolean };
  const text = JSON.stringify(value);
  if (!fails) return { ok: true, text, details: `${text}, once more`, data: { value } };
  return {
    ok: false,
    text,
    error: new VaultError("CONFLICT", text, { hint: text, candidates: [{ path: "a.md", id: text, title: text }] }),
  };
}

/** Answers, or fails, with its argument. */
const mirror: Tool = {
  ...echo,
  name: "mirror",
  listing: { ...echo.listing, name: "mirror" },
  async call(args) {
    received.push(args);
    return outcome(args);
  },
};
const tools = { tools: [mirror], find: (name: string) => (name === "mirror" ? mirror : undefined) };

let http: HttpTest;
let session: string;
const stdio = new StdioSession({ tools });
beforeAll(async () => {
  await stdio.initialize();
  http = await HttpTest.open({ tools });
  session = await http.initialize();
});
afterAll(async () => {
  await stdio.end();
  await http.close();
});

let last = 0;
const FRONT_ENDS: Readonly<Record<string, (args: object) => Promise<unknown>>> = {
  stdio: async (args) => (await stdio.call(++last, "mirror", args).answer(last)).result,
  async http(args) {
    const { text } = await http.rpc("tools/call", { name: "mirror", arguments: args }, { "Mcp-Session-Id": session });
    return (JSON.parse(text) as { result: unknown }).result;
  },
  bridge: async (args) => JSON.parse((await http.call("mirror", args)).text),
};

it.each(Object.entries(FRONT_ENDS))("%s", async (name, call) => {
  await assert(
    asyncProperty(jsonValue(), boolean(), async (value, fails) => {
      const args = JSON.parse(JSON.stringify({ value, fails })) as object;
      const result = await call(args);
      expect(received.splice(0)).toEqual([args]);
      const { _meta, ...rest } = callResult(outcome(args));
      // The bridge says `success`; an error's code is in its words.
      expect(result).toEqual(name === "bridge" ? { success: !fails, ...rest } : { ...rest, ...(_meta && { _meta }) });
    }),
    { numRuns: 40 * FUZZ_FACTOR },
  );
});
