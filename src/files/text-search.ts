/** Searches files by line, as grep does. */
import { VaultError, isVaultError } from "../errors.js";
import { type VaultPath, extensionOf, folderPath, ROOT } from "../storage/path.js";
import { weightOf } from "../text/answer-weight.js";
import { literalPattern } from "../text/fold.js";
import type { AskOptions, Progress } from "../index/refresh.js";
import { decodeText } from "../storage/note-text.js";
import { TimeSlice } from "../async/timers.js";
import type { ReadText, SkippedFile, Vault } from "../vault/vault.js";
import { excerptOf, type MatchingLines } from "./excerpt.js";
import { openPattern, type LinePattern } from "./pattern.js";
import type { FileStat, UnlistedEntry } from "../storage/storage.js";
import { leftOut } from "../obsidian/unlisted.js";
import { pathsNear, noSuchFile } from "./refusals.js";

export interface TextSearch {
  readonly query: string;
  /** Default: the vault. */
  readonly path?: string | undefined;
  /** Only templates and excluded notes. */
  readonly hidden?: boolean | undefined;
  /** On each line. */
  readonly regex?: boolean | undefined;
  readonly context: number;
  /** Weight of all excerpts (text/answer-weight), approximately. */
  readonly most: number;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds of processor time for an expression. */
  readonly deadline?: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly asOf?: number | undefined;
}

interface FoundFile {
  readonly path: VaultPath;
  readonly matches: number;
  readonly shown: number;
  readonly excerpt: string;
}

export interface TextHits {
  /** Sorted. */
  readonly files: readonly FoundFile[];
  readonly matches: number;
  readonly fileCount: number;
  /** The first file not shown. */
  readonly next: VaultPath | undefined;
  readonly skipped: readonly SkippedFile[];
}

/** Of the weight, for one of several files. */
const SHARE = 1 / 4;
/** Without path and lines. */
const HEADING_WEIGHT = 40;
/** Of one file. */
const MAX_LINES = 4_000;
/** Bytes in one message. */
const TEXTS_AT_ONCE = 512 * 1024;

/** @throws INVALID_ARGUMENT (expression, path), FILE_NOT_FOUND, PERMISSION_DENIED, TIMEOUT; the signal's reason */
export async function searchTexts(vault: Vault, search: TextSearch): Promise<TextHits> {
  if (search.regex) {
    const pattern = await openPattern(search.query, search);
    try {
      return await collect(vault, search, linesMatching(pattern));
    } finally {
      await pattern.close();
    }
  }
  if (/[\n\r]/.test(search.query))
    throw new VaultError("INVALID_ARGUMENT", "The query holds a line break; each line is searched by itself.", {
      hint: "Search for a part that is on one line.",
    });
  return collect(vault, search, linesWith(search.query, search.signal), search.query);
}

/** In files that a search leaves out; undefined where it leaves out none. */
export async function hiddenTexts(vault: Vault, wanted: TextSearch): Promise<TextHits | undefined> {
  const search = { ...wanted, asOf: vault.index.latest?.generation };
  const { files } = await searchedFiles(vault, { ...search, hidden: true }, search);
  if (files.length === 0) return undefined;
  const searched = new Set((await searchedFiles(vault, search, search)).files.map(({ path }) => path));
  return files.every(({ path }) => searched.has(path))
    ? undefined
    : await searchTexts(vault, { ...search, hidden: true });
}

/** Of a query without matches. */
export interface OtherReading {
  readonly query: string;
  /** What differs: `accents` are composed or not, `slashes` those of `/…/i`, `signs` those of Markdown and quotes. */
  readonly differs: "accents" | "case" | "expression" | "signs" | "slashes";
  readonly matches: number;
  readonly fileCount: number;
}

/** Of processor time, for a reading as an expression; of all readings, where the storage is slow. */
const MAX_OTHER_MS = 1_500;
const MAX_OTHERS_MS = 10_000;

/** Few texts have these otherwise. */
const EXPRESSION = /[|*+?^$\\]|\[.+\]|\(.+\)/;

/** With accents composed or decomposed; if there are none, also with other case, and as an expression. */
export async function otherReadings(
  vault: Vault,
  search: TextSearch,
  { isFound }: { readonly isFound: boolean },
): Promise<readonly OtherReading[]> {
  const { query, regex = false } = search;
  const counting = { ...search, context: 0, most: 0, asOf: vault.index.latest?.generation };
  const found: OtherReading[] = [];
  const add = (reading: string, differs: OtherReading["differs"], hits: TextHits | undefined): void => {
    if (hits && hits.matches > 0)
      found.push({ query: reading, matches: hits.matches, fileCount: hits.fileCount, differs });
  };
  const late = AbortSignal.timeout(MAX_OTHERS_MS);
  const signal = search.signal ? AbortSignal.any([search.signal, late]) : late;
  const asExpression = async (reading: string): Promise<TextHits | undefined> => {
    const as = { query: reading, regex: true, signal, deadline: MAX_OTHER_MS };
    return await searchTexts(vault, { ...counting, ...as }).catch((error: unknown) => {
      const isRefused = isVaultError(error, "INVALID_ARGUMENT") || isVaultError(error, "TIMEOUT");
      if (isRefused || error === late.reason) return undefined;
      throw error;
    });
  };
  for (const form of otherForms(query)) {
    const expression = decomposedEscaped(regex ? form : literalPattern(form));
    const hits = regex
      ? await asExpression(expression)
      : await collect(vault, counting, linesWith(form, search.signal));
    add(expression, "accents", hits);
  }
  if (isFound) return found;
  if (!regex && query.includes(" ")) {
    const anyBlank = literalPattern(query).replaceAll(" ", "\\p{Zs}");
    add(anyBlank, "accents", await asExpression(anyBlank));
  }
  const [, inner, flags = ""] = /^\/(.+)\/([a-z]*)$/.exec(query) ?? [];
  const between = inner === undefined ? undefined : `${flags.includes("i") ? "(?i)" : ""}${inner}`;
  if (between !== undefined) add(between, "slashes", await asExpression(between));
  const inAnyCase = `(?i)${query}`;
  if (regex) {
    add(inAnyCase, "case", await asExpression(inAnyCase));
    return found;
  }
  const inCase = async (pattern: string) => await collect(vault, counting, linesInAnyCase(pattern, search.signal));
  const literal = literalPattern(query);
  add(`(?i)${literal}`, "case", await inCase(literal));
  const loose = looseExpression(query);
  if (found.length === 0 && loose !== literal) add(`(?i)${loose}`, "signs", await inCase(loose));
  if (!EXPRESSION.test(query)) return found;
  const exact = await asExpression(query);
  add(query, "expression", exact);
  if (!exact?.matches) add(inAnyCase, "expression", await asExpression(inAnyCase));
  return found;
}

/** Each text is matched in one way only, so that no line takes long. */
const BETWEEN_WORDS = "[*_~=`\\]]*\\p{Zs}+(?:[*_~=`\\[]|\\[[^\\[\\]|]*\\|)*";
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/["“”„‟«»]/g, '["“”„‟«»]'],
  [/['‘’‚‛′]/g, "['‘’‚‛′]"],
  [/[-‐‑–—]/g, "[-‐‑–—]"],
  [/(?:\\\.){3}|…/g, "(?:\\.{3}|…)"],
];

/** Words that formatting or links may separate, with any kind of quotes and dashes, in any case. */
function looseExpression(query: string): string {
  const words = query.split(/[*_~=`[\]\s]+/).filter((word) => word !== "");
  const alike = (word: string) =>
    ALIKE.reduce((text, [sign, any]) => text.replace(sign, () => any), literalPattern(word));
  return words.length === 0 ? literalPattern(query) : words.map(alike).join(BETWEEN_WORDS);
}

/** With composed and with decomposed accents, where these differ. */
const otherForms = (query: string): readonly string[] =>
  [query.normalize("NFC"), query.normalize("NFD")].filter((form) => form !== query);

/** Most programs would compose them. */
const decomposedEscaped = (form: string): string =>
  form === form.normalize("NFC")
    ? form
    : form.replace(/\p{M}/gu, (mark) => `\\x{${mark.codePointAt(0)?.toString(16)}}`);

interface Matched {
  readonly file: ReadText;
  readonly found: MatchingLines;
}

type Match = (batch: readonly ReadText[]) => Promise<readonly Matched[]>;

/** @param focus visible in a cut line */
async function collect(vault: Vault, search: TextSearch, match: Match, focus?: string): Promise<TextHits> {
  const { signal, onProgress, context, asOf } = search;
  const progress = { signal, onProgress };
  const searched = await searchedFiles(vault, search, { ...progress, asOf });
  const share = searched.files.length > 1 ? search.most * SHARE : search.most;
  const skipped = [...searched.skipped];
  const onSkipped = (file: SkippedFile): void => void skipped.push(file);
  const files: FoundFile[] = [];
  let [room, matches, fileCount] = [search.most, 0, 0];
  let next: VaultPath | undefined;
  for await (const batch of vault.texts(searched.files, { ...progress, onSkipped }))
    for (const { file, found } of await match(batch)) {
      const { path } = file.stat;
      matches += found.count;
      fileCount++;
      if (room <= 0) next ??= path;
      if (next !== undefined) continue;
      const excerpt = excerptOf(textOf(file), found, { context, most: Math.min(room, share), focus });
      room -= weightOf(path) + weightOf(excerpt.text) + HEADING_WEIGHT;
      files.push({ path, matches: found.count, shown: excerpt.shown, excerpt: excerpt.text });
    }
  return { files, matches, fileCount, next, skipped: skipped.sort(byPath) };
}

function linesWith(query: string, signal: AbortSignal | undefined): Match {
  const bytes = Buffer.from(query, "utf8");
  const slice = new TimeSlice(signal);
  return async (batch) => {
    const matched: Matched[] = [];
    for (const file of batch) {
      if (!file.bytes.includes(bytes)) continue;
      const found = await linesHolding(textOf(file), query, slice);
      if (found.count > 0) matched.push({ file, found });
    }
    return matched;
  };
}

/** Takes no longer than reading the files. */
function linesInAnyCase(expression: string, signal: AbortSignal | undefined): Match {
  const pattern = new RegExp(expression, "iu");
  const slice = new TimeSlice(signal);
  return async (batch) => {
    const matched: Matched[] = [];
    for (const file of batch) {
      if (slice.isOver) await slice.yield();
      const text = textOf(file);
      if (!pattern.test(text)) continue;
      const count = text.split("\n").filter((line) => pattern.test(line)).length;
      matched.push({ file, found: { count, lines: [] } });
    }
    return matched;
  };
}

async function linesHolding(text: string, query: string, slice: TimeSlice): Promise<MatchingLines> {
  const lines: number[] = [];
  let [count, line] = [0, 0];
  let newline = text.indexOf("\n");
  for (let at = text.indexOf(query); at !== -1;) {
    // Only shown lines need numbers.
    for (; lines.length < MAX_LINES && newline !== -1 && newline < at; line++)
      newline = text.indexOf("\n", newline + 1);
    if (lines.length < MAX_LINES) lines.push(line);
    count++;
    const end = text.indexOf("\n", at);
    at = end === -1 ? -1 : text.indexOf(query, end + 1);
    if (count % 1024 === 0 && slice.isOver) await slice.yield();
  }
  return { count, lines };
}

function linesMatching(pattern: LinePattern): Match {
  return async (batch) => {
    const matched: Matched[] = [];
    for (let from = 0; from < batch.length;) {
      const part = batch.slice(from, endOfPart(batch, from));
      const texts = part.map(({ bytes }) => bytes);
      for (const [index, found] of (await pattern.linesIn(texts, MAX_LINES)).entries()) {
        const file = part[index];
        if (file && found.count > 0) matched.push({ file, found });
      }
      from += part.length;
    }
    return matched;
  };
}

function endOfPart(texts: readonly ReadText[], from: number): number {
  let length = 0;
  let to = from;
  do length += texts[to++]?.bytes.length ?? 0;
  while (to < texts.length && length < TEXTS_AT_ONCE);
  return to;
}

function textOf({ bytes }: ReadText): string {
  const text = decodeText(bytes) ?? "";
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function byPath(a: SkippedFile, b: SkippedFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

interface SearchedFiles {
  readonly files: readonly FileStat[];
  /** Could not be listed. */
  readonly skipped: readonly SkippedFile[];
}

/** Extensions of files without searchable text. */
const BINARY = new Set(
  `.png .jpg .jpeg .gif .webp .avif .heic .bmp .ico .tif .tiff .psd .pdf .mp3 .wav .m4a .ogg .oga .opus .flac .aac .3gp .mp4 .m4v .webm
  .ogv .mov .mkv .avi .zip .gz .tgz .bz2 .xz .7z .rar .tar .docx .xlsx .pptx .doc .xls .ppt .odt .ods .odp .epub .mobi .ttf .otf .woff
  .woff2 .exe .dll .so .dylib .wasm .class .jar .bin .dmg .iso .db .sqlite .sqlite3`.split(/\s+/),
);

/** Hidden files (templates, excluded notes) only if there are no others. */
async function searchedFiles(
  vault: Vault,
  { path, hidden = false }: Pick<TextSearch, "path" | "hidden">,
  options: AskOptions,
): Promise<SearchedFiles> {
  const place = folderPath(path ?? "", vault.pathRules);
  const view = await vault.index.refresh({ ...options, rows: [] });
  const skipped = skippedWithin(view.unlisted, place);
  if (hidden) {
    const all = view.files({ hidden: true }).filter((file) => view.isHidden(file.path) && isWithin(file.path, place));
    return { files: all.filter(mayBeText), skipped: [] };
  }
  if (place === ROOT) return { files: view.files().filter(mayBeText), skipped };
  const within = (files: readonly FileStat[]): FileStat[] => files.filter((file) => isWithin(file.path, place));
  const shown = within(view.files());
  const found = shown.length > 0 ? shown : within(view.files({ hidden: true }));
  if (found.length > 0) return { files: found.filter(mayBeText), skipped };
  // The path is a file, an empty folder or nothing.
  const isFolder = (await vault.children(place)) !== undefined;
  return { files: isFolder ? [] : [await statOf(vault, place)], skipped };
}

async function statOf(vault: Vault, place: VaultPath): Promise<FileStat> {
  try {
    return await vault.stat(place);
  } catch (error) {
    throw isVaultError(error, "FILE_NOT_FOUND") ? noSuchFile(place, await pathsNear(place, vault)) : error;
  }
}

function isWithin(path: VaultPath, place: VaultPath): boolean {
  return place === ROOT || (path.startsWith(place) && path.charAt(place.length) === "/");
}

function mayBeText({ path }: FileStat): boolean {
  return path.endsWith(".md") || !BINARY.has(extensionOf(path));
}

function skippedWithin(unlisted: readonly UnlistedEntry[], place: VaultPath): SkippedFile[] {
  return leftOut(unlisted.filter(({ folder }) => folder === place || isWithin(folder, place))).map(
    ({ path, message }) => ({ path, message: `'${path}': ${message}` }),
  );
}
