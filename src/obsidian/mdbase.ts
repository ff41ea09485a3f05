/** Files of mdbase, in which TaskNotes 5 keeps its type. */
import {
  readFrontmatter,
  readYamlFile,
  type Property,
  type PropertyValue,
} from "../markdown/frontmatter/frontmatter.js";
import { folderPath, type VaultPath } from "../storage/path.js";
import { MAX_TYPE_BYTES, type SettingsProblem } from "./settings-values.js";

const DEFAULT_TYPES_FOLDER = "_types" as VaultPath;

export interface Collection {
  readonly version: "0.3" | "0.2" | "other";
  readonly found: string;
  readonly typesFolder: VaultPath;
  readonly reserved: readonly VaultPath[];
  readonly explicitKeys: readonly string[];
}

export class Broken extends Error {
  readonly problem: Pick<SettingsProblem, "line" | "message">;

  constructor(message: string, line?: number) {
    super(message);
    this.problem = line === undefined ? { message } : { message, line };
  }
}

/** @param text undefined: no such file @throws Broken */
export function readCollection(text: string | undefined): Collection {
  const [head = "", ...rest] = (text ?? "").replace(/^\ufeff/u, "").split("\n");
  const yaml = /^---\s*$/.test(head) ? rest.join("\n") : [head, ...rest].join("\n");
  const { properties, problem, warning } = readYamlFile(`${yaml}\n`);
  const fault = problem ?? warning;
  if (fault) throw new Broken(`the file could not be read (${fault.message})`, fault.line);
  const top = Object.fromEntries(properties.map(({ key, value }) => [key, value]));
  const version = properties.find(({ key }) => key === "spec_version");
  const settings = top["settings"];
  const found = version?.text ?? "none";
  const isVersion3 = text === undefined || (typeof version?.value === "string" && /^0\.3\.\d/.test(found));
  const folder = (name: string, otherwise: string): VaultPath => {
    const given = at(settings, name);
    if (given === undefined || given === null || given === "") return otherwise as VaultPath;
    try {
      if (typeof given === "string" && !given.startsWith("/")) return folderPath(given.replace(/^\.\//, ""));
    } catch {}
    throw new Broken(`its ${name} is no folder inside the vault`, lineOf(properties, "settings"));
  };
  const typesFolder = folder("types_folder", DEFAULT_TYPES_FOLDER);
  return {
    version: isVersion3 ? "0.3" : /^0\.2(?:\.|$)/.test(found) ? "0.2" : "other",
    found,
    typesFolder,
    reserved: [typesFolder, folder("contracts_folder", "_contracts"), "_schemas" as VaultPath],
    explicitKeys:
      at(settings, "explicit_type_keys") === undefined ? ["type", "types"] : textsAt(settings, "explicit_type_keys"),
  };
}

export function readType(text: string | undefined): readonly Property[] {
  if (text === undefined) throw new Broken("the type file could not be read (closed, or larger than 256 KiB)");
  const { properties, problem, warning } = readFrontmatter(text, undefined, MAX_TYPE_BYTES);
  const fault = problem ?? (warning?.editable ? undefined : warning);
  if (fault) throw new Broken(`the type file could not be read (${fault.message})`, fault.line);
  return properties;
}

const SPECIAL = /[.+^$()|[\]\\{}]/g;

/** In linear time: others may have written them. */
export async function readGlobs(globs: readonly string[]): Promise<(path: string) => boolean> {
  const { RE2JS } = await import("re2js");
  const one = (glob: string): string =>
    glob
      .split(/(\*\*\/|\*\*|\*|\?|\{[^{}]*\})/)
      .map((part) => {
        if (part === "**/") return "(?:.*/)?";
        if (part === "**") return ".*";
        if (part === "*") return "[^/]*";
        if (part === "?") return "[^/]";
        if (/^\{.*\}$/.test(part)) return `(?:${part.slice(1, -1).split(",").map(one).join("|")})`;
        return part.replace(SPECIAL, "\\$&");
      })
      .join("");
  const expression = RE2JS.compile(globs.map(one).join("|"));
  return (path) => expression.matches(path);
}

export function asMapping(value: PropertyValue | undefined): Readonly<Record<string, PropertyValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

export function at(value: PropertyValue | undefined, key: string): PropertyValue | undefined {
  const mapping = asMapping(value);
  return Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

export function textAt(value: PropertyValue | undefined, key: string): string | undefined {
  const text = at(value, key);
  return typeof text === "string" && text !== "" ? text : undefined;
}

export function textsAt(value: PropertyValue | undefined, key: string): string[] {
  const list = at(value, key);
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

export function textEntries(value: PropertyValue | undefined): (readonly [string, string])[] {
  return Object.entries(asMapping(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
  );
}

export function listAt(properties: readonly Property[], key: string): readonly PropertyValue[] {
  const value = properties.find((one) => one.key === key)?.value;
  return Array.isArray(value) ? value : [];
}

export const lineOf = (properties: readonly Property[], key: string): number | undefined =>
  properties.find((one) => one.key === key)?.line;
