/** What a task field is: the data of its table row, and the functions of its kind. */
import type { Clock, LocalDate } from "../../clock.js";
import type { NewValue, SetOptions } from "../../markdown/frontmatter/edit.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import type { Cleaned } from "./cleaning.js";
import type { Dialect } from "./dialect.js";

export type Stored = string | number | boolean | readonly string[];

export interface FieldReading<T extends Stored> {
  /** Undefined: an empty value. */
  readonly value?: T | undefined;
  /** What could not be understood. */
  readonly problem?: string | undefined;
  /** How it is written, for the dialect: one habit a line. */
  readonly habits?: string | undefined;
}

/** The first character after a property's colon, spaces skipped; `""` when there is none. */
export type SignOf = (property: Property) => string;

export interface ValuePlace {
  /** The present property; undefined for a new key. */
  readonly old: Property | undefined;
  /** The field's name, for habits by field. */
  readonly field: string;
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "dayOf">;
}

export interface Written {
  readonly value: NewValue;
  readonly options?: SetOptions;
}

/** JSON Schema of an argument. */
export type ArgumentSchema = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Shown {
  readonly label: string;
  readonly description: string;
  /** A number with its unit, for reading. */
  readonly words?: (value: number) => string;
}

export type Shape = "text" | "number" | "list";

/** How a checkbox line writes a field: the Tasks plugin's emoji, and Dataview's `[key:: value]`. */
export interface LineSign {
  /** The first is written, all are read; empty where only brackets exist. */
  readonly emoji: readonly string[];
  readonly key: string;
}

export interface Row {
  /** Spellings of the key, normalised, canonical first. */
  readonly spellings: readonly string[];
  /** The key in a vault without one of its own. */
  readonly key: string;
  /** The property of `Task` with its value. */
  readonly property?: string;
  /** The description of its filter by day or range in search_tasks; undefined: no filter. */
  readonly filter?: string;
  /** Undefined: a checkbox line cannot have it. */
  readonly sign?: LineSign;
  /** How answers show it; undefined: not as a field of its own. */
  readonly shown?: Shown;
  /** Its argument; undefined: no caller sets it. */
  readonly argument?: string;
  /** Callers may set it among other properties. */
  readonly open?: true;
  /** The argument's schemas in the tool that creates tasks and the one that changes them; undefined: not accepted. */
  readonly create?: ArgumentSchema;
  readonly update?: ArgumentSchema;
  /** Whether this row takes a property whose spelling rows share. Default: yes. */
  claims?(property: Property): boolean;
}

export interface CleanContext {
  /** Days in words count from it. */
  readonly today: LocalDate;
}

/** A row of the field table: `T` is stored and written, `G` is what callers give, `V` is the task's value. */
export interface Field<T extends Stored, G = T, V = T | undefined> extends Row {
  /** @throws VaultError INVALID_ARGUMENT */
  clean(given: G, context: CleanContext): Cleaned<T>;
  /** @param signOf without it, styles that depend on the sign count as plain */
  read(property: Property, signOf?: SignOf): FieldReading<T>;
  write(value: T, place: ValuePlace): Written;
  /** Whether `stored` means the same as `wanted`. */
  same(stored: T | undefined, wanted: T, clock: Pick<Clock, "dayOf">): boolean;
  /** Default: text. */
  readonly shape?: Shape;
  /** What may follow the sign of a line, as a whole. */
  readonly inLine?: RegExp;
  /** Default: the text; undefined: no value. */
  fromLine?(text: string): V | undefined;
  taskValue(stored: T | undefined, clock: Pick<Clock, "dayOf">): V;
}
