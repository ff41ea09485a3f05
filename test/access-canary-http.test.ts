/**
 * Notes that access rules hide are in no byte that the HTTP server sends or logs: resources, prompts, completions, calendars, figures, probes,
 * errors, history and undo. Without rules the same requests show them.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fixedClock } from "../src/clock.js";
import { silentLog } from "../src/log.js";
import { vaultOpener, type ClosableOpener, type VaultRules } from "../src/open.js";
import { secretCalendars } from "../src/server/http/calendar-feed.js";
import { digestOf } from "../src/server/http/tokens.js";
import { createWorkspace } from "../src/tools/workspace.js";
import { CANARY, VISIBLE, hiddenFiles, rulesBut } from "./kit/hidden-notes.js";
import { HttpTest, OPEN_ACCESS, json, type Received } from "./kit/http-front.js";
import { TemporaryVault } from "./kit/temporary-vault.js";

const CALENDAR = "c".repeat(43);
const CLOCK = fixedClock("2025-09-01T09:00:00Z");

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Served {
  readonly http: HttpTest;
  readonly vault: TemporaryVault;
}

/** A vault with hidden notes, served under these rules. @param state the folder of its undo journal */
async function serve(state: string, vault: TemporaryVault, ...access: readonly VaultRules[]): Promise<Served> {
  const opener: ClosableOpener = vaultOpener({ access, clock: CLOCK, stateFolder: state });
  const workspace = createWorkspace({ opener, default: vault.folder, switches: false });
  const token = { name: "phone", digest: digestOf(CALENDAR), scopes: { write: false, toolsets: [] } };
  const calendar = secretCalendars({
    links: undefined,
    tokens: [token],
    workspace,
    rate: undefined,
    log: silentLog,
  });
  const http = await HttpTest.open({ workspace, calendar, access: OPEN_ACCESS });
  ends.push(
    () => opener.close(),
    () => http.close(),
  );
  return { http, vault };
}

/** All that can be asked besides tools that read, which `access-canary.test.ts` calls. */
async function answers({ http }: Served, uris: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const add = (name: string, { status, headers, text }: Received) =>
    found.set(name, `${status} ${JSON.stringify(headers)} ${text}`);
  for (const path of ["/ready", "/health", "/metrics", `/calendar/${CALENDAR}.ics`, "/bridge/v1/tools", "/nothing"])
    add(path, await http.send(path));
  for (const method of ["resources/list", "resources/templates/list", "prompts/list", "tools/list"])
    add(method, await http.rpc(method));
  for (const uri of uris) {
    // A refusal repeats the URI and the path that were asked for.
    const path = decodeURIComponent(uri.replace(/^[^/]*\/\/[^/]*\//, ""));
    const { text, ...answer } = await http.rpc("resources/read", { uri });
    add(`resources/read ${uri}`, { ...answer, text: text.replaceAll(uri, "").replaceAll(path, "") });
  }
  const { result: prompts } = json(await http.rpc("prompts/list")) as {
    result: { prompts: { name: string; arguments?: { name: string; required?: boolean }[] }[] };
  };
  const { result: templates } = json(await http.rpc("resources/templates/list")) as {
    result: { resourceTemplates: { uriTemplate: string }[] };
  };
  const complete = async (ref: object, argument: string) => {
    for (const value of ["", "x", "p", "h", "canary"])
      add(
        `complete ${JSON.stringify(ref)} ${argument} ${value}`,
        await http.rpc("completion/complete", { ref, argument: { name: argument, value } }),
      );
  };
  for (const { name, arguments: given = [] } of prompts.prompts) {
    for (const argument of given) await complete({ type: "ref/prompt", name }, argument.name);
    const values = ["Garden", "Home", "Lost and found", "2025-09-01"];
    for (const value of values) {
      const args = Object.fromEntries(given.map((argument) => [argument.name, value]));
      add(`prompt ${name} ${value}`, await http.rpc("prompts/get", { name, arguments: args }));
    }
  }
  for (const { uriTemplate } of templates.resourceTemplates)
    await complete({ type: "ref/resource", uri: uriTemplate }, "path");
  for (const [tool, args] of CALLS) add(`${tool} ${JSON.stringify(args)}`, await http.call(tool, args));
  return found;
}

/** What refuses, and what looks back. */
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ["get_history", {}],
  ["get_history", { path: "Private" }],
  ["undo_edit", { last: 3 }],
  ["undo_edit", { path: "Private/Lost and found.md" }],
  ["obsidian_list_conflicts", {}],
  ["read_note", { path: "Private/Lost and fond.md" }],
  ["get_task", { taskId: "Inlin" }],
  ["update_task", { taskId: "Private/one", updates: { status: "Done" } }],
  ["str_replace", { path: "Private/Lost and found.md", old_str: "x", new_str: "y" }],
  ["rename", { old_path: "Diary", new_path: "Journal" }],
  ["delete", { path: "Private" }],
  ["obsidian_get_backlinks", { note: "Lost and fond" }],
];

const shows = (text: string) => text.toLowerCase().includes(CANARY);

describe("what access rules hide from everybody", () => {
  it("is in no answer and no line of the log, and without the rules is in those that can show it", async () => {
    const state = await mkdtemp(join(tmpdir(), "canary-state-"));
    const vault = new TemporaryVault({ ...VISIBLE, ...hiddenFiles("file") });
    ends.push(
      () => vault.remove(),
      () => rm(state, { recursive: true }),
    );
    const free = await serve(state, vault);
    const change = { path: `Private/${CANARY} one.md`, old_str: "[[Seeds]]", new_str: "[[Garden]]" };
    expect(json(await free.http.call("str_replace", change))).toMatchObject({ success: true });
    const listed = json(await free.http.rpc("resources/list")) as { result: { resources: { uri: string }[] } };
    const uris = listed.result.resources.map(({ uri }) => uri);
    expect(uris.some((uri) => shows(uri))).toBe(true);

    const rules: readonly VaultRules[] = [rulesBut(), { deny: ["1-Projects/Hidden/"] }];
    const hiding = await serve(state, vault, ...rules);
    for (const [name, answer] of await answers(hiding, uris)) expect(shows(answer), name).toBe(false);
    expect(hiding.http.logged.length).toBeGreaterThan(50);
    expect(hiding.http.logged.filter((line) => shows(line))).toEqual([]);

    const open = [...(await answers(free, uris))].filter(([, answer]) => shows(answer)).map(([name]) => name);
    for (const place of ["resources/list", "resources/read", "complete", "/calendar", "get_history", "undo_edit"])
      expect(
        open.some((name) => name.startsWith(place)),
        place,
      ).toBe(true);
  });
});
