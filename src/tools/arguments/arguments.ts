/** Reads arguments by a schema: accepts sloppy but clear input, and explains other errors. */
import { parseJson } from "../../text/decoded.js";
import { VaultError } from "../../errors.js";
import {
  argument,
  distinct,
  joined,
  quotedArgument,
  said,
  usage as usageOf,
  type Wording,
} from "../../text/wording.js";
import { nullsIgnored, withoutNulls } from "../../tasks/fields/task-fields.js";
import { nearest } from "../../text/nearest.js";
import {
  describeValue,
  expectation,
  argumentPlace,
  sentenceFor,
  adviceFor,
  adviceForWord,
  isNegation,
  meansUnfinished,
} from "./argument-errors.js";
import { CHOOSE_NOTHING, roleRow } from "./argument-roles.js";
import {
  listedEntries,
  roleOf,
  type ArraySchema,
  type ObjectSchema,
  type Schema,
  type StringSchema,
} from "../schema.js";
import { excerpt } from "../safe-text.js";
import type { Validate } from "../validator.js";

/** Where the schema sets no limit. */
const MAX_LIST = 1000;
const MAX_SENTENCES = 6;
const MAX_FAULTS = 100;
const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);
const LONE_SURROGATE = /[\ud800-\udfff]/u;

type Place = readonly (string | number)[];

interface Reading {
  readonly root: ObjectSchema;
  readonly faults: Wording[];
  readonly remarks: Wording[];
}

interface ReadArguments {
  readonly value: Readonly<Record<string, unknown>>;
  /** `"file" as "path"`. */
  readonly remarks: readonly Wording[];
}

/** @throws VaultError INVALID_ARGUMENT naming up to six errors */
export function readArguments(args: unknown, root: ObjectSchema, validate: Validate): ReadArguments {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new VaultError("INVALID_ARGUMENT", `The arguments must be an object, got ${describeValue(args)}.`, {
      hint: usage(root),
    });
  }
  const reading: Reading = { root, faults: [], remarks: [] };
  const value = readValue(args, root, [], reading);
  const errors = validate(value);
  const faults = distinct([...reading.faults, ...errors.map((error) => sentenceFor(error, root, value))]);
  if (faults.length > 0) throw invalidArguments(faults, root);
  // The validator has checked that it is an object.
  return { value: value as Readonly<Record<string, unknown>>, remarks: reading.remarks };
}

/** @param whose ` of tasks.update` */
export function invalidArguments(faults: readonly Wording[], root: ObjectSchema, whose = ""): VaultError {
  const shown = joined(faults.slice(0, MAX_SENTENCES), "; ");
  const rest = faults.length > MAX_SENTENCES ? `; and ${faults.length - MAX_SENTENCES} more` : "";
  return new VaultError("INVALID_ARGUMENT", said`Invalid arguments${whose}: ${shown}${rest}.`, { hint: usage(root) });
}

function usage(root: ObjectSchema): Wording {
  const names = listedEntries(root).map(([name]) => (root.required?.includes(name) ? `${name} (required)` : name));
  return said`${usageOf(`Arguments: ${names.join(", ")}.`)}`;
}

function readValue(value: unknown, schema: Schema, place: Place, reading: Reading): unknown {
  if (schema.type === "object") return readObject(value, schema, place, reading);
  if (schema.type === "array") return readList(value, schema, place, reading);
  if (schema.type === "string") return readString(value, schema, place, reading);
  const text = typeof value === "string" ? value.trim() : "";
  if (schema.type === "boolean")
    return TRUTHS.get(typeof value === "number" ? String(value) : text.toLowerCase()) ?? value;
  return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : value;
}

function readObject(value: unknown, schema: ObjectSchema, place: Place, reading: Reading): unknown {
  const given = typeof value === "string" && place.length > 0 ? parsedJson(value, "{") : value;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const named = givenFields(underDeclaredNames(Object.entries(given), schema, place, reading), schema, place, reading);
  const entries: [key: string, value: unknown][] = [];
  for (const [key, inside] of named) {
    const property = propertySchema(key, schema);
    if (property === undefined) continue;
    if (inside === null && roleOf(property) === "condition") reading.remarks.push(`${excerpt(key, 40)} null as "none"`);
    const isNumber = typeof inside === "number" && MAY_BE_NUMBERS.has(roleOf(property));
    const sent = Object.hasOwn(schema.properties, key) && !isNumber ? inside : wordFor(inside, property);
    const read = readProperty(sent, property, [...place, key], schema.required?.includes(key) ?? false, reading);
    if (read !== undefined) entries.push([key, read]);
  }
  return Object.fromEntries([...entries, ...fallbacks(entries, schema, reading)]);
}

/** A year to find, the second view. */
const MAY_BE_NUMBERS: ReadonlySet<string | undefined> = new Set(["query", "value", "words"]);

type Entries = readonly (readonly [key: string, value: unknown])[];

/** An unknown name is an error. */
function underDeclaredNames(given: Entries, schema: ObjectSchema, place: Place, reading: Reading): Entries {
  if (schema.additionalProperties !== false) return given;
  const meant = namesMeant(
    given.flatMap(([key, value]) => (value === undefined || value === null ? [] : [key])),
    schema,
  );
  const beside: [key: string, value: unknown][] = [];
  const named = given.flatMap(([key, value]): Entries => {
    if (Object.hasOwn(schema.properties, key)) return [[key, value]];
    const name = meant.get(key);
    if (name !== undefined) {
      reading.remarks.push(
        said`${quotedArgument(excerpt(argumentPlace([...place, key]), 80))} as ${quotedArgument(argumentPlace([...place, name]))}`,
      );
      return [[name, value]];
    }
    if (isFieldBeside(key, schema)) beside.push([key, value]);
    else if (reading.faults.length < MAX_FAULTS) reading.faults.push(unknownArgument(key, schema, place, reading.root));
    return [];
  });
  return beside.length === 0 ? named : withFieldsInside(named, beside, schema, reading);
}

/** Reports ignored nulls of names that the caller chooses, and of fields to change. */
function givenFields(named: Entries, schema: ObjectSchema, place: Place, reading: Reading): Entries {
  const { role, additionalProperties: others } = schema;
  const isMap = others !== undefined && others !== false && roleOf(others) !== "condition";
  if ((role !== "fields" && !isMap) || named.every(([, value]) => value !== null)) return named;
  const { updates, ignored } = role === "fields" ? withoutNulls(Object.fromEntries(named)) : nullsOf(named);
  const names = ignored.map((name) => excerpt(name, 40));
  const mayBeEmpty = Object.keys(updates).length >= (schema.minProperties ?? 0);
  if (names.length > 0 && mayBeEmpty) reading.remarks.push(nullsIgnored(names));
  else if (names.length > 0)
    reading.faults.push(said`${quotedArgument(argumentPlace(place))} has only null, which is not given ("" clears)`);
  return Object.entries(updates);
}

const nullsOf = (named: Entries) => ({
  updates: Object.fromEntries(named.filter(([, value]) => value !== null)),
  ignored: named.flatMap(([name, value]) => (value === null ? [name] : [])),
});

function fieldsArgument({ properties }: ObjectSchema): readonly [name: string, schema: ObjectSchema] | undefined {
  for (const [name, property] of Object.entries(properties))
    if (property.type === "object" && property.role === "fields") return [name, property];
  return undefined;
}

function isFieldBeside(key: string, schema: ObjectSchema): boolean {
  const [, fields] = fieldsArgument(schema) ?? [];
  return fields !== undefined && sayingTheSame(key, fields) !== undefined;
}

function withFieldsInside(named: Entries, beside: Entries, schema: ObjectSchema, reading: Reading): Entries {
  const [name = ""] = fieldsArgument(schema) ?? [];
  const there = named.find(([key]) => key === name)?.[1];
  const given = typeof there === "string" ? parsedJson(there, "{") : (there ?? {});
  if (typeof given !== "object" || given === null || Array.isArray(given)) return named;
  const free = beside.filter(([key]) => {
    const isTwice = Object.hasOwn(given, key);
    if (isTwice)
      reading.faults.push(said`${quotedArgument(key)} is given twice: in ${quotedArgument(name)}, and next to it`);
    return !isTwice;
  });
  reading.remarks.push(
    ...free.map(([key]) => said`${quotedArgument(key)} as ${quotedArgument(argumentPlace([name, key]))}`),
  );
  const fields = Object.fromEntries([...Object.entries(given), ...free]);
  return [...named.filter(([key]) => key !== name), [name, fields]];
}

/** For what may be missing, such as `query`, if another argument, even a refused one, selects something. */
function fallbacks(given: Entries, schema: ObjectSchema, { faults }: Reading): Entries {
  return Object.entries(schema.properties).flatMap(([name, property]): Entries => {
    const role = roleOf(property);
    const fallback = role && roleRow(role).fallback;
    const isMissing = given.every(([key, value]) => key !== name || value === "");
    const chooses = faults.length > 0 || given.some(([key]) => key !== name && !CHOOSE_NOTHING.has(key));
    return fallback !== undefined && isMissing && chooses ? [[name, fallback]] : [];
  });
}

export function propertySchema(key: string, { properties, additionalProperties }: ObjectSchema): Schema | undefined {
  if (Object.hasOwn(properties, key)) return properties[key];
  return additionalProperties === false ? undefined : additionalProperties;
}

/** Numbers and booleans become text; among conditions a list becomes JSON. */
function wordFor(value: unknown, schema: Schema): unknown {
  if (schema.type !== "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const role = roleOf(schema);
  // A filter of null finds notes without the property.
  if (role === "condition" && value === null) return "none";
  if (role === "value" && typeof value === "object" && value !== null) return JSON.stringify(value);
  const isList = role === "condition" && Array.isArray(value) && value.every((item) => typeof item !== "object");
  return isList ? JSON.stringify(value.map(String)) : value;
}

/** Null means "not given", and so does `""` for optional formats and choices. */
function readProperty(value: unknown, schema: Schema, place: Place, required: boolean, reading: Reading): unknown {
  if (value === undefined || value === null) return undefined;
  const choice = schema.type === "array" ? schema.items : schema;
  if (value === "" && !required && choice.type === "string" && refusesEmpty(choice)) return undefined;
  return readValue(value, schema, place, reading);
}

/** Where a vault may have words of its own, the usual ones. */
const wordsOf = ({ enum: words, role, examples }: StringSchema): readonly string[] | undefined =>
  words ?? (role && roleRow(role).word ? examples : undefined);

function refusesEmpty(schema: StringSchema): boolean {
  const words = wordsOf(schema);
  if (words) return !words.includes("");
  return schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test("");
}

function readList(value: unknown, schema: ArraySchema, place: Place, reading: Reading): unknown {
  let given = value;
  if (typeof value === "string") {
    // A map is refused: as an item, its text would be written.
    const parsed = parsedJson(value, value.trimStart().startsWith("{") ? "{" : "[");
    given = parsed === value && schema.items.type === "string" ? listIn(value, schema.items) : parsed;
  }
  // Filters in place of a list become one entry, as JSON.
  if (schema.role === "notes" && typeof given === "object" && given !== null && !Array.isArray(given))
    given = [JSON.stringify(given)];
  if (!Array.isArray(given)) return given;
  const most = schema.maxItems ?? MAX_LIST;
  if (given.length > most) {
    reading.faults.push(
      said`${quotedArgument(argumentPlace(place))} must have at most ${most} entries, got ${given.length}`,
    );
    return given.slice(0, schema.minItems ?? 0);
  }
  const isFilter = (item: unknown): boolean => schema.role === "notes" && typeof item === "object" && item !== null;
  const items = (given as readonly unknown[]).map((item) => (isFilter(item) ? JSON.stringify(item) : item));
  return items.map((item, index) => readValue(item, schema.items, [...place, index], reading));
}

function listIn(text: string, items: StringSchema): readonly string[] {
  if (text.trim() === "") return [];
  return wordsOf(items) && text.includes(",") ? text.split(",").map((word) => word.trim()) : [text];
}

function readString(value: unknown, schema: StringSchema, place: Place, reading: Reading): unknown {
  if (typeof value === "boolean" && schema.role === "plan") return value ? "show" : undefined;
  if (typeof value !== "string") return value;
  if (LONE_SURROGATE.test(value)) {
    reading.faults.push(said`${quotedArgument(argumentPlace(place))} holds half a character (a lone surrogate)`);
  } else if ((schema.minLength ?? 0) > 0 && value !== "" && value.trim() === "") {
    reading.faults.push(said`${quotedArgument(argumentPlace(place))} must not be blank`);
  }
  const words = wordsOf(schema);
  if (!words || words.includes(value)) return value;
  // In "-due" the sign would mean another order.
  const isSigned = /^\s*[-+]/.test(value);
  const same = isSigned ? undefined : words.find((word) => foldedName(word) === foldedName(value));
  // In a filter, which is a list, `!high` excludes; written to a task, it is the priority.
  const negates = isNegation(value) && (schema.role === "status" || typeof place.at(-1) === "number");
  if (same !== undefined || schema.role === undefined) return same ?? value;
  const meant = negates ? undefined : roleRow(schema.role).word?.(value);
  if (meant === undefined || !words.includes(meant)) {
    const advice = schema.enum ? undefined : adviceForWord({ name: String(place[0]), word: value, isFilter: true });
    if (advice !== undefined)
      reading.faults.push(said`${quotedArgument(argumentPlace(place))} cannot be "${excerpt(value)}" (${advice})`);
    return value;
  }
  const isWider = words.includes("Other") && meansUnfinished(value);
  const wider = isWider ? said`; for all that are not finished: ${argument("is")} ["outstanding"]` : "";
  reading.remarks.push(said`"${excerpt(value)}" as "${meant}"${wider}`);
  return meant;
}

/** Some models send lists and objects as JSON text. */
function parsedJson(text: string, opening: "{" | "["): unknown {
  return text.trimStart().startsWith(opening) ? jsonIn(text) : text;
}

/** Other text stays as it is. */
export function jsonIn(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

function unknownArgument(key: string, schema: ObjectSchema, place: Place, root: ObjectSchema): Wording {
  const same = sayingTheSame(key, schema);
  if (same === undefined) return unknownName(key, schema, place, root);
  const shown = quotedArgument(excerpt(argumentPlace([...place, key]), 80));
  return said`${shown} says the same as ${quotedArgument(argumentPlace([...place, same]))}, which is given too`;
}

export function unknownName(key: string, schema: ObjectSchema, place: Place, root: ObjectSchema): Wording {
  const shown = quotedArgument(excerpt(argumentPlace([...place, key]), 80));
  const advice = adviceFor(key, schema, place.length > 0);
  if (advice !== undefined) return said`unknown argument ${shown} (${advice})`;
  const text = WORDS_FOR_TEXT.has(foldedName(key)) && Object.hasOwn(schema.properties, "description");
  const [likely] = text ? ["description"] : nearest(key, Object.keys(schema.properties), 1);
  const meant = sayingTheSame(key, schema) ?? likely;
  const near = meant === undefined ? placeElsewhere(key, root) : argumentPlace([...place, meant]);
  return said`unknown argument ${shown}${near === undefined ? "" : said` (did you mean ${quotedArgument(near)}?)`}`;
}

/** Their letters are similar to other fields, such as `note`. */
const WORDS_FOR_TEXT: ReadonlySet<string> = new Set(["notes", "body", "text", "content", "comment"]);

/** A top-level `status` means `updates.status`. */
function placeElsewhere(key: string, root: ObjectSchema): string | undefined {
  for (const [name, schema] of Object.entries(root.properties)) {
    if (foldedName(name) === foldedName(key)) return name;
    if (schema.type !== "object") continue;
    const inside = Object.keys(schema.properties).find((inner) => foldedName(inner) === foldedName(key));
    if (inside !== undefined) return `${name}.${inside}`;
  }
  return undefined;
}

export function missingArgument(name: string, root: ObjectSchema): VaultError {
  return invalidArguments([missingName([name], root.properties[name])], root);
}

export function missingName(place: Place, schema: Schema | undefined): Wording {
  const wanted = schema === undefined ? "" : ` and must be ${expectation(schema)}`;
  return said`${quotedArgument(argumentPlace(place))} is required${wanted}`;
}

const MAX_CHECKED = 100;

/** Ignores case, spaces, `_` and `-`. */
function foldedName(word: string): string {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]/g, "");
}

/** Each at most once; never replaces a declared name that was given. */
function namesMeant(given: readonly string[], { properties }: ObjectSchema): ReadonlyMap<string, string> {
  const unknown = given.filter((key) => !Object.hasOwn(properties, key)).slice(0, MAX_CHECKED);
  const meant = new Map<string, string>();
  if (unknown.length === 0) return meant;
  const byName = new Map(unknown.toReversed().map((key) => [foldedName(key), key]));
  for (const spellings of [sameName, sameRole])
    for (const [name, schema] of Object.entries(properties)) {
      if (given.includes(name) || [...meant.values()].includes(name)) continue;
      const key = spellings(name, schema)
        .map((spelling) => byName.get(foldedName(spelling)))
        .find((found) => found !== undefined && !meant.has(found));
      if (key !== undefined) meant.set(key, name);
    }
  return meant;
}

function sayingTheSame(key: string, { properties }: ObjectSchema): string | undefined {
  const wanted = foldedName(key);
  const says = (spellings: readonly string[]) => spellings.some((spelling) => foldedName(spelling) === wanted);
  const names = Object.keys(properties);
  return names.find((name) => says([name])) ?? names.find((name) => says(sameRole(name, properties[name])));
}

const sameName = (name: string): readonly string[] => [name];

function sameRole(_name: string, schema: Schema | undefined): readonly string[] {
  const role = roleOf(schema);
  return role === undefined ? [] : roleRow(role).also;
}
