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
