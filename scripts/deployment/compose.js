/** Holds the compose files to the Compose Specification (dclint ships its schema) and to what the documents promise of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DCLinter } from "dclint";
import { parse } from "yaml";

const COMPOSE_FILES = ["compose.yaml", "compose.livesync.yaml"];

/** Rules of dclint that are about safety; those about the order of keys are left out, our order follows the reader. */
const RULES = {
  "no-build-and-image": 0,
  "no-duplicate-container-names": 2,
  "no-duplicate-exported-ports": 2,
  "no-quotes-in-volumes": 2,
  "no-unbound-port-interfaces": 2,
  "no-version-field": 2,
  "require-project-name-field": 2,
  "require-quotes-in-ports": [2, { quoteType: "double" }],
  "service-container-name-regex": 2,
  "service-dependencies-alphabetical-order": 0,
  "service-image-require-explicit-tag": 2,
  "service-keys-order": 0,
  "service-ports-alphabetical-order": 0,
  "services-alphabetical-order": 0,
  "top-level-properties-order": 0,
};

/** @returns {string[]} what is wrong, nothing when all is well */
export function checkCompose(root) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return COMPOSE_FILES.flatMap((file) => {
    const linter = new DCLinter({ rules: RULES, quiet: true, debug: false, exclude: [] });
    const linted = linter.lintFiles([join(root, file)], false).flatMap(({ messages }) => messages);
    const broken = linted.map(({ line, message }) => `${file}:${line}: ${message}`);
    if (linted.some(({ rule }) => rule.startsWith("invalid-"))) return broken;
    const text = readFileSync(join(root, file), "utf8");
    const project = parse(text);
    const problems = [...checkServer(project, version), ...checkReferences(project), ...checkSecrets(project)];
    return broken.concat(problems.map((problem) => `${file}: ${problem}`));
  });
}

function checkServer({ services: { server } }, version) {
  const image = `obsidian-vault-mcp-server:${version}`;
  return [
    [server?.image === image, `the server's image is not ${image}`],
    [server?.read_only === true, "the server's root is not read-only"],
    [server?.cap_drop?.includes("ALL"), "the server keeps capabilities"],
    [server?.security_opt?.includes("no-new-privileges:true"), "the server may gain privileges"],
    [server?.user === "${VAULT_UID:-1001}:${VAULT_GID:-1001}", "the server's user is not VAULT_UID"],
    [server?.tmpfs?.some((mount) => mount.startsWith("/tmp")), "the server has no /tmp"],
    [server?.volumes?.some(({ target }) => target === "/data"), "index and undo journal have no volume"],
    [server?.environment?.AUTH_TOKEN_FILE === "/run/secrets/auth_token", "the token is not the secret auth_token"],
  ].flatMap(([holds, problem]) => (holds ? [] : [problem]));
}

function checkReferences(project) {
  const services = Object.values(project.services);
  const uses = {
    volumes: services.flatMap(({ volumes = [] }) =>
      volumes.filter(({ type }) => type === "volume").map(({ source }) => source),
    ),
    secrets: services.flatMap(({ secrets = [] }) => secrets.map((one) => one.source ?? one)),
    configs: services.flatMap(({ configs = [] }) => configs.map((one) => one.source ?? one)),
  };
  const problems = Object.entries(uses).flatMap(([kind, used]) => {
    const declared = Object.keys(project[kind] ?? {});
    return [...new Set([...used, ...declared])]
      .filter((name) => !used.includes(name) || !declared.includes(name))
      .map((name) => `${kind}: ${name} is used and not declared, or the other way round`);
  });
  const missing = services.flatMap(({ depends_on: needed = {} }) =>
    Object.keys(needed).filter((name) => project.services[name]?.healthcheck === undefined),
  );
  return [...problems, ...missing.map((name) => `${name} is waited for and has no healthcheck`)];
}

/** No secret is written down: what is called one comes from outside. */
function checkSecrets({ services }) {
  return Object.entries(services).flatMap(([name, { environment = {} }]) =>
    Object.entries(environment)
      .filter(([key, value]) => /PASS|TOKEN$|SECRET/.test(key) && !/^\$\{\w+:[?-][^}]*\}$/.test(String(value)))
      .map(([key]) => `${name}: ${key} is written down`),
  );
}
