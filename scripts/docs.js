/**
 * Writes the parts of the documents that derive from the code: the tool sections of API_REFERENCE.md, the tables of docs/tools.md and docs/command-line.md, what
 * the clients are told (from `clients.js`).
 * `node scripts/docs.js` writes them, `node scripts/docs.js --check` fails when they are not what the code says.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { clientBriefs, clientFiles, clientPlaces, clientSections } from "./clients.js";

const ROOT = join(import.meta.dirname, "..");
/** The day and the id the worked examples are shown with. */
const SHOWN = { today: "2025-09-01", id: "k3v9qd", vault: "/path/to/My Vault" };

/** The tables of the source the documents derive from, as live objects. */
async function load() {
  const cache = join(ROOT, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "docs-"));
  const outfile = join(folder, "tables.mjs");
  const contents = `
    export { toolsFor } from "./src/tools/registry.ts";
    export { TOOLS } from "./src/tools/all-tools.ts";
    export { ROLES } from "./src/tools/arguments/argument-roles.ts";
    export { TOOLSETS } from "./src/tools/toolset.ts";
    export { optionRows } from "./src/cli/options/options.ts";
    export { spelling } from "./src/cli/help.ts";
    export { MCP_CLIENTS, clientFolders, serverOf } from "./src/cli/setup/clients.ts";
    export { headlessFiles, obsidianLists } from "./src/cli/setup/setup.ts";
    export { withServer } from "./src/cli/setup/server-list.ts";
    export { EXIT_CODES } from "./src/cli/exit-codes.ts";
    export { ERROR_CODES } from "./src/errors.ts";`;
  try {
    const stdin = { contents, resolveDir: ROOT };
    await build({ stdin, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");
const firstSentence = (text) => text.split(/(?<=\.)\s(?=[A-Z])/)[0];
const modelSees = ({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema });

function toolTable({ TOOLS, TOOLSETS, toolsFor }) {
  const rows = TOOLS.map(({ name, toolset, effect, listing }) => [
    `\`${name}\``,
    toolset,
    effect,
    cell(firstSentence(listing.description)),
  ]);
  const costs = ["core", "all", ...TOOLSETS].flatMap((toolset) => {
    const { tools } = toolsFor({ toolsets: [toolset] });
    const tokens = tools.reduce((sum, tool) => sum + countTokens(modelSees(tool.listing)), 0);
    return tools.length === 0 ? [] : [[toolset, tools.length, tokens]];
  });
  return `${table(["tool", "toolset", "what it does to the vault", "what it is for"], rows)}

What the tools cost a model, as the name, description and input schema of each (o200k tokens):

${table(["toolset", "tools", "tokens"], costs)}`;
}

function optionTable({ optionRows, spelling }) {
  const rows = optionRows().map(([, option]) => {
    const names = (option.environment ?? []).map((one) => `\`${typeof one === "string" ? one : one.name}\``);
    const users = option.usedBy?.join(", ") ?? "all";
    return [`\`${cell(spelling(option))}\``, names.join(", "), users, cell(option.help)];
  });
  return table(["option", "environment", "used by", "what it does"], rows);
}

function exitCodeTable({ EXIT_CODES }) {
  return table(
    ["code", "meaning"],
    Object.values(EXIT_CODES).map(({ number, meaning }) => [number, cell(meaning)]),
  );
}

/** The arguments of all tools by what they are for, with the names that are accepted besides. */
function roleTable({ ROLES, TOOLS }) {
  const named = new Map();
  const look = (schema) => {
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
      const { role } = inner.items ?? inner;
      for (const one of [role, inner.role].filter(Boolean)) named.set(one, new Set([...(named.get(one) ?? []), name]));
      look(inner);
    }
  };
  for (const { input } of TOOLS) look(input);
  const code = (names) => names.map((name) => `\`${name}\``).join(", ");
  const rows = Object.entries(ROLES).map(([role, { means, also }]) => {
    const names = [...(named.get(role) ?? [])];
    return [cell(means), code(names), code(also.filter((name) => !names.includes(name)))];
  });
  return table(["what it is for", "arguments", "also accepted"], rows);
}

function errorCodeTable({ ERROR_CODES }) {
  const rows = Object.entries(ERROR_CODES).map(([code, { number, retry }]) => [
    `\`${code}\``,
    number,
    retry ? "yes" : "no",
  ]);
  return table(["code", "number", "worth trying again unchanged"], rows);
}

/** The worked example of a tool: the first call of the transcript of its name, with its answer. */
function example(name) {
  const text = readFileSync(join(ROOT, "test", "transcripts", `${name}.md`), "utf8");
  const [call, answer] = [
    /## Call\n\n```json\n([\s\S]*?)\n```/,
    /## Answer\n\n((?:```text\n[\s\S]*?\n```(?:\n\n(?=```text))?)+)/,
  ].map((block) => block.exec(text)?.[1] ?? "");
  return `**Example** ([the whole transcript](test/transcripts/${name}.md))\n\n\`\`\`json\n${shown(call)}\n\`\`\`\n\n${shown(answer)}`;
}

/** A transcript's placeholders as a reader would meet them. */
function shown(text) {
  return text
    .replaceAll("{{vault}}", SHOWN.vault)
    .replaceAll("{{id}}", SHOWN.id)
    .replaceAll(/\{\{op\d?\}\}/g, "op-mzk3p1x8-1")
    .replaceAll("{{time}}", "14:02")
    .replaceAll("{{caller}}", "Claude (stdio)")
    .replace(/\{\{today([+-]\d+)?\}\}/g, (_, days = "0") => dayAfter(days).toISOString().slice(0, 10))
    .replace(/\{\{weekday([+-]\d+)?\}\}/g, (_, days = "0") => dayAfter(days).toUTCString().slice(0, 3));
}

function dayAfter(days) {
  return new Date(Date.parse(SHOWN.today) + Number(days) * 86_400_000);
}

/** Objects of answers that several tools share, by their JSON without the description; each is shown once. */
function sharedShapes(tools) {
  const counts = new Map();
  for (const { name, listing } of tools)
    for (const shape of new Set([...objectsIn(listing.outputSchema)].map(shapeKey)))
      counts.set(shape, [...(counts.get(shape) ?? []), name]);
  const shapes = new Map();
  const titles = new Set();
  for (const [key, users] of counts) {
    const schema = JSON.parse(key);
    if (users.length < 2 || Object.keys(schema.properties).length < MIN_SHARED_FIELDS) continue;
    const title = titles.has("Task") ? `Task of ${users[0]}` : "Task";
    titles.add(title);
    shapes.set(key, { title, schema });
  }
  return shapes;
}

/** Smaller objects are shown where they are. */
const MIN_SHARED_FIELDS = 8;
const shapeKey = (schema) => JSON.stringify({ ...schema, description: undefined, maxItems: undefined });

function* objectsIn(schema, isTop = true) {
  if (schema.type === "array") yield* objectsIn(schema.items, false);
  if (schema.type !== "object") return;
  if (!isTop) yield schema;
  for (const inner of Object.values(schema.properties ?? {})) yield* objectsIn(inner, false);
}

/** Rows for the fields of a schema; those of inner objects are named by their way: `tasks[].id`. */
function fieldRows({ properties = {}, required = [] }, shapes, before = "") {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const place = `${before}${name}`;
    const inner = schema.type === "array" ? schema.items : schema;
    const shape = inner.type === "object" ? shapes.get(shapeKey(inner)) : undefined;
    const row = [
      `\`${place}\``,
      typeOf(schema, shape),
      cell([schema.description, ...notesOf(schema, required.includes(name))].filter(Boolean).join(". ")),
    ];
    const isOpen = inner.type === "object" && shape === undefined;
    const below = `${place}${schema.type === "array" ? "[]" : ""}.`;
    return [row].concat(isOpen ? fieldRows(inner, shapes, below) : []);
  });
}

function typeOf(schema, shape) {
  if (schema.type === "array") return `list of ${typeOf(schema.items, shape)}`;
  if (shape) return `[${shape.title}](#${shape.title.toLowerCase().replaceAll(" ", "-")})`;
  return schema.enum ? schema.enum.map((value) => `\`${value}\``).join(", ") : schema.type;
}

const notesOf = (schema, isRequired) => [
  schema.default === undefined ? "" : `Default: \`${JSON.stringify(schema.default)}\``,
  isRequired ? "**Required**" : "",
];

/** Of answers, which fields are always there matters less than of arguments, and the schema says it. */
const answerRows = (schema, shapes) =>
  fieldRows(schema, shapes).map(([name, type, text]) => [name, type, text.replace(/(\. )?\*\*Required\*\*/, "")]);

function toolSections({ toolsFor }) {
  const { tools } = toolsFor({ hasDefaultVault: false });
  const shapes = sharedShapes(tools);
  const none = new Map();
  const sections = tools.map(({ name, toolset, effect, listing }, index) => {
    const args = fieldRows(listing.inputSchema, none);
    return `### ${index + 1}. ${name}

**${listing.title}.** ${listing.description}

Toolset \`${toolset}\`, effect \`${effect}\`.

${args.length === 0 ? "It takes no arguments." : table(["argument", "type", "meaning"], args)}

${table(["answer", "type", "meaning"], answerRows(listing.outputSchema, shapes))}

${example(name)}`;
  });
  const contents = tools.map(({ name }, index) => `[${name}](#${index + 1}-${name})`).join(" · ");
  const common = [...shapes.values()].map(
    ({ title, schema }) => `### ${title}\n\n${table(["field", "type", "meaning"], answerRows(schema, none))}`,
  );
  return [contents, ...sections, ...common].join("\n\n");
}

/** The schemas as published, a line a tool. */
function toolSchemas({ toolsFor }) {
  const lines = toolsFor({ hasDefaultVault: false }).tools.map(
    ({ name, listing: { annotations, inputSchema, outputSchema } }) =>
      `${JSON.stringify(name)}: ${JSON.stringify({ annotations, inputSchema, outputSchema })}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** The members of the library's handle and their methods, read from the declarations in the source. */
function librarySurface() {
  const membersOf = (file, name) => {
    const text = readFileSync(join(ROOT, "src", file), "utf8");
    const [declaration] = new RegExp(`^export (?:interface|class) ${name} .*?^}`, "ms").exec(text) ?? [];
    if (declaration === undefined) throw new Error(`${file} declares no ${name}`);
    return [...declaration.matchAll(/^  (?:readonly |async )?(?!constructor)(\w+)[(:<]/gm)].map(([, member]) => member);
  };
  const methods = {
    tasks: membersOf("tasks/api.ts", "Tasks"),
    notes: membersOf("notes/service.ts", "Notes"),
    links: membersOf("links/service.ts", "Links"),
    files: membersOf("files/service.ts", "Files"),
  };
  const rows = membersOf("library.ts", "VaultHandle").map((member) => [
    `\`${member}\``,
    (methods[member] ?? []).map((method) => `\`${method}\``).join(", "),
  ]);
  return table(["member", "its methods"], rows);
}

/** Replaces what stands between `<!-- name:begin -->` and `<!-- name:end -->`. */
function fill(document, name, content) {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`no place for ${name}`);
  return `${document.slice(0, from + begin.length)}\n${content}\n${document.slice(to)}`;
}

const source = await load();
const documents = {
  "docs/clients.md": { places: clientPlaces, clients: clientSections },
  "README.md": { clients: clientBriefs },
  "docs/tools.md": { tools: toolTable },
  "docs/command-line.md": { options: optionTable, "exit-codes": exitCodeTable },
  "API_REFERENCE.md": {
    "other-names": roleTable,
    tools: toolSections,
    "error-codes": errorCodeTable,
    library: librarySurface,
  },
};
const filled = Object.entries(documents).map(([file, parts]) => {
  const old = readFileSync(join(ROOT, file), "utf8");
  return [file, Object.entries(parts).reduce((text, [name, write]) => fill(text, name, write(source)), old)];
});
for (const [file, now] of [...filled, ["docs/tool-schemas.json", toolSchemas(source)], ...clientFiles(source)]) {
  const path = join(ROOT, file);
  const old = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (process.argv.includes("--check")) {
    if (now !== old) {
      process.stderr.write(`${file} is not what the code says: run \`npm run docs\`.\n`);
      process.exitCode = 1;
    }
  } else {
    writeFileSync(path, now);
  }
}
