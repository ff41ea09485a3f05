/** Tokens, hosts, origins and rates from settings and files; no refusal holds a token. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isVaultError } from "../../errors.js";
import { findToken } from "../../server/http/tokens.js";
import { livesyncConfiguration } from "../livesync-settings.js";
import { readCommandLine } from "../options/arguments.js";
import { accessRules, openTokenFile, httpAddress, isLoopbackAddress } from "./http-access.js";
import { readTokensFile } from "./tokens-file.js";

const folder = mkdtempSync(join(tmpdir(), "access-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};
const settings = (argv: string[], environment: Record<string, string> = {}) =>
  readCommandLine(argv, environment, () => false).settings;
/** Flags of HTTP need `--http`. */
const served = (argv: string[]): string[] =>
  argv.length === 0 || argv.includes("--http") ? argv : ["--http", ...argv];
const rules = (argv: string[], environment: Record<string, string> = {}, isLoopback = true) =>
  accessRules(settings(served(argv), environment), isLoopback);
const TOKEN = "correct-horse-battery";

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return `${error.message} ${error.hint}`;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe.runIf(process.platform !== "win32")("a file of tokens that every user may read", () => {
  it.each(["--token-file", "--tokens-file"])("of %s is told of", (flag) => {
    const path = file("open", TOKEN);
    for (const [mode, told] of [
      [0o644, flag],
      [0o640, undefined],
      [0o600, undefined],
    ] as const) {
      chmodSync(path, mode);
      expect(openTokenFile(settings(served([flag, path])))).toBe(told);
    }
    expect(openTokenFile(settings([]))).toBeUndefined();
  });
});

it("secrets from files lose a byte order mark", async () => {
  const tokens = JSON.stringify({ tokens: [{ name: "laptop", token: TOKEN, scopes: ["read"] }] });
  expect(
    readTokensFile(settings(served(["--tokens-file", file("marked.json", `\uFEFF${tokens}`)]))).tokens,
  ).toHaveLength(1);
  const couch = ["--couchdb-url", "http://c", "--couchdb-database", "d", "--couchdb-password-file"];
  const configured = await livesyncConfiguration(settings([...couch, file("password", "\uFEFFsecret\r\n")]));
  expect(configured.password).toBe("secret");
});

describe("the address", () => {
  const address = (argv: string[], environment = {}) => httpAddress(settings(argv, environment));

  it("comes from --http, BIND_ADDR and PORT", () => {
    expect(address(["--http"])).toEqual({ host: "127.0.0.1", port: 3000 });
    expect(address(["--http", "8080"])).toEqual({ host: "127.0.0.1", port: 8080 });
    expect(address(["--http=[::1]:0"])).toEqual({ host: "::1", port: 0 });
    expect(address(["--http", "localhost:1"], { BIND_ADDR: "0.0.0.0:2", PORT: "3" })).toEqual({
      host: "localhost",
      port: 1,
    });
    expect(address(["--http"], { BIND_ADDR: "0.0.0.0:8080" })).toEqual({ host: "0.0.0.0", port: 8080 });
    expect(address(["--http"], { BIND_ADDR: "0.0.0.0:8080", PORT: "9" })).toEqual({ host: "0.0.0.0", port: 9 });
    expect(address(["--http"], { PORT: "9" })).toEqual({ host: "127.0.0.1", port: 9 });
    expect(address(["--http", "--bind-addr", ":5"])).toEqual({ host: "127.0.0.1", port: 5 });
  });

  it("leaves a vault that follows the flag alone", () => {
    for (const vault of ["./notes", "/vaults/My Vault", "C:\\Vault"]) {
      expect(settings(["--http", vault])).toMatchObject({ http: "", vault });
      expect(settings(["--http", "0.0.0.0:80", vault])).toMatchObject({ http: "0.0.0.0:80", vault });
    }
    expect(settings(["v/x"], { BIND_ADDR: "0.0.0.0:8080", PORT: "tcp://10.0.0.1" }).http).toBeUndefined();
  });

  it("names the setting that is wrong", () => {
    expect(refusalOf(() => address(["--http=nonsense"]))).toMatch(/^--http is "nonsense"/);
    expect(refusalOf(() => address(["--http=1.2.3.4:70000"]))).toMatch(/^--http is "70000", which is no port/);
    expect(refusalOf(() => address(["--http"], { BIND_ADDR: "here" }))).toMatch(/^BIND_ADDR is "here"/);
    expect(refusalOf(() => address(["--http"], { PORT: "tcp://x" }))).toMatch(/^PORT is "tcp:\/\/x"/);
    expect(refusalOf(() => address(["--http", "--bind-addr", "here"]))).toMatch(/^--bind-addr is "here"/);
    expect(refusalOf(() => address(["--http", "--port", "x"], { PORT: "9" }))).toMatch(/^--port is "x"/);
  });

  it("knows loopback", () => {
    const is = (host: string) => isLoopbackAddress({ host, port: 1 });
    expect(["127.0.0.1", "127.9.9.9", "::1", "localhost"].every(is)).toBe(true);
    expect(["0.0.0.0", "::", "192.168.0.1", "example.org", "127.evil.org"].some(is)).toBe(false);
  });
});

describe("who may call", () => {
  it("needs a token or an explicit word where others can reach it", () => {
    expect(refusalOf(() => rules([], {}, false))).toMatch(/needs a token.*--insecure-no-auth/);
    expect(rules(["--insecure-no-auth"], {}, false).tokens).toEqual([]);
    expect(rules([], { AUTH_TOKEN: TOKEN }, false).tokens).toHaveLength(1);
    const proxied = ["--http", "--public-url", "https://notes.example"];
    expect(refusalOf(() => rules(proxied))).toMatch(/^--public-url lets others .*needs a token.*--insecure-no-auth/);
    expect(refusalOf(() => rules(["--http"], { ALLOWED_HOSTS: "notes.example" }))).toMatch(
      /^ALLOWED_HOSTS lets others/,
    );
    expect(rules([...proxied, "--token", TOKEN]).hosts).toEqual(["notes.example"]);
    expect(rules([...proxied, "--insecure-no-auth"]).tokens).toEqual([]);
    expect(rules([...proxied, "--sign-in"]).tokens).toEqual([]);
    expect(rules(["--http", "--public-url", "http://localhost:3000"]).tokens).toEqual([]);
    expect(rules([], { PUBLIC_URL: "https://notes.example" }).tokens).toEqual([]);
    expect(rules([]).tokens).toEqual([]);
  });

  const inFile = (token: string) => file(`token-${token}`, `${token}\n`);
  const inList = (token: string) => file(`list-${token}`, { tokens: [{ name: "listed", token, scopes: ["write"] }] });
  const OTHER = "another-token-altogether";

  it.each<[source: string, argv: string[], environment?: Record<string, string>]>([
    ["--token", ["--token", TOKEN]],
    ["--token=", [`--token=${TOKEN}`]],
    ["AUTH_TOKEN", [], { AUTH_TOKEN: TOKEN }],
    ["--token-file", ["--token-file", inFile(TOKEN)]],
    ["AUTH_TOKEN_FILE", [], { AUTH_TOKEN_FILE: inFile(TOKEN) }],
    ["--tokens-file", ["--tokens-file", inList(TOKEN)]],
    ["AUTH_TOKENS_FILE", [], { AUTH_TOKENS_FILE: inList(TOKEN) }],
    ["--token before AUTH_TOKEN", ["--token", TOKEN], { AUTH_TOKEN: OTHER }],
    ["--token-file before AUTH_TOKEN_FILE", ["--token-file", inFile(TOKEN)], { AUTH_TOKEN_FILE: inFile(OTHER) }],
    ["--tokens-file before AUTH_TOKENS_FILE", ["--tokens-file", inList(TOKEN)], { AUTH_TOKENS_FILE: inList(OTHER) }],
    ["--token beside an empty AUTH_TOKEN_FILE", ["--token", TOKEN], { AUTH_TOKEN_FILE: "" }],
  ])("takes a token from %s, whole, and no other", (_, argv, environment) => {
    const made = rules(argv, environment);
    expect(findToken(made.tokens, TOKEN)).toMatchObject({ scopes: { write: true } });
    expect(findToken(made.tokens, `${TOKEN}\n`)).toBeUndefined();
    expect(findToken(made.tokens, OTHER)).toBeUndefined();
    expect(JSON.stringify(made)).not.toContain(TOKEN);
  });

  it("takes one token beside the named ones", () => {
    const { tokens } = rules(["--token", TOKEN, "--tokens-file", inList(OTHER)]);
    expect([TOKEN, OTHER].map((token) => findToken(tokens, token) !== undefined)).toEqual([true, true]);
  });

  it.each<[argv: string[], environment: Record<string, string>, words: string]>([
    [["--token", TOKEN, "--token-file", "x"], {}, "--token and --token-file are both given."],
    [["--token", TOKEN], { AUTH_TOKEN_FILE: "x" }, "--token and AUTH_TOKEN_FILE are both given."],
    [["--token-file", "x"], { AUTH_TOKEN: TOKEN }, "AUTH_TOKEN and --token-file are both given."],
    [[], { AUTH_TOKEN: TOKEN, AUTH_TOKEN_FILE: "x" }, "AUTH_TOKEN and AUTH_TOKEN_FILE are both given."],
    [["--token", "short"], { AUTH_TOKEN: TOKEN }, "--token holds a token of fewer"],
    [[], { AUTH_TOKEN: "short" }, "AUTH_TOKEN holds a token of fewer"],
    [["--token-file", inFile("short")], {}, "--token-file holds a token of fewer"],
    [[], { AUTH_TOKEN_FILE: inFile("short") }, "AUTH_TOKEN_FILE holds a token of fewer"],
    [[], { AUTH_TOKEN_FILE: join(folder, "missing") }, "AUTH_TOKEN_FILE names a file that cannot be read."],
    [[], { AUTH_TOKENS_FILE: join(folder, "missing") }, "AUTH_TOKENS_FILE names a file that cannot be read."],
    [[], { AUTH_TOKENS_FILE: inList("short") }, "AUTH_TOKENS_FILE holds a token of fewer"],
    [["--tokens-file", inList(TOKEN)], { AUTH_TOKEN: TOKEN }, '--tokens-file gives "listed" a token that another has.'],
  ])("refuses %j with %j by the names that they have", (argv, environment, words) => {
    const refusal = refusalOf(() => rules(argv, environment));
    expect(refusal.slice(0, words.length)).toBe(words);
    expect(refusal).not.toContain(TOKEN);
  });

  it("reads named tokens with scopes, as text or as a hash", () => {
    const path = file("tokens.json", {
      tokens: [
        { name: "reader", token: "reader-reader-reader", scopes: ["read", "notes"] },
        {
          name: "writer",
          sha256: "2ca1a98ba5cfc5e8c0dbc5b2fd61d8cf2ba0a2f1ea79b8e5bbb6c5bdf8dbbdd0",
          scopes: ["write"],
        },
      ],
    });
    const { tokens } = rules(["--tokens-file", path, "--token", TOKEN]);
    expect(tokens.map(({ name, scopes }) => [name, scopes])).toEqual([
      ["token", { write: true, toolsets: undefined }],
      ["reader", { write: false, toolsets: ["notes"] }],
      ["writer", { write: true, toolsets: undefined }],
    ]);
    expect(findToken(tokens, "reader-reader-reader")?.name).toBe("reader");
  });

  it("gives those whom an issuer vouches for the limits of their row", () => {
    const limits = { deny: ["Private/"], tools: ["read_note"] };
    const admit = [{ name: "anna", subject: "1", scopes: ["write"], ...limits }];
    const { admit: rows } = readTokensFile(settings(["--http", "--tokens-file", file("admit.json", { admit })]));
    expect(rows).toMatchObject([{ scopes: { write: true, rules: [{ deny: ["Private/"] }], tools: ["read_note"] } }]);
  });

  it("refuses files and tokens of the wrong form, and never repeats one", () => {
    const one = (row: object) => () =>
      rules(["--tokens-file", file("wrong.json", { tokens: [{ name: "a", token: TOKEN, scopes: ["read"], ...row }] })]);
    const anna = { name: "anna", subject: "1", scopes: ["read"] };
    const list = (lists: object) => () =>
      rules([
        "--tokens-file",
        file("lists.json", { tokens: [{ name: "a", token: TOKEN, scopes: ["read"] }], ...lists }),
      ]);
    const cases: [() => unknown, RegExp][] = [
      [() => rules(["--token", "short"]), /fewer than 16/],
      [() => rules(["--token", `${TOKEN} x`]), /blanks/],
      [() => rules([], { AUTH_TOKEN_FILE: file("empty", "\n") }), /blanks|none/],
      [() => rules(["--token-file", join(folder, "missing")]), /cannot be read/],
      [() => rules(["--tokens-file", file("bad.json", "{")]), /no JSON/],
      [() => rules(["--tokens-file", file("none.json", { tokens: [] })]), /no list, or empty/],
      [one({ name: "a b" }), /token 1 needs a "name"/],
      [one({ scopes: ["everything"] }), /token 1 needs "scopes"/],
      [one({ scopes: ["tasks"] }), /"read" or "write"/],
      [one({ sha256: "00" }), /either "token" or "sha256"/],
      [one({ token: "short" }), /fewer than 16/],
      [one({ secret: 1 }), /unknown field "secret"/],
      [list({ token: [] }), /unknown list "token"/],
      [list({ clients: [{ id: "app", redirect_uris: ["https://a.example"] }] }), /unknown field "redirect_uris"/],
      [list({ admit: [{ ...anna, denny: ["Private/"] }] }), /admitted row 1 has an unknown field "denny"/],
      [list({ admit: [{ ...anna, deny: "Private/" }] }), /admitted row 1 has a "deny" that is no list/],
      [list({ admit: [anna, { ...anna, subject: "2" }] }), /two admitted rows are called "anna"/],
      [list({ admit: [{ ...anna, scopes: ["calendar"] }] }), /opens no calendar/],
      // Both would have the rights of the one that calls first.
      [
        () =>
          rules([
            "--token",
            TOKEN,
            "--tokens-file",
            file("named.json", { tokens: [{ name: "token", token: OTHER, scopes: ["read"] }] }),
          ]),
        /calls a token "token"/,
      ],
      [
        () =>
          rules([
            "--token",
            TOKEN,
            "--tokens-file",
            file("twice.json", { tokens: [{ name: "b", token: TOKEN, scopes: ["read"] }] }),
          ]),
        /that another has/,
      ],
    ];
    for (const [work, words] of cases) {
      const refusal = refusalOf(work);
      expect(refusal).toMatch(words);
      expect(refusal).not.toContain(TOKEN);
    }
  });

  it.each([
    [["--redirect-scheme", "app"], "SIGN_IN", "--redirect-scheme needs --sign-in."],
    [["--no-client-documents"], "SIGN_IN", "--no-client-documents needs --sign-in."],
    [["--sign-in-database", "https://c.example/x"], "SIGN_IN", "--sign-in-database needs --sign-in."],
    [["--sign-in-key-file", "x"], "SIGN_IN", "--sign-in-key-file needs --sign-in."],
    [["--audience", "x"], "ISSUER", "--audience needs --issuer."],
    [["--issuer-aliases"], "ISSUER", "--issuer-aliases needs --issuer."],
  ])("refuses %j where %s is not given too", (argv, needed, words) => {
    expect(refusalOf(() => rules(["--http", ...argv]))).toContain(words);
    expect(rules(["--http", ...argv], { [needed]: needed === "SIGN_IN" ? "1" : "https://id.example" }).tokens).toEqual(
      [],
    );
  });

  it("reads hosts, origins and the rate", () => {
    const made = rules(
      ["--insecure-no-auth", "--allow-host", "Notes.example, other.example", "--allow-host", "[fd00::1]"],
      {
        ALLOWED_ORIGINS: "https://Notes.example,app://x",
      },
    );
    expect(made).toMatchObject({
      hosts: ["notes.example", "other.example", "[fd00::1]"],
      origins: ["https://notes.example", "app://x"],
    });
    expect(refusalOf(() => rules(["--allow-host", "http://x"]))).toMatch(/no host name/);
    expect(refusalOf(() => rules(["--allow-host", "x:80"]))).toMatch(/no port/);
    expect(refusalOf(() => rules(["--allow-origin", "*"]))).toMatch(/no origin/);
    expect(made.rate).toBeUndefined();
    const open = ["--insecure-no-auth"];
    expect(burst(rules(open, {}, false))).toBe(10);
    expect(rules([...open, "--rate-limit", "off"], {}, false).rate).toBeUndefined();
    expect(burst(rules([], { RATE_LIMIT_PER_MINUTE: "5", RATE_LIMIT_BURST: "2" }))).toBe(2);
    expect(refusalOf(() => rules(["--rate-limit", "many"]))).toMatch(/^--rate-limit is "many"/);
    expect(refusalOf(() => rules([], { RATE_LIMIT_PER_MINUTE: "many" }))).toMatch(/^RATE_LIMIT_PER_MINUTE is "many"/);
  });
});

function burst({ rate }: ReturnType<typeof accessRules>): number {
  let served = 0;
  while (rate?.take("a") === 0) served++;
  return served;
}
