/**
 * Sentences for callers. Each front end writes calls and arguments its own way: a tool
 * `search_tasks with is ["checkbox"]`, the command line `list --is checkbox`.
 */

/** A call that may help. */
export interface Call {
  readonly tool: string;
  readonly with: Readonly<Record<string, unknown>>;
  /** As tools write it. */
  readonly words: string;
}

/** Such as `updates.dueDate`. */
export interface Argument {
  readonly argument: string;
  readonly words: string;
}

/** All arguments, the next page, more arguments. */
interface Way {
  readonly way: "usage" | "nextPage" | "sameCall";
  readonly words: string;
}

type Mention = Call | Argument | Way;

/** Undefined: the caller cannot do it. */
export type Speech = (named: Mention) => string | undefined;

export const TOOL_SPEECH: Speech = ({ words }) => words;

export type Wording = string | Said;

export class Said {
  readonly #parts: readonly (Wording | Mention)[];
  readonly #instead: Wording | undefined;
  readonly #separator: string | undefined;

  /** @param separator of a list, which lacks what its reader cannot do */
  constructor(parts: readonly (Wording | Mention)[], separator?: string, instead?: Wording) {
    this.#parts = parts;
    this.#separator = separator;
    this.#instead = instead;
  }

  /** @param instead default: nothing */
  or(instead: Wording): Said {
    return new Said(this.#parts, this.#separator, instead);
  }

  /** Undefined as from `Speech`. */
  in(speech: Speech): string | undefined {
    const texts = this.#parts.map((part) =>
      typeof part === "string" || part instanceof Said ? inSpeech(part, speech) : speech(part),
    );
    if (this.#separator !== undefined) return texts.filter((text) => text !== undefined).join(this.#separator);
    if (!texts.includes(undefined)) return texts.join("");
    return this.#instead === undefined ? undefined : inSpeech(this.#instead, speech);
  }

  toString(): string {
    return this.in(TOOL_SPEECH) ?? "";
  }

  toJSON(): string {
    return this.toString();
  }

  /** What `console.log` prints of it. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

export function inSpeech(words: Wording, speech: Speech): string | undefined {
  return typeof words === "string" ? words : words.in(speech);
}

/** Template tag: said`List more tasks with ${call("search_tasks")}.` */
export function said(texts: TemplateStringsArray, ...values: readonly (Wording | Mention | number)[]): Said {
  const parts = texts.flatMap((text, at) => {
    const value = values[at] ?? "";
    return [text, typeof value === "number" ? String(value) : value];
  });
  return new Said(parts);
}

/** Those that a caller can follow. */
export function joined(all: readonly (Wording | undefined)[], separator = "\n"): Said {
  return new Said(
    all.filter((words) => words !== undefined),
    separator,
  );
}

export function distinct(all: readonly Wording[]): Wording[] {
  return [...new Map(all.map((words) => [String(words), words])).values()];
}

/** @param words default: `search_tasks with query "*" and is ["checkbox"]` */
export function call(tool: string, given: Readonly<Record<string, unknown>> = {}, words = written(tool, given)): Call {
  return { tool, with: given, words };
}

function written(tool: string, given: Readonly<Record<string, unknown>>): string {
  const values = Object.entries(given).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const first = values.slice(0, -1).join(", ");
  const last = values.slice(-1);
  const list = first === "" ? last : [first, ...last];
  return list.length === 0 ? tool : `${tool} with ${list.join(" and ")}`;
}

export function argument(name: string, words = name): Argument {
  return { argument: name, words };
}

/** As quoted in refusals of a form. */
export const quotedArgument = (name: string): Argument => argument(name, `"${name}"`);

export const usage = (words: string): Way => ({ way: "usage", words });

export const SAME_CALL: Way = { way: "sameCall", words: "in the same call" };

export const nextPage = (words: string): Way => ({ way: "nextPage", words });

/** An external text must not forge a line. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, " ");
}

/** `1 note`, `2 notes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
