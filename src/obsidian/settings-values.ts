/** The values of a settings file of Obsidian or a plugin. */
import { folderPath, type VaultPath } from "../storage/path.js";

/** Of mdbase, in which TaskNotes 5 keeps its type file. */
export const COLLECTION_FILE = "mdbase.yaml" as VaultPath;
export const MAX_TYPE_BYTES = 256 * 1024;

export interface SettingsProblem {
  /** Such as `.obsidian/app.json`. */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
}

export type SettingsValues = ReturnType<typeof settingsValues>;

/** By type. */
export function settingsValues(values: object, report: (message: string) => void) {
  const known = new Map<string, unknown>(Object.entries(values));
  const raw = (key: string): unknown => known.get(key);

  /** Null is no value. */
  function expected(key: string, what: string, is: (value: unknown) => boolean): void {
    const value = raw(key) ?? undefined;
    if (value !== undefined && !is(value)) report(`The setting "${key}" is not ${what}; the default counts.`);
  }

  function text(key: string): string | undefined {
    expected(key, "a text", (one) => typeof one === "string");
    const value = raw(key);
    return typeof value === "string" && value !== "" ? value : undefined;
  }

  function oneOf<const Choice extends string>(key: string, choices: readonly [Choice, ...Choice[]]): Choice {
    expected(key, `one of ${choices.join(", ")}`, (one) => choices.some((choice) => choice === one));
    return choices.find((choice) => choice === raw(key)) ?? choices[0];
  }

  function list(key: string): readonly string[] {
    const value = listed(key);
    return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
  }

  function listed(key: string): unknown {
    expected(key, "a list", Array.isArray);
    return raw(key);
  }

  function entries(key: string): readonly (readonly [string, string])[] {
    expected(key, "an object", (one) => typeof one === "object" && !Array.isArray(one));
    const value = raw(key);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  }

  function folder(key: string): VaultPath | undefined {
    const name = text(key);
    if (name === undefined) return undefined;
    try {
      return folderPath(name.trim());
    } catch {
      report(`The setting "${key}" names no folder that can be used.`);
      return undefined;
    }
  }

  const all: Readonly<Record<string, unknown>> = Object.fromEntries(known);
  return { all, report, raw, text, oneOf, list, listed, entries, folder };
}

export function objectsIn(value: unknown): readonly object[] {
  return Array.isArray(value) ? value.filter((item): item is object => typeof item === "object" && item !== null) : [];
}

/** With Obsidian's types; undefined for a form of TaskNotes. */
export type OwnFields = ReadonlyMap<string, "text" | "number" | "checkbox" | "multitext" | "date" | undefined>;

const FIELD_TYPES = { text: "text", number: "number", boolean: "checkbox", list: "multitext", date: "date" } as const;
const isFieldType = (type: string): type is keyof typeof FIELD_TYPES => Object.hasOwn(FIELD_TYPES, type);

/** @param list `userFields` of its `data.json` */
export function ownFieldsIn(list: unknown): OwnFields {
  const fields = objectsIn(list).map((one) => [textIn(one, "key").trim(), textIn(one, "type")] as const);
  const named = fields.filter(([key]) => key !== "");
  return new Map(named.map(([key, type]) => [key, isFieldType(type) ? FIELD_TYPES[type] : undefined]));
}

/** @param given a list, or a text with commas between */
export function foldersIn(given: unknown): readonly string[] {
  const names: readonly unknown[] = typeof given === "string" ? given.split(",") : Array.isArray(given) ? given : [];
  const texts = names.filter((name) => typeof name === "string");
  return texts
    .map((name) =>
      name
        .trim()
        .replaceAll("\\", "/")
        .replace(/^\/+|\/+$/g, ""),
    )
    .filter((name) => name !== "");
}

export function valueIn(from: unknown, key: string): unknown {
  return typeof from === "object" && from !== null ? Reflect.get(from, key) : undefined;
}

export function textIn(from: object, key: string): string {
  const text = valueIn(from, key);
  return typeof text === "string" ? text : "";
}
