/** What SQL can say of a filter: conditions that hold for every file that the filter finds, and few others. */
import { allOf, anyOf, type Condition, condition, ROWS_PER_FILE } from "../../index/subject.js";
import { stemsOf } from "../../links/resolver.js";
import { foldName, type VaultPath } from "../../storage/path.js";
import type { Expression } from "./parse.js";
import { parseLink } from "./values.js";

export type FilterTree =
  | { readonly kind: "and" | "or" | "not"; readonly parts: readonly FilterTree[] }
  | { readonly kind: "statement"; readonly expression: Expression };

/** Undefined: may hold for any file. @param context what `this` means */
export function conditionOf(tree: FilterTree, context: VaultPath): Condition | undefined {
  if (tree.kind === "statement") return statement(tree.expression, context);
  if (tree.kind === "not") return undefined;
  return joined(
    tree.kind,
    tree.parts.map((part) => conditionOf(part, context)),
  );
}

function joined(kind: "and" | "or", parts: readonly (Condition | undefined)[]): Condition | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (kind === "and") return known.length === 0 ? undefined : allOf(known);
  if (known.length < parts.length || known.length === 0) return undefined;
  return anyOf(known);
}

function statement(expression: Expression, context: VaultPath): Condition | undefined {
  if (expression.kind === "binary" && /^[&|]/.test(expression.operator)) {
    const { operator, left, right } = expression;
    return joined(operator === "&&" ? "and" : "or", [statement(left, context), statement(right, context)]);
  }
  return joined("and", [exactly(expression, context), ...neededBy(expression).map(hasProperty)]);
}

function exactly(expression: Expression, context: VaultPath): Condition | undefined {
  if (expression.kind === "call") {
    const { of, name, args } = expression;
    if (isFile(of)) return fileCall(name, args, context);
    const isOfLinks = of?.kind === "member" && isFile(of.of) && /^(?:links|embeds)$/.test(of.name);
    return isOfLinks && name === "contains" ? linkedTo(args[0], context) : undefined;
  }
  if (expression.kind !== "binary" || expression.operator !== "==") return undefined;
  const { left, right } = expression;
  const text = textOf(right) ?? textOf(left);
  return text === undefined ? undefined : equality(textOf(right) === undefined ? right : left, text);
}

const isFile = (expression: Expression | undefined): boolean =>
  expression?.kind === "name" && expression.name === "file";
const textOf = (expression: Expression | undefined): string | undefined =>
  expression?.kind === "literal" && typeof expression.value === "string" ? expression.value : undefined;

function fileCall(name: string, args: readonly Expression[], context: VaultPath): Condition | undefined {
  if (name === "hasLink") return linkedTo(args[0], context);
  const texts = args.map(textOf);
  const known = texts.filter((text) => text !== undefined);
  if (known.length < texts.length || known.length === 0) return undefined;
  if (name === "inFolder") return below(known[0] ?? "");
  if (name !== "hasTag") return undefined;
  const tags = known.map((tag) => foldName(tag.replace(/^#+/, "")));
  return joined(
    "or",
    tags.map((tag) => condition("instr(tag_keys, ?) OR instr(tag_keys, ?)", `\n${tag}\n`, `\n${tag}/`)),
  );
}

function linkedTo(target: Expression | undefined, context: VaultPath): Condition | undefined {
  const isThis =
    target?.kind === "name"
      ? target.name === "this"
      : target?.kind === "member" && target.name === "file" && target.of.kind === "name" && target.of.name === "this";
  const isLink = target?.kind === "call" && target.of === undefined && target.name === "link";
  const written = isThis ? context : textOf(isLink ? target.args[0] : target);
  const stems = written === undefined ? [] : stemsOf(parseLink(written, context)?.target ?? written);
  if (stems.length === 0) return undefined;
  const keys = [...new Set(stems.flatMap((stem) => [stem, stem.replace(/\.md$/, "")]))];
  return condition(
    `file.id IN (SELECT id / ${ROWS_PER_FILE} FROM link WHERE key IN (SELECT value FROM json_each(?)))`,
    JSON.stringify(keys),
  );
}

function below(folder: string): Condition | undefined {
  const name = folder.replace(/^\/+|\/+$/g, "");
  return name === "" ? undefined : condition("path > ? AND path < ?", `${name}/`, `${name}0`);
}

function equality(other: Expression, text: string): Condition | undefined {
  if (propertyIn(other) !== undefined) return property(text);
  if (other.kind !== "member" || !isFile(other.of)) return undefined;
  if (other.name === "path") return condition("path = ?", text);
  if (other.name === "ext" && /^[a-z]+$/.test(text)) return condition("path LIKE ?", `%.${text}`);
  return other.name === "folder" ? below(text) : undefined;
}

/**
 * Left to the evaluation: texts equal to a value of another form, such as a date, a link, or what a type makes a text.
 * A link of the same text is found, too: it brings a warning.
 */
function property(text: string): Condition | undefined {
  const mayBeOther = /^\s*\d{4}-|\[\[|^[-+.\d]|^(?:true|false)$|^\s*$/.test(text);
  return mayBeOther ? undefined : condition("instr(properties, ?)", JSON.stringify(text).slice(1, -1));
}

function propertyIn(expression: Expression): string | undefined {
  if (expression.kind === "name") return ["file", "this"].includes(expression.name) ? undefined : expression.name;
  const isOfNote = expression.kind === "member" && expression.of.kind === "name" && expression.of.name === "note";
  return isOfNote ? expression.name : undefined;
}

/** Properties without which a statement is false. */
function neededBy(expression: Expression): readonly string[] {
  if (expression.kind === "call" && expression.of && expression.name.startsWith("contains"))
    return emptyWithout(expression.of);
  if (expression.kind !== "binary") return emptyWithout(expression);
  const { operator, left, right } = expression;
  if (/^[<>]/.test(operator)) return [...emptyWithout(left), ...emptyWithout(right)];
  const [literal, other] = left.kind === "literal" ? [left, right] : [right, left];
  const isEquality = operator === "==" && literal.kind === "literal" && literal.value !== null;
  return isEquality ? emptyWithout(other) : emptyWithout(expression);
}

/** Properties without which the value is empty. */
function emptyWithout(expression: Expression): readonly string[] {
  const name = propertyIn(expression);
  if (name !== undefined) return [name];
  if (expression.kind === "member" || expression.kind === "index") {
    const { of } = expression;
    return of.kind === "name" && ["file", "this", "formula"].includes(of.name) ? [] : emptyWithout(of);
  }
  if (expression.kind === "call") {
    const { of, name: called, args } = expression;
    if (of) return /^(?:is|contains|toString)/.test(called) ? [] : emptyWithout(of);
    return called === "date" || called === "number" ? args.flatMap(emptyWithout) : [];
  }
  const isArithmetic = expression.kind === "binary" && /^[-*/%]$/.test(expression.operator);
  return isArithmetic ? [...emptyWithout(expression.left), ...emptyWithout(expression.right)] : [];
}

/** Case does not count in names. */
const hasProperty = (name: string): Condition | undefined =>
  /^[\w -]+$/.test(name)
    ? condition("properties LIKE ? ESCAPE '\\'", `%"${name.replaceAll("_", "\\_")}":%`)
    : undefined;
