/** Validators by tool name, compiled by ajv on first use; the build replaces this module by compiled ones (`scripts/prepared-tools.js`). */
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import type { ObjectSchema } from "./schema.js";

/** `instancePath` is a JSON pointer. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Every error, none for a valid value; fills defaults into the value. */
export type Validate = (value: unknown) => readonly SchemaError[];

/**
 * All errors, to be fixed together; arguments.ts has limited the lists.
 * @public for the build
 */
export const VALIDATOR_OPTIONS = {
  strict: true,
  allErrors: true,
  useDefaults: true,
  ownProperties: true,
  validateFormats: false,
  keywords: ["role", "orOne", "unlisted", "unlistedWords"] as string[],
} as const;

const compiled = new WeakMap<ObjectSchema, Validate>();
/** Shared: each compiler first compiles the schema of schemas. */
let compiler: Ajv2020 | undefined;

/** Draft 2020-12. @param _tool the built program finds the validator by this name */
export async function validatorFor(_tool: string, schema: ObjectSchema): Promise<Validate> {
  const known = compiled.get(schema);
  if (known) return known;
  const { default: ajv } = await import("ajv/dist/2020.js");
  compiler ??= new ajv.Ajv2020(VALIDATOR_OPTIONS);
  const validate = check(compiler.compile(schema));
  compiled.set(schema, validate);
  return validate;
}

function check(validate: ValidateFunction): Validate {
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
