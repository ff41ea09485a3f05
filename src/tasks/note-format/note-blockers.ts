/**
 * Writes the blockers of a task: only changed entries, in the note's own form (docs: tasks, "Dependencies and
 * subtasks").
 */
import { VaultError } from "../../errors.js";
import { splitNote, readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import { arrangeList, listItems, setProperty } from "../../markdown/frontmatter/edit.js";
import { lineEnding } from "../../markdown/line-edit.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { fieldNamed } from "../fields/fields.js";
import { byMeaning } from "./write-field.js";

/** In TaskNotes: "must end before this begins". */
const RELATION = "FINISHTOSTART";

/**
 * @param old undefined: add the property `key`
 * @param mapped whether a new list holds mappings
 */
export function setReferences(
  text: string,
  references: readonly string[],
  { old, key, mapped }: { readonly old: Property | undefined; readonly key: string; readonly mapped: boolean },
): string {
  const entries = old !== undefined && Array.isArray(old.value) ? old.value : [];
  const isMapped = entries.some((entry) => typeof entry === "object" && entry !== null && !Array.isArray(entry));
  if (old !== undefined && isMapped) return setItems(text, references, old, true);
  const items = old && entries.length > 0 ? listItems(text, old.key) : undefined;
  if (old && items) return arrangeList(text, old.key, byMeaning("blockedBy", items, references));
  if (references.length === 0) return setProperty(text, old?.key ?? key, entries.length > 0 ? [] : "");
  if (entries.length > 0 || !mapped) return setProperty(text, old?.key ?? key, references);
  const listed = setProperty(text, old?.key ?? key, references);
  const written = readFrontmatter(listed).properties.find((property) => property.key === (old?.key ?? key));
  return written ? setItems(listed, references, written, false) : listed;
}

/**
 * Writes the items of a list as mappings.
 * @param keeps known references keep every byte of their items
 */
function setItems(text: string, references: readonly string[], property: Property, keeps: boolean): string {
  const { lines, items } = itemsOf(text, property);
  const stored = referencesIn(property);
  const [first, last] = [items[0], items.at(-1)];
  if (!first || !last || items.length !== stored.length) throw byHand(property);
  const kept = items.filter((_item, at) => keeps && references.includes(stored[at] ?? ""));
  const fresh = references.filter((reference) => !keeps || !stored.includes(reference));
  const ending = lineEnding(text);
  const changed =
    lines.slice(0, first.start).join("") +
    kept.map((item) => item.lines.join("")).join("") +
    fresh.map((reference) => newItem(last.lines, reference, ending)).join("") +
    lines.slice(last.end).join("");
  return checked(changed, references, property.key);
}

const referencesIn = (property: Property): readonly string[] =>
  (fieldNamed("blockedBy").read(property).value as readonly string[] | undefined) ?? [];

interface Item {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Lines include their endings. */
function itemsOf(
  text: string,
  property: Property,
): { readonly lines: readonly string[]; readonly items: readonly Item[] } {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const items: Item[] = [];
  const indent = /^([ \t]*)- /.exec(lines[property.line] ?? "")?.[1];
  if (indent === undefined) return { lines, items };
  let start = property.line;
  const isItem = (line: string): boolean => line.startsWith(`${indent}- `);
  const isInside = (line: string): boolean => line.startsWith(`${indent} `) || line.startsWith(`${indent}\t`);
  while (isItem(lines[start] ?? "")) {
    let end = start + 1;
    while (isInside(lines[end] ?? "")) end++;
    items.push({ start, end, lines: lines.slice(start, end) });
    start = end;
  }
  return { lines, items };
}

function newItem(model: readonly string[], reference: string, ending: string): string {
  const indent = /^[ \t]*/.exec(model[0] ?? "")?.[0] ?? "  ";
  return `${indent}- uid: ${JSON.stringify(reference)}${ending}${indent}  reltype: ${RELATION}${ending}`;
}

/** @throws VaultError unless the text reads back as intended */
function checked(text: string, references: readonly string[], key: string): string {
  const { properties, problem } = readFrontmatter(text);
  const property = properties.find((property) => property.key === key);
  const read = property ? referencesIn(property) : [];
  const isRight = references.every((reference) => read.includes(reference)) && read.length === references.length;
  if (problem || !isRight || splitNote(text).frontmatter === undefined) throw byHand(property);
  return text;
}

function byHand(property: Property | undefined): VaultError {
  return new VaultError("INVALID_ARGUMENT", "blockedBy is written in a way that cannot be changed safely here.", {
    ...(property && { line: property.line, column: 1 }),
    hint: "Change it in Obsidian; nothing was changed.",
  });
}
