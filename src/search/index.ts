/** An index over documents, updated as they change, for faster searches. */
import { type Query, spelt, type Term, Vocabulary } from "./query.js";
import { idleTurn } from "../async/yield-to-loop.js";
import { UNSPACED, classAt, pairs } from "./words.js";

export interface IndexEntry {
  readonly id: number;
  /** Folded. */
  readonly text: string;
}

/** A document must match all of `all`, each by any of its tokens. */
interface EngineQuery {
  readonly all: readonly {
    readonly anyOf: readonly string[];
    /** Tokens that begin with this also match. */
    readonly beginning?: string;
  }[];
}

/** An inverted index. */
export interface Engine {
  add(entry: IndexEntry): void;
  remove(id: number): void;
  /** Ids, in any order. */
  find(query: EngineQuery): Iterable<number>;
}

/** Many words share a shorter beginning, so checking every document is faster. */
const SHORTEST_BEGINNING = 3;
/** This many pairs narrow a long run of letters enough. */
const MAX_PAIRS = 8;
/** More are indexed in the background; searches then run without the index. */
const MAX_BATCH = 200;
const SLICE = 50;

export interface IndexOptions<Doc> {
  /** Folded. */
  readonly textOf: (doc: Doc) => string;
  /** Undefined: only a vocabulary. */
  readonly createEngine: (() => Engine) | undefined;
  /** With more documents, the engine needs more memory than it is worth. */
  readonly mostInEngine: number;
}

/** A query with its misspellings, and the documents to search. */
export interface Narrowed<Doc> {
  readonly query: Query;
  readonly documents: readonly Doc[];
}

/** All words of a list of documents, and an engine that knows which document has which. */
export class SearchIndex<Doc extends object> {
  readonly #options: IndexOptions<Doc>;
  #engine: Engine | undefined;
  #vocabulary = new Vocabulary();
  #ids = new Map<Doc, number>();
  #nextId = 0;
  /** The indexed list, and positions by id. */
  #followed: readonly Doc[] = [];
  #positions: number[] = [];
  #building: Promise<void> | undefined;

  constructor(options: IndexOptions<Doc>) {
    this.#options = options;
    this.#engine = options.createEngine?.();
  }

  /**
   * The documents that may match, in order; all of them while the index is built, or when the query cannot be narrowed.
   */
  narrow(documents: readonly Doc[], query: Query): Narrowed<Doc> {
    if (!this.#follow(documents)) return { query, documents };
    const terms = query.terms.map((term) => spelt(term, this.#vocabulary));
    const known = { phrase: query.phrase, terms };
    const all = this.#engine ? terms.flatMap(tokenQueries) : [];
    if (all.length === 0) return { query: known, documents };
    const positions: number[] = [];
    for (const id of this.#engine?.find({ all }) ?? []) positions.push(this.#positions[id] ?? -1);
    positions.sort((a, b) => a - b);
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
      this.#engine = documents.length > this.#options.mostInEngine ? undefined : this.#options.createEngine?.();
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
    const text = this.#options.textOf(doc);
    this.#engine?.add({ id, text });
    this.#vocabulary.add(text);
  }

  #settle(documents: readonly Doc[]): void {
    if (documents.length > this.#options.mostInEngine) this.#engine = undefined;
    const positions: number[] = [];
    for (const [position, doc] of documents.entries()) {
      const id = this.#ids.get(doc);
      if (id !== undefined) positions[id] = position;
    }
    if (this.#ids.size > documents.length) {
      for (const [doc, id] of this.#ids) {
        if (positions[id] !== undefined) continue;
        this.#engine?.remove(id);
        this.#ids.delete(doc);
      }
    }
    this.#positions = positions;
    this.#followed = documents;
  }
}

/** Empty when the term does not narrow the search. */
function tokenQueries(term: Term): EngineQuery["all"][number][] {
  if (term.kind === "word") {
    if (term.text.length < SHORTEST_BEGINNING) return [];
    return [{ anyOf: term.spellings ?? [], beginning: term.text }];
  }
  if (classAt(term.text, 0) !== UNSPACED) return [];
  const tokens = pairs(term.text).slice(0, MAX_PAIRS);
  return (tokens.length === 0 ? [term.text] : tokens).map((token) => ({ anyOf: [token] }));
}
