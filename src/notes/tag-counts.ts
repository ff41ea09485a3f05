/** Counts how many notes have each tag, updated by the notes that changed. */
import type { NoteRecord } from "../index/facts.js";
import { listDifference } from "../index/view.js";
import { tagsIn, type NoteFacts } from "./note-facts.js";

export interface TagCount {
  /** Without `#`, in the most frequent spelling. */
  readonly tag: string;
  /** Of notes with this tag or a nested one. */
  readonly count: number;
}

export class TagCounts {
  #records: readonly NoteRecord<NoteFacts>[] = [];
  readonly #tags = new Map<string, Spellings>();

  /**
   * The most frequent first, then by name. A nested tag (`home/repairs`) also counts for its parents; case is ignored.
   * Costs only the difference to the previous call.
   */
  of(records: readonly NoteRecord<NoteFacts>[]): TagCount[] {
    const { before, after } = listDifference(this.#records, records);
    const added = new Set(after);
    for (const record of before) if (!added.delete(record)) this.#count(record, -1);
    for (const record of added) this.#count(record, 1);
    this.#records = records;
    const tags = [...this.#tags.values()].map(({ count, commonest }) => ({ tag: commonest, count }));
    return tags.sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1));
  }

  #count({ facts }: NoteRecord<NoteFacts>, more: 1 | -1): void {
    for (const [key, tag] of withOuter(tagsIn(facts))) {
      let spellings = this.#tags.get(key);
      if (!spellings) this.#tags.set(key, (spellings = new Spellings()));
      spellings.add(tag, more);
      if (spellings.count === 0) this.#tags.delete(key);
    }
  }
}

/** The tags and their parents, by folded form. */
function withOuter(tags: readonly string[]): Map<string, string> {
  const all = new Map<string, string>();
  for (const tag of tags)
    for (let outer = tag; outer !== ""; outer = outer.slice(0, Math.max(0, outer.lastIndexOf("/")))) {
      const key = outer.toLowerCase();
      if (!all.has(key)) all.set(key, outer);
    }
  return all;
}

class Spellings {
  count = 0;
  readonly #notes = new Map<string, number>();

  add(tag: string, more: 1 | -1): void {
    this.count += more;
    const notes = (this.#notes.get(tag) ?? 0) + more;
    if (notes > 0) this.#notes.set(tag, notes);
    else this.#notes.delete(tag);
  }

  get commonest(): string {
    const [first] = [...this.#notes].sort(([a, few], [b, many]) => many - few || (a < b ? -1 : 1));
    return first?.[0] ?? "";
  }
}
