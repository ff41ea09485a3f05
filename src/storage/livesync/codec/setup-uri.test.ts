import { encryptWithEphemeralSalt } from "octagonal-wheels/encryption/hkdf";
import { describe, expect, it } from "vitest";
import { readSetupUri } from "./setup-uri.js";

const COUCH = { couchDB_URI: "https://couch.example", couchDB_DBNAME: "vault" };

async function uriOf(settings: unknown): Promise<string> {
  const sealed = await encryptWithEphemeralSalt(JSON.stringify(settings), "open");
  return `obsidian://setuplivesync?settings=${encodeURIComponent(sealed)} `;
}

describe("a Setup URI", () => {
  it("leaves out what has its default value", async () => {
    expect(await readSetupUri(await uriOf(COUCH), "open")).toEqual({
      url: "https://couch.example",
      database: "vault",
      user: undefined,
      password: undefined,
      passphrase: undefined,
      usePathObfuscation: false,
      headers: undefined,
    });
  });

  it("brings the headers that what stands in front of the server asks for", async () => {
    const text = "CF-Access-Client-Id: an-id\n  X-Secret :  a: b  \nnot a header\n";
    const { headers } = await readSetupUri(await uriOf({ ...COUCH, couchDB_CustomHeaders: text }), "open");
    expect(headers).toEqual({ "CF-Access-Client-Id": "an-id", "X-Secret": "a: b" });
  });

  it("that signs in by JWT is refused by that name", async () => {
    const uri = await uriOf({ ...COUCH, useJWT: true, jwtKey: "a secret key" });
    await expect(readSetupUri(uri, "open")).rejects.toThrow("JWT");
  });

  it("brings a passphrase only where something is encrypted", async () => {
    const stale = await uriOf({ ...COUCH, passphrase: "left over" });
    const used = await uriOf({ ...COUCH, passphrase: "used", encrypt: true });
    expect((await readSetupUri(stale, "open")).passphrase).toBeUndefined();
    expect((await readSetupUri(used, "open")).passphrase).toBe("used");
  });

  it("names the active one of several remotes", async () => {
    const uri = "sls+http://alice%40x:p%25w%3A@couch.example:5984/prefix?db=my-vault";
    const remotes = { one: { uri: "sls+s3://k:s@x?bucket=b" }, two: { uri, isEncrypted: false } };
    const settings = { remoteConfigurations: remotes, activeConfigurationId: "two" };
    expect(await readSetupUri(await uriOf(settings), "open")).toMatchObject({
      url: "http://couch.example:5984/prefix",
      database: "my-vault",
      user: "alice@x",
      password: "p%w:",
    });
  });

  it("prefers the active remote to fields left over, with its headers and its way to sign in", async () => {
    const settings = (query: string) => ({
      ...COUCH,
      remoteType: "MINIO",
      remoteConfigurations: { two: { uri: `sls+https://now.example?db=now&${query}` } },
      activeConfigurationId: "two",
    });
    expect(await readSetupUri(await uriOf(settings("headers=X-Secret%3A%20a")), "open")).toMatchObject({
      url: "https://now.example",
      database: "now",
      headers: { "X-Secret": "a" },
    });
    await expect(readSetupUri(await uriOf(settings("useJWT=true")), "open")).rejects.toThrow("JWT");
  });

  it.each<[string, object]>([
    ["S3", { remoteType: "MINIO" }],
    ["P2P", { remoteType: "ONLY_P2P" }],
    ["does not know", { remoteType: "WEBDAV" }],
    ["does not know", { remoteType: "constructor" }],
    ["S3", { remoteConfigurations: { a: { uri: "sls+s3://k:secret@x?bucket=b" } }, activeConfigurationId: "a" }],
    ["P2P", { remoteConfigurations: { a: { uri: "sls+p2p://a room?x" } }, activeConfigurationId: "a" }],
  ])(
    "of a vault that is not in CouchDB is refused by name (%s), whatever fields are left over: %j",
    async (name, more) => {
      const uri = await uriOf({ ...COUCH, couchDB_PASSWORD: "secret", ...more });
      const error: unknown = await readSetupUri(uri, "open").catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(name) });
      expect(String(error)).not.toMatch(/secret|WEBDAV|couch\.example/);
    },
  );

  it.each([
    ["http://example.org", "open", "does not begin"],
    ["obsidian://setuplivesync?settings=%", "open", "not copied whole"],
    ["obsidian://setuplivesync?settings=%25%24AAAA", "open", "does not open"],
  ])("%s is refused", async (uri, passphrase, words) => {
    await expect(readSetupUri(uri, passphrase)).rejects.toThrow(words);
  });

  it.each([[], "text", { couchDB_URI: "https://couch.example" }])("with %j in it is refused", async (settings) => {
    await expect(readSetupUri(await uriOf(settings), "open")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("does not open by a wrong passphrase, and the refusal tells nothing of it", async () => {
    const uri = await uriOf({ ...COUCH, couchDB_PASSWORD: "database secret" });
    const error: unknown = await readSetupUri(uri, "wrong secret").catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(String(error)).not.toMatch(/secret|couch|%25/);
  });
});
