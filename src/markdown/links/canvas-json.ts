/** Reads the nodes of a canvas with the offsets of their strings, which `JSON.parse` does not provide. */

export interface JsonString {
  readonly value: string;
  /** Between its quotes, in UTF-16 units into the source. */
  readonly start: number;
  readonly end: number;
}

/** A node's own strings by key; of a repeated key the last, as in `JSON.parse`. */
export type NodeStrings = Readonly<Record<string, JsonString | undefined>>;

/** An open bracket, and in an object the last key. */
interface Level {
  readonly isObject: boolean;
  key: string | undefined;
  expectsKey: boolean;
}

const MARK = /["{}[\],:]/g;

/**
 * The objects of the outermost `nodes` list, in order; none when the text is not a JSON object. Iterative, so that deep nesting
 * cannot exhaust the stack.
 */
export function nodeStrings(text: string): NodeStrings[] {
  return isObject(text) ? new Walk(text).nodes() : [];
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

class Walk {
  readonly #text: string;
  readonly #levels: Level[] = [];
  #nodes: NodeStrings[] = [];
  #node: Record<string, JsonString> = {};

  constructor(text: string) {
    this.#text = text;
  }

  nodes(): NodeStrings[] {
    for (let at = 0; ;) {
      MARK.lastIndex = at;
      const mark = MARK.exec(this.#text);
      if (mark === null) return this.#nodes;
      at = mark[0] === '"' ? this.#string(mark.index) : this.#bracket(mark[0], mark.index);
    }
  }

  #bracket(mark: string, at: number): number {
    const level = this.#levels.at(-1);
    if (mark === "{" || mark === "[") this.#enter(mark === "{");
    else if (mark === "}" || mark === "]") this.#leave();
    else if (level?.isObject === true) level.expectsKey = mark === ",";
    return at + 1;
  }

  #enter(isObject: boolean): void {
    const isNodes = this.#levels.length === 1 && this.#levels[0]?.key === "nodes";
    // A second list of that name replaces the first.
    if (isNodes) this.#nodes = [];
    this.#levels.push({ isObject, key: undefined, expectsKey: isObject });
    if (this.#isInNode()) this.#node = Object.create(null) as Record<string, JsonString>;
  }

  #leave(): void {
    if (this.#isInNode()) this.#nodes.push(this.#node);
    this.#levels.pop();
  }

  #isInNode(): boolean {
    const [root, list, node] = this.#levels;
    return this.#levels.length === 3 && root?.key === "nodes" && list?.isObject === false && node?.isObject === true;
  }

  #string(at: number): number {
    const start = at + 1;
    const end = stringEnd(this.#text, start);
    const level = this.#levels.at(-1);
    if (level?.isObject === true && this.#levels.length <= 3) {
      const value = String(JSON.parse(this.#text.slice(at, end + 1)));
      if (level.expectsKey) level.key = value;
      else if (this.#isInNode() && level.key !== undefined) this.#node[level.key] = { value, start, end };
    }
    return end + 1;
  }
}

function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at;
    if (code === 92) at += 1;
  }
  return text.length;
}
