/**
 * The command line: texts, JSON, exit codes, and what stays off stdout. Of each kind one goes through the program as it is published
 * (`spawned`), the others through its source in this process (with `LONG=1` all by processes).
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../src/cli/doctor/finding.js";
import { builtProgram } from "./kit/built-program.js";
import { Child, type Ended } from "./kit/child.js";
import { LONG } from "./kit/fuzz.js";
import { openCopy } from "./kit/open-copy.js";
import { runHere } from "./kit/run-here.js";
import { TemporaryVault } from "./kit/temporary-vault.js";

let program: string;
let vault: TemporaryVault;
let home: string;

beforeAll(async () => {
  program = await builtProgram();
});
beforeEach(() => {
  vault = new TemporaryVault({
    "_projects/Report.md":
      "---\nid: task-report\ntype: task\ntitle: Write report\nstatus: To Do\narea: Work\n---\n# Write report\n\nAll of it.\n",
  });
  home = join(vault.base, "home");
  mkdirSync(home);
});
afterEach(() => vault.remove());

/** A home folder, cache and configuration of the test's own. */
const ownFolders = () => ({
  HOME: home,
  XDG_CACHE_HOME: join(home, ".cache"),
  XDG_CONFIG_HOME: join(home, ".config"),
});
function spawned(args: readonly string[], environment: Record<string, string> = {}, input = ""): Promise<Ended> {
  return new Child([program, ...args], { ...ownFolders(), ...environment }).end(input);
}
function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return LONG ? spawned(args, environment) : runHere([program, ...args], { ...ownFolders(), ...environment });
}
const inVault = (...args: string[]) => run([...args, "--vault", vault.folder]);

describe("commands", () => {
  it("scan tells what is outstanding", async () => {
    const { code, stdout, stderr } = await spawned(["scan", vault.folder]);
    expect(stdout).toContain(`🔍 Vault: ${vault.folder}\n`);
    expect(stdout).toContain("1. **Write report** (To Do) - Due: No Due Date - Area: Work\n");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("base writes a Bases file once, and never over another", async () => {
    const made = await inVault("base");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toMatch(/^Created 'Tasks\.base'\./);
    const text = readFileSync(vault.at("Tasks.base"), "utf8");
    expect(text).toContain("    name: This week\n");
    const again = await inVault("base", "Tasks");
    expect(again.code).not.toBe(0);
    expect(again.stdout).toBe("");
    expect(readFileSync(vault.at("Tasks.base"), "utf8")).toBe(text);
    expect(await inVault("base", "Views/My", "tasks")).toMatchObject({ code: 0 });
    expect(existsSync(vault.at("Views/My tasks.base"))).toBe(true);
    expect((await inVault("history", "--limit", "1")).stdout).toContain("command line · base · Views/My tasks.base");
  });

  it("add, done, show and search work together", async () => {
    const added = await inVault(
      "add",
      "Buy",
      "milk",
      "--area",
      "Home",
      "--due",
      "2030-01-02",
      "--tag",
      "shop",
      "--json",
    );
    expect(added.code).toBe(0);
    const { added: tasks } = JSON.parse(added.stdout) as { added: { id: string; place: string }[] };
    const { id, place: path } = tasks[0] ?? { id: "", place: "" };
    expect(readFileSync(vault.at(path), "utf8")).toContain("2030-01-02");
    expect(await inVault("done", id)).toMatchObject({ code: 0, stderr: "" });
    expect((await inVault("show", "buy milk")).stdout).toContain("Done");
    const found = await inVault("search", "milk", "--tag", "shop", "--limit", "5");
    expect(found.stdout).toContain("Found 1 tasks.");
    const undone = await inVault("undo", path);
    expect(undone).toMatchObject({ code: 0, stderr: "" });
    expect(undone.stdout).toContain(`Reverted '${path}' to previous version:\n1: ---\n`);
    expect((await inVault("show", "buy milk")).stdout).not.toContain("Done");
    expect(await inVault("undo", "nowhere.md")).toMatchObject({ code: 4, stdout: "" });
  });

  it("--json prints data or an error, and nothing else", async () => {
    const good = await spawned(["scan", "--json", "--vault", vault.folder]);
    expect(JSON.parse(good.stdout)).toMatchObject({ problems: [] });
    const bad = await inVault("done", "no such task", "--json");
    expect(JSON.parse(bad.stdout)).toMatchObject({ error: { code: "FILE_NOT_FOUND", number: -32003 } });
    expect(bad).toMatchObject({ code: 4, stderr: "" });
    const misused = await inVault("add", "Milk", "--description", "Whole", "--json");
    expect(JSON.parse(misused.stdout)).toMatchObject({ error: { code: "INVALID_ARGUMENT", number: -32602 } });
    expect(misused).toMatchObject({ code: 2, stderr: "" });
    // Behind `--` all are words, `--vault` too.
    expect(await inVault("add", "--", "--json")).toMatchObject({ code: 3, stdout: "" });
  });

  it("search finds archived tasks when told so", async () => {
    mkdirSync(vault.at("_archive"));
    writeFileSync(vault.at("_archive/Old.md"), "---\ntype: task\ntitle: Old quarrel\n---\n");
    expect((await inVault("search", "quarrel")).stdout).toContain("No tasks found");
    expect((await inVault("search", "quarrel", "--archived")).stdout).toContain("Old quarrel");
  });
});

describe.runIf(spawnSync("script", ["--version"]).status === 0)("in a terminal", () => {
  /** Runs the program with a terminal for stdin, stdout and stderr. A slow machine shows progress, which is erased again. */
  function inTerminal(...args: string[]): { readonly status: number | null; readonly text: string } {
    const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(" ");
    const env = { PATH: process.env["PATH"], HOME: home, TERM: "xterm" };
    const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], { encoding: "utf8", env });
    return { status, text: stdout.replaceAll("\r\n", "\n").replace(/\r[^\r\n]*\u001b\[K/g, "") };
  }

  it("the server prints one screen of help, and what to type instead", () => {
    const overview = inTerminal();
    expect(overview).toMatchObject({ status: 0, text: expect.stringContaining("--help lists all options") });
    expect(overview.text.split("\n").length).toBeLessThanOrEqual(40);
    const { status, text } = inTerminal(vault.folder);
    expect(text.endsWith(`\n  obsidian-vault-mcp-server scan ${vault.folder}\n`)).toBe(true);
    expect(status).toBe(0);
  });

  it("a word that is neither a command nor a folder is refused", () => {
    const { status, text } = inTerminal("frobnicate");
    expect(text).toContain('There is no command and no folder "frobnicate".');
    expect(status).toBe(2);
  });

  it("an unknown command in a pipe is refused as well", async () => {
    expect(await spawned(["frobnicate"], {}, "x\n")).toMatchObject({ code: 2, stdout: "" });
  });

  it("find and read show notes, in a pipe a line a piece", async () => {
    const found = await inVault("find", "report");
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toMatch(/^Write report\n {2}_projects\/Report\.md · \d{4}-\d\d-\d\d\n/);
    expect((await inVault("read", "Report")).stdout).toBe(readFileSync(vault.at("_projects/Report.md"), "utf8"));
    const unknown = await inVault("read", "Something quite unlike it");
    expect(unknown.stderr).toContain("Search for the note with find first.");
  });

  it("read gives a pipe the note to the byte, and tells beside it what was meant", async () => {
    const text = "\uFEFFone\r\n\ttwo";
    writeFileSync(vault.at("_projects/Odd.md"), text);
    expect(await inVault("read", "_PROJECTS\\odd.md")).toMatchObject({
      code: 0,
      stdout: text,
      stderr: "Read \"_PROJECTS\\odd.md\" as '_projects/Odd.md'.\n",
    });
    for (const note of ["one\n", "one"]) {
      writeFileSync(vault.at("_projects/Odd.md"), note);
      expect(inTerminal("read", "Odd", "--vault", vault.folder).text).toBe("one\n");
    }
  });

  it("titles are bold, unless plain text is wanted", () => {
    expect(inTerminal("scan", vault.folder).text).toContain("\u001b[1mWrite report\u001b[22m");
    expect(inTerminal("scan", vault.folder, "--no-color").text).not.toContain("\u001b[1m");
  });
});

describe("exit codes", () => {
  const proven = new Set<number>();
  it.each<[number, string[], string]>([
    [2, ["--vualt", "x"], "Did you mean --vault?"],
    [2, ["serach"], "Did you mean search?"],
    [2, ["add", "x", "--area", "y", "--due", "blursday", "--vault", "VAULT"], `--due "blursday"`],
    [2, ["scan", "VAULT", "--time-zone", "Moon/Base"], "Unknown time zone"],
    [2, ["scan", "VAULT", "--locale", "xx"], 'The locale "xx" is unknown.'],
    [3, ["scan"], "No vault was named."],
    [3, ["scan", "/nowhere/at/all"], "does not exist"],
    [3, ["scan", "/etc"], "system folder"],
    [3, ["scan", "~/Vault"], "only a shell replaces"],
    [3, ["board", "/nowhere/at/all", "--no-open"], "does not exist"],
    [3, ["scan", '"VAULT"'], "without quotation marks"],
    [4, ["done", "xyzzy", "--vault", "VAULT"], "Item not found"],
    [6, ["done", "Write report", "--read-only", "--vault", "VAULT"], "read-only"],
  ])("%i for %j", async (code, args, told) => {
    const words = args.map((arg) => (arg === "VAULT" ? vault.folder : arg));
    // The first of each code by a process.
    const ended = await (proven.has(code) ? run(words) : spawned(words));
    proven.add(code);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(told);
    expect(ended.stderr).not.toMatch(/ at .*\.js:\d/);
  });

  it.runIf(existsSync("/dev/full"))("1 when the answer cannot be written", () => {
    const command = ["-c", '"$0" "$@" > /dev/full', process.execPath, program, "scan", vault.folder, "--no-cache"];
    const ended = spawnSync("sh", command, { encoding: "utf8" });
    expect(ended.status).toBe(1);
    expect(ended.stderr).toContain("could not be written to standard output (ENOSPC)");
  });

  it("5 for an ambiguous title", async () => {
    writeFileSync(vault.at("_projects/Other.md"), "---\ntype: task\ntitle: Write report\nstatus: To Do\n---\n");
    expect((await inVault("show", "Write report")).code).toBe(5);
  });

  it("2 for a variable of the wrong form, which is named", async () => {
    const ended = await run(["scan", vault.folder], { MAX_FILE_SIZE: "huge" });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('MAX_FILE_SIZE is "huge"');
  });
});

describe("the program", () => {
  it("prints help and version", async () => {
    const { stdout } = await run(["--help"]);
    for (const word of ["--allow-vault", "OBSIDIAN_VAULT_PATH", "doctor", "Exit codes:"])
      expect(stdout).toContain(word);
    expect((await run(["add", "--help"])).stdout).toContain("--area");
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect((await spawned(["--version"])).stdout).toBe(`${manifest.version}\n`);
  });

  it("keeps serving when the vault is missing, and says so in every tool", async () => {
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_tasks", arguments: { query: "x" } },
    };
    const ended = await spawned(["/nowhere/at/all"], {}, JSON.stringify(call));
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      result: { isError: true, _meta: { "obsidian-vault-mcp-server/error": { code: "VAULT_NOT_FOUND" } } },
    });
  });

  it("cannot be led out of the configured vault", async () => {
    const other = new TemporaryVault({ "_projects/a.md": "---\ntype: task\n---\n" });
    const call = (id: number, name: string, args: unknown) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
    const input = [
      call(1, "scan_vault", { vaultPath: other.folder }),
      call(2, "create_task", { title: "T", area: "A" }),
    ].join("\n");
    const ended = await spawned([vault.folder], {}, input);
    expect(existsSync(other.at("_projects/T.md"))).toBe(false);
    expect(existsSync(vault.at("_projects/T.md"))).toBe(true);
    expect(ended.stdout).not.toContain(vault.folder);
    const allowed = await spawned([vault.folder, "--allow-vault", other.base], {}, input.split("\n")[0]);
    expect(allowed.stdout).toContain("Outstanding Tasks");
    other.remove();
  });

  it("logs what it does at debug level, without note texts", async () => {
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "scan_vault", arguments: { vaultPath: vault.folder } },
    };
    const ended = await spawned([], { DEBUG: "true" }, JSON.stringify(call));
    expect(ended.stderr).toContain(`Scanning vault: ${vault.folder}`);
    expect(ended.stderr).not.toContain("All of it.");
    expect((await spawned([], {}, JSON.stringify(call))).stderr).toBe("");
  });

  it("keeps its index in the cache folder for the user's eyes only, and none when told so", async () => {
    const cache = join(home, "cache", "ours");
    await run(["scan", vault.folder, "--no-cache", "--cache-folder", cache]);
    expect(existsSync(cache)).toBe(false);
    const before = process.umask(0);
    try {
      await spawned(["scan", vault.folder, "--cache-folder", cache]);
    } finally {
      process.umask(before);
    }
    const kept = readdirSync(cache).map((name) => join(cache, name));
    expect(kept).not.toEqual([]);
    for (const path of [cache, ...kept]) expect(statSync(path).mode & 0o077, path).toBe(0);
  });
});

describe("setup", () => {
  it("asks at a terminal only, and says so in one line and a hint", async () => {
    const ended = await run(["setup", vault.folder]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("--yes");
    expect(await run(["setup", vault.folder, "--yes"])).toMatchObject({ code: 4, stdout: "" });
    expect(await run(["setup", "--yes", "--client", "cursor"])).toMatchObject({ code: 3, stdout: "" });
  });

  it("writes a configuration whose command serves the vault", async () => {
    expect((await run(["setup", vault.folder, "--yes", "--client", "vscode"])).code).toBe(0);
    const file = join(home, ".config", "Code", "User", "mcp.json");
    const { servers } = JSON.parse(readFileSync(file, "utf8")) as {
      servers: Record<string, { command: string; args: string[] }>;
    };
    const { command = "", args = [] } = servers["obsidian-vault"] ?? {};
    const input = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_tasks", arguments: { query: "*" } },
    });
    const served = spawnSync(command, args, { input, encoding: "utf8", cwd: "/", env: { HOME: home } });
    expect(served.stdout).toContain("Write report");
    expect((await run(["setup", "--remove", "--yes", "--client", "vscode"])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});

describe("doctor", () => {
  it("starts nothing: no index, no journal, no lock, and the vault stays as it is", async () => {
    const before = readdirSync(vault.folder, { recursive: true });
    expect((await spawned(["doctor", vault.folder])).code).toBe(0);
    expect(readdirSync(vault.folder, { recursive: true })).toEqual(before);
    expect(readdirSync(home, { recursive: true })).toEqual([]);
  });

  it("finds a healthy vault healthy", async () => {
    mkdirSync(vault.at(".obsidian"));
    const ended = await run(["doctor", vault.folder]);
    expect(ended.stdout).toContain("Everything is set up right.");
    expect(ended.stdout).toContain("projects: _projects");
    expect(ended.code).toBe(0);
  });

  it("looks at the settings of --http and serves nothing", async () => {
    mkdirSync(vault.at(".obsidian"));
    const child = new Child([program, "doctor", "--http", "127.0.0.1:0", vault.folder], { HOME: home });
    const late = setTimeout(() => child.process.kill(), 60_000);
    const { code, stdout, stderr } = await child.end();
    clearTimeout(late);
    expect(stdout).toContain("✅ http: --http listens on 127.0.0.1:0; every program of this machine may call");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const open = await run(["doctor", vault.folder, "--http", "0.0.0.0:0"]);
    expect(open).toMatchObject({ code: 1, stderr: "", stdout: expect.stringContaining("❌ http: ") as string });
  });

  it("names broken notes with line, and ids that notes share", async () => {
    writeFileSync(vault.at("_projects/Copy.md"), "---\nid: task-report\ntype: task\n---\n");
    writeFileSync(vault.at("_projects/Broken.md"), "---\ntype: task\ntitle: [a\n---\n");
    const ended = await run(["doctor", vault.folder, "--json"]);
    const { findings } = JSON.parse(ended.stdout) as {
      findings: { level: string; path?: string; line?: number; message: string }[];
    };
    expect(findings.find(({ path }) => path === "_projects/Broken.md")).toMatchObject({
      level: "warning",
      line: expect.any(Number),
    });
    expect(findings.some(({ message }) => message.includes('2 notes have the id "task-report"'))).toBe(true);
    expect(ended.code).toBe(1);
  });

  it("looks into the clients' configurations without telling secrets", async () => {
    mkdirSync(join(home, ".cursor"));
    const servers = {
      good: { command: "node", args: [program, vault.folder], env: { TOKEN: "hunter2" } },
      gone: { command: "node", args: ["/nowhere/obsidian-vault-mcp-server/dist/index.js", "/nowhere/vault"] },
      tilde: { command: "npx", args: ["obsidian-vault-mcp-server", "--vault", "~/Vault", "--token", "hunter3"] },
      other: { command: "node", args: ["/other/server.js"] },
    };
    writeFileSync(join(home, ".cursor", "mcp.json"), `// mine\n${JSON.stringify({ mcpServers: servers })}`);
    writeFileSync(join(home, ".claude.json"), "{ broken");
    const { stdout } = await run(["doctor", vault.folder]);
    expect(stdout).toContain('"good" in');
    expect(stdout).toContain('"gone" in');
    expect(stdout).toContain("a program that does not exist: /nowhere/obsidian-vault-mcp-server/dist/index.js");
    expect(stdout).toContain('"tilde" in');
    expect(stdout).toContain(".claude.json cannot be read as JSON");
    expect(stdout).not.toMatch(/hunter|"other"|\/other\//);
  });

  it("finds the server that setup connected, with a folder and with a database", async () => {
    mkdirSync(join(home, ".cursor"));
    mkdirSync(join(home, ".codex"));
    const connected = await run(["setup", vault.folder, "--yes", "--client", "cursor"]);
    expect(connected).toMatchObject({ code: 0, stderr: "" });
    const environment = { COUCHDB_BASE_URL: "http://me:hunter2@localhost:1", COUCHDB_DATABASE_NAME: "notes" };
    const database = await run(["setup", "--yes", "--client", "codex"], environment);
    expect(database).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await run(["doctor", vault.folder]);
    expect(stdout).toContain(`✅ Cursor: "obsidian-vault" in ${join(home, ".cursor", "mcp.json")} starts this server`);
    expect(stdout).toContain(`✅ Codex: "obsidian-vault" in ${join(home, ".codex", "config.toml")} starts this server`);
    expect(stdout + connected.stdout + database.stdout).not.toContain("hunter");
    rmSync(join(home, ".config", "obsidian-vault-mcp-server", "secrets"), { recursive: true });
    expect((await run(["doctor", vault.folder])).stdout).toContain("names a file with a secret that does not exist");
  });

  it("has something to fix where the folder is empty, the journal damaged or a client's file broken", async () => {
    const empty = join(vault.base, "empty");
    mkdirSync(empty);
    const found = await run(["doctor", empty]);
    expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining("⚠️  notes: none") as string });
    const state = join(home, "state");
    const doctor = () => run(["doctor", vault.folder, "--state-folder", state]);
    expect((await inVault("add", "Buy milk", "--state-folder", state)).code).toBe(0);
    const [journal = ""] = readdirSync(join(state, "undo")).map((name) => join(state, "undo", name));
    expect((await doctor()).code).toBe(0);
    writeFileSync(join(journal, "journal.sqlite"), "x".repeat(9000));
    for (let times = 0; times < 2; times++) {
      const { code, stdout } = await doctor();
      expect(stdout).toContain("damaged-1.sqlite is a former journal, damaged: its changes cannot be undone");
      expect(code).toBe(1);
    }
    rmSync(join(journal, "damaged-1.sqlite"));
    expect((await doctor()).code).toBe(0);
    writeFileSync(join(home, ".claude.json"), "{ broken");
    expect((await doctor()).code).toBe(1);
  });

  it("says that a vault is missing", async () => {
    expect(await run(["doctor", "/nowhere/at/all"])).toMatchObject({ code: 3 });
  });

  it("works in a folder that is gone", () => {
    const gone = join(vault.base, "gone");
    mkdirSync(gone);
    const command = ["-c", 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, program, "doctor", vault.folder];
    const ended = spawnSync("sh", command, {
      cwd: gone,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: home },
    });
    expect(ended.stdout).toContain("Everything is set up right.");
    expect(ended).toMatchObject({ status: 0, stderr: "" });
  });

  it("names what is left out of every answer, harmlessly, and links that are not followed", async () => {
    writeFileSync(vault.at("_projects/CON.md"), "---\ntype: task\n---\n");
    writeFileSync(vault.at("_projects/a\u001b[2J.md"), "");
    symlinkSync("/etc", vault.at("etc"));
    const { stdout, code } = await run(["doctor", vault.folder]);
    expect(stdout).toContain("⚠️  vault: _projects/CON.md: The note is left out: no tool can open it.");
    expect(stdout).toContain("⚠️  vault: _projects/a\\u{1b}[2J.md: The note is left out");
    expect(stdout).toContain("ℹ️  link: etc: The link is not followed");
    expect(stdout).toContain("0 errors, 2 warnings.");
    expect(code).toBe(1);
    const scan = JSON.parse((await inVault("scan", "--json")).stdout) as { problemCount: number; problems: object[] };
    expect(scan.problemCount).toBe(2);
    expect(scan.problems).toContainEqual({
      path: "_projects/CON.md",
      message: expect.stringMatching(/^The note is left out: .* Rename it\.$/),
    });
  });

  it("warns when new tasks cannot be made for a link", async () => {
    rmSync(vault.at("_projects"), { recursive: true });
    symlinkSync("gone", vault.at("_projects"));
    expect((await run(["doctor", vault.folder])).stdout).toContain("⚠️  link: _projects: New tasks cannot be made");
  });

  it("gives every finding that is not as it should be a next step", async () => {
    writeFileSync(vault.at("_projects/Copy.md"), "---\nid: task-report\ntype: task\ndue: [\n---\n");
    const documented = ["level", "subject", "message", "advice", "path", "line", "column"];
    const places = [[vault.folder], [], ["/nowhere/at/all"], [vault.folder, "--no-cache"], [vault.at("_projects")]];
    for (const args of places) {
      const { findings } = JSON.parse((await run(["doctor", ...args, "--json"])).stdout) as { findings: Finding[] };
      const bare = findings.filter(({ level, advice }) => level !== "ok" && !advice);
      expect(bare, args.join(" ")).toEqual([]);
      const fields = new Set(findings.flatMap((finding) => Object.keys(finding)));
      expect(documented).toEqual(expect.arrayContaining([...fields]));
    }
  });
});

/** Root may look everywhere, so another user is needed to whom a folder can be closed. */
const NOBODY = 1001;
const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform === "win32")("a folder that may not be looked into", () => {
  it("is told by scan and doctor until it is open", () => {
    vault.remove();
    vault = new TemporaryVault({ "_projects/a.md": "---\ntype: task\n---\n", "attic/b.md": "---\ntype: task\n---\n" });
    chmodSync(vault.base, 0o755);
    chmodSync(vault.at("attic"), 0o700);
    const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    if (!isRoot) chmodSync(vault.at("attic"), 0);
    const readable = isRoot ? openCopy(program) : program;
    const told = (command: string) => {
      const args = [readable, command, vault.folder, "--json", "--no-cache", "--no-undo"];
      return JSON.parse(spawnSync(process.execPath, args, { encoding: "utf8", ...asNobody }).stdout) as object;
    };
    const scan = () => told("scan");
    const message = expect.stringMatching(/^The folder, with all that is in it, is left out: it may not be read\./);
    expect(scan()).toMatchObject({ noteCount: 1, problems: [{ path: "attic", message }] });
    const findings = () => (told("doctor") as { findings: Finding[] }).findings;
    expect(findings()).toContainEqual(
      expect.objectContaining({ level: "warning", path: "attic", advice: "Check its permissions." }),
    );
    chmodSync(vault.folder, isRoot ? 0o700 : 0);
    expect(findings().find(({ level }) => level === "error")?.message).toMatch(/^The vault's folder cannot be reached/);
    chmodSync(vault.folder, 0o755);
    mkdirSync(vault.at(".obsidian"), { mode: isRoot ? 0o700 : 0 });
    expect(findings().filter(({ subject }) => subject === "settings")).toMatchObject([{ path: ".obsidian" }]);
    rmdirSync(vault.at(".obsidian"));
    chmodSync(vault.at("attic"), 0o755);
    expect(scan()).toMatchObject({ noteCount: 2, problemCount: 0, problems: [] });
  });
});
