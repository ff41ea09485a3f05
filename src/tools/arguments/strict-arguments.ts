/** Checks a program's arguments by the tools' schemas, reading nothing as something else. */
import { distinct, quotedArgument, said, type Wording } from "../../text/said.js";
import type { ObjectSchema, Schema } from "../schema.js";
import { argumentPlace, describeValue, expectation } from "./argument-errors.js";
import { invalidArguments, missingName, propertySchema, unknownName } from "./arguments.js";

const MAX_FAULTS = 100;
const COUNT = { type: "integer", minimum: 0 } as const;

type Place = readonly (string | number)[];

interface Check {
  readonly root: ObjectSchema;
  readonly faults: Wording[];
  /** The last object with an unknown name; the hint lists its names. */
  misnamed?: ObjectSchema;
}

/**
 * Null means not given. Limits, defaults and patterns apply to tools alone.
 * @param method in the error, such as `tasks.update`
 * @throws VaultError INVALID_ARGUMENT naming up to six errors
 */
export function checkedArguments(
  given: Readonly<Record<string, unknown>>,
  root: ObjectSchema,
  method: string,
): Readonly<Record<string, unknown>> {
  const check: Check = { root, faults: [] };
  const value = checkedObject(given, root, [], check);
  if (check.faults.length > 0) throw invalidArguments(distinct(check.faults), check.misnamed ?? root, ` of ${method}`);
  return value;
}

function checkedValue(value: unknown, schema: Schema, place: Place, check: Check): unknown {
  if (schema.type === "object" && isObject(value) && !Array.isArray(value))
    return checkedObject(value, schema, place, check);
  if (schema.type === "array" && Array.isArray(value))
    return value.map((item: unknown, at) => checkedValue(item, schema.items, [...place, at], check));
  if (schema.type === "array" && schema.orOne) return checkedValue(value, schema.items, place, check);
  if (!accepts(value, schema)) fault(wrongValue(value, schema, place), check);
  return value;
}

function checkedObject(value: object, schema: ObjectSchema, place: Place, check: Check) {
  const entries = Object.entries(value).flatMap(([key, inner]): [key: string, value: unknown][] => {
    const property = propertySchema(key, schema);
    if (property === undefined) {
      fault(unknownName(key, schema, place, check.root), check);
      check.misnamed = schema;
    }
    // Among fields to change null has a meaning.
    if (inner === null && schema.role === "fields") return [[key, inner]];
    if (property === undefined || inner === undefined || inner === null) return [];
    return [[key, checkedValue(inner, property, [...place, key], check)]];
  });
  const checked = Object.fromEntries(entries);
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(checked, name)) fault(missingName([...place, name], schema.properties[name]), check);
  return checked;
}

function accepts(value: unknown, schema: Schema): boolean {
  if (schema.type === "string") return typeof value === "string" && (schema.enum?.includes(value) ?? true);
  if (schema.type === "boolean") return typeof value === "boolean";
  if (schema.type === "integer") return Number.isSafeInteger(value) && Number(value) >= COUNT.minimum;
  if (schema.type === "number") return Number.isFinite(value);
  if (schema.type !== undefined) return false;
  if (schema.is === "function") return typeof value === "function";
  const has = (name: string): boolean => isObject(value) && typeof Reflect.get(value, name) === "function";
  return schema.is === undefined || (isObject(value) && (schema.methods ?? []).every(has));
}

/** Never quotes text that may be a password or a note's. */
function wrongValue(value: unknown, schema: Schema, place: Place): Wording {
  const isShown = schema.type === "integer" || schema.type === "number" || "enum" in schema;
  const got = isShown ? describeValue(value) : kindOf(value);
  return said`${quotedArgument(argumentPlace(place))} must be ${expectation(schema.type === "integer" ? COUNT : schema)}, got ${got}`;
}

function kindOf(value: unknown): string {
  if (value === null || isObject(value)) return describeValue(value);
  return value === undefined ? "nothing" : `a ${typeof value}`;
}

function fault(words: Wording, { faults }: Check): void {
  if (faults.length < MAX_FAULTS) faults.push(words);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
