/** The fact reader for note searches. */
import { mediaTypeOf } from "../links/media-type.js";
import type { Property } from "../markdown/frontmatter/frontmatter.js";
import { linkTexts, noteTags } from "../markdown/links/property-links.js";
import { visitNote } from "../markdown/visit-note.js";
import { baseName, type VaultPath } from "../storage/path.js";
import type { FactReader, NoteSource } from "../index/facts.js";

/** A line per fact, which begins with its kind (`KIND`). Smaller than objects. */
export type NoteFacts = string;

const KIND = { title: "T", alias: "A", tag: "#", heading: "H", property: "P", attachments: "@" } as const;
export type Kind = keyof typeof KIND;

const KINDS = new Map(Object.entries(KIND).map(([kind, mark]) => [mark as string, kind as Kind]));

/** Maximum UTF-16 units of a fact, and of all facts of a kind. */
const MAX_LENGTH = 200;
const MAX_PROPERTY_LENGTH = 500;
const MAX_OF_A_KIND = 8_000;

const UNKNOWN = "application/octet-stream";

/** Stored under their own kinds. */
const NAMED = /^(?:title|alias|aliases|tag|tags)$/i;

export const noteReader: FactReader<NoteFacts> = {
  name: "notes",
  // Increase it when facts change in form or meaning.
  version: 3,
  whole: true,
  read: readNote,
  searched: (path, facts) => Object.values(searchedTexts(path, facts)).join("\n"),
};

/** What a search covers besides the body. */
export interface SearchedTexts {
  readonly title: string;
  readonly fileName: string;
  readonly aliases: string;
  readonly tags: string;
  readonly headings: string;
  readonly properties: string;
}

export function searchedTexts(path: VaultPath, facts: NoteFacts): SearchedTexts {
  const { title, alias, tag, heading, property } = factsByKind(facts);
  return {
    title: title.join(" "),
    fileName: nameOf(path),
    aliases: alias.join(" "),
    tags: tag.join(" "),
    headings: heading.join(" "),
    properties: property.map((line) => line.slice(line.indexOf("=") + 1)).join(" "),
  };
}

function readNote(note: NoteSource): NoteFacts {
  const { properties } = note.frontmatter;
  const aliases = propertiesNamed(properties, /^alias(?:es)?$/i).flatMap(({ value, text }) => linkTexts(value, text));
  const body = bodyFacts(note);
  return [
    ...lines(
      "title",
      propertiesNamed(properties, /^title$/i)
        .flatMap(({ value, text }) => linkTexts(value, text))
        .slice(0, 1),
    ),
    ...lines("alias", aliases),
    ...lines("tag", noteTags(properties, body.tags)),
    ...lines("heading", body.headings),
    ...lines("property", properties.flatMap(propertyLines), MAX_PROPERTY_LENGTH),
    ...(body.hasAttachments ? [KIND.attachments] : []),
  ].join("\n");
}

interface BodyFacts {
  readonly headings: readonly string[];
  readonly tags: readonly string[];
  /** By links and embeds; the file need not exist. */
  readonly hasAttachments: boolean;
}

function bodyFacts({ text, parts }: NoteSource): BodyFacts {
  const headings: string[] = [];
  const tags: string[] = [];
  let hasAttachments = false;
  visitNote(text, parts, {
    heading: (heading) => void headings.push(heading.text),
    tag: (tag) => void tags.push(tag),
    link: ({ target }) => (hasAttachments ||= isAttachment(target)),
  });
  return { headings, tags, hasAttachments };
}

function propertiesNamed(properties: readonly Property[], name: RegExp): Property[] {
  return properties.filter(({ key }) => name.test(key));
}

/** One line for each item of a list; `key=` without a value. */
function propertyLines({ key, value, text }: Property): string[] {
  if (NAMED.test(key)) return [];
  const texts = linkTexts(value, text);
  const name = key.replaceAll("=", " ");
  return texts.length === 0 ? [`${name}=`] : texts.map((item) => `${name}=${item}`);
}

function lines(kind: Kind, things: readonly string[], longest = MAX_LENGTH): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const thing of things) {
    const line = thing.slice(0, longest).replace(/\s+/gu, " ").trim();
    length += line.length;
    if (length > MAX_OF_A_KIND) break;
    if (line !== "") kept.push(`${KIND[kind]}${line}`);
  }
  return kept;
}

function isAttachment(target: string): boolean {
  const type = mediaTypeOf(target.trimEnd() as VaultPath);
  return type !== "text/markdown" && type !== UNKNOWN;
}

function factsByKind(facts: NoteFacts): Readonly<Record<Kind, readonly string[]>> {
  const found: Record<Kind, string[]> = { title: [], alias: [], tag: [], heading: [], property: [], attachments: [] };
  for (const line of facts.split("\n")) {
    const kind = KINDS.get(line.charAt(0));
    if (kind) found[kind].push(line.slice(1));
  }
  return found;
}

export function factsOfKind(facts: NoteFacts, kind: Kind): string[] {
  const mark = KIND[kind];
  const found: string[] = [];
  for (const line of facts.split("\n")) if (line.startsWith(mark)) found.push(line.slice(mark.length));
  return found;
}

/** Without `#`, each once (case ignored). */
export function tagsIn(facts: NoteFacts): string[] {
  return factsOfKind(facts, "tag");
}

/** The note's `title`, else its file name without `.md`. */
export function titleOf(path: VaultPath, facts: NoteFacts): string {
  return factsOfKind(facts, "title")[0] ?? nameOf(path);
}

export function nameOf(path: VaultPath): string {
  return baseName(path).replace(/\.md$/i, "");
}

export function hasAttachments(facts: NoteFacts): boolean {
  return facts === KIND.attachments || facts.endsWith(`\n${KIND.attachments}`);
}
