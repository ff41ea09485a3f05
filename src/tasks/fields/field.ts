/** A task field: the data of its table row, and the functions of its kind. */
import type { Clock, LocalDate } from "../../clock.js";
import type { NewValue, SetOptions } from "../../markdown/frontmatter/edit.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import type { Cleaned } from "./cleaning.js";
import type { Dialect } from "./dialect.js";

export type Stored = string | number | boolean | readonly string[];

export interface FieldReading<T extends Stored> {
  readonly value?: T | undefined;
  readonly problem?: string | undefined;
  /** Styles for the dialect, one per line. */
  readonly habits?: string | undefined;
}

/** The first non-blank character after the colon, or `""`. */
export type SignOf = (property: Property) => string;

export interface ValuePlace {
  /** Undefined for a new key. */
  readonly old: Property | undefined;
  readonly field: string;
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "dayOf">;
}

interface Written {
  readonly value: NewValue;
  readonly options?: SetOptions;
}

export type ArgumentSchema = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Shown {
  readonly label: string;
  readonly description: string;
  readonly words?: (value: number) => string;
}

export type Shape = "text" | "number" | "list";

/** The Tasks plugin's emoji, and Dataview's `[key:: value]`. */
export interface LineSign {
  /** All are read, the first is written; may be empty. */
  readonly emoji: readonly string[];
  readonly key: string;
}

export interface Row {
  /** Normalised, canonical first. */
  readonly spellings: readonly string[];
  /** Default key for new properties. */
  readonly key: string;
  readonly property?: string;
  /** Description of the search_tasks filter; undefined: no filter. */
  readonly filter?: string;
  /** A weekday in the filter means the last one, not the next. */
  readonly looks?: "back";
  /** Undefined: not on checkbox lines. */
  readonly sign?: LineSign;
  readonly shown?: Shown;
  /** Undefined: not settable. */
  readonly argument?: string;
  /** Also settable as a property. */
  readonly open?: true;
  /** Schemas of the argument, where it is accepted. */
  readonly create?: ArgumentSchema;
  readonly update?: ArgumentSchema;
  /** Whether it takes a property whose spelling other rows share. */
  claims?(property: Property): boolean;
}

export interface CleanContext {
  /** Origin of days in words. */
  readonly today: LocalDate;
}

/** `T` is stored and written, `G` is given by callers, `V` is the task's value. */
export interface Field<T extends Stored, G = T, V = T | undefined> extends Row {
  clean(given: G, context: CleanContext): Cleaned<T>;
  /** @param signOf tells quoted and flow styles apart */
  read(property: Property, signOf?: SignOf): FieldReading<T>;
  write(value: T, place: ValuePlace): Written;
  same(stored: T | undefined, wanted: T, clock: Pick<Clock, "dayOf">): boolean;
  /** An empty value clears it. */
  readonly clears?: true;
  /** Default: text. */
  readonly shape?: Shape;
  /** Matches the whole value after a sign. */
  readonly inLine?: RegExp;
  /** Default: the text. */
  fromLine?(text: string): V | undefined;
  taskValue(stored: T | undefined, clock: Pick<Clock, "dayOf">): V;
}
