/**
 * Packs the built program as an MCP bundle, which Claude Desktop installs by a double click: `npm run bundle:mcpb` writes
 * `build/obsidian-vault-mcp-server-<version>.mcpb`, validates it, unpacks it again and starts it as a client would.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { getMcpConfigForManifest, packExtension, unpackExtension, validateManifest } from "@anthropic-ai/mcpb";

const ROOT = join(import.meta.dirname, "..");
const BUILD = join(ROOT, "build");

const request = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

/**
 * What the program answers to the messages, by id.
 * @param {{ command: string, args?: string[], env?: object }} server
 * @param {string[]} messages
 */
function answers({ command, args, env }, messages) {
  const program = command === "node" ? process.execPath : command;
  const { stdout, stderr } = spawnSync(program, args, {
    input: messages.join(""),
    encoding: "utf8",
    env: { ...process.env, ...env },
    timeout: 300_000,
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length < messages.length) throw new Error(`the program did not answer: ${stderr}`);
  return new Map(lines.map((line) => JSON.parse(line)).map((answer) => [answer.id, answer]));
}

/** The folder that is packed: the program without Node's code caches (made for one very Node), its licences, and the manifest. */
function stage(folder) {
  const dist = join(ROOT, "dist");
  const filter = (path) => !path.endsWith(".v8");
  cpSync(dist, join(folder, "server"), { recursive: true, filter });
  cpSync(join(ROOT, "node_modules", "unpdf"), join(folder, "server", "node_modules", "unpdf"), { recursive: true });
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const licences = [join(ROOT, "scripts", "licences.js"), join(folder, "THIRD_PARTY_LICENCES")];
  const { status } = spawnSync(process.execPath, licences, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("the licences could not be collected");
  const manifest = JSON.parse(readFileSync(join(ROOT, "manifest.json"), "utf8"));
  const server = { command: "node", args: [join(folder, "server", "index.js"), join(ROOT, "test-vault")] };
  const { tools } = answers(server, [request(1, "tools/list")]).get(1).result;
  const listed = tools.map(({ name, description }) => ({
    name,
    description: description.split(/(?<=\.)\s(?=[A-Z])/)[0],
  }));
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify({ ...manifest, tools: listed }, undefined, 2)}\n`);
  if (!validateManifest(join(folder, "manifest.json"))) throw new Error("the manifest is not valid");
  return tools.length;
}

async function tryOut(extensionPath, vault, scratch) {
  const manifest = JSON.parse(readFileSync(join(extensionPath, "manifest.json"), "utf8"));
  const startWith = (userConfig) =>
    getMcpConfigForManifest({ manifest, extensionPath, systemDirs: {}, userConfig, pathSeparator: sep });
  const env = { XDG_CACHE_HOME: join(scratch, "cache"), XDG_STATE_HOME: join(scratch, "state") };
  const listWith = async (userConfig) => {
    const config = await startWith(userConfig);
    const initialize = request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bundle", version: "1" },
    });
    const found = answers({ ...config, env: { ...config.env, ...env } }, [initialize, request(2, "tools/list")]);
    return found.get(2).result.tools.map(({ name }) => name);
  };
  const everyday = await listWith({ vault });
  const reading = await listWith({ vault, read_only: true, toolsets: "tasks" });
  const cleared = await listWith({ vault, toolsets: "" });
  if (!cleared.includes("create")) throw new Error("a field that is emptied is not left out");
  if (everyday.includes("create")) throw new Error("the bundle's program offers more than the toolset core");
  if (!everyday.includes("create_task")) throw new Error("the bundle's program offers no create_task");
  if (reading.includes("create_task") || reading.includes("find_notes")) throw new Error("its settings are not heeded");
}

const scratch = mkdtempSync(join(tmpdir(), "mcpb-"));
try {
  const folder = join(scratch, "bundle");
  mkdirSync(folder);
  const tools = stage(folder);
  const { name, version } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const file = join(BUILD, `${name}-${version}.mcpb`);
  mkdirSync(BUILD, { recursive: true });
  if (!(await packExtension({ extensionPath: folder, outputPath: file, silent: true }))) throw new Error("not packed");
  const unpacked = join(scratch, "unpacked");
  if (!(await unpackExtension({ mcpbPath: file, outputDir: unpacked, silent: true }))) throw new Error("not unpacked");
  const vault = join(scratch, "vault");
  cpSync(join(ROOT, "test-vault"), vault, { recursive: true });
  await tryOut(unpacked, vault, scratch);
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const unpackedSize = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  console.log(`${relative(ROOT, file)}: ${tools} tools, ${files.length} files, ${megabytes(unpackedSize)} unpacked`);
  console.log(`${megabytes(statSync(file).size)} packed, SHA-256 ${hash}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
