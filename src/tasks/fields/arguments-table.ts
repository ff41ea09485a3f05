/** What callers may give of a task: the arguments that the field table names, as tools publish them and made fit to be written. */
import { FIELD_NAMES, type FieldName, fieldNamed, type FIELDS, type Values } from "./fields.js";
import { COMMON_SPELLING } from "./spelling.js";
import type { ArgumentSchema, CleanContext, Stored } from "./field.js";

/** The tool that makes tasks, or the one that changes them. */
export type Taker = "create" | "update";
type ArgumentOf<F, By extends Taker> = F extends { readonly argument: infer A extends string } & Readonly<
  Record<By, ArgumentSchema>
>
  ? A
  : never;
type GivenOf<F> = F extends { clean(given: infer G, context: CleanContext): unknown } ? G : never;
/** What callers may give by the arguments of the table. */
export type ArgumentValues<By extends Taker> = {
  readonly [Name in FieldName as ArgumentOf<(typeof FIELDS)[Name], By>]?: GivenOf<(typeof FIELDS)[Name]> | undefined;
};

/** What a tool publishes of the arguments it takes, those named here first. */
export function argumentSchemas(by: Taker, first: readonly string[] = []): Readonly<Record<string, ArgumentSchema>> {
  const rows = FIELD_NAMES.flatMap((name) => {
    const { argument, [by]: schema } = fieldNamed(name);
    return argument === undefined || schema === undefined ? [] : [[argument, schema] as const];
  });
  const schemas = new Map(rows);
  return Object.fromEntries(
    [...new Set([...first, ...schemas.keys()])].flatMap((name) => {
      const schema = schemas.get(name);
      return schema === undefined ? [] : [[name, schema]];
    }),
  );
}

/** What callers name the fields they may change, in the order of the rows. */
export const ARGUMENTS: readonly string[] = Object.keys(argumentSchemas("update"));

/** A text for an argument as it is given: of a list what stands between commas; a comma within a link is part of it. */
export function givenInText(argument: string, text: string): string | readonly string[] {
  const field = COMMON_SPELLING.fieldsSpelled(argument).map(({ name }) => fieldNamed(name));
  if (!field.some(({ update }) => update?.type === "array")) return text;
  const parts = text.match(/(?:\[\[[^\]]*\]\]|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** A caller's values by field, fit to be written. */
export interface CleanValues {
  readonly values: Values;
  /** In words, what had to be changed. */
  readonly adjustments: readonly string[];
}

/**
 * The fields that a caller's arguments name, made clean; arguments that are no field of the table are left to others.
 * @throws VaultError INVALID_ARGUMENT when one cannot be written
 */
export function cleanValues(given: object, context: CleanContext): CleanValues {
  const values: Partial<Record<FieldName, Stored>> = {};
  const adjustments: string[] = [];
  for (const name of FIELD_NAMES) {
    const field = fieldNamed(name);
    const value: unknown = field.argument === undefined ? undefined : Reflect.get(given, field.argument);
    if (value === undefined) continue;
    const cleaned = field.clean(value as Stored, context);
    values[name] = cleaned.value;
    adjustments.push(...cleaned.adjustments);
  }
  return { values: values as Values, adjustments };
}
