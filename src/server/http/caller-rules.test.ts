/** Rules of a token's row over HTTP: what they hide is in no answer, on no path, and two tokens see two vaults. */
import { afterEach, describe, expect, it } from "vitest";
import { HttpTest, OPEN_ACCESS, json } from "../../../test/kit/http-front.js";
import { TemporaryVault } from "../../../test/kit/temporary-vault.js";
import { vaultOpener } from "../../open.js";
import { createWorkspace } from "../../tools/workspace.js";
import { digestOf, type NamedToken, type Scopes } from "./tokens.js";

const FILES = {
  "Open.md": "# Open\n\n[[Secret plan]]\n",
  "Private/Secret plan.md": "# Secret plan\n\ncanary-of-the-private-folder\n",
};
const token = (name: string, scopes: Partial<Scopes>): NamedToken => ({
  name,
  digest: digestOf(`${name}-${name}-${name}-${name}`),
  scopes: { write: true, toolsets: undefined, ...scopes },
});
const TOKENS = [
  token("owner", {}),
  token("guest", { rules: [{ deny: ["Private/"], allowWrite: ["Open.md"] }] }),
  token("clerk", { tools: ["get_agenda"] }),
  token("auditor", { tools: ["get_history"] }),
];

let http: HttpTest;
let vault: TemporaryVault;
let end: () => Promise<void>;
afterEach(async () => {
  await http.close();
  await end();
  vault.remove();
});

async function open(canNarrow = true): Promise<void> {
  vault = new TemporaryVault(FILES);
  const opener = vaultOpener({});
  end = () => opener.close();
  const common = { opener, default: vault.folder, switches: false };
  http = await HttpTest.open({
    access: { ...OPEN_ACCESS, tokens: TOKENS },
    workspace: createWorkspace(common),
    ...(canNarrow ? { workspaceFor: (access) => createWorkspace({ ...common, access }) } : {}),
  });
}
const as = (name: string) => ({ Authorization: `Bearer ${name}-${name}-${name}-${name}` });

describe("a token with rules", () => {
  it("finds, reads and changes nothing that they hide, while the owner does", async () => {
    await open();
    for (const [tool, args] of [
      ["search", { query: "canary" }],
      ["find_notes", { query: "secret" }],
      ["view", { path: "/" }],
      ["obsidian_get_outgoing_links", { note: "Open.md" }],
    ] as const) {
      const [guest, owner] = [await http.call(tool, args, as("guest")), await http.call(tool, args, as("owner"))];
      expect(guest.text, tool).not.toMatch(/canary-of|Private/);
      expect(owner.text, tool).toMatch(/canary-of|Private|Secret plan/);
    }
    const named = { path: "Private/Secret plan.md" };
    expect((await http.call("read_note", named, as("guest"))).text).toContain("There is no file");
    expect((await http.call("read_note", named, as("owner"))).text).toContain("canary-of");
    const resources = await http.rpc("resources/list", {}, as("guest"));
    expect(resources.text).not.toContain("Secret plan");
    const write = { path: "New.md", file_text: "x" };
    expect(json(await http.call("create", write, as("guest")))).toMatchObject({ success: false });
    expect(json(await http.call("create", write, as("owner")))).toMatchObject({ success: true });
  });

  it("takes back its own last change without naming it, and never another's", async () => {
    await open();
    const change = (name: string, old_str: string, new_str: string) =>
      http.call("str_replace", { path: "Open.md", old_str, new_str }, as(name));
    expect((await change("guest", "# Open", "# Opened")).text).toContain('"success":true');
    expect((await http.call("create", { path: "New.md", file_text: "x" }, as("owner"))).text).toContain("true");
    expect((await http.call("undo_edit", {}, as("guest"))).text).toContain("Reverted 'Open.md'");
    await change("guest", "# Open", "# Guest");
    await change("owner", "# Guest", "# Owner");
    expect((await http.call("undo_edit", {}, as("guest"))).text).toContain("was changed since");
    expect((await http.call("undo_edit", {}, as("owner"))).text).toContain("Reverted 'Open.md'");
  });

  it("is shown no figures, which count hidden notes too", async () => {
    await open();
    expect((await http.send("/metrics", { headers: as("guest") })).status).toBe(403);
    expect((await http.send("/metrics", { headers: as("owner") })).status).toBe(200);
  });

  it("is served nothing where the vault cannot be narrowed", async () => {
    await open(false);
    expect((await http.call("view", { path: "/" }, as("guest"))).status).toBe(500);
  });
});

it("a token with tools is offered those alone", async () => {
  await open();
  const { tools } = json(await http.send("/bridge/v1/tools", { headers: as("clerk") })) as {
    tools: { name: string }[];
  };
  expect(tools.map(({ name }) => name)).toEqual(["get_agenda"]);
  expect(json(await http.call("view", { path: "/" }, as("clerk")))).toMatchObject({ success: false });
});

it("a token with tools sees no changes of others", async () => {
  await open();
  await http.call("create", { path: "New.md", file_text: "x" }, as("owner"));
  expect((await http.call("get_history", {}, as("owner"))).text).toContain("New.md");
  expect((await http.call("get_history", {}, as("auditor"))).text).not.toContain("New.md");
});
