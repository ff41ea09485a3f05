/** Holds the registry entry and the bundle's manifest to their formats and to package.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { v0_3 as manifestV3 } from "@anthropic-ai/mcpb/schemas";

/** @returns {string[]} what is wrong, nothing when all is well */
export function checkRegistry(root) {
  const [server, manifest, { name, version }] = ["server.json", "manifest.json", "package.json"].map((file) =>
    JSON.parse(readFileSync(join(root, file), "utf8")),
  );
  return [
    ...checkServer(server, { name, version }).map((what) => `server.json: ${what}`),
    ...checkManifest(manifest, { name, version }).map((what) => `manifest.json: ${what}`),
  ];
}

/** The rules of the MCP registry's format of 2025-12-11, as far as this entry uses it. */
function checkServer(server, { name, version }) {
  const [entry] = server.packages ?? [];
  const inputs = [...(entry?.packageArguments ?? []), ...(entry?.environmentVariables ?? [])];
  return [
    [/\/schemas\/\d{4}-\d\d-\d\d\/server\.schema\.json$/.test(server.$schema), "names no schema"],
    [/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(server.name), "its name is no reverse-DNS name with one slash"],
    [server.name?.split("/")[1] === name, "its name does not end on the package's"],
    [server.description?.length <= 100, "its description has more than 100 characters"],
    [server.title?.length <= 100, "its title has more than 100 characters"],
    [server.version === version && entry?.version === version, `its versions are not ${version}`],
    [entry?.registryType === "npm" && entry.identifier === name, `its package is not ${name} on npm`],
    [entry?.transport?.type === "stdio", "its package does not speak stdio"],
    ...inputs.map((input) => [isInput(input), `${JSON.stringify(input.name ?? input.valueHint)} is no valid input`]),
  ].flatMap(([holds, problem]) => (holds ? [] : [problem]));
}

const INPUT_FIELDS = new Set(
  "type name valueHint description format isRequired isSecret default placeholder choices value isRepeated".split(" "),
);

function isInput(input) {
  const { type, name, valueHint, format = "string", default: fallback, choices } = input;
  return (
    Object.keys(input).every((key) => INPUT_FIELDS.has(key)) &&
    (type === "positional" ? valueHint !== undefined : typeof name === "string") &&
    (type !== "named" || name.startsWith("--")) &&
    ["string", "number", "boolean", "filepath"].includes(format) &&
    (fallback === undefined || (typeof fallback === "string" && (choices?.includes(fallback) ?? true)))
  );
}

function checkManifest(manifest, { name, version }) {
  const { success, error } = manifestV3.McpbManifestSchema.safeParse(manifest);
  if (!success) return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const used = JSON.stringify(manifest.server).matchAll(/\$\{user_config\.(\w+)\}/g);
  const asked = Object.keys(manifest.user_config);
  const names = [...used].map(([, one]) => one);
  return [
    [manifest.name === name, `its name is not ${name}`],
    [manifest.version === version, `its version is not ${version}`],
    [manifest.user_config.vault.type === "directory", "the vault is no directory"],
    [names.toSorted().join() === asked.toSorted().join(), "what is asked for is not what is used"],
  ].flatMap(([holds, problem]) => (holds ? [] : [problem]));
}
