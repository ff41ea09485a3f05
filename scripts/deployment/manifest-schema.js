/** Validates Kubernetes manifests with the schemas of `kubernetes-models`, and finds fields those schemas do not know. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The model of a manifest's kind; undefined when there is none. */
function modelOf({ apiVersion, kind }) {
  try {
    return require(`kubernetes-models/${apiVersion}/${kind}`)[kind];
  } catch {
    return undefined;
  }
}

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
  return fieldsOf(manifest, "")
    .filter((field) => !read.has(field))
    .map((field) => `${field} is no known field`);
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

function fieldsOf(value, path) {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [`${path}/${key}`, ...fieldsOf(inner, `${path}/${key}`)]);
}
