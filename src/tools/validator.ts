/**
 * Schema validators by tool name, compiled by ajv when first asked for. In the built program this one module is replaced
 * (`scripts/prepared-tools.js`): ajv has compiled the tools' input schemas beforehand, and is not loaded.
 */
import type { ValidateFunction } from "ajv/dist/2020.js";
import type { ObjectSchema } from "./schema.js";

/** One failure as ajv reports it: the keyword that failed, where (JSON pointer), and the keyword's particulars. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Returns every failure of a value, none when it is valid; fills in defaults, that is, it changes the value. */
export type Validate = (value: unknown) => readonly SchemaError[];

/**
 * All failures at once, so that a caller can fix them in one go; lists are bounded before they come here (arguments.ts).
 * @public for the build
 */
export const VALIDATOR_OPTIONS = {
  strict: true,
  allErrors: true,
  useDefaults: true,
  ownProperties: true,
  validateFormats: false,
  keywords: ["role"] as string[],
} as const;

const compiled = new WeakMap<ObjectSchema, Validate>();

/** The validator of a schema (draft 2020-12). @param _tool whose input schema it is; the built program finds it by this name */
export async function validatorFor(_tool: string, schema: ObjectSchema): Promise<Validate> {
  const known = compiled.get(schema);
  if (known) return known;
  const { default: ajv } = await import("ajv/dist/2020.js");
  const validate = check(new ajv.Ajv2020(VALIDATOR_OPTIONS).compile(schema));
  compiled.set(schema, validate);
  return validate;
}

function check(validate: ValidateFunction): Validate {
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
