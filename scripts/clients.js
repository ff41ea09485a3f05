/**
 * How each client is told of the server, from one table: `scripts/docs.js` writes it into README.md, docs/clients.md and
 * examples/clients/, and test/deployment.test.ts starts and calls what it says.
 */

const NAME = "obsidian-vault";
/** What a reader replaces. */
const PROGRAM = "/absolute/path/to/obsidian-vault-mcp-server/dist/index.js";
const VAULT = "/absolute/path/to/My Vault";
const URL = "https://notes.example/mcp";
const TOKEN = "OBSIDIAN_VAULT_TOKEN";
/** For Claude Desktop, which starts programs only. */
const BRIDGE = "mcp-remote@0.15.1";

const program = { command: "node", args: [PROGRAM, VAULT] };
const remote = (bearer) => ({ url: URL, headers: { Authorization: `Bearer ${bearer}` } });
const mcpServers = (server) => ({ mcpServers: { [NAME]: server } });

/** Each with the place its configuration stands in, and the configuration for stdio and for HTTP: a document, or a command that writes one. */
const CLIENTS = [
  {
    name: "Claude Desktop",
    file: "claude-desktop",
    place: "Settings, Developer, Edit Config: `claude_desktop_config.json`",
    stdio: { document: mcpServers(program) },
    http: {
      document: mcpServers({
        command: "npx",
        args: ["-y", BRIDGE, URL, "--header", "Authorization:${AUTHORIZATION}"],
        env: { AUTHORIZATION: "Bearer <token>" },
      }),
      remark:
        "The configuration file knows programs only, so `mcp-remote` carries the calls over. For a server on plain HTTP elsewhere than on this machine it wants `--allow-http` too.",
    },
  },
  {
    name: "Claude Code",
    file: "claude-code",
    place: "a command, or `.mcp.json` in a project's folder",
    stdio: {
      command: `claude mcp add ${NAME} -- node ${PROGRAM} "${VAULT}"`,
      document: mcpServers({ type: "stdio", ...program }),
    },
    http: {
      command: `claude mcp add --transport http ${NAME} ${URL} --header "Authorization: Bearer $${TOKEN}"`,
      document: mcpServers({ type: "http", ...remote(`\${${TOKEN}}`) }),
      remark: `In \`.mcp.json\` the token comes from the environment variable \`${TOKEN}\`.`,
    },
  },
  {
    name: "VS Code",
    file: "vscode",
    place: "`.vscode/mcp.json`",
    stdio: { document: { servers: { [NAME]: { type: "stdio", ...program } } } },
    http: {
      document: {
        inputs: [
          { type: "promptString", id: "obsidian-vault-token", description: "Token of the vault", password: true },
        ],
        servers: { [NAME]: { type: "http", ...remote("${input:obsidian-vault-token}") } },
      },
      remark: "VS Code asks for the token once and keeps it safe.",
    },
  },
  {
    name: "Cursor",
    file: "cursor",
    place: "`~/.cursor/mcp.json`",
    stdio: { document: mcpServers(program) },
    http: {
      document: mcpServers(remote(`\${env:${TOKEN}}`)),
      remark: `The token comes from the environment variable \`${TOKEN}\`.`,
    },
  },
];

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

/** For the README: the shortest way for each client over stdio. */
export function clientBriefs() {
  return CLIENTS.map(({ name, place, stdio: { command, document } }) =>
    command === undefined
      ? `**${name}** (${place}):\n\n${block("json", written(document))}`
      : `**${name}**:\n\n${block("sh", command)}`,
  ).join("\n\n");
}

/** For docs/clients.md: everything. */
export function clientSections() {
  return CLIENTS.map(({ name, file, place, stdio, http }) => {
    const way = (kind, { command, document, remark }) =>
      [
        `${kind === "stdio" ? "On this machine" : "Over HTTP"} ([${file}.${kind}.json](../examples/clients/${file}.${kind}.json)):`,
        ...(command === undefined ? [] : [block("sh", command), "or"]),
        block("json", written(document)),
        ...(remark === undefined ? [] : [remark]),
      ].join("\n\n");
    return `## ${name}\n\nPlace: ${place}.\n\n${way("stdio", stdio)}\n\n${way("http", http)}`;
  }).join("\n\n");
}

/** Path and content of each file of examples/clients/. */
export function clientFiles() {
  return CLIENTS.flatMap(({ file, stdio, http }) =>
    Object.entries({ stdio, http }).map(([kind, { document }]) => [
      `examples/clients/${file}.${kind}.json`,
      `${written(document)}\n`,
    ]),
  );
}
