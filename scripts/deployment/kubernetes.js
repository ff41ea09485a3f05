/** Holds the Kubernetes manifests to their schemas, to one another and to what the documents promise of them. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";
import { validateManifest } from "./manifest-schema.js";

/** What is built, and whether the vault lies in a database. */
const VARIANTS = [
  { folder: "kubernetes", isLiveSync: false },
  { folder: "kubernetes/overlays/livesync", isLiveSync: true },
];

/**
 * What can be told without kustomize is always checked: every file, and the base, which no patch changes.
 * @returns {{ problems: string[], built: boolean }} what is wrong; whether kubectl was there to build both variants
 */
export function checkKubernetes(root) {
  const files = readdirSync(join(root, "kubernetes"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => join(root, "kubernetes", file));
  const documents = files.flatMap((file) =>
    readManifests(readFileSync(file, "utf8")).map((manifest) => ({ file, manifest })),
  );
  const problems = documents.flatMap(({ file, manifest }) =>
    isWhole(file, manifest) ? validateManifest(manifest).map((what) => `${relative(root, file)}: ${what}`) : [],
  );
  if (problems.length > 0) return { problems, built: false };
  const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
  const secrets = documents.map(({ manifest }) => manifest).filter(({ kind }) => kind === "Secret");
  const base = documents.filter(({ file }) => /[\\/]base[\\/]/.test(file)).map(({ manifest }) => manifest);
  problems.push(...kustomizations(root, documents));
  problems.push(...checkParts(base, secrets).map((what) => `kubernetes/base: ${what}`));
  if (hasKubectl) for (const variant of VARIANTS) problems.push(...checkVariant(root, variant, secrets));
  return { problems, built: hasKubectl };
}

function readManifests(text) {
  return parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

/** Patches and kustomizations are no manifests by themselves. */
function isWhole(file, { kind }) {
  const isPatch = /[\\/]overlays[\\/]/.test(file) && !["Secret", "PodDisruptionBudget"].includes(kind);
  return kind !== "Kustomization" && !isPatch;
}

/** Every file a kustomization names is there, every other file is an example, and every patch has something to change. */
function kustomizations(root, documents) {
  const problems = [];
  const named = new Set();
  for (const { file, manifest } of documents.filter(({ manifest }) => manifest.kind === "Kustomization")) {
    const folder = join(file, "..");
    const paths = [...manifest.resources, ...(manifest.patches ?? []).flatMap(({ path }) => path ?? [])];
    for (const path of paths.map((one) => join(folder, one))) {
      named.add(path);
      if (!existsSync(path)) problems.push(`${relative(root, file)}: ${relative(root, path)} is not there`);
    }
  }
  const whole = new Set(
    documents.filter(({ file, manifest }) => isWhole(file, manifest)).map(({ manifest }) => idOf(manifest)),
  );
  for (const { file, manifest } of documents) {
    const path = relative(root, file);
    const example = file.endsWith(".example.yaml");
    if (manifest.kind !== "Kustomization" && !example && !named.has(file)) problems.push(`${path}: nothing applies it`);
    if (example && named.has(file)) problems.push(`${path}: an example is applied`);
    if (manifest.kind !== "Kustomization" && !isWhole(file, manifest) && !whole.has(idOf(manifest)))
      problems.push(`${path}: there is no ${idOf(manifest)} to patch`);
  }
  return problems;
}

const idOf = ({ kind, metadata }) => `${kind} ${metadata?.name}`;

function checkVariant(root, { folder, isLiveSync }, secrets) {
  const { status, stdout, stderr } = spawnSync("kubectl", ["kustomize", join(root, folder)], { encoding: "utf8" });
  if (status !== 0) return [`${folder}: kustomize: ${stderr.split("\n")[0]}`];
  const manifests = readManifests(stdout);
  const problems = [...manifests.flatMap(validateManifest), ...checkParts(manifests, secrets)];
  const { spec } = manifests.find(({ kind }) => kind === "Deployment");
  const claims = manifests.filter(({ kind }) => kind === "PersistentVolumeClaim");
  const image = spec.template.spec.containers[0].image;
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (image !== `obsidian-vault-mcp-server:${version}`) problems.push(`the image is ${image}`);
  const fits = isLiveSync
    ? spec.replicas > 1 && spec.strategy.type === "RollingUpdate" && claims.length === 0
    : spec.replicas === 1 && spec.strategy.type === "Recreate" && claims.length === 2;
  if (!fits) problems.push("replicas, strategy and claims do not go together");
  return problems.map((what) => `${folder}: ${what}`);
}

function checkParts(manifests, secrets) {
  const one = (kind) => manifests.find((manifest) => manifest.kind === kind);
  const [deployment, service, policy, config] = ["Deployment", "Service", "NetworkPolicy", "ConfigMap"].map(one);
  if (!deployment || !service || !policy || !config)
    return ["a deployment, service, network policy or config map is missing"];
  const { template, selector } = deployment.spec;
  const [container] = template.spec.containers;
  const port = container.ports.find(({ name }) => name === service.spec.ports[0].targetPort)?.containerPort;
  const listens = /:(\d+)$/.exec(config.data.BIND_ADDR)?.[1];
  return [
    [isDeepStrictEqual(selector.matchLabels, service.spec.selector), "the service selects other pods"],
    [
      isDeepStrictEqual(selector.matchLabels, policy.spec.podSelector.matchLabels),
      "the network policy selects other pods",
    ],
    [policy.spec.policyTypes.includes("Egress"), "the pods may call anywhere"],
    [String(port) === listens, "the service's port is not the one listened on"],
    [container.livenessProbe?.httpGet?.path === "/health", "no liveness probe of /health"],
    [container.readinessProbe?.httpGet?.path === "/ready", "no readiness probe of /ready"],
    [container.resources?.limits?.memory && container.resources?.requests?.cpu, "no resources"],
    [template.spec.automountServiceAccountToken === false, "the pod gets a service account's token"],
    ...confinement(template.spec, container),
    ...references(manifests, secrets, template.spec, container),
  ].flatMap(([holds, problem]) => (holds ? [] : [problem]));
}

/** @param {{ securityContext?: any }} spec @param {{ securityContext?: any }} container */
function confinement({ securityContext: pod = {} }, { securityContext: own = {} }) {
  return [
    [pod.runAsNonRoot === true && pod.runAsUser === 1001, "the pod does not run as 1001"],
    [pod.seccompProfile?.type === "RuntimeDefault", "no seccomp profile"],
    [own.readOnlyRootFilesystem === true, "the root is writable"],
    [own.allowPrivilegeEscalation === false, "privileges may be gained"],
    [own.capabilities?.drop?.includes("ALL"), "capabilities are kept"],
  ];
}

/** Every mount has a volume, every volume a mount, and every name that is referred to belongs to something. */
function references(manifests, secrets, { volumes }, container) {
  const mounted = container.volumeMounts.map(({ name }) => name);
  const named = (kind, name) => [...manifests, ...secrets].some((one) => idOf(one) === `${kind} ${name}`);
  const paths = new Set(container.volumeMounts.map(({ mountPath }) => mountPath));
  return [
    [volumes.every(({ name }) => mounted.includes(name)), "a volume is not mounted"],
    [mounted.every((name) => volumes.some((volume) => volume.name === name)), "a mount has no volume"],
    [["/data", "/tmp"].every((path) => paths.has(path)), "/data or /tmp cannot be written"],
    ...container.envFrom.map(({ configMapRef: { name } }) => [named("ConfigMap", name), `no config map ${name}`]),
    ...container.env.flatMap(({ valueFrom }) => {
      const { name, key } = valueFrom?.secretKeyRef ?? {};
      const secret = secrets.find(({ metadata }) => metadata.name === name);
      return valueFrom ? [[secret?.stringData[key] !== undefined, `no example of secret ${name}, ${key}`]] : [];
    }),
    ...volumes.flatMap(({ persistentVolumeClaim: claim, secret }) => [
      ...(claim ? [[named("PersistentVolumeClaim", claim.claimName), `no claim ${claim.claimName}`]] : []),
      ...(secret ? [[named("Secret", secret.secretName), `no example of secret ${secret.secretName}`]] : []),
    ]),
  ];
}
