/** Checks an expression and makes a function of it. */
import type { Evaluation, Local } from "./evaluation.js";
import {
  DRAWING,
  fieldOf,
  GLOBAL,
  MEAN,
  type BaseFunction,
  methodOf,
  nearestField,
  nearestFunction,
  type StaticType,
  typesWith,
} from "./functions.js";
import { ARITHMETIC, compared, elapsed, finite } from "./operations.js";
import { Misread, patternOrMisread } from "../answer.js";
import type { Expression } from "./parse.js";
import { compilePattern } from "../../text/javascript-pattern.js";
import {
  Duration,
  isTruthy,
  parseDuration,
  Pattern,
  LinkValue,
  TagValue,
  TYPE_NAMES,
  type TypeName,
  typeOf,
  typeWord,
  type Value,
} from "./values.js";
import { nearest } from "../../text/nearest.js";

export interface Compiled {
  readonly type: StaticType;
  readonly run: (env: Evaluation) => Value;
  /** The root folder equals `""` and `"/"`. */
  readonly isFolder?: true;
  /** Of a difference of dates, a number of milliseconds: the duration, for its fields. */
  readonly elapsed?: Compiled;
}

export interface NameScope {
  readonly formula: (name: string) => Compiled | undefined;
  readonly formulas: readonly string[];
  readonly locals: readonly Local[];
  readonly isCell: boolean;
}

const LOCALS: ReadonlySet<string> = new Set<Local>(["value", "index", "acc", "values"]);

/** @throws Misread */
export function compile(expression: Expression, scope: NameScope): Compiled {
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      return { type: typeOf(value), run: () => value };
    }
    case "pattern": {
      const { source, flags } = expression;
      const pattern = new Pattern(
        patternOrMisread(() => compilePattern(source, flags)),
        `/${source}/${flags}`,
      );
      return { type: "regexp", run: () => pattern };
    }
    case "list": {
      const items = expression.items.map((item) => compile(item, scope));
      return { type: "list", run: (env) => env.made(items.map((item) => item.run(env))) };
    }
    case "object": {
      const entries = expression.entries.map(([key, value]) => [key, compile(value, scope)] as const);
      return { type: "object", run: (env) => new Map(entries.map(([key, value]) => [key, value.run(env)])) };
    }
    case "name":
      return nameOf(expression.name, scope);
    case "member":
      return memberOf(expression.of, expression.name, scope);
    case "index":
      return indexOf(compile(expression.of, scope), compile(expression.index, scope));
    case "call":
      return expression.of === undefined
        ? globalCall(expression.name, expression.args, scope)
        : methodCall(expression.of, expression.name, expression.args, scope);
    case "unary":
      return unaryOf(expression.operator, compile(expression.operand, scope));
    case "binary":
      return binaryOf(expression, scope);
    default:
      return expression satisfies never;
  }
}

function nameOf(name: string, { locals }: NameScope): Compiled {
  if (LOCALS.has(name)) {
    const local = name as Local;
    if (!locals.includes(local))
      throw new Misread(
        `${name} is known only in ${name === "values" ? "summaries" : "filter, map and reduce"}; a property of this name is note.${name}`,
      );
    return {
      type: local === "values" ? "list" : local === "index" ? "number" : "any",
      run: (env) => env.locals[local] ?? null,
    };
  }
  if (name === "file") return { type: "file", run: (env) => env.row };
  if (name === "this") return { type: "file", run: (env) => env.context };
  if (name === "note" || name === "formula") throw new Misread(`${name} needs a name behind it, such as ${name}.price`);
  return propertyOf(name);
}

export const propertyOf = (name: string): Compiled => ({ type: "any", run: (env) => env.row.property(name) });

function memberOf(of: Expression, name: string, scope: NameScope): Compiled {
  if (of.kind === "name" && !(scope.locals as readonly string[]).includes(of.name)) {
    if (of.name === "note") return propertyOf(name);
    if (of.name === "formula") return formulaOf(name, scope);
    if (of.name === "this")
      return name === "file"
        ? { type: "file", run: (env) => env.context }
        : { type: "any", run: (env) => env.context.property(name) };
  }
  const isOfThis = of.kind === "member" && of.name === "note" && of.of.kind === "name" && of.of.name === "this";
  if (isOfThis) return { type: "any", run: (env) => env.context.property(name) };
  return fieldIn(compile(of, scope), name);
}

export function formulaOf(name: string, scope: NameScope): Compiled {
  const formula = scope.formula(name);
  if (!formula) throw new Misread(`no formula ${name}`, nearest(name, scope.formulas, 1)[0]);
  return formula;
}

export function fieldIn(of: Compiled, name: string): Compiled {
  const { type, run } = of.elapsed && fieldOf("duration", name) ? of.elapsed : of;
  if (type !== "any" && type !== "object") {
    const field = type === "null" ? undefined : fieldOf(type, name);
    if (!field) throw new Misread(`a ${typeWord(type)} has no ${name}`, nearestField(type, name));
    const [result, read] = field;
    const folder = type === "file" && name === "folder" ? ({ isFolder: true } as const) : {};
    return { type: result, run: (env) => readField(env, read, run(env)), ...folder };
  }
  return {
    type: "any",
    run(env) {
      env.step();
      const value = run(env);
      if (value === null) return null;
      if (value instanceof Map) return (value as ReadonlyMap<string, Value>).get(name) ?? null;
      const own = typeOf(value);
      const field = fieldOf(own, name);
      return field ? readField(env, field[1], value) : env.warn(`.${name} of a ${typeWord(own)} is empty`);
    },
  };
}

const readField = (env: Evaluation, read: (env: Evaluation, self: never) => Value, value: Value): Value =>
  value === null ? null : read(env, (value instanceof TagValue ? env.text(value) : value) as never);

function indexOf(of: Compiled, index: Compiled): Compiled {
  if (!["any", "list", "object"].includes(of.type))
    throw new Misread(`a ${typeWord(of.type as TypeName)} has no items`);
  return {
    type: "any",
    run(env) {
      const [value, at] = [of.run(env), index.run(env)];
      if (value === null || at === null) return null;
      if (Array.isArray(value) && typeof at === "number") return (value as readonly Value[])[at] ?? null;
      if (value instanceof Map && typeof at === "string") return (value as ReadonlyMap<string, Value>).get(at) ?? null;
      return env.warn(`[${typeWord(typeOf(at))}] of a ${typeWord(typeOf(value))} is empty`);
    },
  };
}

function globalCall(name: string, args: readonly Expression[], scope: NameScope): Compiled {
  if (name === "random") throw new Misread("random() gives another answer at each call");
  const method = GLOBAL.get(name);
  if (!method) {
    const types = typesWith(name);
    const [self] = types;
    throw new Misread(
      self ? `${name} is a function of values: write ${typeWord(self)}.${name}(…)` : `no function ${name}`,
      nearest(name, [...GLOBAL.keys()], 1)[0],
    );
  }
  if (DRAWING.has(name) && !scope.isCell) throw new Misread(`${name}() draws and is understood in a column only`);
  const [first] = args;
  if (name === "duration" && first?.kind === "literal") assertDuration(first.value);
  const run = argumentsOf(name, method, args, scope);
  return { type: method.returns, run: (env) => run(env) };
}

function methodCall(of: Expression, name: string, args: readonly Expression[], scope: NameScope): Compiled {
  const self = compile(of, scope);
  const { type } = self;
  const isMean = name === "mean" && scope.locals.includes("values");
  const known = isMean ? MEAN : type === "any" ? undefined : methodOf(type, name);
  if (!known && (type !== "any" || typesWith(name).length === 0)) {
    const others = typesWith(name).map(typeWord);
    const reason =
      others.length === 0
        ? `no function ${name}`
        : `${name} is a function of ${others.join(", ")}, not of ${typeWord(type as TypeName)}`;
    throw new Misread(reason, nearestFunction(name, type));
  }
  const [first] = args;
  if (name === "isType" && first?.kind === "literal" && !(TYPE_NAMES as readonly unknown[]).includes(first.value))
    throw new Misread(`no type ${String(first.value)}`, nearest(String(first.value), TYPE_NAMES, 1)[0]);
  const runs = new Map<BaseFunction, ReturnType<typeof argumentsOf>>();
  const methods = known ? [known] : typesWith(name).flatMap((one) => methodOf(one, name) ?? []);
  let fault: unknown;
  for (const method of new Set(methods)) {
    try {
      runs.set(method, argumentsOf(name, method, args, scope));
    } catch (error) {
      fault ??= error;
    }
  }
  if (runs.size === 0) throw fault;
  const empty = name === "isEmpty" ? true : name === "toString" ? "" : /^(contains|isTruthy)/.test(name) ? false : null;
  return {
    type: known?.returns ?? "any",
    run(env) {
      const value = self.run(env);
      if (value === null && name !== "isType") return empty;
      const own = typeOf(value);
      const method = isMean && own === "list" ? MEAN : methodOf(own, name);
      const run = method && runs.get(method);
      env.step();
      env.touch(value);
      // A link is a text, too.
      const isOfAny = methodOf("null", name) !== undefined;
      const isText = value instanceof LinkValue && !isOfAny && method === methodOf("string", name);
      return run
        ? run(env, [isText ? value.target : value instanceof TagValue ? env.text(value) : value])
        : env.warn(`${name}() of a ${typeWord(own)} is empty`);
    },
  };
}

/** The function returned evaluates the arguments and calls the method. */
function argumentsOf(name: string, method: BaseFunction, args: readonly Expression[], scope: NameScope) {
  const { parameters } = method;
  const last = parameters.at(-1) ?? "";
  const rest = last.endsWith("...");
  const required = parameters.filter((one) => !one.endsWith("?")).length;
  if (args.length < required || (!rest && args.length > parameters.length)) {
    const wanted = rest
      ? `${required} or more`
      : required === parameters.length
        ? required
        : `${required} to ${parameters.length}`;
    throw new Misread(`${name}() takes ${wanted} argument${wanted === 1 ? "" : "s"}, not ${args.length}`);
  }
  const lambdas: readonly Local[] =
    name === "reduce" ? ["value", "index", "acc"] : name === "if" ? [] : ["value", "index"];
  const readers = args.map((arg, at) => {
    const kind = (parameters[at] ?? last).replace(/[?.]+$/, "");
    if (kind === "lambda") {
      const { run } = compile(arg, { ...scope, locals: [...scope.locals, ...lambdas] });
      return { isLambda: true, kinds: undefined, run };
    }
    return { isLambda: false, kinds: kind === "any" ? undefined : kind.split("|"), run: compile(arg, scope).run };
  });
  return (env: Evaluation, self: readonly Value[] = []): Value => {
    const values: unknown[] = [...self];
    for (const { isLambda, kinds, run } of readers) {
      if (isLambda) {
        values.push(() => run(env));
        continue;
      }
      let value = run(env);
      if (kinds) {
        if (value === null && (name === "containsAny" || name === "hasTag")) continue;
        if (value === null) return name.startsWith("contains") || name.startsWith("has") ? false : null;
        if (kinds.includes("string") && (value instanceof TagValue || typeof value === "number"))
          value = env.text(value);
        if (!kinds.includes(typeOf(value))) return env.warn(`${name}() with a ${typeWord(typeOf(value))} is empty`);
      }
      env.touch(value);
      values.push(value);
    }
    return finite(env, name, method.run(env, ...(values as never[])));
  };
}

function unaryOf(operator: string, { run }: Compiled): Compiled {
  if (operator === "!") return { type: "boolean", run: (env) => !isTruthy(run(env)) };
  return {
    type: "any",
    run(env) {
      const value = run(env);
      if (value === null) return null;
      if (typeof value === "number") return -value;
      return value instanceof Duration ? value.times(-1) : env.warn(`- of a ${typeWord(typeOf(value))} is empty`);
    },
  };
}

function binaryOf(
  { operator, left: a, right: b }: Extract<Expression, { kind: "binary" }>,
  scope: NameScope,
): Compiled {
  const [left, right] = [compile(a, scope), compile(b, scope)];
  const [runLeft, runRight] = [left.run, right.run];
  // As JavaScript: the value that decides.
  if (operator === "&&" || operator === "||") {
    const decides = operator === "||";
    return {
      type: left.type === right.type ? left.type : "any",
      run(env) {
        const value = runLeft(env);
        return isTruthy(value) === decides ? value : runRight(env);
      },
    };
  }
  if (operator === "==" || operator === "!=") {
    const isFolder = left.isFolder ?? right.isFolder;
    const rooted = (value: Value): Value => (isFolder && value === "" ? "/" : value);
    return {
      type: "boolean",
      run(env) {
        env.step();
        const [one, other] = [runLeft(env), runRight(env)];
        env.touch(one);
        return env.equal(rooted(one), rooted(other)) === (operator === "==");
      },
    };
  }
  if (
    (operator === "+" || operator === "-") &&
    left.type === "date" &&
    b.kind === "literal" &&
    typeof b.value === "string"
  )
    assertDuration(b.value);
  const work = operator.startsWith("<") || operator.startsWith(">") ? compared : ARITHMETIC[operator];
  const mayBeDates = [left, right].every(({ type: one }) => one === "any" || one === "date");
  const type = work === compared ? "boolean" : resultType(operator, left.type, right.type);
  return {
    type,
    run(env) {
      env.step();
      return work?.(env, runLeft(env), runRight(env), operator) ?? null;
    },
    ...(operator === "-" &&
      mayBeDates && { elapsed: { type: "duration", run: (env) => elapsed(env, runLeft(env), runRight(env)) } }),
  };
}

function resultType(operator: string, left: StaticType, right: StaticType): StaticType {
  if (left === "date" && right !== "any" && operator !== "+") return right === "date" ? "number" : "date";
  if (left === "date" && right === "string") return "date";
  if (left === "number" && right === "number") return "number";
  return operator === "+" && left === "string" ? "string" : "any";
}

function assertDuration(text: Value): void {
  if (typeof text === "string" && !parseDuration(text))
    throw new Misread(`${JSON.stringify(text)} is no duration, such as "7d" or "1 week"`);
}
