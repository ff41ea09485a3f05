/** The client examples of the API reference, as `examples/` keeps them, against the program as it is published. */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, builtProgram } from "./kit/built-program.js";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "examples-"));
const vault = join(folder, "vault");
const environment = { ...process.env, OBSIDIAN_VAULT_PATH: "", XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder };

beforeAll(async () => {
  await builtProgram();
  cpSync(join(ROOT, "test-vault"), vault, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A method of the client, and its arguments as the language writes them. */
type Step = readonly [method: string, args: string];

/** How each example is run as it stands, and how a script would use its class. */
const CLIENTS = {
  Python: {
    usage: ["python3", "examples/python-client.py"],
    call: ([method, args]: Step) => [
      "python3",
      "-c",
      `import importlib.util, json
spec = importlib.util.spec_from_file_location("client", "examples/python-client.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(json.dumps(module.ObsidianMCPClient("./dist/index.js").${method}(${args})))`,
    ],
    scan: (path: string): Step => ["scan_vault", JSON.stringify(path)],
    create: ["create_task", '"Prepare the demo", "Work", priority="High", dueDate="2030-01-31"'],
    tool: ["call_tool", '"search_tasks", {"query": "demo"}'],
  },
  JavaScript: {
    usage: ["node", "examples/javascript-client.mjs"],
    call: ([method, args]: Step) => [
      "node",
      "--input-type=module",
      "-e",
      `import { ObsidianMCPClient } from "./examples/javascript-client.mjs";
console.log(JSON.stringify(await new ObsidianMCPClient("./dist/index.js").${method}(${args})));`,
    ],
    scan: (path: string): Step => ["scanVault", JSON.stringify(path)],
    create: ["createTask", '"Prepare the demo", "Work", { priority: "High", dueDate: "2030-01-31" }'],
    tool: ["callTool", '"search_tasks", { query: "demo" }'],
  },
} as const;

async function execute([command = "", ...args]: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  return (await run(command, args, { cwd: ROOT, env: { ...environment, ...env } })).stdout;
}

/** The text of a tool's answer, as a script would show it. */
function textOf(output: string): string {
  const answer = JSON.parse(output) as { jsonrpc: string; id: number; result: { content: [{ text: string }] } };
  expect(answer).toMatchObject({ jsonrpc: "2.0", id: 1 });
  return answer.result.content[0].text;
}

describe.each(Object.entries(CLIENTS))("the %s client", (_, client) => {
  it("shows the tasks of a vault, of the sample vault where none is named, and fails where there is none", async () => {
    expect(await execute([...client.usage, vault])).toMatch(/^🔍 Vault: .*\n\n📋 Top 7 Outstanding Tasks:\n/);
    expect(await execute(client.usage)).toMatch(/^🔍 Vault: test-vault\n/);
    await expect(execute([...client.usage, join(folder, "none")])).rejects.toMatchObject({ code: 1 });
  });

  it("is told that the document's placeholder is no vault", async () => {
    expect(textOf(await execute(client.call(client.scan("/path/to/vault"))))).toMatch(/^❌ Error scanning vault: /);
  });

  it("scans a vault", async () => {
    expect(textOf(await execute(client.call(client.scan(vault))))).toMatch(
      /^🔍 Vault: .*\n\n📋 Top 7 Outstanding Tasks:\n/,
    );
  });

  it("cannot create a task in a process that knows no vault", async () => {
    const text = textOf(await execute(client.call(client.create)));
    expect(text.split("\n")).toEqual([
      "❌ Error: Vault not initialized. Please scan a vault first.",
      expect.stringContaining("OBSIDIAN_VAULT_PATH"),
    ]);
  });

  it("creates and finds a task when a vault is configured", async () => {
    const known = { OBSIDIAN_VAULT_PATH: vault };
    const before = readdirSync(vault, { recursive: true }).length;
    const created = textOf(await execute(client.call(client.create), known));
    expect(created).toMatch(
      /^✅ Task "Prepare the demo" created successfully!\n\nTask ID: task-prepare-the-demo-\w+\nStatus: To Do\n/,
    );
    expect(readdirSync(vault, { recursive: true }).length).toBe(before + 1);
    expect(textOf(await execute(client.call(client.tool), known))).toContain("**Prepare the demo** (To Do) - Work");
  });
});

it("answers the document's command for testing the protocol", async () => {
  const command = `echo '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}' | node dist/index.js`;
  const answer = JSON.parse(await execute(["sh", "-c", command])) as { result: { tools: { name: string }[] } };
  const names = answer.result.tools.map((tool) => tool.name);
  expect(names).toEqual(expect.arrayContaining(["scan_vault", "create_task", "update_task", "search_tasks"]));
});
