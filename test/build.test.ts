/** What the build promises: no trace of where it ran, a lean start, and packages only where they are needed. */
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
import { basename, dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { toolsFor } from "../src/tools/registry.js";
import { VERSION } from "../src/version.js";
import { builtProgram, PARTS, ROOT } from "./kit/built-program.js";
import { Child, type Ended } from "./kit/child.js";

let folder: string;
let vault: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "build-"));
  vault = join(folder, "vault");
  mkdirSync(vault);
  writeFileSync(join(vault, "Milk.md"), "---\ntype: task\nstatus: todo\n---\n# Milk\n");
  cpSync(dirname(await builtProgram()), join(folder, "one"), { recursive: true });
});
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
  readonly packages: readonly string[];
  /** Our own sources among what serves HTTP. */
  readonly forHttp: readonly string[];
  readonly kilobytes: number;
}

async function loadedBy(input: string, ...args: string[]): Promise<Loaded> {
  const spy = join(folder, "spy.cjs");
  writeFileSync(spy, SPY);
  const program = join(folder, "one");
  const cache = join(folder, "cache");
  const { stderr, code } = await new Child(["-r", spy, join(program, "index.js"), ...args], {
    XDG_CACHE_HOME: cache,
    XDG_STATE_HOME: join(folder, "state"),
    NODE_DISABLE_COMPILE_CACHE: "1",
  }).end(input);
  expect(code).toBe(0);
  const names = stderr.split("\n").flatMap((line) => /^loads (.+)/.exec(line)?.[1] ?? []);
  const paths = [...new Set(names.filter((name) => /^[./]/.test(name)).map((name) => resolve(program, name)))];
  return {
    builtin: [...new Set(names.filter((name) => !/^[./]/.test(name)))].toSorted(),
    files: paths.map((path) => relative(program, path).replace(/-[A-Z0-9]{8}(?=\.js$)/, "")).toSorted(),
    packages: packagesIn(paths),
    forHttp: sourcesIn(paths).filter((path) =>
      /^src\/(server\/http|cli\/serve\/(board|web-folder|serve-http))/.test(path),
    ),
    kilobytes: paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1024,
  };
}

/** The files of which parts of the program are made, as esbuild accounts for them. */
function sourcesIn(paths: readonly string[]): string[] {
  const { outputs } = JSON.parse(readFileSync(PARTS, "utf8")) as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
  };
  const parts = new Set(paths.map((path) => basename(path)));
  return Object.entries(outputs).flatMap(([path, { inputs }]) =>
    parts.has(basename(path)) ? Object.keys(inputs).filter((input) => inputs[input]?.bytesInOutput !== 0) : [],
  );
}

function packagesIn(paths: readonly string[]): string[] {
  const names = sourcesIn(paths).flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

const SPY = `const M = require("module"); const load = M._load;
M._load = (name, ...rest) => { process._rawDebug("loads " + name); return load(name, ...rest); };
// Data of languages takes Node ten milliseconds to load.
Number.prototype.toLocaleString = new Proxy(Number.prototype.toLocaleString, {
  apply: (...call) => (process._rawDebug("loads languages"), Reflect.apply(...call)),
});
for (const name of ["DateTimeFormat", "NumberFormat", "Collator", "Segmenter"])
  Intl[name] = new Proxy(Intl[name], {
    construct: (...call) => (process._rawDebug("loads languages"), Reflect.construct(...call)),
  });`;

const CACHE_SPY = `const vm = require("vm");
vm.Script = class extends vm.Script { constructor(source, options) {
  super(source, options);
  const fate = options.cachedData && !this.cachedDataRejected ? "taken" : "refused";
  const altered = source.includes(require("fs").readFileSync(options.filename, "utf8")) ? "" : " altered";
  process._rawDebug(require("path").basename(options.filename) + " " + fate + altered);
} };`;

const request = (method: string, params: unknown = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** Packages of which a few functions are among our own code; of ajv, what its validators call. */
const SMALL = new Set(["nanoid", "ajv", "async-mutex", "date-fns", "@date-fns/utc"]);

describe("the build", () => {
  it("has no trace of where it ran", () => {
    for (const [path, text] of contents("one")) expect(text.includes(ROOT), path).toBe(false);
  });

  // Most packages cost more to load than all of ours: what a start loads is listed, so that nothing creeps in.
  it("answers tools/list without a vault's code or a large package", async () => {
    const loaded = await loadedBy(request("tools/list"), vault);
    expect(loaded.packages.filter((name) => !SMALL.has(name))).toEqual([]);
    expect(loaded.files).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(open|serve-http|help)/)]));
    const keepsCode = "enableCompileCache" in nodeModule ? ["node:module"] : [];
    expect(loaded.builtin).toEqual(["node:async_hooks", "node:buffer", "node:fs", ...keepsCode].toSorted());
    // A third of it is what the listings of forty tools say; none of their code is loaded.
    expect(loaded.kilobytes).toBeLessThan(309);
  });

  it.each([
    [true, []],
    [true, ["--read-only", "--toolsets", "tasks"]],
    [false, []],
  ] as const)("lists the tools as the source has them: with a vault %s, %j", async (hasDefaultVault, flags) => {
    const args = [join(folder, "one", "index.js"), ...(hasDefaultVault ? [vault] : []), ...flags];
    const { stdout } = await new Child(args).end(request("tools/list"));
    const narrowed = flags.length === 0 ? {} : { readOnly: true, toolsets: ["tasks"] as const };
    const { tools } = toolsFor({ hasDefaultVault, ...narrowed });
    const result = { tools: tools.map(({ listing }) => listing) };
    expect(stdout).toBe(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n`);
  });

  it.each([
    ["searches tasks", "search_tasks", { query: "milk" }],
    ["scans", "scan_vault", {}],
    ["makes a task", "create_task", { title: "Milk" }],
  ])("%s with no large package", async (_, name, args) => {
    const call = request("tools/call", { name, arguments: args });
    for (const run of ["without an index", "with one"]) {
      const loaded = await loadedBy(call, vault);
      expect(
        loaded.packages.filter((found) => !SMALL.has(found)),
        run,
      ).toEqual([]);
      expect(loaded.builtin, run).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/http|net$|worker|languages/)]),
      );
      expect(loaded.forHttp, run).toEqual([]);
      expect(loaded.kilobytes, run).toBeLessThan(1910);
    }
  });

  it("loads the SDK and nothing else for a handshake", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const loaded = await loadedBy(request("initialize", params), vault);
    const large = loaded.packages.filter((name) => !SMALL.has(name));
    expect(large).toEqual(["@modelcontextprotocol/core", "@modelcontextprotocol/server", "zod"]);
    expect(loaded.forHttp).toEqual([]);
  });

  it("compiles the tools' schemas beforehand", () => {
    const paths = [...contents("one").keys()];
    expect(sourcesIn(paths).filter((path) => path.includes("node_modules/ajv/dist/2020"))).toEqual([]);
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
    const inputs = [list, handshake];
    let whole: readonly Ended[];
    beforeAll(async () => {
      whole = await Promise.all(inputs.map((input) => answer("one", input)));
    });

    const answer = (name: string, input: string): Promise<Ended> =>
      new Child([join(folder, name, "index.js"), vault]).end(input);

    async function fates(input: string): Promise<string[]> {
      const spy = join(folder, "caches.cjs");
      writeFileSync(spy, CACHE_SPY);
      const { stderr } = await new Child(["-r", spy, join(folder, "one", "index.js"), vault]).end(input);
      return stderr.trim().split("\n");
    }

    it("are one file, and taken by V8 for every part of a start, a handshake and a call", async () => {
      expect(readdirSync(join(folder, "one")).filter((name) => name.endsWith(".v8"))).toHaveLength(1);
      const call = request("tools/call", { name: "scan_vault", arguments: {} });
      for (const input of [list, handshake, call]) {
        const found = await fates(input);
        expect(found.length).toBeGreaterThan(10);
        expect(found.filter((fate) => !fate.endsWith(" taken"))).toEqual([]);
      }
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
      for (const [at, input] of inputs.entries()) {
        expect(await answer("spoiled", input)).toEqual(whole[at]);
        expect(whole[at]).toMatchObject({ code: 0, stderr: "" });
      }
    });
  });

  it("states the version of package.json", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    expect(VERSION).toBe(manifest.version);
  });
});
