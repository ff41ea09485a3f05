/** What the build promises: the same bytes from the same source, a lean start, and nothing but our own files and vendored packages. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../src/version.js";
import { ROOT } from "./kit/built-program.js";
import { Child } from "./kit/child.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "build-"));
  for (const name of ["one", "two"]) {
    const script = join(ROOT, "scripts", "build.js");
    execFileSync(process.execPath, [script, "--bundle-only", "--out", join(folder, name)], { cwd: ROOT });
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function contents(name: string): Map<string, string> {
  const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(join(folder, name).length), readFileSync(path, "utf8")]));
}

/** The files and built-in modules a run of the program loads, in order. */
async function loadedBy(input: string, ...args: string[]): Promise<string[]> {
  const spy = join(folder, "spy.cjs");
  execFileSync(process.execPath, ["-e", `require("fs").writeFileSync(${JSON.stringify(spy)}, ${JSON.stringify(SPY)})`]);
  const { stderr, code } = await new Child(["-r", spy, join(folder, "one", "index.js"), ...args]).end(input);
  expect(code).toBe(0);
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("loads "))
    .map((line) => line.slice("loads ".length));
}
const SPY = `const M = require("module"); const load = M._load;
M._load = (name, ...rest) => { process._rawDebug("loads " + name); return load(name, ...rest); };`;

describe("the build", () => {
  it("gives the same bytes from the same source, and no trace of where it ran", () => {
    const one = contents("one");
    expect([...one.keys()]).toEqual([...contents("two").keys()]);
    expect(one).toEqual(contents("two"));
    for (const [path, text] of one) expect(text.includes(ROOT), path).toBe(false);
  });

  it("begins a tools/list without packages, cryptography or a second file of ours", async () => {
    const loaded = await loadedBy('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(loaded.filter((name) => name.startsWith("."))).toEqual([]);
    expect(loaded).not.toContain("node:crypto");
  });

  it("scans without the SDK, YAML or the search engine", async () => {
    const vault = join(folder, "vault");
    execFileSync(process.execPath, ["-e", `require("fs").mkdirSync(${JSON.stringify(vault)})`]);
    const loaded = await loadedBy("", "scan", vault, "--no-cache");
    expect(loaded.filter((name) => name.includes("vendor"))).toEqual([]);
  });

  it("loads the SDK for a handshake, and no ajv of ours", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const loaded = await loadedBy(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    expect(loaded.filter((name) => name.includes("vendor"))).toContain("./vendor/mcp-server.js");
    expect(loaded.filter((name) => name.startsWith("ajv"))).toEqual([]);
  });

  it("states the version of package.json", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    expect(VERSION).toBe(manifest.version);
  });
});
