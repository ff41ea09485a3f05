/** A view of a base after its check. */
import type { Evaluation } from "./evaluation.js";
import type { Expression } from "./parse.js";
import type { Summarise } from "./summaries.js";
import type { Value } from "./values.js";

export interface BaseSource {
  readonly text: string;
  /** Line where the text begins in its file, from 1. */
  readonly firstLine: number;
}

export interface Test {
  readonly test: (env: Evaluation) => boolean;
  /** For the part that SQL can express. */
  readonly tree: FilterTree;
  /** It may depend on `file.name`. */
  readonly usesName: boolean;
}
export type FilterTree =
  | { readonly kind: "and" | "or" | "not"; readonly parts: readonly FilterTree[] }
  | { readonly kind: "statement"; readonly expression: Expression };

export interface Column {
  readonly name: string;
  readonly isFormula: boolean;
  readonly read: (env: Evaluation) => Value;
}

export interface SortKey {
  readonly read: (env: Evaluation) => Value;
  readonly isDescending: boolean;
}

export interface CheckedView {
  readonly name: string;
  /** Of the view in its source. */
  readonly place: string;
  readonly columns: readonly Column[];
  readonly filters: readonly Test[];
  readonly sort: readonly SortKey[];
  readonly group: SortKey | undefined;
  readonly limit: number | undefined;
  readonly summaries: readonly { readonly property: string; readonly column: Column; readonly summary: Summarise }[];
  readonly warnings: readonly string[];
}
