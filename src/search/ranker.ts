/** Ranked search over documents in memory, with or without an index. */
import type MiniSearch from "minisearch";
import { idleTurn } from "../async/yield-to-loop.js";
import { BestHits } from "./best-hits.js";
import { parseQuery, withMisspellings, Vocabulary, type Query, type Term } from "./query.js";
import { foldDocument, scoreOf, type FoldedDocument, type SearchField } from "./score.js";
import { UNSPACED, classAt, indexWords, neighbourPairs } from "./words.js";

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

interface SearchScope<Doc> {
  /** Excludes documents from the search. */
  readonly accept?: ((doc: Doc) => boolean) | undefined;
  /** Default: no limit. */
  readonly limit?: number | undefined;
  /** Called for every match, also beyond the limit, unordered. */
  readonly each?: ((doc: Doc) => void) | undefined;
}

interface Ranked<Doc> {
  /** Best first. */
  readonly documents: Doc[];
  /** Counts documents beyond the limit too. */
  readonly total: number;
}

/** Below this, a search without an index is as fast (measured). */
const INDEX_FROM = 1_000;

/** Above this, memory matters more than milliseconds. */
const ENGINE_UP_TO = 10_000;

/**
 * Documents are compared by identity: pass each once, never change one, and pass the same array while nothing changes.
 * Stores the folded text of a document while the document exists.
 */
export class Ranker<Doc extends object> {
  readonly #options: RankerOptions<Doc> & { readonly indexFrom: number; readonly engineUpTo: number };
  readonly #weights: readonly number[];
  readonly #known = new WeakMap<Doc, FoldedDocument>();
  #opening: Promise<SearchIndex<Doc>> | undefined;
  #isUsed = false;

  constructor({ fields, tieBreak, indexFrom = INDEX_FROM, engineUpTo = ENGINE_UP_TO }: RankerOptions<Doc>) {
    const heaviestFirst = fields.toSorted((a, b) => b.weight - a.weight);
    this.#options = { fields: heaviestFirst, tieBreak, indexFrom, engineUpTo };
    this.#weights = heaviestFirst.map((field) => field.weight);
  }

  /**
   * Every word must occur in some field, exactly, as the beginning of a word, or misspelt (docs: tasks,
   * "search_tasks"). A blank query finds nothing.
   */
  async search(
    documents: readonly Doc[],
    text: string,
    { accept, limit = Infinity, each }: SearchScope<Doc> = {},
  ): Promise<Ranked<Doc>> {
    const query = parseQuery(text);
    if (query.terms.length === 0) return { documents: [], total: 0 };
    // The only search of a process needs no index.
    const index = this.#isUsed ? await this.#indexOver(documents) : undefined;
    this.#isUsed = true;
    const narrowed = index?.narrow(documents, query) ?? { query, documents };
    const best = new BestHits(limit, this.#options.tieBreak);
    for (const doc of narrowed.documents) {
      if (accept && !accept(doc)) continue;
      const score = scoreOf(this.#folded(doc), narrowed.query, this.#weights);
      if (score === 0) continue;
      best.add(doc, score);
      each?.(doc);
    }
    return { documents: best.documents(), total: best.total };
  }

  /** Resolves once searches over `documents` use the index, if they ever do. Searches also work before. */
  async prepare(documents: readonly Doc[]): Promise<void> {
    this.#isUsed = true;
    await (await this.#indexOver(documents))?.prepare(documents);
  }

  #folded(doc: Doc): FoldedDocument {
    let document = this.#known.get(doc);
    if (!document) this.#known.set(doc, (document = foldDocument(this.#options.fields, doc)));
    return document;
  }

  async #indexOver(documents: readonly Doc[]): Promise<SearchIndex<Doc> | undefined> {
    if (documents.length < this.#options.indexFrom) return undefined;
    return (this.#opening ??= this.#open(documents.length));
  }

  async #open(size: number): Promise<SearchIndex<Doc>> {
    const { engineUpTo } = this.#options;
    const createEngine = size > engineUpTo ? undefined : await loadEngine();
    return new SearchIndex(createEngine, engineUpTo, (doc) => this.#folded(doc).text);
  }
}

interface IndexEntry {
  readonly id: number;
  /** Folded. */
  readonly text: string;
}

type Engine = Pick<MiniSearch<IndexEntry>, "add" | "discard" | "search">;

/** MiniSearch serves as an inverted index only: its ranking and spelling rules differ from ours. */
async function loadEngine(): Promise<() => Engine> {
  const { default: MiniSearch } = await import("minisearch");
  return () =>
    new MiniSearch<IndexEntry>({
      fields: ["text"],
      tokenize: indexWords,
      processTerm: (token) => token,
      searchOptions: { tokenize: (token) => [token], processTerm: (token) => token },
    });
}

/** Many words share a shorter beginning, so checking every document is faster. */
const SHORTEST_BEGINNING = 3;
/** This many pairs narrow a long run of letters enough. */
const MAX_PAIRS = 8;
/** More are indexed in the background; searches then run without the index. */
const MAX_BATCH = 200;
const SLICE = 50;

/** A query with its misspellings, and the documents to search. */
interface Narrowed<Doc> {
  readonly query: Query;
  readonly documents: readonly Doc[];
}

/** All words of a list of documents, and an engine that knows which document has which. */
export class SearchIndex<Doc extends object> {
  readonly #createEngine: (() => Engine) | undefined;
  readonly #mostInEngine: number;
  readonly #textOf: (doc: Doc) => string;
  #engine: Engine | undefined;
  #vocabulary = new Vocabulary();
  #ids = new Map<Doc, number>();
  #nextId = 0;
  /** The indexed list, and positions by id. */
  #followed: readonly Doc[] = [];
  #positions: number[] = [];
  #building: Promise<void> | undefined;

  /**
   * @param createEngine undefined: only a vocabulary
   * @param mostInEngine with more documents, the engine needs more memory than it is worth
   * @param textOf folded
   */
  constructor(createEngine: (() => Engine) | undefined, mostInEngine: number, textOf: (doc: Doc) => string) {
    this.#createEngine = createEngine;
    this.#mostInEngine = mostInEngine;
    this.#textOf = textOf;
    this.#engine = createEngine?.();
  }

  /**
   * The documents that may match, in order; all of them while the index is built, or when the query cannot be narrowed.
   */
  narrow(documents: readonly Doc[], query: Query): Narrowed<Doc> {
    if (!this.#follow(documents)) return { query, documents };
    const terms = query.terms.map((term) => withMisspellings(term, this.#vocabulary));
    const known = { phrase: query.phrase, terms };
    const queries = this.#engine ? terms.flatMap(tokenQueries) : [];
    if (queries.length === 0) return { query: known, documents };
    const hits = this.#engine?.search({ combineWith: "AND", queries }) ?? [];
    const positions = hits.map(({ id }) => this.#positions[Number(id)] ?? -1).sort((a, b) => a - b);
    return { query: known, documents: positions.flatMap((position) => documents[position] ?? []) };
  }

  async prepare(documents: readonly Doc[]): Promise<void> {
    while (!this.#follow(documents)) await this.#building;
  }

  /** Indexes the list. False when that takes long and has only begun. */
  #follow(documents: readonly Doc[]): boolean {
    if (this.#building) return false;
    if (documents === this.#followed) return true;
    const fresh = documents.filter((doc) => !this.#ids.has(doc));
    if (fresh.length > MAX_BATCH || this.#isWornOut(documents)) {
      this.#building = this.#build(documents, fresh).finally(() => (this.#building = undefined));
      // Callers of `prepare` get the failure; searches work without the index.
      this.#building.catch(() => undefined);
      return false;
    }
    for (const doc of fresh) this.#add(doc);
    this.#settle(documents);
    return true;
  }

  /** Removed documents leave words and positions behind, until they outnumber the others. */
  #isWornOut(documents: readonly Doc[]): boolean {
    return this.#nextId > 2 * documents.length + MAX_BATCH;
  }

  /** In slices, so that other calls are answered meanwhile. */
  async #build(documents: readonly Doc[], fresh: readonly Doc[]): Promise<void> {
    // When most documents are gone, rebuilding is cheaper.
    const isRebuilt = fresh.length * 2 > documents.length || this.#isWornOut(documents);
    if (isRebuilt) {
      this.#nextId = 0;
      this.#engine = documents.length > this.#mostInEngine ? undefined : this.#createEngine?.();
      this.#vocabulary = new Vocabulary();
      this.#ids = new Map();
    }
    for (const [index, doc] of (isRebuilt ? documents : fresh).entries()) {
      if (index % SLICE === 0) await idleTurn();
      this.#add(doc);
    }
    this.#settle(documents);
  }

  #add(doc: Doc): void {
    const id = this.#nextId++;
    this.#ids.set(doc, id);
    const text = this.#textOf(doc);
    this.#engine?.add({ id, text });
    this.#vocabulary.add(text);
  }

  #settle(documents: readonly Doc[]): void {
    if (documents.length > this.#mostInEngine) this.#engine = undefined;
    const positions: number[] = [];
    for (const [position, doc] of documents.entries()) {
      const id = this.#ids.get(doc);
      if (id !== undefined) positions[id] = position;
    }
    if (this.#ids.size > documents.length) {
      for (const [doc, id] of this.#ids) {
        if (positions[id] !== undefined) continue;
        this.#engine?.discard(id);
        this.#ids.delete(doc);
      }
    }
    this.#positions = positions;
    this.#followed = documents;
  }
}

/** Each a term or pair that a document must have; empty when the term does not narrow the search. */
function tokenQueries(term: Term) {
  const anyOf = (queries: readonly string[], beginning?: string) => ({
    combineWith: "OR" as const,
    queries: [...queries, ...(beginning === undefined ? [] : [{ queries: [beginning], prefix: true }])],
  });
  if (term.kind === "word")
    return term.text.length < SHORTEST_BEGINNING ? [] : [anyOf(term.spellings ?? [], term.text)];
  if (classAt(term.text, 0) !== UNSPACED) return [];
  const tokens = neighbourPairs(term.text).slice(0, MAX_PAIRS);
  return (tokens.length === 0 ? [term.text] : tokens).map((token) => anyOf([token]));
}
