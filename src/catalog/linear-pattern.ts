/** The plain part of regular expressions, matched in linear time: whoever wrote the vault's settings cannot make it run away. */

const MAX_LENGTH = 200;
/** A literal, an escape or a class: one character of the text. */
const CHARACTER = /\\[dDwWsS.\\/()[\]{}+*?^$|-]|\[\^?(?:[^\]\\[]|\\[dDwWsS\\./()[\]{}^$*+?|-])+\]|[^\\[\](){}*+?^$|]/uy;
const QUANTIFIER = /[*+?]\??/y;

/** A state of the matcher; without a condition it is passed through. */
interface State {
  readonly next: State[];
  readonly accepts?: (character: string) => boolean;
  readonly only?: "at start" | "at end";
}

/** A part of the pattern, given what comes after it. */
type Part = (next: State) => State;

/**
 * Whether the pattern is found anywhere in a text, case not counting. Understands characters, escapes, classes, `.`, `^`, `$`,
 * `|`, groups, `*`, `+` and `?`. Undefined when the pattern holds anything else.
 */
export function linearPattern(pattern: string): ((text: string) => boolean) | undefined {
  if (pattern.length > MAX_LENGTH) return undefined;
  const found: State = { next: [] };
  const part = new Parser(pattern).parse();
  if (!part) return undefined;
  const start = part(found);
  return (text) => isFound(text, start, found);
}

/** Follows all ways through the states at once, one step for each character. */
function isFound(text: string, start: State, found: State): boolean {
  const characters = Array.from(text);
  let states = new Set<State>();
  for (let position = 0; position <= characters.length; position++) {
    enter(start, states, position === 0, position === characters.length);
    if (states.has(found)) return true;
    const character = characters[position];
    if (character === undefined) break;
    const after = new Set<State>();
    for (const { accepts, next } of states)
      if (accepts?.(character))
        for (const state of next) enter(state, after, false, position + 1 === characters.length);
    states = after;
  }
  return false;
}

function enter(state: State, states: Set<State>, isStart: boolean, isEnd: boolean): void {
  if (states.has(state) || (state.only === "at start" && !isStart) || (state.only === "at end" && !isEnd)) return;
  states.add(state);
  if (!state.accepts) for (const next of state.next) enter(next, states, isStart, isEnd);
}

class Parser {
  readonly #pattern: string;
  #position = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** Undefined when the pattern is not understood to its end. */
  parse(): Part | undefined {
    const part = this.#choice();
    return this.#position === this.#pattern.length ? part : undefined;
  }

  #choice(): Part | undefined {
    const choices: Part[] = [];
    do {
      const sequence = this.#sequence();
      if (!sequence) return undefined;
      choices.push(sequence);
    } while (this.#take("|"));
    return (next) => ({ next: choices.map((choice) => choice(next)) });
  }

  #sequence(): Part | undefined {
    const parts: Part[] = [];
    while (this.#position < this.#pattern.length && !this.#isAt("|") && !this.#isAt(")")) {
      const part = this.#piece();
      if (!part) return undefined;
      parts.push(part);
    }
    return (next) => parts.reduceRight((after, part) => part(after), next);
  }

  #piece(): Part | undefined {
    if (this.#take("^")) return (next) => ({ next: [next], only: "at start" });
    if (this.#take("$")) return (next) => ({ next: [next], only: "at end" });
    const part = this.#take("(") ? this.#group() : this.#character();
    const quantifier = this.#match(QUANTIFIER)?.charAt(0);
    return part && quantifier ? repeated(part, quantifier) : part;
  }

  #group(): Part | undefined {
    if (this.#take("?") && !this.#take(":")) return undefined;
    const choice = this.#choice();
    return this.#take(")") ? choice : undefined;
  }

  #character(): Part | undefined {
    const source = this.#match(CHARACTER);
    if (source === undefined) return undefined;
    const accepts = characterTest(source);
    return accepts && ((next) => ({ next: [next], accepts }));
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#position;
    const text = expression.exec(this.#pattern)?.[0];
    this.#position += text?.length ?? 0;
    return text;
  }

  #isAt(character: string): boolean {
    return this.#pattern[this.#position] === character;
  }

  #take(character: string): boolean {
    if (!this.#isAt(character)) return false;
    this.#position++;
    return true;
  }
}

/** Being found or not, it does not matter how often a lazy quantifier tries first. */
function repeated(part: Part, quantifier: string): Part {
  if (quantifier === "?") return (next) => ({ next: [part(next), next] });
  return (next) => {
    const loop: State = { next: [] };
    const entry = part(loop);
    loop.next.push(entry, next);
    return quantifier === "+" ? entry : loop;
  };
}

/** One character against one character of the pattern, by the engine's own rules. */
function characterTest(source: string): ((character: string) => boolean) | undefined {
  let expression: RegExp;
  try {
    expression = new RegExp(`^${source}$`, "iu");
  } catch {
    return undefined;
  }
  const known = new Map<string, boolean>();
  return (character) => {
    let accepted = known.get(character);
    if (accepted === undefined) known.set(character, (accepted = expression.test(character)));
    return accepted;
  };
}
