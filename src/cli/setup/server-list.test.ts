/** Changes of TOML texts: nothing but one table changes, and taking it out gives the text back. */
import { describe, expect, it } from "vitest";
import { readToml, withoutTomlTable, withTomlTable } from "./server-list.js";

const PATH = ["mcp_servers", "obsidian-vault"];
const SERVER = { command: "node", args: ["/x.js", "/My Vault"] };
const TABLE = '[mcp_servers.obsidian-vault]\ncommand = "node"\nargs = ["/x.js", "/My Vault"]\n';
const connected = (text: string) => withTomlTable(text, PATH, SERVER);
const disconnected = (text: string) => withoutTomlTable(text, PATH);

describe("adding a server", () => {
  it.each([
    ["nothing", "", TABLE],
    ["settings", 'model = "o3" # best\n', `model = "o3" # best\n\n${TABLE}`],
    ["another server", '[mcp_servers.a]\ncommand = "b"\n\n', `[mcp_servers.a]\ncommand = "b"\n\n${TABLE}`],
    ["dotted keys", 'mcp_servers.a.command = "b"\n', `mcp_servers.a.command = "b"\n\n${TABLE}`],
    ["carriage returns", "a = 1\r\n", `a = 1\r\n\r\n${TABLE.replaceAll("\n", "\r\n")}`],
  ])("to %s", (_, text, expected) => {
    expect(connected(text)).toBe(expected);
    expect(connected(expected)).toBe(expected);
    expect(disconnected(expected)).toBe(text.endsWith("\n\n") ? text.slice(0, -1) : text);
  });

  it("ends a last line first", () => expect(connected("a = 1")).toBe(`a = 1\n\n${TABLE}`));

  it("makes a text that cannot be read where the servers are a value", () => {
    expect(() => readToml(connected('mcp_servers = { a = { command = "b" } }\n'))).toThrow(SyntaxError);
  });
});

it("changes values in their place, and adds those that are missing", () => {
  const text =
    '# top\n[mcp_servers.obsidian-vault] # mine\nargs = [\n  "old", # why\n]\nstartup_timeout_sec = 20 # slow\n\n[mcp_servers.obsidian-vault.env]\nA = "b"\n\n[z]\n';
  expect(connected(text)).toBe(
    '# top\n[mcp_servers.obsidian-vault] # mine\ncommand = "node"\nargs = ["/x.js", "/My Vault"]\nstartup_timeout_sec = 20 # slow\n\n[mcp_servers.obsidian-vault.env]\nA = "b"\n\n[z]\n',
  );
  expect(disconnected(text)).toBe("# top\n\n[z]\n");
});

it("writes paths of Windows as they are read", () => {
  const text = withTomlTable("", PATH, { command: "C:\\Program Files\\node.exe", args: ["D:\\it's\\x.js"] });
  expect(text).toContain("command = 'C:\\Program Files\\node.exe'\nargs = [\"D:\\\\it's\\\\x.js\"]\n");
  expect(readToml(text)).toMatchObject({ mcp_servers: { "obsidian-vault": { args: ["D:\\it's\\x.js"] } } });
});

it("names the line that cannot be read", () => expect(() => readToml("a = 1\n= 2\n")).toThrow("line 2"));
