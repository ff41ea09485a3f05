/**
 * Schema validators by tool name, compiled by ajv when first asked for.
 *
 * The build replaces this one module (`scripts/build.js`) by code that ajv generated ahead of time, so that the program never
 * loads ajv: a module with the same export `validatorFor`, which answers from a table made of `TOOLS` (tools.ts) - for each
 * tool the function ajv's standalone code gives for `tool.input` with `VALIDATOR_OPTIONS` - and wraps it like `check` below.
 * Output schemas are validated by the test suite alone, so the generated table needs the inputs only.
 */
import type { ValidateFunction } from "ajv/dist/2020.js";
import type { ObjectSchema } from "./schema.js";

/** One failure as ajv reports it: the keyword that failed, where (JSON pointer), and the keyword's particulars. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Answers every failure of a value, none when it is valid; fills in defaults, that is, it changes the value. */
export type Validate = (value: unknown) => readonly SchemaError[];

/**
 * All failures at once, so that a caller can mend them in one go; lists are bounded before they come here (arguments.ts).
 * @public for the build
 */
export const VALIDATOR_OPTIONS = {
  strict: true,
  allErrors: true,
  useDefaults: true,
  ownProperties: true,
  validateFormats: false,
} as const;

const compiled = new Map<string, Validate>();

/** The validator of a tool's input or output schema (draft 2020-12). The schema of one tool and side must always be the same. */
export async function validatorFor(tool: string, which: "input" | "output", schema: ObjectSchema): Promise<Validate> {
  const key = `${which} ${tool}`;
  const known = compiled.get(key);
  if (known) return known;
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const validate = check(new Ajv2020(VALIDATOR_OPTIONS).compile(schema));
  compiled.set(key, validate);
  return validate;
}

function check(validate: ValidateFunction): Validate {
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
