/**
 * How each client is told of the server: `scripts/docs.js` writes it into README.md, docs/clients.md and examples/clients/, and
 * test/clients.test.ts starts and calls what it says. Where a client's file lies and what `setup` writes into it comes from the
 * program's own table (`src/cli/setup/clients.ts`); what stands here is said to readers only: commands, and the ways over HTTP.
 */

const NAME = "obsidian-vault";
const PROGRAM = "/absolute/path/to/obsidian-vault-mcp-server/dist/index.js";
const VAULT = "/absolute/path/to/My Vault";
const URL = "https://notes.example/mcp";
const TOKEN = "OBSIDIAN_VAULT_TOKEN";
const BRIDGE = "mcp-remote@0.15.1";

const remote = (bearer) => ({ url: URL, headers: { Authorization: `Bearer ${bearer}` } });
const mcpServers = (server) => written({ mcpServers: { [NAME]: server } });
const fromEnvironment = `The token comes from the environment variable \`${TOKEN}\`.`;

const COMMANDS = { "claude-code": `claude mcp add ${NAME} -- node ${PROGRAM} "${VAULT}"` };

/** The configuration for HTTP, by client: a text, and a command that writes it. */
const HTTP = {
  "claude-desktop": () => ({
    text: mcpServers({
      command: "npx",
      args: ["-y", BRIDGE, URL, "--header", "Authorization:${AUTHORIZATION}"],
      env: { AUTHORIZATION: "Bearer <token>" },
    }),
    remark:
      "The configuration file knows programs only, so `mcp-remote` carries the calls over. For a server on plain HTTP elsewhere than on this machine it wants `--allow-http` too.",
  }),
  "claude-code": () => ({
    command: `claude mcp add --transport http ${NAME} ${URL} --header "Authorization: Bearer $${TOKEN}"`,
    text: mcpServers({ type: "http", ...remote(`\${${TOKEN}}`) }),
    remark: `In \`.mcp.json\` the token comes from the environment variable \`${TOKEN}\`.`,
  }),
  vscode: () => ({
    text: written({
      inputs: [{ type: "promptString", id: "obsidian-vault-token", description: "Token of the vault", password: true }],
      servers: { [NAME]: { type: "http", ...remote("${input:obsidian-vault-token}") } },
    }),
    remark: "VS Code asks for the token once and keeps it safe.",
  }),
  cursor: () => ({ text: mcpServers(remote(`\${env:${TOKEN}}`)), remark: fromEnvironment }),
  windsurf: () => {
    const { url: serverUrl, headers } = remote(`\${env:${TOKEN}}`);
    return { text: mcpServers({ serverUrl, headers }), remark: fromEnvironment };
  },
  codex: () => ({
    text: `[mcp_servers.${NAME}]\nurl = "${URL}"\nbearer_token_env_var = "${TOKEN}"`,
    remark: fromEnvironment,
  }),
  "gemini-cli": () => {
    const { url: httpUrl, headers } = remote(`$${TOKEN}`);
    return { text: mcpServers({ httpUrl, headers }), remark: fromEnvironment };
  },
  "lm-studio": () => ({ text: mcpServers(remote("<token>")) }),
  opencode: () => ({
    text: written({ mcp: { [NAME]: { type: "remote", enabled: true, ...remote(`{env:${TOKEN}}`) } } }),
    remark: fromEnvironment,
  }),
  zed: () => ({ text: written({ context_servers: { [NAME]: remote("<token>") } }) }),
  goose: () => ({
    text: `extensions:
  ${NAME}:
    enabled: true
    type: streamable_http
    name: ${NAME}
    uri: ${URL}
    headers:
      Authorization: Bearer <token>
    timeout: 300`,
  }),
  "jetbrains-ai": () => ({ text: mcpServers(remote("<token>")) }),
};

/** JSON as people write it: what fits on a line stands on one. */
function written(value, indent = "") {
  const flat = JSON.stringify(value, undefined, 1)
    .replaceAll(/\n\s*/g, " ")
    .replaceAll("[ ", "[")
    .replaceAll(" ]", "]");
  if (typeof value !== "object" || (Array.isArray(value) && indent.length + flat.length <= 120)) return flat;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((one) => written(one, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${written(one, inner)}`);
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

const block = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;

/** Each client with what it is told for stdio, which is what `setup` writes into an empty file, and for HTTP. */
function clients({ MCP_CLIENTS, serverOf, withServer }) {
  return MCP_CLIENTS.map((client) => ({
    ...client,
    stdio: {
      command: COMMANDS[client.id],
      text: withServer("", client, NAME, serverOf(client, "node", [PROGRAM, VAULT])).trimEnd(),
    },
    http: HTTP[client.id](),
  }));
}

export function clientBriefs(source) {
  return clients(source)
    .filter(({ id }) => id === "claude-desktop")
    .map(({ format, stdio: { text } }) => block(format, text))
    .join("\n\n");
}

export function clientSections(source) {
  const shown = new Map();
  return clients(source)
    .map(({ id, name, format, where, restart, stdio, http }) => {
      const way = (kind, { command, text, remark }) => {
        const first = shown.get(text);
        shown.set(text, first ?? name);
        const file = `[${id}.${kind}.${format}](../examples/clients/${id}.${kind}.${format})`;
        if (first !== undefined && command === undefined)
          return `${kind === "stdio" ? "On this machine" : "Over HTTP"}: as for ${first} (${file}).${remark === undefined ? "" : ` ${remark}`}`;
        return [
          `${kind === "stdio" ? "On this machine" : "Over HTTP"} (${file}):`,
          ...(command === undefined ? [] : [block("sh", command), "or"]),
          block(format, text),
          ...(remark === undefined ? [] : [remark]),
        ].join("\n\n");
      };
      return `## ${name}\n\nPlace: ${where}. To see a change, ${restart}. For \`setup\`: \`--client ${id}\`.\n\n${way("stdio", stdio)}\n\n${way("http", http)}`;
    })
    .join("\n\n");
}

export function clientPlaces({ MCP_CLIENTS, clientFolders, obsidianLists, headlessFiles }) {
  const systems = [
    { system: "linux", home: "~", environment: {} },
    { system: "darwin", home: "~", environment: {} },
    { system: "win32", home: "%USERPROFILE%", environment: { APPDATA: "%APPDATA%", LOCALAPPDATA: "%LOCALAPPDATA%" } },
  ].map((platform) => clientFolders(platform, (folder) => [folder.endsWith("Packages") ? "Claude_..." : "..."]));
  const row = (name, places) => {
    const cells = systems.map((folders) => [...new Set(places(folders))].map((path) => `\`${path}\``).join(", "));
    return `| ${[name, ...cells].join(" | ")} |`;
  };
  return [
    "| | Linux | macOS | Windows |",
    "| --- | --- | --- | --- |",
    ...MCP_CLIENTS.map(({ name, places }) => row(name, (folders) => places(folders).map(({ file }) => file))),
    row("Obsidian's vaults", obsidianLists),
    row("Those of Obsidian Headless", headlessFiles),
  ].join("\n");
}

export function clientFiles(source) {
  return clients(source).flatMap(({ id, format, stdio, http }) =>
    Object.entries({ stdio, http }).map(([kind, { text }]) => [
      `examples/clients/${id}.${kind}.${format}`,
      `${text}\n`,
    ]),
  );
}
