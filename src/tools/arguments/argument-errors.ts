/** One sentence for each error in arguments. */
import type { Schema } from "../schema.js";
import { argument, joined, quotedArgument, said, type Wording } from "../../text/said.js";
import { excerpt } from "../text.js";
import { adviceForWord } from "./argument-advice.js";
import type { SchemaError } from "../validator.js";

/** `updates.status`, `tags[0]`. */
export function argumentPlace(keys: readonly (string | number)[]): string {
  return keys.reduce<string>((place, key) => {
    if (typeof key === "number") return `${place}[${key}]`;
    return place === "" ? key : `${place}.${key}`;
  }, "");
}

export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return `"${excerpt(value)}"`;
  if (typeof value === "object") return "an object";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "nothing";
}

/** One of ajv's errors as a sentence without a full stop. */
export function sentenceFor(error: SchemaError, root: Schema, value: unknown): Wording {
  const keys = keysOf(error.instancePath, value);
  const schema = schemaAt(root, keys);
  const got = valueAt(value, keys);
  const place = quotedArgument(excerpt(argumentPlace(keys), 80));
  switch (error.keyword) {
    case "required":
      return said`${quotedArgument(argumentPlace([...keys, String(error.params["missingProperty"])]))} is required`;
    case "minProperties":
      return said`${place} must name at least one field${schema ? fieldsOf(schema) : ""}`;
    case "pattern":
      return said`${place} does not have the expected form, got ${describeValue(got)}${schema?.description ? ` (${schema.description.replace(/\.$/, "")})` : ""}`;
    case "minLength":
      return said`${place} must not be empty`;
    case "maxLength":
      return said`${place} must have at most ${String(error.params["limit"])} characters`;
    case "minItems":
      return said`${place} must have at least ${String(error.params["limit"])} entries`;
    case "maxItems":
      return said`${place} must have at most ${String(error.params["limit"])} entries`;
    case "enum": {
      const advice = wordAdvice(keys, got);
      return said`${place} must be ${schema ? expectation(schema) : "left out"}, got ${describeValue(got)}${advice}`;
    }
    default:
      return said`${place} must be ${schema ? expectation(schema) : "left out"}, got ${describeValue(got)}`;
  }
}

/** ` (due "overdue" is such a filter)`; empty where nothing is known. */
function wordAdvice(keys: readonly (string | number)[], word: unknown): Wording {
  if (typeof word !== "string") return "";
  // Only filters take lists.
  const isFilter = typeof keys.at(-1) === "number";
  const advice = adviceForWord({ name: String(keys[0]), word, isFilter });
  return advice === undefined ? "" : said` (${advice})`;
}

/** `: title, status`; empty for an object whose fields the schema does not name. */
function fieldsOf(schema: Schema): Wording {
  const names = schema.type === "object" ? Object.keys(schema.properties) : [];
  return names.length === 0
    ? ""
    : said`: ${joined(
        names.map((name) => said`${argument(name)}`),
        ", ",
      )}`;
}

const WORDS_FOR_ANY = { any: "any value", object: "an object", function: "a function" } as const;

export function expectation(schema: Schema): string {
  if (schema.type === "string") {
    return schema.enum ? `one of ${schema.enum.map((word) => `"${word}"`).join(", ")}` : "a string";
  }
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "array") return `a list of ${schema.items.type}s`;
  if (schema.type === "object") return "an object";
  if (schema.type === undefined) {
    const { is = "any", methods = [] } = schema;
    return WORDS_FOR_ANY[is] + (methods.length > 0 ? ` with ${methods.map((name) => `${name}()`).join(", ")}` : "");
  }
  const number = schema.type === "integer" ? "a whole number" : "a number";
  return `${number}${rangeOf(schema.minimum, schema.maximum)}`;
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` not below ${minimum}`;
  return maximum === undefined ? "" : ` not above ${maximum}`;
}

function keysOf(pointer: string, value: unknown): (string | number)[] {
  let inside = value;
  return pointer
    .split("/")
    .slice(1)
    .map((part) => {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const key = Array.isArray(inside) ? Number(name) : name;
      inside = valueAt(inside, [key]);
      return key;
    });
}

function valueAt(value: unknown, keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((inside, key) => {
    if (typeof inside !== "object" || inside === null || !Object.hasOwn(inside, key)) return undefined;
    return Reflect.get(inside, key);
  }, value);
}

function schemaAt(root: Schema, keys: readonly (string | number)[]): Schema | undefined {
  return keys.reduce<Schema | undefined>((schema, key) => {
    if (schema?.type === "array") return schema.items;
    return schema?.type === "object" && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  }, root);
}
