/** Access rules: which files of a vault a server or a token may see and change (docs: access, "What is promised"). Rules only narrow. */
import ignore, { type Ignore } from "ignore";
import { VaultError } from "../errors.js";
import { readFrontmatter, splitNote, type Property } from "../markdown/frontmatter/frontmatter.js";
import { linkTexts } from "../markdown/links/property-links.js";
import { noteTags } from "../markdown/tags.js";
import { visitNote } from "../markdown/visit-note.js";
import { decodeText } from "../storage/note-text.js";
import { foldName, isMarkdown, isObsidianConfig, type VaultPath } from "../storage/path.js";
import { TRASH } from "../storage/trash.js";

/** One set of rules, as an option table, a token or `.mcpignore` gives it. Patterns are those of `.gitignore`. */
export interface VaultRules {
  /** Files that are hidden. */
  readonly deny?: readonly string[] | undefined;
  /** Notes with one of these tags, or one below it, are hidden. */
  readonly denyTags?: readonly string[] | undefined;
  /** Notes with one of these properties are hidden: `ai=false`, or `draft` for any value. */
  readonly denyProperties?: readonly string[] | undefined;
  /** Nothing else is visible. */
  readonly only?: readonly string[] | undefined;
  /** Nothing else may be changed. */
  readonly allowWrite?: readonly string[] | undefined;
}

/** The vault's own rules, in its root; itself never shown or changed. */
export const RULES_FILE = ".mcpignore" as VaultPath;

/** `1` in `note 1.md`: a deleted file may have been numbered in the trash. */
const NUMBER = / \d+(?=\.[^./]+$|$)/;

/** All rules that hold for one caller: each of them must let a file pass. */
export class RuleSet {
  /** Whether a note's text decides, too. */
  readonly readsNotes: boolean;
  /** The same for equal rules, so that what is stored of one view is not taken for another's. */
  readonly fingerprint: string;
  /** A row each: an exception in one takes nothing back that another denies. */
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
  /** Undefined when there are no rules, so that they cost nothing. */
  static of(rows: readonly (VaultRules | undefined)[]): RuleSet | undefined {
    const given = rows.filter((row) => row !== undefined && Object.values(row).some((value) => value !== undefined));
    return given.length === 0 ? undefined : new RuleSet(given as VaultRules[]);
  }

  /** Whether a file may be seen as far as its path decides. */
  allowsPath(path: VaultPath): boolean {
    if (foldName(path) === RULES_FILE) return false;
    if (isObsidianConfig(path)) return true;
    return names(path).every(
      (name) => !this.#denied.some((rules) => rules.ignores(name)) && this.#only.every((rules) => rules.ignores(name)),
    );
  }

  /** Whether a folder may be seen as far as its path decides; below one that may not, nothing may. */
  allowsFolder(path: VaultPath): boolean {
    return path === "" || !this.#denied.some((rules) => rules.ignores(`${path.normalize("NFC")}/`));
  }

  /** Whether an empty folder may be seen. */
  allowsEmptyFolder(path: VaultPath): boolean {
    return this.allowsFolder(path) && this.#only.every((rules) => rules.ignores(`${path.normalize("NFC")}/`));
  }

  mayWrite(path: VaultPath): boolean {
    return this.allowsPath(path) && names(path).every((name) => this.#writable.every((rules) => rules.ignores(name)));
  }

  /** Whether a file whose path may be seen may be seen with this content. */
  allowsContent(path: VaultPath, bytes: Uint8Array): boolean {
    if (!this.readsNotes || !isMarkdown(path)) return true;
    const text = decodeText(bytes);
    if (text === undefined) return false;
    const parts = splitNote(text);
    const { properties, problem, warning } = readFrontmatter(text, parts);
    // What cannot be read may say anything.
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

/** The rules in the text of `.mcpignore`. */
export function rulesInFile(bytes: Uint8Array): VaultRules {
  const text = decodeText(bytes);
  if (text === undefined) throw unreadableRules();
  return { deny: [text] };
}

/** Without its rules nothing of a vault may be shown. */
export function unreadableRules(cause?: unknown): VaultError {
  return new VaultError(
    "UNAVAILABLE",
    "The vault's access rules (.mcpignore) cannot be read, so nothing of it is shown.",
    {
      hint: "Make .mcpignore a readable text file, or remove it.",
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** @throws VaultError INVALID_ARGUMENT for a property rule without a name */
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

/** @param isDenial then case is ignored, so that no other spelling gets past it; what allows takes names as they are */
function matcher(patterns: readonly string[], isDenial: boolean): Ignore {
  return ignore({ ignorecase: isDenial }).add(patterns.join("\n").normalize("NFC"));
}

/** What a path is matched as: a file in the trash as what it was, too. */
function names(path: VaultPath): readonly string[] {
  const name = path.normalize("NFC");
  if (!name.startsWith(`${TRASH}/`)) return [name];
  const before = name.slice(TRASH.length + 1);
  return before === "" ? [name] : [before, before.replace(NUMBER, "")];
}
