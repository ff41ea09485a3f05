/** A set of tasks as text with a fingerprint (docs: tasks, "Finding"). */
import { percentDecoded } from "../../text/decoded.js";
import { meansAll } from "../../search/words.js";
import { call, said } from "../../text/wording.js";
import { type VaultError, invalidArgument } from "../../errors.js";
import { FILTER_NAMES, FILTERS } from "./filter.js";
import type { TaskFilters } from "../task.js";

export interface Selection {
  readonly filters: TaskFilters;
  readonly fingerprint: string;
}

const OPENING = /^\s*Selection:\s*/i;
const END = /#([0-9a-f]{8})\s*$/;

/** `due=overdue;is=ready#9f3a22c1`, in a fixed order. */
export function selectionText(filters: TaskFilters, fingerprint: string): string {
  const parts = NAMES.flatMap((name) => {
    const values = valuesOf(filters, name);
    return values.length === 0 ? [] : [`${name}=${values.map(encoded).join(",")}`];
  });
  return `${parts.length === 0 ? "query=*" : parts.join(";")}#${fingerprint}`;
}

export const isSelection = (text: string): boolean => OPENING.test(text) || END.test(text);

/** `is=inline` includes lines that the settings exclude. */
export function isSelectionOfLines(text: string): boolean {
  return isSelection(text) && /(?:^|[;\s])is=[^;#]*\binline\b/i.test(text);
}

export function parseSelection(text: string): Selection {
  const plain = text.replace(OPENING, "").trim();
  const fingerprint = END.exec(plain)?.[1];
  if (fingerprint === undefined) throw misread("it does not end in # and eight hexadecimal digits");
  const named = plain
    .replace(END, "")
    .split(";")
    .map((part) => {
      const [, name = "", value = ""] = /^([A-Za-z]+)=(.*)$/s.exec(part.trim()) ?? [];
      if (!isName(name) || value === "") throw misread(`"${part.slice(0, 40)}" is no filter`);
      return [name, readValue(name, value.split(",").map(decoded))] as const;
    });
  return { filters: { query: "*", ...Object.fromEntries(named) }, fingerprint };
}

const NAMES: readonly (keyof TaskFilters)[] = ["query", ...FILTER_NAMES];
type Name = keyof TaskFilters;

const isName = (text: string): text is Name => (NAMES as readonly string[]).includes(text);

function valuesOf(filters: TaskFilters, name: Name): readonly string[] {
  const value = filters[name];
  if (value === undefined || value === false || value === "" || (name === "query" && meansAll(filters.query)))
    return [];
  return Array.isArray(value) ? (value as readonly string[]) : [String(value)];
}

function readValue(name: Name, values: readonly string[]): unknown {
  const { takes, words, takesOwnWords = false } = name === "query" ? ONE : FILTERS[name];
  if (takes === "flag") return values[0] === "true";
  const read = words === undefined ? values : values.map((value) => oneOf(name, value, { words, takesOwnWords }));
  if (takes === "list") return read;
  if (read.length > 1) throw misread(`${name} takes one value`);
  return read[0];
}

const ONE = { takes: "one", words: undefined, takesOwnWords: undefined } as const;

function oneOf(
  name: Name,
  value: string,
  { words, takesOwnWords }: { readonly words: readonly string[]; readonly takesOwnWords: boolean },
): string {
  const word = words.find((each) => each.toLowerCase() === value.toLowerCase());
  if (word === undefined && takesOwnWords) return value;
  if (word === undefined) throw misread(`"${value.slice(0, 40)}" is no ${name}: ${words.join(", ")}`);
  return word;
}

const encoded = (value: string): string => value.trim().replace(/[%;,#=\p{Cc}]/gu, encodeURIComponent);

function decoded(value: string): string {
  const plain = percentDecoded(value);
  if (plain === undefined) throw misread(`"${value.slice(0, 40)}" holds a % that encodes nothing`);
  return plain.trim();
}

function misread(why: string): VaultError {
  return invalidArgument(
    `This is not a selection: ${why}.`,
    said`Give the text behind \`Selection:\` of a ${call("search_tasks")} answer, or task ids.`,
  );
}
