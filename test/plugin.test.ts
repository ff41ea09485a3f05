/** The plugin for Claude Code: its server entry starts this build, and its skill names what the server offers. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { toolsFor } from "../src/tools/registry.js";
import { VERSION } from "../src/version.js";
import { builtProgram, ROOT } from "./kit/built-program.js";
import { Child, jsonLines } from "./kit/child.js";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const skill = read("plugin/skills/obsidian-vault/SKILL.md");
const plugin = JSON.parse(read("plugin/.claude-plugin/plugin.json")) as {
  name: string;
  version: string;
  userConfig: Record<string, object>;
  mcpServers: Record<string, { command: string; args: string[] }>;
};
let program: string;
beforeAll(async () => void (program = await builtProgram()));

it("is listed by the marketplace of this repository, in the version of the package", () => {
  const { name, plugins } = JSON.parse(read(".claude-plugin/marketplace.json")) as {
    name: string;
    plugins: { name: string; source: string }[];
  };
  expect(plugins).toMatchObject([{ name: plugin.name, source: "./plugin" }]);
  expect(plugin.version).toBe(VERSION);
  const lines = read("docs/clients.md");
  expect(lines).toContain(`claude plugin install ${plugin.name}@${name}`);
  for (const setting of Object.keys(plugin.userConfig)) expect(lines).toContain(`--config ${setting}=`);
});

it("starts this build with the vault and the tools of everyday work", async () => {
  const { command, args } = plugin.mcpServers["obsidian-vault"] ?? { command: "", args: [] };
  expect(command).toBe("node");
  const given: Record<string, string> = { program, vault: join(ROOT, "test-vault") };
  const placed = args.map((arg) => arg.replace(/\$\{user_config\.(\w+)\}/, (_, name: string) => given[name] ?? name));
  const child = new Child(placed, { XDG_CACHE_HOME: join(tmpdir(), "plugin-cache") });
  const { stdout } = await child.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  const [answer] = jsonLines(stdout) as { result: { tools: { name: string }[] } }[];
  const offered = answer?.result.tools.map(({ name }) => name) ?? [];
  expect(namesIn(skill).filter((name) => isTool(name) && !offered.includes(name))).toEqual([]);
});

const tools = toolsFor().tools;
const isTool = (name: string) => tools.some((tool) => tool.name === name);
/** Words in code that are written as tools and arguments are. */
const namesIn = (text: string) => [...text.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, name = ""]) => name);

it("has one skill of at most 900 words that names no tool and no argument that there is not", () => {
  expect(skill.split(/\s+/).length).toBeLessThanOrEqual(900);
  const [, head = ""] = skill.split("---\n");
  const { name, description } = parse(head) as Record<string, string>;
  expect([name, (description ?? "").length < 1024]).toEqual(["obsidian-vault", true]);
  const inArguments = tools.flatMap((tool) => Object.keys(tool.listing.inputSchema.properties ?? {}));
  const known = new Set([...tools.map((tool) => tool.name), ...inArguments]);
  expect(namesIn(skill).length).toBeGreaterThan(30);
  expect(namesIn(skill).filter((word) => !known.has(word))).toEqual([]);
});

it("leaves out no tool of everyday work", () => {
  const offered = toolsFor({ toolsets: ["core"], hasDefaultVault: true }).tools.map((tool) => tool.name);
  expect(offered.filter((name) => !namesIn(skill).includes(name))).toEqual([]);
});
