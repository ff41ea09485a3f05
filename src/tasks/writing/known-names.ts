/** Spells areas and projects as the vault does: the same name but for case and accents is that name (spec: tasks-2, section 8). */
import type { ParaLook } from "../../catalog/para.js";
import { baseName, isMarkdown, type VaultPath } from "../../storage/path.js";
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
  lookAround: () => Promise<ParaLook>,
  values: Values,
): Promise<SpelledValues> {
  if (!values.area && !values.projects?.length) return { values, adjustments: [] };
  const look = await lookAround();
  const adjustments: string[] = [];
  const spelled: Values = { ...values };
  if (values.area !== undefined && values.area !== "") {
    const known = await namesIn(vault, look, look.para.areas);
    spelled.area = spell("area", values.area, known, adjustments);
  }
  if (values.projects !== undefined && values.projects.length > 0) {
    const known = await namesIn(vault, look, look.para.projects);
    spelled.projects = values.projects.map((name) => {
      const written = spell("project", name, known, adjustments);
      if (!known.includes(written)) adjustments.push(unknownProject(name, known));
      return written;
    });
  }
  return { values: spelled, adjustments };
}

function spell(what: string, name: string, known: readonly string[], adjustments: string[]): string {
  if (known.includes(name)) return name;
  const same = known.filter((one) => fold(one) === fold(name));
  const [only] = same;
  if (same.length !== 1 || only === undefined) return name;
  adjustments.push(`${what} ${JSON.stringify(name)} was written as ${JSON.stringify(only)}, as the vault spells it`);
  return only;
}

function unknownProject(name: string, known: readonly string[]): string {
  const folded = fold(name);
  const begins = known.filter((one) => fold(one).startsWith(folded));
  const near = begins.length === 1 ? begins[0] : nearest(name, known, 1)[0];
  const hint = near === undefined ? "" : `; the nearest is ${JSON.stringify(near)}`;
  return `no project ${JSON.stringify(name)} exists${hint}`;
}

/** The folders and notes that stand directly in these folders. */
async function namesIn(vault: Vault, { seen }: ParaLook, folders: readonly VaultPath[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const folder of folders) {
    const entries = seen.get(folder) ?? (await vault.children(folder)) ?? [];
    for (const { kind, path } of entries) {
      if (kind === "folder") names.add(baseName(path));
      else if (isMarkdown(path)) names.add(baseName(path).replace(/\.md$/i, ""));
    }
  }
  return [...names];
}
