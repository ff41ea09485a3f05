/**
 * Checks Dockerfile, compose files, Kubernetes manifests, registry entry and bundle manifest, without an engine or a cluster.
 * `node scripts/check-deployment.js [--root <folder>]...`; ends with 1 when something is wrong.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkCompose } from "./deployment/compose.js";
import { checkDockerfile } from "./deployment/dockerfile.js";
import { checkKubernetes } from "./deployment/kubernetes.js";
import { checkRegistry } from "./deployment/registry.js";

const { values } = parseArgs({ options: { root: { type: "string", multiple: true } } });
for (const root of values.root ?? [join(import.meta.dirname, "..")]) check(resolve(root));

function check(root) {
  const { problems: kubernetes, built } = checkKubernetes(root);
  const problems = [...checkDockerfile(root), ...checkCompose(root), ...kubernetes, ...checkRegistry(root)];
  for (const problem of problems) console.error(problem);
  console.log(
    built
      ? "The Kubernetes manifests were built with kubectl kustomize."
      : "kubectl is not here: the Kubernetes manifests were checked file by file, and no overlay was built.",
  );
  if (problems.length === 0) return console.log("Deployment files: all well.");
  console.error(`Deployment files: ${problems.length} problems.`);
  process.exitCode = 1;
}
