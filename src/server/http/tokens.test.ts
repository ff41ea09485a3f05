/** What a person lets one program see: as rules, and from consent to calls, lists of connections and stored grants. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { OPEN_ACCESS, json } from "../../../test/kit/http-front.js";
import { ISSUER, SignInTest } from "../../../test/kit/sign-in-front.js";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import { OWNER } from "../../../test/kit/web-front.js";
import { RuleSet } from "../../access/rules.js";
import { vaultOpener } from "../../open.js";
import { vaultPath } from "../../storage/path.js";
import { createWorkspace } from "../../tools/workspace.js";
import { describeLimits, digestOf, type Limits, readLimits, rulesOf } from "./tokens.js";

const PATHS = ["Root.md", "Work/Plan.md", "Work/Deep/Note.md", "A *[b] !c/Odd.md", "Home/Diary.md", "2024/Old.md"];
const visible = (limits: Limits) => PATHS.filter((path) => RuleSet.of([rulesOf(limits)])?.allowsPath(vaultPath(path)));
const writable = (limits: Limits) => PATHS.filter((path) => RuleSet.of([rulesOf(limits)])?.mayWrite(vaultPath(path)));

describe("limits as rules", () => {
  it("show the chosen folders with all below them, whatever their names hold", () => {
    expect(visible({ folders: { Work: "read" } })).toEqual(["Work/Plan.md", "Work/Deep/Note.md"]);
    expect(visible({ folders: { "A *[b] !c": "read" } })).toEqual(["A *[b] !c/Odd.md"]);
    expect(visible({ folders: { "A*": "read", wor: "read", Deep: "read" } })).toEqual([]);
    expect(visible({ folders: {} })).toEqual([]);
  });

  it("show files outside of folders by the empty name, next to folders in any order", () => {
    expect(visible({ folders: { "": "read" } })).toEqual(["Root.md"]);
    expect(visible({ folders: { "2024": "read", Work: "read", "": "read" } })).toEqual([
      "Root.md",
      "Work/Plan.md",
      "Work/Deep/Note.md",
      "2024/Old.md",
    ]);
  });

  it("let those folders be changed that are chosen for it", () => {
    expect(writable({ folders: { Work: "write", Home: "read" } })).toEqual(["Work/Plan.md", "Work/Deep/Note.md"]);
    expect(writable({ folders: { Work: "read" } })).toEqual([]);
    expect(describeLimits({ folders: { Work: "write", "": "read" }, denyTags: ["x"] })).toBe(
      "only Work, files outside of folders (read only); not #x",
    );
  });

  it.each([
    "text",
    { folders: { "a/b": "read" } },
    { folders: { a: "own" } },
    { folders: ["a"] },
    { folders: { "a\nb": "read" } },
    { denyTags: "x" },
    { denyTags: ["a b"] },
    { denyTags: [""] },
    { deny: ["x"] },
  ])("cannot be read from %j", (value) => expect(readLimits(value)).toBeUndefined());
});

const FILES = {
  "Root.md": "# Root\n",
  "Work/Plan.md": "# Plan\ncanary-of-work\n",
  "Work/Health.md": "# Health\ncanary-of-health #health\n",
  "Home/Diary.md": "# Diary\ncanary-of-home\n",
};
const ANNA = {
  name: "anna",
  digest: digestOf("anna-anna-anna-anna"),
  scopes: { write: true, toolsets: undefined, rules: [{ deny: ["Home/"] }] },
};

let end = async () => {};
afterEach(() => end());
async function open(tokens = [OWNER]): Promise<SignInTest> {
  const vault = new TemporaryVault(FILES);
  const opener = vaultOpener({});
  const common = { opener, default: vault.folder, switches: false };
  const test = await SignInTest.open(
    {},
    {
      access: { ...OPEN_ACCESS, hosts: ["notes.example"], origins: [ISSUER], tokens, people: [ANNA] },
      workspace: createWorkspace(common),
      workspaceFor: (access) => createWorkspace({ ...common, access }),
    },
  );
  end = async () => {
    await test.close();
    await opener.close();
    vault.remove();
  };
  return test;
}

it("a person signs in where the server has no token with all rights", async () => {
  const test = await open([]);
  const anna = await test.person("anna-anna-anna-anna");
  const { text } = test.query(await test.register());
  expect((await test.consent(text, {}, anna)).body["folders"]).toEqual(["Work", ""]);
});

describe("a grant with limits", () => {
  it("offers the folders that the person sees", async () => {
    const test = await open();
    const { text } = test.query(await test.register());
    expect((await test.consent(text)).body["folders"]).toEqual(["Home", "Work", ""]);
    const anna = await test.person("anna-anna-anna-anna");
    expect((await test.consent(text, {}, anna)).body["folders"]).toEqual(["Work", ""]);
  });

  it("shows the program what was chosen, and no more after a refresh", async () => {
    const test = await open();
    const limits = { folders: { Work: "read" }, denyTags: ["health"] };
    const given = await test.tokens(undefined, {}, { limits });
    const next = json(await test.refresh(given.clientId, given.refresh_token)) as { access_token: string };
    for (const token of [given.access_token, next.access_token]) {
      const headers = { Authorization: `Bearer ${token}` };
      const found = await test.http.call("search", { query: "canary" }, headers);
      expect(found.text).toContain("canary-of-work");
      expect(found.text).not.toMatch(/canary-of-(home|health)|Root/);
      const change = { path: "Work/Plan.md", old_str: "Plan", new_str: "x" };
      expect((await test.http.call("str_replace", change, headers)).text).toContain("may not be changed");
    }
    const { connections } = json(await test.send("/web/connections", { headers: await test.person() })) as {
      connections: { limits: string }[];
    };
    expect(connections.map((one) => one.limits)).toEqual(["only Work (read only); not #health"]);
  });

  it("widens nothing: the person's own rules hold for it too", async () => {
    const test = await open();
    const anna = await test.person("anna-anna-anna-anna");
    const { text, verifier } = test.query(await test.register());
    const { body: shown } = await test.consent(text, {}, anna);
    const limits = { folders: { Home: "write", Work: "write" } };
    const decision = { digest: shown["digest"], allow: true, scopes: shown["choices"], limits };
    const { body } = await test.consent(text, decision, anna);
    const code = new URL(String(body["redirect"])).searchParams.get("code") ?? "";
    const clientId = new URLSearchParams(text).get("client_id") ?? "";
    const { access_token: token } = json(await test.redeem({ clientId, verifier, code })) as { access_token: string };
    const found = await test.http.call("search", { query: "canary" }, { Authorization: `Bearer ${token}` });
    expect(found.text).toContain("canary-of-work");
    expect(found.text).not.toContain("canary-of-home");
  });

  it("is refused with limits that cannot be read, and gives nothing when those stored are damaged", async () => {
    const test = await open();
    const { text } = test.query(await test.register());
    const { body: shown } = await test.consent(text);
    const decision = { digest: shown["digest"], allow: true, scopes: ["read"], limits: { folders: ["Work"] } };
    expect((await test.consent(text, decision)).status).toBe(400);
    const { access_token: token } = await test.tokens(undefined, {}, { limits: { folders: { Work: "read" } } });
    const [name = ""] = readdirSync(join(test.store, "grants"));
    const file = join(test.store, "grants", name);
    writeFileSync(file, readFileSync(file, "utf8").replace('"read"}', '"all"}'));
    expect(await test.statusOf(token)).toBe(401);
  });
});
