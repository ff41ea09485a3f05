/** Spells areas and projects as the vault does: the same name but for case, accents or alias is that name (docs: tasks, "Making"). */
import type { FactReader } from "../../index/facts.js";
import type { ParaListing } from "../../index/para.js";
import { linkTexts } from "../../markdown/links/property-links.js";
import { baseName, isMarkdown, joinPath, type VaultPath } from "../../storage/path.js";
import { fold } from "../../text/fold.js";
import { nearest } from "../../text/nearest.js";
import type { Vault } from "../../vault/vault.js";
import type { Values } from "../fields/fields.js";

/** Values as they are to be written, and in words what was found out about them. */
export interface SpelledValues {
  readonly values: Values;
  readonly adjustments: readonly string[];
}

/** The area and the projects among values in the vault's spelling; a project that the vault does not have is told of. */
export async function spelledAsKnown(
  vault: Vault,
  listParaFolders: () => Promise<ParaListing>,
  values: Values,
): Promise<SpelledValues> {
  if (!values.area && !values.projects?.length) return { values, adjustments: [] };
  const listing = await listParaFolders();
  const adjustments: string[] = [];
  const spelled: Values = { ...values };
  if (values.area) {
    const areas = await KnownNames.in(vault, listing, listing.para.areas);
    spelled.area = await spell("area", values.area, areas, adjustments);
    const near = areas.has(spelled.area) ? undefined : areas.nearest(spelled.area);
    // A new area is as good as any; one that is nearly another may be a slip.
    if (near !== undefined) adjustments.push(unknownName("area", values.area, near));
  }
  if (values.projects?.length) {
    const known = await KnownNames.in(vault, listing, listing.para.projects);
    const projects: string[] = [];
    for (const name of values.projects) {
      const written = await spell("project", name, known, adjustments);
      if (!known.has(written)) adjustments.push(unknownName("project", name, known.nearest(name)));
      projects.push(written);
    }
    spelled.projects = projects;
  }
  return { values: spelled, adjustments };
}

/** The names of the vault's projects, folded. */
export async function projectNames(vault: Vault, listing: ParaListing): Promise<ReadonlySet<string>> {
  return new Set((await KnownNames.in(vault, listing, listing.para.projects)).names.map(fold));
}

async function spell(what: string, name: string, known: KnownNames, adjustments: string[]): Promise<string> {
  if (known.has(name)) return name;
  const only = known.spelledLike(name) ?? (await known.withAlias(name));
  if (only === undefined) return name;
  adjustments.push(`${what} ${JSON.stringify(name)} was written as ${JSON.stringify(only)}, as the vault spells it`);
  return only;
}

function unknownName(what: string, name: string, near: string | undefined): string {
  const hint = near === undefined ? "" : `; the nearest is ${JSON.stringify(near)}`;
  return `no ${what} ${JSON.stringify(name)} exists${hint}`;
}

/** More notes than this are not read for their aliases. */
const MAX_NOTES = 200;

const aliasReader: FactReader<{ readonly path: VaultPath; readonly aliases: readonly string[] }> = {
  name: "aliases",
  version: 1,
  read: ({ path, frontmatter }) => {
    const aliases = frontmatter.properties
      .filter(({ key }) => /^alias(?:es)?$/i.test(key))
      .flatMap(({ value, text }) => linkTexts(value, text));
    return aliases.length === 0 ? undefined : { path, aliases };
  },
};

/** The folders and notes that stand directly in some folders, by name; their notes are read only when a name is none of these. */
class KnownNames {
  readonly #vault: Vault;
  /** The note of each name that has one, or may have: a folder's is in it and called like it. */
  readonly #notes: ReadonlyMap<string, readonly VaultPath[]>;
  #aliases: readonly (readonly [alias: string, name: string])[] | undefined;

  private constructor(vault: Vault, notes: ReadonlyMap<string, readonly VaultPath[]>) {
    this.#vault = vault;
    this.#notes = notes;
  }

  static async in(vault: Vault, { seen }: ParaListing, folders: readonly VaultPath[]): Promise<KnownNames> {
    const notes = new Map<string, readonly VaultPath[]>();
    for (const folder of folders) {
      const entries = seen.get(folder) ?? (await vault.children(folder)) ?? [];
      for (const { kind, path } of entries) {
        const name = baseName(path).replace(/\.md$/i, "");
        if (name.startsWith(".")) continue;
        const note = kind === "folder" ? joinPath(path, `${name}.md`) : path;
        if (kind === "folder" || isMarkdown(path)) notes.set(name, [...(notes.get(name) ?? []), note]);
      }
    }
    return new KnownNames(vault, notes);
  }

  /** The only name that begins so, else the one most like it. */
  nearest(name: string): string | undefined {
    const begins = this.names.filter((one) => fold(one).startsWith(fold(name)));
    return begins.length === 1 ? begins[0] : nearest(name, this.names, 1)[0];
  }

  get names(): readonly string[] {
    return [...this.#notes.keys()];
  }

  has(name: string): boolean {
    return this.#notes.has(name);
  }

  /** The one name that is the same but for case and accents. */
  spelledLike(name: string): string | undefined {
    return onlyOf(this.names.filter((one) => fold(one) === fold(name)));
  }

  /** The one name whose note has this alias, case and accents aside. */
  async withAlias(name: string): Promise<string | undefined> {
    const aliases = (this.#aliases ??= await this.#readAliases());
    return onlyOf([...new Set(aliases.flatMap(([alias, of]) => (fold(alias) === fold(name) ? [of] : [])))]);
  }

  async #readAliases(): Promise<readonly (readonly [string, string])[]> {
    const paths = [...this.#notes.values()].flat().slice(0, MAX_NOTES);
    const facts = await this.#vault.factsIn(paths, aliasReader);
    return facts.flatMap(({ path, aliases }) => {
      const name = baseName(path).replace(/\.md$/i, "");
      return aliases.map((alias) => [alias, name] as const);
    });
  }
}

const onlyOf = (names: readonly string[]): string | undefined => (names.length === 1 ? names[0] : undefined);
