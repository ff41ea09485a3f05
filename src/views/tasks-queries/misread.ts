/** Why a statement of a query is refused. */
export class Misread extends Error {
  readonly nearest: string | undefined;

  constructor(reason: string, nearest?: string) {
    super(reason);
    this.nearest = nearest;
  }
}

export const MISREAD = {
  between: "AND, OR, XOR, AND NOT or OR NOT stands between filters",
  javaScript: "JavaScript is not run here",
  /** The plugin reads the beginning of some statements and ignores the rest, which would be a silently wrong answer. */
  ignored: (words: string): string => `the Tasks plugin ignores "${words.trim().slice(0, 80)}" here`,
};
