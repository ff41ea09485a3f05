/** Reads facts of task notes, and computes the vault's dialect from them (docs: tasks, "create_task"). */
import { KEY_ROWS, TASK_TYPES } from "../fields/languages.js";
import type { FactDigest, FactReader, NoteSource } from "../../index/facts.js";
import type { ParaListing } from "../../obsidian/para.js";
import { isMarkdown, ROOT, type VaultPath } from "../../storage/path.js";
import type { FolderEntry } from "../../storage/storage.js";
import type { Vault } from "../../vault/vault.js";
import {
  DATE_STYLES,
  type Dialect,
  ESTIMATE_STYLES,
  GREENFIELD,
  LIST_STYLES,
  RULE_STYLES,
  separatorOf,
} from "../fields/dialect.js";
import { FIELD_NAMES, type FieldName, fieldNamed } from "../fields/fields.js";
import { isTaskStatus, priorityOf, statusOf, PRIORITIES, STATUSES } from "../fields/vocabulary.js";
import { hashText } from "../../text/hash.js";
import { type Customs, inOwnKeys, NO_CUSTOMS } from "./customs.js";
import { isTaskType, readFacts, type TaskFacts, bodyFacts, type BodyFacts, factsFrom } from "./facts.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";

/** Increase when facts or the dialect change. */
const FORM = 9;

function versionOf(fields: readonly FieldName[]): number {
  const rows = fields.map((name) => [name, ...fieldNamed(name).spellings].join(" "));
  return Number.parseInt(hashText([FORM, ...rows, ...Object.values(KEY_ROWS), TASK_TYPES].join("\n")).slice(0, 12), 16);
}

export const taskReader: FactReader<TaskFacts> = {
  name: "tasks",
  version: versionOf(FIELD_NAMES),
  read: (note) => readFacts(note),
  digest: () => new DialectCount(),
};

const MAX_WORDS = 5;
const MAX_NAMES = 300;

export function countDialect(facts: Iterable<TaskFacts>, customs: Customs = NO_CUSTOMS): Dialect {
  const count = new DialectCount(customs);
  for (const fact of facts) count.add(fact);
  return count.result();
}

class DialectCount implements FactDigest<TaskFacts> {
  readonly #customs: Customs;
  #tasks = 0;
  // Most tasks have the same keys: each list is split once.
  readonly #keyLists = tally();
  readonly #habitLists = tally();
  readonly #statuses = tally();
  readonly #priorities = tally();
  readonly #types = tally();
  readonly #rules = tally();
  readonly #areas = tally();
  readonly #projects = tally();

  constructor(customs: Customs = NO_CUSTOMS) {
    this.#customs = customs;
  }

  add({ keys, habits, values, rule }: TaskFacts): void {
    // Statuses of notes that may be no tasks do not count.
    if (rule === "status-in-para" && !isTaskStatus(values.status ?? "")) return;
    this.#tasks++;
    this.#keyLists.add(keys);
    this.#habitLists.add(habits);
    this.#statuses.add(values.status);
    this.#priorities.add(values.priority);
    this.#types.add(values.type);
    this.#rules.add(rule);
    this.#areas.add(values.area);
    for (const project of values.projects ?? []) this.#projects.add(project);
  }

  result(): Dialect {
    if (this.#tasks === 0) return GREENFIELD;
    const [keys, habits] = [tally(), tally()];
    for (const [list, uses] of this.#keyLists.counts) for (const key of list.split("\n")) keys.add(key, uses);
    for (const [list, uses] of this.#habitLists.counts)
      for (const habit of list.split("\n")) {
        habits.add(habit, uses);
        habits.add(habit.slice(habit.indexOf(":") + 1), uses);
      }
    return {
      tasks: this.#tasks,
      keys: commonKeys(keys, this.#customs),
      statusWords: wordsByMeaning(STATUSES, statusOf, this.#statuses),
      priorityWords: wordsByMeaning(PRIORITIES, priorityOf, this.#priorities),
      separator: separatorOf(this.#statuses.counts),
      typeWord: this.#types.ranked().find((word) => word.toLowerCase() === "task") ?? GREENFIELD.typeWord,
      types: {
        keys: keys.ranked().filter((key) => this.#customs.spelling.fieldsSpelled(key)[0]?.name === "type"),
        words: this.#types.ranked().filter(isTaskType),
      },
      marker: this.#rules.of("task-tag") > this.#rules.of("type-key") ? "tag" : "type",
      lists: habits.most(LIST_STYLES) ?? GREENFIELD.lists,
      dates: habits.most(DATE_STYLES) ?? GREENFIELD.dates,
      fieldLists: byField(habits, LIST_STYLES),
      fieldDates: byField(habits, DATE_STYLES),
      linked: FIELD_NAMES.filter((name) => habits.of(`${name}:linked`) > habits.of(`${name}:named`)),
      mapped: FIELD_NAMES.filter((name) => habits.of(`${name}:mapped`) > habits.of(`${name}:linked`)),
      rules: habits.most(RULE_STYLES) ?? GREENFIELD.rules,
      estimates: habits.most(ESTIMATE_STYLES) ?? GREENFIELD.estimates,
      areas: this.#areas.ranked().slice(0, MAX_NAMES),
      projects: this.#projects.ranked().slice(0, MAX_NAMES),
    };
  }
}

function commonKeys(keys: Tally, { spelling }: Customs): Dialect["keys"] {
  const common: Record<string, string> = {};
  for (const line of keys.ranked()) {
    const [key = "", field = spelling.fieldsSpelled(key)[0]?.name] = line.split("\t");
    if (field !== undefined) common[field] ??= key;
  }
  return common;
}

function byField<Style extends string>(habits: Tally, styles: readonly Style[]): Record<string, Style> {
  const found: Record<string, Style> = {};
  for (const name of FIELD_NAMES) {
    const most = habits.most(styles.map((style) => `${name}:${style}` as const));
    const style = styles.find((style) => `${name}:${style}` === most);
    if (style !== undefined) found[name] = style;
  }
  return found;
}

function wordsByMeaning<Meaning extends string>(
  meanings: readonly Meaning[],
  meaningOf: (word: string) => Meaning | undefined,
  words: Tally,
): Partial<Record<Meaning, readonly string[]>> {
  const found: Partial<Record<Meaning, string[]>> = {};
  for (const word of words.ranked()) {
    const meaning = meaningOf(word);
    if (meaning === undefined || !meanings.includes(meaning)) continue;
    const list = (found[meaning] ??= []);
    if (list.length < MAX_WORDS) list.push(word);
  }
  return found;
}

interface Tally {
  readonly counts: ReadonlyMap<string, number>;
  add(word: string | undefined, uses?: number): void;
  of(word: string): number;
  /** Most used first, then in code-point order, independent of file order. */
  ranked(): string[];
  most<Word extends string>(words: readonly Word[]): Word | undefined;
}

function tally(): Tally {
  const counts = new Map<string, number>();
  const of = (word: string): number => counts.get(word) ?? 0;
  return {
    counts,
    of,
    add(word, uses = 1) {
      if (word !== undefined && word !== "") counts.set(word, of(word) + uses);
    },
    ranked: () => [...counts].sort(([a, uses], [b, others]) => others - uses || (a < b ? -1 : 1)).map(([word]) => word),
    most: (words) => words.filter((word) => counts.has(word)).sort((a, b) => of(b) - of(a))[0],
  };
}

const SAMPLE = 20;

/** Samples the projects folders, else folders named after tasks, else other PARA folders. */
export async function sampleDialect(vault: Vault, listing: ParaListing, customs: Customs): Promise<Dialect> {
  const { projects, areas, resources } = listing.para;
  const reader = { ...taskReader, read: (note: NoteSource) => readFacts(note, customs) };
  for (const folders of [projects, foldersNamedAfterTasks(listing), [...areas, ...resources]]) {
    // Skips unreadable notes.
    const facts = await vault.factsIn(await firstNotes(vault, listing, folders), reader);
    if (facts.length > 0) return inOwnKeys(countDialect(facts, customs), customs);
  }
  return inOwnKeys(GREENFIELD, customs);
}

function foldersNamedAfterTasks({ seen }: ParaListing): VaultPath[] {
  const entries = seen.get(ROOT) ?? [];
  return entries.filter(({ kind, name }) => kind === "folder" && /task/i.test(name)).map(({ path }) => path);
}

async function firstNotes(vault: Vault, listing: ParaListing, folders: readonly VaultPath[]): Promise<VaultPath[]> {
  const notes: VaultPath[] = [];
  let looked = 0;
  const queue = [...folders];
  for (let folder = queue.shift(); folder !== undefined && looked < SAMPLE; folder = queue.shift()) {
    looked++;
    const entries = listing.seen.get(folder) ?? (await vault.children(folder)) ?? [];
    for (const { kind, path } of entries.toSorted(byName)) {
      if (kind === "folder") queue.push(path);
      else if (isMarkdown(path) && notes.push(path) === SAMPLE) return notes;
    }
  }
  return notes;
}

const byName = (a: FolderEntry, b: FolderEntry): number => (a.name < b.name ? -1 : 1);

export interface RawNote extends BodyFacts {
  /** With fences. */
  readonly frontmatter: string;
}

/** For vaults with customs. */
export const rawReader: FactReader<RawNote> = {
  name: "raw-notes",
  version: 1,
  read(note) {
    const { start, parts, frontmatter } = note;
    if (parts.frontmatter === undefined || frontmatter.properties.length === 0) return undefined;
    return { frontmatter: start.slice(0, parts.bodyStart), ...bodyFacts(note) };
  },
};

export function factsOfRaw(raw: RawNote, customs: Customs): TaskFacts | undefined {
  const { frontmatter: start } = raw;
  const parts = splitNote(start);
  return factsFrom({ start, parts, frontmatter: readFrontmatter(start, parts) }, () => raw, customs);
}
