/** The values of one settings file of Obsidian or a plugin. */
import { folderPath, type VaultPath } from "../storage/path.js";

/** Of mdbase, in which TaskNotes 5 keeps its type file. */
export const COLLECTION_FILE = "mdbase.yaml" as VaultPath;
export const MAX_TYPE_BYTES = 256 * 1024;

/** A setting that was not understood and is ignored. */
export interface SettingsProblem {
  /** Such as `.obsidian/app.json`. */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
}

/** Accepts a value only of the expected type. */
export class SettingsValues {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly report: (message: string) => void;

  constructor(values: object, report: (message: string) => void) {
    this.#values = new Map(Object.entries(values));
    this.report = report;
  }

  get all(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#values);
  }

  /** Empty when it is no object. */
  within(value: unknown): SettingsValues {
    return new SettingsValues(typeof value === "object" && value !== null ? value : {}, this.report);
  }

  raw(key: string): unknown {
    return this.#values.get(key);
  }

  text(key: string): string | undefined {
    const value = this.raw(key);
    return typeof value === "string" && value !== "" ? value : undefined;
  }

  oneOf<const Choice extends string>(key: string, choices: readonly [Choice, ...Choice[]]): Choice {
    return choices.find((choice) => choice === this.raw(key)) ?? choices[0];
  }

  list(key: string): readonly string[] {
    const value = this.raw(key);
    return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
  }

  entries(key: string): readonly (readonly [string, string])[] {
    const value = this.raw(key);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  }

  folder(key: string): VaultPath | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    try {
      return folderPath(text.trim());
    } catch {
      this.report(`The setting "${key}" names no folder that can be used.`);
      return undefined;
    }
  }
}

export function objectsIn(value: unknown): readonly object[] {
  return Array.isArray(value) ? value.filter((item): item is object => typeof item === "object" && item !== null) : [];
}

export function valueIn(from: unknown, key: string): unknown {
  return typeof from === "object" && from !== null ? Reflect.get(from, key) : undefined;
}

/** Empty where there is no text. */
export function textIn(from: object, key: string): string {
  const text = valueIn(from, key);
  return typeof text === "string" ? text : "";
}
