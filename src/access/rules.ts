/** Which files a server or token may see and change (docs: access). Rules only narrow. */
import ignore, { type Ignore } from "ignore";
import { VaultError } from "../errors.js";
import { readFrontmatter, splitNote, type Property } from "../markdown/frontmatter/frontmatter.js";
import { linkTexts, noteTags } from "../markdown/links/property-links.js";
import { visitNote } from "../markdown/visit-note.js";
import { decodeText } from "../storage/note-text.js";
import { foldName, isMarkdown, isObsidianConfig, type VaultPath } from "../storage/path.js";
import { TRASH } from "../storage/trash.js";

/** Patterns are `.gitignore`'s. */
export interface VaultRules {
  readonly deny?: readonly string[] | undefined;
  /** Hides notes with one of these tags, or one below. */
  readonly denyTags?: readonly string[] | undefined;
  /** `ai=false`, or `draft` with any value. */
  readonly denyProperties?: readonly string[] | undefined;
  /** Hides all other files. */
  readonly only?: readonly string[] | undefined;
  /** Others are read-only. */
  readonly allowWrite?: readonly string[] | undefined;
}

/** Never shown or changed. */
export const RULES_FILE = ".mcpignore" as VaultPath;

/** `1` in `note 1.md`, as the trash numbers files. */
const NUMBER = / \d+(?=\.[^./]+$|$)/;

const MAX_PATHS = 200_000;

/** A file must pass each rule. */
export class RuleSet {
  readonly #paths = new Map<VaultPath, boolean>();
  readonly readsNotes: boolean;
  /** Separates stored state of different views. */
  readonly fingerprint: string;
  /** One a rule set: an exception (`!`) revokes only its own set's denials. */
  readonly #denied: readonly Ignore[];
  readonly #only: readonly Ignore[];
  readonly #writable: readonly Ignore[];
  readonly #tags: readonly string[];
  readonly #properties: readonly { readonly key: string; readonly value: string | undefined }[];

  private constructor(rows: readonly VaultRules[]) {
    const all = (name: "denyTags" | "denyProperties"): readonly string[] => rows.flatMap((row) => row[name] ?? []);
    this.#denied = rows.flatMap(({ deny }) => (deny ? matcher(deny, true) : []));
    this.#only = rows.flatMap(({ only }) => (only ? matcher(only, false) : []));
    this.#writable = rows.flatMap(({ allowWrite }) => (allowWrite ? matcher(allowWrite, false) : []));
    this.#tags = all("denyTags").map((tag) => tag.replace(/^#|\/+$/g, "").toLowerCase());
    this.#properties = all("denyProperties").map(propertyRule);
    this.readsNotes = this.#tags.length + this.#properties.length > 0;
    this.fingerprint = JSON.stringify(rows);
  }

  static readonly NONE = new RuleSet([]);

  static of(rows: readonly (VaultRules | undefined)[]): RuleSet | undefined {
    const given = rows.filter((row) => row !== undefined && Object.values(row).some((value) => value !== undefined));
    return given.length === 0 ? undefined : new RuleSet(given as VaultRules[]);
  }

  allowsPath(path: VaultPath): boolean {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    if (this.#paths.size >= MAX_PATHS) this.#paths.clear();
    const isAllowed = this.#decidesFor(path);
    this.#paths.set(path, isAllowed);
    return isAllowed;
  }

  #decidesFor(path: VaultPath): boolean {
    if (foldName(path) === RULES_FILE) return false;
    if (isObsidianConfig(path)) return true;
    return names(path).every(
      (name) => !this.#denied.some((rules) => rules.ignores(name)) && this.#only.every((rules) => rules.ignores(name)),
    );
  }

  /** Nothing below a hidden folder is visible. */
  allowsFolder(path: VaultPath): boolean {
    return path === "" || !this.#denied.some((rules) => rules.ignores(`${path.normalize("NFC")}/`));
  }

  allowsEmptyFolder(path: VaultPath): boolean {
    return this.allowsFolder(path) && this.#only.every((rules) => rules.ignores(`${path.normalize("NFC")}/`));
  }

  mayWrite(path: VaultPath): boolean {
    return this.allowsPath(path) && names(path).every((name) => this.#writable.every((rules) => rules.ignores(name)));
  }

  allowsContent(path: VaultPath, bytes: Uint8Array): boolean {
    if (!this.readsNotes || !isMarkdown(path)) return true;
    const text = decodeText(bytes);
    if (text === undefined) return false;
    const parts = splitNote(text);
    const { properties, problem, warning } = readFrontmatter(text, parts);
    // Unreadable frontmatter could match any rule.
    if (problem || warning) return false;
    if (properties.some((property) => this.#denies(property))) return false;
    if (this.#tags.length === 0) return true;
    const inline: string[] = [];
    visitNote(text, parts, { tag: (tag) => void inline.push(tag) });
    const tags = noteTags(properties, inline).map((tag) => tag.toLowerCase());
    return !tags.some((tag) => this.#tags.some((denied) => tag === denied || tag.startsWith(`${denied}/`)));
  }

  #denies({ key, value, text }: Property): boolean {
    return this.#properties.some((rule) => {
      if (rule.key !== key.toLowerCase()) return false;
      return rule.value === undefined || linkTexts(value, text).some((one) => one.trim().toLowerCase() === rule.value);
    });
  }
}

export function rulesInFile(bytes: Uint8Array): VaultRules {
  const text = decodeText(bytes);
  if (text === undefined) throw unreadableRules();
  return { deny: [text] };
}

export function unreadableRules(cause?: unknown): VaultError {
  const message = "The vault's access rules (.mcpignore) cannot be read, so nothing of it is shown.";
  return new VaultError("UNAVAILABLE", message, { hint: "Make .mcpignore a readable text file, or remove it.", cause });
}

function propertyRule(rule: string): { readonly key: string; readonly value: string | undefined } {
  const at = rule.indexOf("=");
  const key = (at === -1 ? rule : rule.slice(0, at)).trim().toLowerCase();
  if (key === "") throw new VaultError("INVALID_ARGUMENT", "A property rule has the form name=value.");
  return {
    key,
    value:
      at === -1
        ? undefined
        : rule
            .slice(at + 1)
            .trim()
            .toLowerCase(),
  };
}

/** Denials ignore case: another spelling must not get past them. */
function matcher(patterns: readonly string[], isDenial: boolean): Ignore {
  // A pattern that begins with `./` would match nothing.
  const text = patterns
    .join("\n")
    .replace(/\r\n?/g, "\n")
    .replace(/^(!?)\.\//gm, "$1/");
  return ignore({ ignorecase: isDenial }).add(text.normalize("NFC"));
}

/** Also by the former path of a file in the trash. */
function names(path: VaultPath): readonly string[] {
  const name = path.normalize("NFC");
  if (!name.startsWith(`${TRASH}/`)) return [name];
  const before = name.slice(TRASH.length + 1);
  return before === "" ? [name] : [before, before.replace(NUMBER, "")];
}
