/** Colour by meaning; words or signs always say the same. */

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  overdue: [31, 39],
  today: [33, 39],
  done: [32, 39],
  blocked: [35, 39],
} as const satisfies Record<string, readonly [number, number]>;

export type Meaning = keyof typeof CODES;

export type Paint = (meaning: Meaning, text: string) => string;

export function painter(color: boolean): Paint {
  return (meaning, text) => {
    const [on, off] = CODES[meaning];
    return color && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}
