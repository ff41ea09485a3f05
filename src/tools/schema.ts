/** The part of JSON Schema (draft 2020-12) that tools use, and the TypeScript types it stands for. */

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
}
interface NumberSchema extends Described {
  readonly type: "integer" | "number";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
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
}
export interface ObjectSchema extends Described {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false | Schema;
  readonly minProperties?: number;
}
export type Schema = StringSchema | NumberSchema | BooleanSchema | ArraySchema | ObjectSchema;

const LENGTHS: ReadonlySet<string> = new Set(["minLength", "maxLength", "minItems", "maxItems"]);

/**
 * An argument schema as it is published. Lengths are enforced and not told: they cost every client tokens, and an honest call never meets them.
 * @param told arguments whose `minLength` is published all the same
 */
export function publishedSchema(schema: ObjectSchema, told: readonly string[] = []): ObjectSchema {
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    withoutLengths(property, told.includes(name) ? "minLength" : undefined),
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function withoutLengths<S extends Schema>(schema: S, kept?: string): S {
  const entries = Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    LENGTHS.has(key) && key !== kept ? [] : [[key, publishedPart(key, value)]],
  );
  // Only optional keys were left out.
  return Object.fromEntries(entries) as S;
}

function publishedPart(key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (key === "items" || key === "additionalProperties") return withoutLengths(value as Schema);
  if (key !== "properties") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutLengths(inner as Schema)]));
}

type RequiredKeys<S extends ObjectSchema> =
  | (S extends { readonly required: readonly (infer K)[] } ? K & keyof S["properties"] : never)
  | {
      [K in keyof S["properties"]]: S["properties"][K] extends { readonly default: unknown } ? K : never;
    }[keyof S["properties"]];

type ObjectOf<S extends ObjectSchema> = {
  readonly [K in RequiredKeys<S> & keyof S["properties"]]: Infer<S["properties"][K]>;
} & {
  readonly [K in Exclude<keyof S["properties"], RequiredKeys<S>>]?: Infer<S["properties"][K]> | undefined;
} & (S["additionalProperties"] extends Schema ? Readonly<Record<string, Infer<S["additionalProperties"]>>> : unknown);

/** The type of a value that is valid against a schema, defaults filled in. */
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
            : never;
