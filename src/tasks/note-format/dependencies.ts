/**
 * Writes the blockers of a task: only changed entries, in the note's own form (docs: tasks, "Dependencies and
 * subtasks").
 */
import { VaultError } from "../../errors.js";
import { splitNote, readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import { setProperty } from "../../markdown/frontmatter/edit.js";
import { lineEnding } from "../../markdown/line-edit.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { fieldNamed } from "../fields/fields.js";

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
  if (old !== undefined && isMapped) return checked(setMapped(text, references, old), references, old.key);
  if (references.length === 0)
    return setProperty(text, old?.key ?? key, old !== undefined && entries.length > 0 ? [] : "");
  if (entries.length > 0 || !mapped) return setProperty(text, old?.key ?? key, references);
  const listed = setProperty(text, old?.key ?? key, references);
  const written = readFrontmatter(listed).properties.find((property) => property.key === (old?.key ?? key));
  return written ? checked(asMappings(listed, written), references, written.key) : listed;
}

/** Other items keep every byte. */
function setMapped(text: string, references: readonly string[], property: Property): string {
  const { lines, items } = itemsOf(text, property);
  const stored = fieldNamed("blockedBy").read(property).value as readonly string[];
  if (items.length === 0 || items.length !== stored.length) throw byHand(property);
  const kept = items.filter((_item, at) => references.includes(stored[at] ?? ""));
  const fresh = references.filter((reference) => !stored.includes(reference));
  const model = items.at(-1)?.lines ?? [];
  const [first] = items;
  const last = items.at(-1);
  if (!first || !last) throw byHand(property);
  const ending = lineEnding(text);
  const added = fresh.map((reference) => newItem(model, reference, ending));
  const block = [...kept.map((item) => item.lines.join("")), ...added].join("");
  const before = lines.slice(0, first.start).join("");
  return before + block + lines.slice(last.end).join("");
}

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
  const relation = /reltype:[ \t]*(\S+)/.exec(model.join(""))?.[1] ?? RELATION;
  return `${indent}- uid: ${JSON.stringify(reference)}${ending}${indent}  reltype: ${relation}${ending}`;
}

function asMappings(text: string, property: Property): string {
  const { lines, items } = itemsOf(text, property);
  const [first] = items;
  const last = items.at(-1);
  if (!first || !last) throw byHand(property);
  const ending = lineEnding(text);
  const values = fieldNamed("blockedBy").read(property).value as readonly string[];
  const block = values.map((reference) => newItem(first.lines, reference, ending)).join("");
  return lines.slice(0, first.start).join("") + block + lines.slice(last.end).join("");
}

/** @throws VaultError unless the text reads back as intended */
function checked(text: string, references: readonly string[], key: string): string {
  const { properties, problem } = readFrontmatter(text);
  const property = properties.find((property) => property.key === key);
  const read = property ? (fieldNamed("blockedBy").read(property).value as readonly string[] | undefined) : undefined;
  const isRight =
    references.every((reference) => read?.includes(reference)) && (read?.length ?? 0) === references.length;
  if (problem || !isRight || splitNote(text).frontmatter === undefined) throw byHand(property);
  return text;
}

function byHand(property: Property | undefined): VaultError {
  return new VaultError("INVALID_ARGUMENT", "blockedBy is written in a way that cannot be changed safely here.", {
    ...(property && { line: property.line, column: 1 }),
    hint: "Change it in Obsidian; nothing was changed.",
  });
}
