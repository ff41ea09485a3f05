/** What clients are taken for: registrations of known programs, documents, fixed ones, redirect URIs (docs: sign-in). */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { clientRegistry, type ClientRegistryOptions, isRegistered, redirectKind, shownHost } from "./clients.js";
import type { ClientDocuments } from "./client-documents.js";
import { askedScopes, grantable, rightsOf } from "../tokens.js";

const KEY = Buffer.alloc(32, 7);
const clients = (more: Partial<ClientRegistryOptions> = {}) =>
  clientRegistry({ key: KEY, fixed: [], documents: undefined, schemes: [], ...more });

/** As these programs register, with what they send beside it. */
const REGISTRATIONS: Readonly<Record<string, object>> = {
  "claude.ai": {
    client_name: "Claude",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "client_secret_post",
    scope: "claudeai",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
  },
  ChatGPT: {
    client_name: "ChatGPT",
    redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
    token_endpoint_auth_method: "none",
  },
  "Le Chat": {
    client_name: "Mistral AI",
    redirect_uris: ["https://callback.mistral.ai/v1/integrations_auth/oauth2_callback"],
  },
  Cursor: {
    client_name: "Cursor",
    application_type: "web",
    redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"],
    token_endpoint_auth_method: "none",
  },
  "VS Code": {
    client_name: "Visual Studio Code",
    redirect_uris: ["http://127.0.0.1/", "https://vscode.dev/redirect", "http://127.0.0.1:33418/"],
    token_endpoint_auth_method: "none",
  },
  "mcp-remote": {
    client_name: "MCP CLI Proxy",
    redirect_uris: ["http://localhost:9797/oauth/callback"],
    token_endpoint_auth_method: "none",
  },
};

describe("registration", () => {
  it.each(Object.entries(REGISTRATIONS))("takes that of %s, and stores nothing", (_, metadata) => {
    const answer = clients().register(metadata) as {
      client_id: string;
      client_secret?: string;
      redirect_uris: string[];
    };
    expect(answer.client_id.length).toBeLessThanOrEqual(1000);
    expect(clients().register(metadata)).toEqual(answer);
    const known = clients().known(answer.client_id);
    expect(known.redirectUris).toEqual(answer.redirect_uris);
    expect(clients().isAuthentic(known, answer.client_secret)).toBe(true);
    expect(clients().isAuthentic(known, "wrong")).toBe(answer.client_secret === undefined);
    const other = clientRegistry({ key: Buffer.alloc(32, 8), fixed: [], documents: undefined, schemes: [] });
    expect(() => other.known(answer.client_id)).toThrow("not registered here");
  });

  it("knows fixed clients by their secret", () => {
    const secretDigest = createHash("sha256").update("a secret").digest();
    const fixed = {
      id: "le-chat",
      name: "Le Chat",
      redirectUris: ["https://x.example/"],
      method: "client_secret_post",
    } as const;
    const own = clients({ fixed: [{ ...fixed, secretDigest }] });
    expect(own.isAuthentic(own.known("le-chat"), "a secret")).toBe(true);
    expect(own.isAuthentic(own.known("le-chat"), undefined)).toBe(false);
  });

  it("refuses methods that nobody uses, and metadata too long to be sealed", () => {
    const one = { redirect_uris: ["https://x.example/cb"] };
    expect(() => clients().register({ ...one, token_endpoint_auth_method: "private_key_jwt" })).toThrow(
      "not supported",
    );
    expect(() => clients().register({ redirect_uris: [`https://x.example/${"x".repeat(900)}`] })).toThrow("too long");
    expect(() => clients().register([])).toThrow("JSON object");
  });
});

describe("a document", () => {
  const ID = "https://chatgpt.com/oauth/client.json";
  const find = (document: object) =>
    clients({ documents: { fetch: async () => document } as unknown as ClientDocuments }).find(ID);
  const plain = { client_id: ID, client_name: "ChatGPT", redirect_uris: ["https://chatgpt.com/cb"] };

  it("counts when it allows the method none, which ChatGPT's lists after another", async () => {
    const methods = {
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["private_key_jwt", "none"],
    };
    expect(await find({ ...plain, ...methods })).toMatchObject({ id: ID, method: "none", name: "ChatGPT" });
    await expect(find({ ...plain, token_endpoint_auth_method: "private_key_jwt" })).rejects.toMatchObject({
      code: "invalid_client",
    });
  });

  it("that holds a secret, which anybody can read, is refused", async () => {
    await expect(find({ ...plain, client_secret: "not-so-secret" })).rejects.toMatchObject({ code: "invalid_client" });
  });

  it.each(["https://CHATGPT.com/oauth/client.json", `${ID}/`, `${ID}?x`, "https://chatgpt.com/oauth/client%2ejson"])(
    "that says it is %s is another's (document.other-id)",
    async (id) => expect(find({ ...plain, client_id: id })).rejects.toMatchObject({ code: "invalid_client" }),
  );
});

describe("redirect URIs", () => {
  it.each([
    ["https://app.example/cb", "https"],
    ["http://127.0.0.1/cb", "loopback"],
    ["http://[::1]:5/cb", "loopback"],
    ["http://localhost:5/cb", "loopback"],
    ["cursor://x/cb", "app"],
    ["com.example.app:/cb", "app"],
    ["http://app.example/cb", undefined],
    ["https://user@app.example/cb", undefined],
    ["https://app.example/cb#x", undefined],
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["ms-msdt:/id", undefined],
    ["https://app.example\\@evil.example/cb", undefined],
    ["https://app.example/c b", undefined],
  ])("%s is %s", (uri, kind) => expect(redirectKind(uri)).toBe(kind));

  it("fit any port on this device, and are exact elsewhere", () => {
    expect(isRegistered("http://127.0.0.1:2/cb", ["http://127.0.0.1/cb"])).toBe(true);
    expect(isRegistered("http://127.0.0.1:2/cb?x", ["http://127.0.0.1/cb"])).toBe(false);
    expect(isRegistered("https://app.example:2/cb", ["https://app.example/cb"])).toBe(false);
    expect(isRegistered("cursor://x/cb", ["cursor://x/cb"])).toBe(true);
    expect(redirectKind("myapp:/cb", ["myapp"])).toBe("app");
  });

  it("show their host in ASCII", () => {
    expect(shownHost("https://аpple.example/cb")).toBe("xn--pple-43d.example");
    expect(shownHost("cursor://x/cb")).toBe("cursor:");
  });
});

describe("scopes", () => {
  it("that nobody knows are dropped; none means reading and writing", () => {
    expect(askedScopes("claudeai")).toEqual(["read", "write"]);
    expect(askedScopes(undefined)).toEqual(["read", "write"]);
    expect(askedScopes("tasks openid")).toEqual(["read", "tasks"]);
  });

  it("go no further than the request and the person", () => {
    expect(grantable(["read", "write"], { write: false, toolsets: ["tasks"] })).toEqual(["read", "tasks"]);
    expect(grantable(["read", "notes"], { write: true, toolsets: undefined })).toEqual(["read", "notes"]);
    expect(rightsOf([])).toBeUndefined();
  });
});
