/** Validates Kubernetes manifests with the schemas of `kubernetes-models`, and finds fields those schemas do not know. */
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";

const MODELS = [Deployment, NetworkPolicy, PodDisruptionBudget, ConfigMap, PersistentVolumeClaim, Secret, Service];

/** The model of a manifest's kind; undefined when it is none of those we use. */
const modelOf = ({ apiVersion, kind }) => MODELS.find((one) => one.is({ apiVersion, kind }));

/** @returns {string[]} what is wrong with it, by field; nothing when it is valid */
export function validateManifest(manifest) {
  const model = modelOf(manifest);
  if (model === undefined) return [`${manifest.apiVersion} ${manifest.kind} is no known kind`];
  const read = new Set();
  try {
    model.prototype.validate.call(watched(manifest, "", read));
  } catch (error) {
    return [error.message];
  }
  return [...fieldsOf(manifest, "")].filter((field) => !read.has(field)).map((field) => `${field} is no known field`);
}

/**
 * The same object, noting which of its fields are read: a validator lets unknown fields pass, and so does the API server, which drops
 * them; but it never looks at them.
 */
function watched(value, path, read) {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key !== "string" || !Object.hasOwn(target, key)) return target[key];
      read.add(`${path}/${key}`);
      return watched(target[key], `${path}/${key}`, read);
    },
  });
}

/** The path of every field, at any depth. */
function* fieldsOf(value, path) {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield `${path}/${key}`;
    yield* fieldsOf(inner, `${path}/${key}`);
  }
}
