/** The part of JSON Schema (draft 2020-12) that tools use: builders, and types of valid values. */
import type { Role } from "./arguments/argument-roles.js";

interface Described {
  readonly description?: string;
}
export interface StringSchema extends Described {
  readonly type: "string";
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: string;
  readonly examples?: readonly string[];
  /** Accepted words of the enum that are not published. */
  readonly unlistedWords?: readonly string[];
  /** Not published. */
  readonly role?: Role;
}
interface NumberSchema extends Described {
  readonly type: "integer" | "number";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
  readonly role?: Role;
}
interface BooleanSchema extends Described {
  readonly type: "boolean";
  readonly default?: boolean;
}
export interface ArraySchema extends Described {
  readonly type: "array";
  readonly items: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly role?: Role;
  /** The library also takes one text. Not published. */
  readonly orOne?: true;
}
export interface ObjectSchema extends Described {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false | Schema;
  readonly minProperties?: number;
  readonly role?: Role;
  /** Not published: each property costs every client tokens. */
  readonly unlisted?: readonly string[];
}
interface AnySchema extends Described {
  readonly type?: undefined;
  /** What a program gives but JSON cannot hold. */
  readonly is?: "function" | "object";
  /** Of an object. */
  readonly methods?: readonly string[];
}
export type Schema = StringSchema | NumberSchema | BooleanSchema | ArraySchema | ObjectSchema | AnySchema;

export function roleOf(schema: Schema | undefined): Role | undefined {
  return schema !== undefined && "role" in schema ? schema.role : undefined;
}

type More<S extends Schema> = Omit<S, "type" | "description" | "items" | "properties" | "required">;

export interface Optional<S extends Schema> {
  readonly optional: S;
  readonly isUnlisted?: true;
}
/** Required unless it is `optional` or has a default. */
export type PropertySchema = Schema | Optional<Schema>;
type Properties = Readonly<Record<string, PropertySchema>>;

type SchemasOf<P extends Properties> = {
  readonly [K in keyof P]: P[K] extends Optional<infer S> ? S : P[K];
};
type RequiredNames<P extends Properties> = {
  [K in keyof P]: P[K] extends Optional<Schema> | { readonly default: unknown } ? never : K;
}[keyof P];

export function string<const M extends More<StringSchema> = {}>(description?: string, more?: M) {
  return typed("string", description, more);
}

export function integer<const M extends More<NumberSchema> = {}>(description?: string, more?: M) {
  return typed("integer", description, more);
}

export const anyValue = (description: string) => ({ description });

/** A whole number from 0. */
export function count(description: string) {
  return integer(description, { minimum: 0 });
}

export function boolean<const M extends More<BooleanSchema> = {}>(description?: string, more?: M) {
  return typed("boolean", description, more);
}

export function array<const Items extends Schema, const M extends More<ArraySchema> = {}>(
  items: Items,
  description?: string,
  more?: M,
) {
  return typed("array", description, { items, ...(more as M) });
}

export function optional<const S extends Schema>(schema: S): Optional<S> {
  return { optional: schema };
}

export function object<const P extends Properties, const M extends Pick<ObjectSchema, "minProperties" | "role"> = {}>(
  properties: P,
  description?: string,
  more?: M,
) {
  const entries = Object.entries(properties);
  const required = entries.flatMap(([name, one]) => (isOptional(one) || "default" in one ? [] : [name]));
  const schemas = Object.fromEntries(entries.map(([name, one]) => [name, isOptional(one) ? one.optional : one]));
  const unlistedNames = entries.flatMap(([name, one]) => (isOptional(one) && one.isUnlisted ? [name] : []));
  const parts = {
    properties: schemas as SchemasOf<P>,
    ...(unlistedNames.length > 0 && { unlisted: unlistedNames }),
    ...(required.length > 0 && { required: required as unknown as readonly RequiredNames<P>[] }),
    additionalProperties: false as const,
    ...(more as M),
  };
  return typed("object", description, parts);
}

export function objects<const P extends Properties, const M extends More<ArraySchema> = {}>(
  description: string,
  each: string | undefined,
  properties: P,
  more?: M,
) {
  return typed("array", description, { items: object(properties, each), ...(more as M) });
}

export function optionalObjects<const P extends Properties, const M extends More<ArraySchema> = {}>(
  description: string,
  each: string | undefined,
  properties: P,
  more?: M,
) {
  return { optional: objects(description, each, properties, more) };
}

export function unlisted<const S extends Schema>(schema: S): Optional<S> {
  return { optional: schema, isUnlisted: true };
}

function isOptional(property: PropertySchema): property is Optional<Schema> {
  return "optional" in property;
}

function typed<const Type extends Schema["type"], const M extends object>(type: Type, description?: string, more?: M) {
  return { type, ...(description !== undefined && { description }), ...(more as M) };
}

const LIMITS = ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"] as const;
const INTERNAL: ReadonlySet<string> = new Set(["role", "orOne", "unlisted", "unlistedWords"]);
const UNTOLD: ReadonlySet<string> = new Set([...LIMITS, ...INTERNAL]);
/** Prescribed by the documents. */
const DOCUMENTED: ReadonlySet<string> = new Set([...INTERNAL, "maxLength", "minItems", "maxItems"]);

/**
 * Limits cost every client tokens.
 * @param documented arguments with published limits
 */
export function publishedSchema(schema: ObjectSchema, documented: readonly string[] = []): ObjectSchema {
  const { unlisted: _unlisted, ...others } = schema;
  const properties = listedEntries(schema).map(([name, property]) => [
    name,
    asPublished(property, documented.includes(name) ? DOCUMENTED : UNTOLD),
  ]);
  return { ...others, properties: Object.fromEntries(properties) };
}

function asPublished<S extends Schema>(schema: S, omitted: ReadonlySet<string> = UNTOLD): S {
  const entries = Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    omitted.has(key) ? [] : [[key, publishedPart(key, value, schema)]],
  );
  // Only optional keys were omitted.
  return Object.fromEntries(entries) as S;
}

function publishedPart(key: string, value: unknown, schema: Schema): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (key === "enum" && "unlistedWords" in schema)
    return (value as readonly string[]).filter((word) => !schema.unlistedWords?.includes(word));
  if (key === "items" || key === "additionalProperties") return asPublished(value as Schema);
  if (key !== "properties") return value;
  return Object.fromEntries(listedEntries(schema as ObjectSchema).map(([name, inner]) => [name, asPublished(inner)]));
}

/** The published properties. */
export const listedEntries = ({ properties, unlisted: names = [] }: ObjectSchema): [string, Schema][] =>
  Object.entries(properties).filter(([name]) => !names.includes(name));

type RequiredKeys<S extends ObjectSchema> =
  | ("required" extends keyof S
      ? S extends { readonly required?: readonly (infer K)[] }
        ? K & keyof S["properties"]
        : never
      : never)
  | {
      [K in keyof S["properties"]]: S["properties"][K] extends { readonly default: unknown } ? K : never;
    }[keyof S["properties"]];

type ObjectOf<S extends ObjectSchema> = {
  readonly [K in RequiredKeys<S> & keyof S["properties"]]: Infer<S["properties"][K]>;
} & {
  readonly [K in Exclude<keyof S["properties"], RequiredKeys<S>>]?: Infer<S["properties"][K]> | undefined;
} & (S["additionalProperties"] extends Schema ? Readonly<Record<string, Infer<S["additionalProperties"]>>> : unknown);

export type Infer<S> = S extends { readonly type: "string"; readonly enum: readonly (infer E)[] }
  ? E
  : S extends StringSchema
    ? string
    : S extends NumberSchema
      ? number
      : S extends BooleanSchema
        ? boolean
        : S extends { readonly type: "array"; readonly items: infer I }
          ? readonly Infer<I>[]
          : S extends ObjectSchema
            ? ObjectOf<S>
            : unknown;
