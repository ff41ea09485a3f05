/** What a task field is: what its row of the table writes down, and what its kind adds. */
import type { Clock, LocalDate } from "../../clock.js";
import type { NewValue, SetOptions } from "../../markdown/frontmatter/edit.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import type { Cleaned } from "./cleaning.js";
import type { Dialect } from "./dialect.js";

/** What facts remember of a field. */
export type Stored = string | number | boolean | readonly string[];

/** What a property says. */
export interface FieldReading<T extends Stored> {
  /** Undefined: nothing, as an empty value does. */
  readonly value?: T | undefined;
  /** What could not be understood, for the list of problems. */
  readonly problem?: string | undefined;
  /** How it is written, for the dialect: one habit a line. */
  readonly habits?: string | undefined;
}

/** Tells the first sign behind a property's colon on its line, spaces looked past; `""` when there is none. */
export type SignOf = (property: Property) => string;

/** Where a value is to be written. */
export interface ValuePlace {
  /** What stands there; undefined for a new key. */
  readonly old: Property | undefined;
  /** The field's name, for habits kept by field. */
  readonly field: string;
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "dayOf">;
}

export interface Written {
  readonly value: NewValue;
  readonly options?: SetOptions;
}

/** How a tool describes an argument: a piece of JSON Schema. */
export type ArgumentSchema = Readonly<Record<string, unknown>> & { readonly type: string };

/** How an answer names a field. */
export interface Shown {
  readonly label: string;
  readonly description: string;
}

/** What a field's value is to an answer. */
export type Shape = "text" | "number" | "list";

/** How a checkbox line says a field: the Tasks plugin's emoji, and Dataview's `[key:: value]`. */
export interface LineSign {
  /** The first is written, all are read; none where brackets alone say it. */
  readonly emoji: readonly string[];
  readonly key: string;
}

/** What is written down of a field; its kind adds how it is read and written. */
export interface Row {
  /** Spellings of the key, normalised, canonical first. */
  readonly spellings: readonly string[];
  /** The key in a vault that has no custom of its own. */
  readonly key: string;
  /** The property of `Task` that tells it; fields without one are told as part of something else, or not. */
  readonly property?: string;
  /** How search_tasks describes its filter, which takes a day or a range; without it there is none. */
  readonly filter?: string;
  /** How a checkbox line says it; without one a line cannot. */
  readonly sign?: LineSign;
  /** How answers name it; what they name for itself has no such row. */
  readonly shown?: Shown;
  /** What callers name it; undefined: no caller sets it. */
  readonly argument?: string;
  /** Without an argument of its own, whether callers may set it among the other properties. */
  readonly open?: true;
  /** How the tool that makes tasks describes the argument, and the one that changes them; undefined: it does not take it. */
  readonly create?: ArgumentSchema;
  readonly update?: ArgumentSchema;
  /** Of rows that share a spelling: whether this one takes the property. Default: yes. */
  claims?(property: Property): boolean;
}

/** What making a value clean depends on besides the value. */
export interface CleanContext {
  /** Days in words count from it. */
  readonly today: LocalDate;
}

/** A row of the field table; `T` is what is remembered and written, `G` what callers give, `V` what a task tells. */
export interface Field<T extends Stored, G = T, V = T | undefined> extends Row {
  /** Makes a caller's value fit to be written. @throws VaultError INVALID_ARGUMENT */
  clean(given: G, context: CleanContext): Cleaned<T>;
  /** @param signOf the first sign that is seen behind a property's colon on its line; without it, styles that only this tells are the plain ones */
  read(property: Property, signOf?: SignOf): FieldReading<T>;
  write(value: T, place: ValuePlace): Written;
  /** Whether a note that says `stored` says `wanted` already. */
  same(stored: T | undefined, wanted: T, clock: Pick<Clock, "dayOf">): boolean;
  /** Default: text. */
  readonly shape?: Shape;
  /** What may stand behind the sign of a line, the whole of it. */
  readonly inLine?: RegExp;
  /** The value that a line's text says, as a task tells it; undefined: none. Default: the text. */
  fromLine?(text: string): V | undefined;
  /** What the task's property holds. */
  tell(stored: T | undefined, clock: Pick<Clock, "dayOf">): V;
}
