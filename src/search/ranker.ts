/** Ranked search over documents in memory, with or without an index. */
import { BestHits } from "./best-hits.js";
import { SearchIndex, type Engine, type IndexEntry } from "./index.js";
import { parseQuery } from "./query.js";
import { foldDocument, scoreOf, type FoldedDocument, type SearchField } from "./score.js";

import { indexWords } from "./words.js";

export type { SearchField } from "./score.js";

export interface RankerOptions<Doc> {
  readonly fields: readonly SearchField<Doc>[];
  /** For equal scores (negative: `a` first); equal documents keep the given order. */
  readonly tieBreak: (a: Doc, b: Doc) => number;
  /** Documents from which an index is kept; default 1,000. */
  readonly indexFrom?: number | undefined;
  /** Up to this number of documents (10,000) the index knows which has which word; above, only all words. */
  readonly engineUpTo?: number | undefined;
}

export interface SearchScope<Doc> {
  /** Excludes documents from the search. */
  readonly accept?: ((doc: Doc) => boolean) | undefined;
  /** Default: no limit. */
  readonly limit?: number | undefined;
  /** Called for every match, also beyond the limit, unordered. */
  readonly each?: ((doc: Doc) => void) | undefined;
}

export interface Ranked<Doc> {
  /** Best first. */
  readonly documents: Doc[];
  /** Counts documents beyond the limit too. */
  readonly total: number;
}

export interface Ranker<Doc extends object> {
  /**
   * Every word must occur in some field, exactly, as the beginning of a word, or misspelt (docs: tasks,
   * "search_tasks"). A blank query finds nothing. Documents are compared by identity: pass each once, never change one,
   * and pass the same array while nothing changes.
   */
  search(documents: readonly Doc[], query: string, scope?: SearchScope<Doc>): Promise<Ranked<Doc>>;
  /** Resolves once searches over `documents` use the index, if they ever do. Searches also work before. */
  prepare(documents: readonly Doc[]): Promise<void>;
}

/** Below this, a search without an index is as fast (measured). */
const INDEX_FROM = 1_000;

/** Above this, memory matters more than milliseconds. */
const ENGINE_UP_TO = 10_000;

/** Stores the folded text of a document while the document exists. */
export function createRanker<Doc extends object>(options: RankerOptions<Doc>): Ranker<Doc> {
  const { tieBreak, indexFrom = INDEX_FROM, engineUpTo = ENGINE_UP_TO } = options;
  const fields = options.fields.toSorted((a, b) => b.weight - a.weight);
  const weights = fields.map((field) => field.weight);
  const known = new WeakMap<Doc, FoldedDocument>();
  const folded = (doc: Doc): FoldedDocument => {
    let document = known.get(doc);
    if (!document) known.set(doc, (document = foldDocument(fields, doc)));
    return document;
  };
  let opening: Promise<SearchIndex<Doc>> | undefined;
  const open = async (size: number): Promise<SearchIndex<Doc>> => {
    const createEngine = size > engineUpTo ? undefined : await openEngines();
    return new SearchIndex({ createEngine, mostInEngine: engineUpTo, textOf: (doc) => folded(doc).text });
  };
  const indexOver = (documents: readonly Doc[]): Promise<SearchIndex<Doc>> | undefined =>
    documents.length < indexFrom ? undefined : (opening ??= open(documents.length));

  return {
    async search(documents, text, { accept, limit = Infinity, each } = {}) {
      const query = parseQuery(text);
      if (query.terms.length === 0) return { documents: [], total: 0 };
      const index = await indexOver(documents);
      const narrowed = index?.narrow(documents, query) ?? { query, documents };
      const best = new BestHits(limit, tieBreak);
      for (const doc of narrowed.documents) {
        if (accept && !accept(doc)) continue;
        const score = scoreOf(folded(doc), narrowed.query, weights);
        if (score === 0) continue;
        best.add(doc, score);
        each?.(doc);
      }
      return { documents: best.documents(), total: best.total };
    },
    async prepare(documents) {
      const index = await indexOver(documents);
      await index?.prepare(documents);
    },
  };
}

/** MiniSearch serves as an inverted index only: its ranking and spelling rules differ from ours. */
async function openEngines(): Promise<() => Engine> {
  const { default: MiniSearch } = await import("minisearch");
  return () => {
    const search = new MiniSearch<IndexEntry>({
      fields: ["text"],
      tokenize: indexWords,
      processTerm: (token) => token,
      searchOptions: { tokenize: (token) => [token], processTerm: (token) => token },
    });
    return {
      add: (entry) => search.add(entry),
      remove: (id) => search.discard(id),
      *find({ all }) {
        const queries = all.map(({ anyOf, beginning }) => ({
          combineWith: "OR" as const,
          queries: [...anyOf, ...(beginning === undefined ? [] : [{ queries: [beginning], prefix: true }])],
        }));
        for (const hit of search.search({ combineWith: "AND", queries })) yield Number(hit.id);
      },
    };
  };
}
