/** Blockers named by a plain name or path, which are no links: a move of their note changes them as it does links. */
import { quotePiece, readCells } from "../../markdown/frontmatter/cells.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { applySplices, type Splice } from "../../markdown/line-edit.js";
import { fileTitle, foldName, type VaultPath } from "../../storage/path.js";
import { relationsOf } from "../dependencies.js";
import { fieldNamed } from "../fields/fields.js";
import { isLink } from "../fields/property-values.js";
import type { TaskRows } from "../rows/task-rows.js";
import { customsOf } from "./customs.js";

interface PlainNames {
  /** Notes with such a name. */
  readonly named: readonly VaultPath[];
  rename(text: string): string;
}

/** @param moves old paths to new ones */
export function plainBlockers(rows: TaskRows, moves: ReadonlyMap<VaultPath, VaultPath>): PlainNames {
  const relations = relationsOf(rows);
  const byName = new Map<string, readonly [VaultPath, VaultPath]>();
  for (const move of moves) for (const name of namesOf(move[0])) byName.set(foldName(name), move);
  const renamed = new Map<string, string>();
  const named = new Set<VaultPath>();
  for (const task of rows.list([{ sql: "task.waits = 1 AND task.line = 0", values: [] }]))
    for (const reference of task.blockedBy.filter(isPlain)) {
      const move = byName.get(foldName(withoutEnding(reference)));
      const now = move && newName(reference, move[1]);
      if (move === undefined || now === undefined || now === reference) continue;
      const [found] = relations.resolve(task, reference);
      const isId = found !== undefined && found.id === reference && found.id !== found.path;
      // An interrupted move left the file at its new place.
      if (isId || (found !== undefined && !move.includes(found.path))) continue;
      renamed.set(reference, now);
      named.add(task.path);
    }
  const { spelling } = customsOf(rows.settings);
  const placeIn = (text: string): Property | undefined =>
    spelling.fieldProperties(readFrontmatter(text).properties).get("blockedBy");
  return { named: [...named], rename: (text) => renamedIn(text, placeIn, renamed) };
}

const withoutEnding = (name: string): string => name.trim().replace(/^\//, "").replace(/\.md$/i, "");
const namesOf = (path: VaultPath): readonly string[] => [withoutEnding(path), fileTitle(path)];

function newName(reference: string, to: VaultPath): string {
  const name = reference.includes("/") ? withoutEnding(to) : fileTitle(to);
  return /\.md$/i.test(reference) ? `${name}.md` : name;
}

const isPlain = (reference: string): boolean => !isLink(reference) && !/\]\($|^\[.*\]\(.*\)$/.test(reference);
const FIELD = fieldNamed("blockedBy");
const referencesIn = (property: Property | undefined): readonly string[] =>
  property === undefined ? [] : ((FIELD.read(property).value as readonly string[] | undefined) ?? []);

/** The text itself when a name cannot be changed alone. */
function renamedIn(
  text: string,
  placeIn: (text: string) => Property | undefined,
  renamed: ReadonlyMap<string, string>,
): string {
  const property = placeIn(text);
  const before = referencesIn(property);
  if (property === undefined || !before.some((name) => renamed.has(name))) return text;
  const start = lineStart(text, property.line);
  const next = readFrontmatter(text).properties.find(({ line }) => line > property.line);
  const end = next === undefined ? text.length : lineStart(text, next.line);
  const splices = readCells(text).cells.flatMap((cell): Splice[] => {
    const name = renamed.get(cell.text.trim());
    const isKey = /^["']?[ \t]*:/.test(text.slice(cell.end));
    if (name === undefined || isKey || cell.start < start || cell.end > end) return [];
    if (cell.style === "plain" && !PLAIN_SCALAR.test(name))
      return [{ start: cell.start, end: cell.end, text: JSON.stringify(name) }];
    const quoted = quotePiece(name, cell.style);
    return quoted === undefined ? [] : [{ start: cell.start, end: cell.end, text: quoted }];
  });
  const result = applySplices(text, splices);
  const after = referencesIn(placeIn(result));
  const isRight = before.every((name, at) => after[at] === (renamed.get(name) ?? name));
  return isRight && after.length === before.length ? result : text;
}

/** Read back as a text without quotes. */
const PLAIN_SCALAR = /^(?!(?:true|false|null|yes|no|on|off)$)\p{L}[\p{L}\p{N} _./-]*(?<![ .])$/iu;

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count++) at = text.indexOf("\n", at) + 1;
  return at;
}
