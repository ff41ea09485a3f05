/** Creates a task note: its id, text, folder, and a file that never replaces another (docs: tasks, "create_task"). */
import type { Clock, LocalDate } from "../../clock.js";
import { isVaultError, VaultError } from "../../errors.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import type { Property } from "../../markdown/frontmatter/property.js";
import { textsOf } from "../fields/property-values.js";
import { type NewValue, type SetOptions, setProperty, writeFrontmatter } from "../../markdown/frontmatter/edit.js";
import { headingWords } from "../../markdown/outline.js";
import { safeFileName } from "../../storage/file-name.js";
import { baseName, foldName, joinPath, stemOf, vaultPath, type VaultPath } from "../../storage/path.js";
import { newParaFolder, type ParaFolders, type ParaListing } from "../../obsidian/para.js";
import type { VaultSettings } from "../../obsidian/settings.js";
import type { Vault, WriteOptions, WriteOutcome } from "../../vault/vault.js";
import { type Dialect, keyFor } from "../fields/dialect.js";
import { type Customs, hasMarkerProperty, propertyType } from "./customs.js";
import { setReferences } from "./note-blockers.js";
import { factsOf, type TaskFacts } from "./facts.js";
import { ruleEdit } from "./note-series.js";
import { FIELD_NAMES, FIELDS, fieldNamed, isNothing, type Values } from "../fields/fields.js";
import type { CleanDraft } from "../writing/arguments.js";

const SLUG_LENGTH = 60;
const MARKER_TAG = "task";

/** `task-<slug>-<suffix>`; the slug has letters and digits of all scripts and may be missing. */
export function taskId(title: string, suffix: string): string {
  const words = title
    .normalize("NFC")
    .toLowerCase()
    .replace(/\ufe0f/g, "");
  // The pattern for all scripts compiles slowly.
  const isPlain = /^[\x20-\x7e]*$/.test(words);
  const parts = words.match(isPlain ? /[a-z0-9]+/g : /(?:\p{L}\p{M}*|\p{N})+/gu) ?? [];
  const slug = Array.from(parts.join("-")).slice(0, SLUG_LENGTH).join("").replace(/-+$/, "");
  return slug === "" ? `task-${suffix}` : `task-${slug}-${suffix}`;
}

export interface NewNoteContext {
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly customs: Customs;
  readonly settings: Pick<VaultSettings, "taskNotes" | "propertyTypes">;
  readonly template?: string | undefined;
}

export function newTaskNote(
  draft: CleanDraft,
  id: string,
  { clock, dialect, customs, settings, template }: NewNoteContext,
): string {
  const today = clock.today();
  const { enabled } = settings.taskNotes;
  const marker = customs.tag ?? ((enabled || dialect.marker === "tag") && !customs.property ? MARKER_TAG : undefined);
  // Other programs may know the vault's tasks by their type.
  const isMixed = enabled && dialect.marker === "type" && dialect.tasks > 0 && dialect.types.words.length > 0;
  const tags = marker === undefined ? draft.values.tags : [marker, ...(draft.values.tags ?? [])];
  const values: Values = {
    ...draft.values,
    ...ruleOf(draft.values, dialect),
    id,
    ...(((marker === undefined && !customs.property) || (marker !== undefined && isMixed)) && { type: "task" }),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
    ...(!draft.keepsDays && { created: draft.values.created ?? today }),
    ...(!draft.keepsDays &&
      draft.values.status === "Done" &&
      dialect.keys.completed !== undefined && { completed: today }),
  };
  const own = template === undefined ? [] : readFrontmatter(template).properties;
  const present = customs.spelling.fieldProperties(own);
  const inList = (key: string, value: NewValue): NewValue =>
    typeof value === "string" && isListType(key, settings) ? [value] : value;
  const properties: [string, NewValue, SetOptions?][] = [];
  if (customs.property && !hasMarkerProperty(own, customs)) properties.push(markerOf(customs.property, own, inList));
  let references: { readonly key: string; readonly value: readonly string[] } | undefined;
  for (const name of FIELD_NAMES) {
    const value = values[name];
    if (value === undefined || isNothing(value)) continue;
    const field = fieldNamed(name);
    const old = present.get(name);
    const says = old !== undefined && field.read(old).value !== undefined;
    // The template overrides defaults.
    if (says && name !== "id" && name !== "tags" && draft.given?.has(name) !== true) continue;
    const key = old?.key ?? keyFor(name, field.key, dialect);
    if (properties.some(([taken]) => taken === key)) continue;
    if (name === "blockedBy") {
      references = { key, value: value as readonly string[] };
      continue;
    }
    const wanted =
      name === "tags" && says
        ? [...new Set([...((old && FIELDS.tags.read(old).value) || []), ...(value as readonly string[])])]
        : value;
    const written = field.write(wanted, { old, field: name, dialect, clock });
    const listed = inList(key, written.value);
    properties.push(written.options ? [key, listed, written.options] : [key, listed]);
  }
  // A template's lists stay in the template.
  const withProperties = (text: string): string =>
    properties.reduce((now, [key, value, options]) => setProperty(now, key, value, { ...options, whole: true }), text);
  const text = template === undefined ? plainNote(draft, properties) : withProperties(template);
  if (!references) return text;
  const mapped = dialect.mapped.includes("blockedBy");
  return setReferences(text, references.value, { old: undefined, key: references.key, mapped });
}

const LIST_TYPES: ReadonlySet<string | undefined> = new Set(["multitext", "tags", "aliases"]);

export const isListType = (key: string, { propertyTypes }: Pick<VaultSettings, "propertyTypes">): boolean =>
  LIST_TYPES.has(propertyType(key, propertyTypes));

/** A list of the template gets one item more. */
function markerOf(
  { name, value }: { readonly name: string; readonly value: string },
  template: readonly Property[],
  inList: (key: string, value: NewValue) => NewValue,
): [string, NewValue, SetOptions] {
  const old = template.find(({ key }) => key.toLowerCase() === name.toLowerCase());
  const word = value || "true";
  if (old !== undefined && Array.isArray(old.value)) return [old.key, [...textsOf(old), word], {}];
  return [old?.key ?? name, inList(name, word), { plain: true }];
}

function plainNote(draft: CleanDraft, properties: readonly [string, NewValue, SetOptions?][]): string {
  const description = draft.description.replace(/\r\n?/g, "\n").replace(/^(?:[ \t]*\n)+|\s+$/g, "");
  return `${writeFrontmatter(properties)}# ${headingWords(draft.title)}\n${description === "" ? "" : `\n${description}\n`}`;
}

function ruleOf({ recurrence, scheduled, due }: Values, { rules }: Dialect): Values {
  if (recurrence === undefined || recurrence === "") return {};
  const start = [scheduled, due].find((day) => day !== undefined && day !== "") as LocalDate | undefined;
  const edit = ruleEdit(recurrence, rules, start);
  return { recurrence: edit.recurrence, ...(edit.anchor === "completion" && { recurrenceAnchor: edit.anchor }) };
}

export function readBack(text: string, customs: Customs): TaskFacts {
  const facts = factsOf(text, customs);
  if (facts !== undefined) return facts;
  const reason = readFrontmatter(text).problem?.message ?? "They make no task.";
  throw new VaultError("INVALID_ARGUMENT", `These values could not be read back: ${reason}`, {
    hint: "Give fewer or shorter tags and projects. Nothing was written.",
  });
}

const FALLBACK_NAME = "Untitled task";
/** `safeFileName` reserves three digits. */
const MAX_COPIES = 999;

export function projectsFolder(para: ParaFolders): VaultPath {
  return para.projects[0] ?? newParaFolder("projects", para);
}

export async function taskFolder(vault: Vault, listing: ParaListing, projects: readonly string[]): Promise<VaultPath> {
  const { para, seen } = listing;
  const [project] = projects;
  if (project !== undefined && projects.length === 1) {
    const wanted = foldName(project);
    for (const folder of para.projects) {
      const entries = seen.get(folder) ?? (await vault.children(folder)) ?? [];
      const own = entries.find((entry) => entry.kind === "folder" && foldName(entry.name) === wanted);
      if (own) return own.path;
    }
  }
  return projectsFolder(para);
}

/** The files of the vault by their names, as links compare them (`stemOf`). */
export type FilesByName = Map<string, VaultPath>;

/** Adds ` 2`, ` 3` and so on to a name that any file of the vault has: links to that file would lead to the task. */
export async function createTaskFile(
  vault: Vault,
  folder: VaultPath,
  title: string,
  text: string,
  names: FilesByName,
  options: WriteOptions = {},
): Promise<WriteOutcome> {
  const name = safeFileName(title) || FALLBACK_NAME;
  for (let copy = 1; copy <= MAX_COPIES; copy++) {
    const path = vaultPath(joinPath(folder, `${copy === 1 ? name : `${name} ${copy}`}.md`));
    const stem = stemOf(baseName(path));
    if (names.has(stem)) continue;
    try {
      const made = await vault.writing.create(path, text, "create task", options);
      names.set(stem, path);
      return made;
    } catch (error) {
      // If a file replaces the folder, no name works.
      const nameIsTaken = isVaultError(error, "ALREADY_EXISTS") && (await vault.children(folder)) !== undefined;
      if (!nameIsTaken) throw error;
    }
  }
  throw new VaultError("ALREADY_EXISTS", `There are too many notes named "${name}".`, {
    hint: "Choose another title.",
  });
}
