/** The arguments of the field table: their schemas, and cleaning of callers' values. */
import { FIELD_NAMES, type FieldName, fieldNamed, type FIELDS, type Values } from "./fields.js";
import { COMMON_SPELLING } from "./spelling.js";
import { priorityOf, statusOf } from "./vocabulary.js";
import type { ArgumentSchema, CleanContext, Stored } from "./field.js";

export type Taker = "create" | "update";
type ArgumentOf<F, By extends Taker> = F extends { readonly argument: infer A extends string } & Readonly<
  Record<By, ArgumentSchema>
>
  ? A
  : never;
type GivenOf<F> = F extends { clean(given: infer G, context: CleanContext): unknown } ? G : never;
export type ArgumentValues<By extends Taker> = {
  readonly [Name in FieldName as ArgumentOf<(typeof FIELDS)[Name], By>]?: GivenOf<(typeof FIELDS)[Name]> | undefined;
};

/** Those in `first` come first. */
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

export const ARGUMENTS: readonly string[] = Object.keys(argumentSchemas("update"));

/** Splits lists at commas outside links. */
export function givenInText(argument: string, text: string): string | readonly string[] {
  const field = COMMON_SPELLING.fieldsSpelled(argument).map(({ name }) => fieldNamed(name));
  if (!field.some(({ update }) => update?.type === "array")) return text;
  const parts = text.match(/(?:\[\[[^\]]*\]\]|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Undefined if the property is no field, or `text` edits list items. */
export function updateOfProperty(key: string, text: string): readonly [argument: string, value: unknown] | undefined {
  const [field] = COMMON_SPELLING.fieldsSpelled(key).map(({ name }) => fieldNamed(name));
  const argument = field?.update === undefined ? undefined : field.argument;
  if (argument === undefined || /^\s*\{/.test(text)) return undefined;
  if (argument === "status") return [argument, statusOf(text) ?? text];
  if (argument === "priority") return [argument, priorityOf(text) ?? text];
  return [argument, jsonList(text) ?? givenInText(argument, text)];
}

function jsonList(text: string): readonly string[] | undefined {
  if (!/^\s*\[(?!\[)/.test(text)) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
}

export interface CleanValues {
  readonly values: Values;
  readonly adjustments: readonly string[];
}

/**
 * Ignores arguments that are not in the table.
 * @throws VaultError INVALID_ARGUMENT when a value cannot be written
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
