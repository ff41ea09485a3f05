/**
 * Ranked search over documents in memory: by checking each, or in a session with many through an index, with the same results.
 */
import { BestHits } from "./best-hits.js";
import { SearchIndex, type Engine, type IndexEntry } from "./index.js";
import { parseQuery } from "./query.js";
import { foldDocument, scoreOf, type FoldedDocument, type SearchField } from "./score.js";

import { indexWords } from "./words.js";

export type { SearchField } from "./score.js";

export interface RankerOptions<Doc> {
  readonly fields: readonly SearchField<Doc>[];
  /** Orders documents of equal score (negative: `a` first); documents it finds equal stay in the order given. */
  readonly tieBreak: (a: Doc, b: Doc) => number;
  /**
   * From this number of documents on, an index is kept between searches; default 1,000.
   */
  readonly indexFrom?: number | undefined;
  /** Up to this number of documents (10,000) the index knows which document holds which word; above it, only which words there are. */
  readonly engineUpTo?: number | undefined;
}

/** Which documents are searched, and how many results are returned. */
export interface SearchScope<Doc> {
  /** Excludes documents from the search beforehand. */
  readonly accept?: ((doc: Doc) => boolean) | undefined;
  /** The most results to return; default all. */
  readonly limit?: number | undefined;
  /** Called for every document that matches, including those beyond the limit, in no order. */
  readonly each?: ((doc: Doc) => void) | undefined;
}

export interface Ranked<Doc> {
  /** Best first. */
  readonly documents: Doc[];
  /** How many documents match, including those beyond the limit. */
  readonly total: number;
}

export interface Ranker<Doc extends object> {
  /**
   * The documents that match the query, best first: every word of it must occur in some field, exactly, as the beginning of a
   * word, or misspelt (docs: tasks, "search_tasks"). A blank query finds nothing.
   *
   * Documents are compared by identity: pass each once, never change one (a changed one is a new object), and pass the same
   * array while nothing changes.
   */
  search(documents: readonly Doc[], query: string, scope?: SearchScope<Doc>): Promise<Ranked<Doc>>;
  /** Resolves once searches over `documents` use the index, if they ever do. Searches also work while it is built. */
  prepare(documents: readonly Doc[]): Promise<void>;
}

/** Below this number of documents a search without an index is as fast (measured). */
const INDEX_FROM = 1_000;

/** Above this number the memory of a session matters more than the milliseconds. */
const ENGINE_UP_TO = 10_000;

/** Makes a ranker. It stores the folded text of a document as long as the document exists. */
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

/**
 * Loads MiniSearch, used as an inverted index only: its ranking and spelling rules would differ from those of a search without
 * an index.
 */
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
