/**
 * Checks what would be published: the files in the tarball, its manifest (publint), its types (attw), and that it answers; with `LONG=1`
 * through npx, too. Needs a build.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const EXPECTED =
  /^(package\.json|README\.md|LICENSE|API_REFERENCE\.md|CHANGELOG\.md|THIRD_PARTY_LICENCES|dist\/[\w-]+\.js|dist\/package\.json|dist\/node_modules\/(yaml|gray-matter)\/index\.js|dist\/code-[\w.-]+\.v8|dist\/web\/(index\.html|consent\.html|tasks-app\.html|[\w-]+-[A-Z0-9]{8}\.(js|css|svg|webmanifest))|lib\/.+\.(js|d\.ts|json))$/;

const folder = mkdtempSync(join(tmpdir(), "package-"));
try {
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [{ filename, files }] = JSON.parse(packed);
  const unexpected = files.map(({ path }) => path).filter((path) => !EXPECTED.test(path) || /\.test\./.test(path));
  if (unexpected.length > 0) throw new Error(`not to be published: ${unexpected.join(", ")}`);
  const tarball = join(folder, filename);
  const run = (name, ...args) => {
    execFileSync(process.execPath, [join(ROOT, "node_modules", ...name), ...args], { cwd: ROOT, stdio: "inherit" });
  };
  run(["publint", "src", "cli.js"], "--strict", tarball);
  run(["@arethetypeswrong", "cli", "dist", "index.js"], "--profile", "esm-only", tarball);
  tryOut(tarball);
  if (process.env["LONG"] === "1") tryNpx(tarball);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Calls the unpacked program, as its manifest names it, with the Node that runs this: it must answer, and write nothing else, such as a warning about SQLite. */
function tryOut(tarball) {
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "package", "node_modules"));
  const vault = join(folder, "vault");
  cpSync(join(ROOT, "test-vault"), vault, { recursive: true });
  const { bin } = JSON.parse(readFileSync(join(folder, "package", "package.json"), "utf8"));
  const program = join(folder, "package", bin["obsidian-vault-mcp-server"]);
  const options = ["--cache-folder", join(folder, "cache"), "--state-folder", join(folder, "state")];
  const ask = (method, params) => {
    const { stdout, stderr } = spawnSync(process.execPath, [program, vault, ...options], {
      input: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      encoding: "utf8",
    });
    if (stderr !== "") throw new Error(`${method} ${params.name ?? ""} wrote to standard error: ${stderr}`);
    const { result } = JSON.parse(stdout);
    if (!result || result.isError) throw new Error(`${method} ${params.name ?? ""}: ${stdout}`);
    return result;
  };
  const call = (name, args) => ask("tools/call", { name, arguments: args });
  ask("tools/list", {});
  call("scan_vault", {});
  call("find_notes", { query: "the" });
  const { tasks } = call("search_tasks", { query: "*" }).structuredContent;
  call("update_task", { taskId: tasks[0].id, updates: { priority: "High" } });
}

/** The README's line for npx, from an empty folder; it fetches the dependencies, so it is left out where npm reaches no registry. */
function tryNpx(tarball) {
  // npx takes an absolute path for a program.
  const cwd = join(folder, "empty");
  mkdirSync(cwd);
  const { status, stdout, stderr } = spawnSync(
    "npx",
    ["--yes", relative(cwd, tarball), "scan", join(ROOT, "test-vault")],
    {
      cwd,
      encoding: "utf8",
      env: { ...process.env, XDG_CACHE_HOME: join(folder, "cache"), XDG_STATE_HOME: join(folder, "state") },
    },
  );
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED)\b/.test(stderr))
    return console.log("npx was not tried: npm reaches no registry here.");
  if (status !== 0 || !stdout.includes("Book the movers"))
    throw new Error(`npx ends with ${status}: ${stdout}${stderr}`);
  if (readdirSync(cwd).length > 0) throw new Error(`npx leaves ${readdirSync(cwd).join(", ")} behind`);
  console.log("npx scans a vault from an empty folder.");
}
