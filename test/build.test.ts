/** What the build promises: the same bytes from the same source, a lean start, and nothing but our own files and vendored packages. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { VERSION } from "../src/version.js";
import { ROOT } from "./kit/built-program.js";
import { Child } from "./kit/child.js";

let folder: string;
let vault: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "build-"));
  vault = join(folder, "vault");
  mkdirSync(vault);
  writeFileSync(join(vault, "Milk.md"), "---\ntype: task\nstatus: todo\n---\n# Milk\n");
  for (const name of ["one", "two"]) {
    const script = join(ROOT, "scripts", "build.js");
    execFileSync(process.execPath, [script, "--bundle-only", "--out", join(folder, name)], { cwd: ROOT });
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The built files but for the code caches, which V8 fills with what it has done so far. */
function contents(name: string): Map<string, string> {
  const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(".v8"),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(join(folder, name).length), readFileSync(path, "utf8")]));
}

/** What a run of the program loads: built-in modules, files of the program (parts by name, without their hash), and the files' size. */
interface Loaded {
  readonly builtin: readonly string[];
  readonly files: readonly string[];
  readonly kilobytes: number;
}

async function loadedBy(input: string, ...args: string[]): Promise<Loaded> {
  const spy = join(folder, "spy.cjs");
  writeFileSync(spy, SPY);
  const program = join(folder, "one");
  const cache = join(folder, "cache");
  const { stderr, code } = await new Child(["-r", spy, join(program, "index.js"), ...args], {
    XDG_CACHE_HOME: cache,
    NODE_DISABLE_COMPILE_CACHE: "1",
  }).end(input);
  expect(code).toBe(0);
  const names = stderr.split("\n").flatMap((line) => /^loads (.+)/.exec(line)?.[1] ?? []);
  const paths = [...new Set(names.filter((name) => /^[./]/.test(name)).map((name) => resolve(program, name)))];
  return {
    builtin: [...new Set(names.filter((name) => !/^[./]/.test(name)))].toSorted(),
    files: paths.map((path) => relative(program, path).replace(/-[A-Z0-9]{8}(?=\.js$)/, "")).toSorted(),
    kilobytes: paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1024,
  };
}
const SPY = `const M = require("module"); const load = M._load;
M._load = (name, ...rest) => { process._rawDebug("loads " + name); return load(name, ...rest); };`;

const CACHE_SPY = `const vm = require("vm");
vm.Script = class extends vm.Script { constructor(source, options) {
  super(source, options);
  const fate = options.cachedData && !this.cachedDataRejected ? "taken" : "refused";
  const altered = source.includes(require("fs").readFileSync(options.filename, "utf8")) ? "" : " altered";
  process._rawDebug(require("path").basename(options.filename) + " " + fate + altered);
} };`;

const request = (method: string, params: unknown = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

const START = ["index.js", "program.js"];

describe("the build", () => {
  it("gives the same bytes from the same source, and no trace of where it ran", () => {
    const one = contents("one");
    expect([...one.keys()]).toEqual([...contents("two").keys()]);
    expect(one).toEqual(contents("two"));
    for (const [path, text] of one) expect(text.includes(ROOT), path).toBe(false);
  });

  // Every file costs, and most packages cost more than all of ours: what a start loads is listed, so that nothing creeps in.
  it("answers tools/list from the entry and the program alone", async () => {
    const loaded = await loadedBy(request("tools/list"), vault);
    expect(loaded.files).toEqual(START);
    const keepsCode = "enableCompileCache" in nodeModule ? ["node:module"] : [];
    expect(loaded.builtin).toEqual(["node:buffer", "node:events", "node:fs", ...keepsCode].toSorted());
    // A third of it is what the listings of thirty tools say.
    expect(loaded.kilobytes).toBeLessThan(175);
  });

  it("searches tasks without a package", async () => {
    const call = request("tools/call", { name: "search_tasks", arguments: { query: "milk" } });
    for (const run of ["without a snapshot", "with one"]) {
      const loaded = await loadedBy(call, vault);
      expect(loaded.files, run).toEqual([...START, "vault.js"]);
      expect(loaded.builtin, run).not.toEqual(expect.arrayContaining([expect.stringMatching(/http|net$|worker/)]));
      expect(loaded.kilobytes, run).toBeLessThan(650);
    }
  });

  it("scans without a package", async () => {
    const loaded = await loadedBy("", "scan", vault, "--no-cache");
    expect(loaded.files.filter((name) => name.includes("vendor"))).toEqual([]);
  });

  it("loads the SDK and nothing else for a handshake", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const loaded = await loadedBy(request("initialize", params), vault);
    expect(loaded.files).toEqual([...START, "handshake.js", join("vendor", "mcp-server.js")].toSorted());
    expect(loaded.kilobytes).toBeLessThan(800);
  });

  it("leaves out of the packages what the program never uses", () => {
    const built = contents("one");
    expect(built.get(join(sep, "vendor", "mcp-server.js"))).not.toContain("Ajv");
    expect(built.get(join(sep, "vendor", "gray-matter.js"))).not.toContain("esprima");
  });

  it("lets Node keep its compiled code where it can", async () => {
    const kept = join(folder, "compiled");
    await new Child([join(folder, "one", "index.js"), "--version"], { NODE_COMPILE_CACHE: kept }).end();
    expect(existsSync(kept)).toBe("enableCompileCache" in nodeModule);
  });

  describe.runIf(!("enableCompileCache" in nodeModule))("code caches, where Node keeps none itself", () => {
    const list = request("tools/list");
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const handshake = request("initialize", params);

    async function fates(input: string): Promise<string[]> {
      const spy = join(folder, "caches.cjs");
      writeFileSync(spy, CACHE_SPY);
      const { stderr } = await new Child(["-r", spy, join(folder, "one", "index.js"), vault]).end(input);
      return stderr
        .trim()
        .replaceAll(/-[A-Z0-9]{8}(?=\.js)/g, "")
        .split("\n")
        .toSorted();
    }

    it("are taken by V8 for every part of a start, a handshake and a call", async () => {
      expect(await fates(list)).toEqual(["program.js taken"]);
      expect(await fates(handshake)).toEqual(["handshake.js taken", "mcp-server.js taken", "program.js taken"]);
      const call = request("tools/call", { name: "scan_vault", arguments: {} });
      expect(await fates(call)).toEqual(["program.js taken", "vault.js taken"]);
    });

    it("go with the very text of the files, whatever letters are in it", async () => {
      const call = request("tools/call", { name: "scan_vault", arguments: {} });
      expect((await fates(call)).filter((fate) => fate.includes("altered"))).toEqual([]);
    });

    it.each([
      ["missing", (path: string) => rmSync(path)],
      ["cut short", (path: string) => truncateSync(path, 100)],
      ["empty", (path: string) => truncateSync(path, 0)],
      ["of another engine", (path: string) => writeFileSync(path, readFileSync(path).fill(7, 4, 12))],
    ])("do no harm when %s", async (_, spoil) => {
      const program = join(folder, "spoiled");
      cpSync(join(folder, "one"), program, { recursive: true });
      onTestFinished(() => rmSync(program, { recursive: true }));
      for (const entry of readdirSync(program, { recursive: true, withFileTypes: true })) {
        if (entry.name.endsWith(".v8")) spoil(join(entry.parentPath, entry.name));
      }
      for (const input of [list, handshake]) {
        const whole = await new Child([join(folder, "one", "index.js"), vault]).end(input);
        expect(await new Child([join(program, "index.js"), vault]).end(input)).toEqual(whole);
        expect(whole).toMatchObject({ code: 0, stderr: "" });
      }
    });
  });

  it("states the version of package.json", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    expect(VERSION).toBe(manifest.version);
  });
});
