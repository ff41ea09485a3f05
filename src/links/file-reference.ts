/** Finds the file of a URI (`mcp-obsidian:` or `obsidian:`), path, wikilink or name (docs: notes-and-files, "obsidian_create_note"). */
import { percentDecoded } from "../text/decoded.js";
import { VaultError, type Candidate } from "../errors.js";
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { scanLinks } from "../markdown/visit-note.js";
import { nearest } from "../text/nearest.js";
import { call, said } from "../text/wording.js";
import { fileTitle, isMarkdown, plainSlashes, vaultPath, type PathRules, type VaultPath } from "../storage/path.js";
import { fileAt, filesMeant, type FileNames } from "./resolver.js";
import { beginsWith, isNoteUri, isSameVault, parseNoteUri } from "./uri.js";

const MAX_CANDIDATES = 10;
const MAX_NEAREST = 5;
const SHOWN_LENGTH = 200;

export interface VaultPlace {
  readonly id: string;
  readonly linkName?: string | undefined;
  readonly rules: PathRules;
}

/**
 * Not validated.
 * @throws VaultError INVALID_ARGUMENT for a URI without a file or of another vault, and as `vaultPath`
 */
export function pathText(reference: string, { id, linkName, rules }: VaultPlace): string {
  const text = reference.trim();
  if (isNoteUri(text)) return parseNoteUri(text, id, rules);
  if (beginsWith(text, BEGINNING)) return obsidianTarget(text, linkName === undefined ? [id] : [linkName, id]);
  return linkIn(text)?.note ?? text;
}

/**
 * Accepts backslashes and a leading `./`.
 * @throws VaultError as `vaultPath`: `..`, drives and network paths are refused
 */
export function pathFromRoot(text: string, rules: PathRules): VaultPath {
  return vaultPath(plainSlashes(text).normalize("NFC"), rules);
}

/** As in Markdown links: `Other%20Note.md`. Undefined unless that is a path. */
export function decodedPath(text: string, rules: PathRules): VaultPath | undefined {
  const plain = /%[\da-f]{2}/i.test(text) ? percentDecoded(text) : undefined;
  try {
    return plain === undefined ? undefined : pathFromRoot(plain, rules);
  } catch {
    return undefined;
  }
}

/** "slash" may also be the vault's root. Undefined for a network path. */
export function mayBeAbsolute(text: string): "slash" | "drive" | undefined {
  if (/^[A-Za-z]:[\\/]/.test(text)) return "drive";
  return /^\/(?![\\/])/.test(text) ? "slash" : undefined;
}

/** @throws VaultError INVALID_ARGUMENT for a link to a part of a note, where the change concerns the whole */
export function assertWhole(reference: string): void {
  const { note, part } = linkIn(reference) ?? {};
  if (!note || part === undefined) return;
  const message = `"${harmless(reference)}" names a part of a note; this changes a whole one.`;
  throw new VaultError("INVALID_ARGUMENT", message, { hint: `Give "[[${harmless(note)}]]" for the whole note.` });
}

/** The target, if the text is exactly one link. `part`: `Heading`, `Heading#Heading below` or `^block`. */
export function linkIn(reference: string): { readonly note: string; readonly part?: string } | undefined {
  const text = reference.trim();
  if (!text.endsWith("]]") && !text.endsWith(")")) return undefined;
  const [link] = scanLinks(text, splitNote(text));
  if (link === undefined || link.start !== 0 || link.end !== text.length) return undefined;
  const note = link.target.replace(/^\//, "").normalize("NFC");
  return { note, ...(/[^#\s]/.test(link.subpath) && { part: link.subpath.slice(1) }) };
}

/** In order of preference. */
export function spellings(path: VaultPath): readonly VaultPath[] {
  return isMarkdown(path) ? [path] : [path, `${path}.md` as VaultPath];
}

interface KnownFiles {
  readonly graph: FileNames & {
    isShown(path: VaultPath): boolean;
    shown(): Iterable<VaultPath>;
  };
  /** Templates match by path only. */
  readonly isTemplate: (path: VaultPath) => boolean;
  readonly suggests?: boolean | undefined;
}

/**
 * Prefers a whole path in any case, which alone can name a template; then visible files; then the exact spelling.
 * @throws VaultError AMBIGUOUS_NAME with the candidates, FILE_NOT_FOUND with the nearest names
 */
export function fileNamed(name: VaultPath, files: KnownFiles): VaultPath {
  const { graph, isTemplate } = files;
  const atRoot = fileAt(name, graph);
  if (atRoot !== undefined) return atRoot;
  const found = filesMeant(name, graph).filter((path) => !isTemplate(path));
  const shown = preferred(found, (path) => graph.isShown(path));
  const [path, ...others] = preferred(shown, (file) => spellings(name).some((text) => `/${file}`.endsWith(`/${text}`)));
  if (path === undefined) throw unknownFile(name, files);
  if (others.length > 0) throw ambiguous(`Several files are named "${harmless(name)}"`, [path, ...others]);
  return path;
}

function preferred(paths: readonly VaultPath[], isBetter: (path: VaultPath) => boolean): readonly VaultPath[] {
  const better = paths.filter(isBetter);
  return better.length > 0 ? better : paths;
}

export function ambiguous(what: string, paths: readonly VaultPath[]): VaultError {
  const more = paths.length > MAX_CANDIDATES ? ` (${paths.length} in all)` : "";
  return new VaultError("AMBIGUOUS_NAME", `${what}${more}:`, {
    candidates: paths.slice(0, MAX_CANDIDATES).map(candidate),
    hint: "Give the path of the one you mean.",
  });
}

const SEARCH_FIRST = said`Search for the note with ${call("find_notes")} first.`.or("Search for the note first.");
const WITHOUT_PART = "Name the file alone, without # and what follows.";
const GIVE_ONE = said`Give the path of one of these, or search for the note with ${call("find_notes")}.`.or(
  "Give the path of one of these, or search for the note.",
);

function unknownFile(name: string, files: KnownFiles): VaultError {
  const candidates = files.suggests === false ? [] : closest(name, files).map(candidate);
  return new VaultError("FILE_NOT_FOUND", `There is no file "${harmless(name)}" in this vault.`, {
    candidates,
    hint: name.includes("#") ? WITHOUT_PART : candidates.length > 0 ? GIVE_ONE : SEARCH_FIRST,
  });
}

function closest(name: string, files: KnownFiles): VaultPath[] {
  const byName = new Map<string, VaultPath>();
  for (const path of files.graph.shown()) if (!byName.has(fileTitle(path))) byName.set(fileTitle(path), path);
  return nearest(fileTitle(name.replace(/(?<=.)#.*/s, "") as VaultPath), [...byName.keys()], MAX_NEAREST).flatMap(
    (title) => byName.get(title) ?? [],
  );
}

function candidate(path: VaultPath): Candidate {
  return { id: path, title: fileTitle(path), path };
}

function harmless(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "");
  return plain.length > SHOWN_LENGTH ? `${Array.from(plain).slice(0, SHOWN_LENGTH).join("")}…` : plain;
}

const BEGINNING = "obsidian://";

/**
 * Not validated; an absolute path begins with a slash or drive.
 * @throws VaultError INVALID_ARGUMENT for a URI without a file or of another vault
 */
function obsidianTarget(text: string, vaultNames: readonly string[]): string {
  const { vault, target } = partsOf(text);
  if (target === undefined || target === "") throw opensNothing();
  if (vault !== undefined && !vaultNames.some((name) => isSameVault(name, vault)))
    throw new VaultError("INVALID_ARGUMENT", "The link opens another vault.", {
      hint: "Give the path of the note in this vault.",
    });
  return target;
}

interface LinkParts {
  readonly vault?: string | undefined;
  readonly target?: string | undefined;
}

function partsOf(text: string): LinkParts {
  const rest = text.slice(BEGINNING.length);
  const [, shortVault, shortFile] = /^vault\/([^/?#]+)\/([^?#]+)/i.exec(rest) ?? [];
  if (shortVault !== undefined) return { vault: decoded(shortVault), target: decoded(shortFile ?? "") };
  if (rest.startsWith("/")) return { target: decoded(rest.replace(/[?#].*$/s, "")) };
  const [, query] = /^open\/?\?(.*)$/is.exec(rest) ?? [];
  if (query === undefined) throw opensNothing();
  const given = new Map(
    query
      .replace(/#.*$/s, "")
      .split("&")
      .map((pair) => {
        const [name = "", ...value] = pair.split("=");
        return [name.toLowerCase(), decoded(value.join("="))] as const;
      }),
  );
  const path = given.get("path");
  // An absolute path determines the vault.
  return path === undefined ? { vault: given.get("vault"), target: given.get("file") } : { target: path };
}

function decoded(text: string): string {
  const plain = percentDecoded(text);
  if (plain === undefined) throw opensNothing();
  return plain;
}

function opensNothing(): VaultError {
  return new VaultError("INVALID_ARGUMENT", "The link opens no file of a vault.", {
    hint: "Such links look like obsidian://open?vault=Name&file=folder%2Fnote.",
  });
}
