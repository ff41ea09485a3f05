/** Makes searches over many documents quick by what it keeps about them, and follows the documents as they change. */
import type { Query, Term } from "./query.js";
import { Vocabulary, spelt } from "./vocabulary.js";
import { idleTurn } from "../async/yield-to-loop.js";
import { SPACED, UNSPACED, classAt, eachRun } from "./words.js";

/** A document as the engine knows it. */
export interface IndexEntry {
  readonly id: number;
  /** The document's folded text. */
  readonly text: string;
}

/** What is asked of the engine: all of `all`, each found as any of its tokens. */
interface EngineQuery {
  readonly all: readonly {
    readonly anyOf: readonly string[];
    /** Tokens that begin with this one count too. */
    readonly beginning?: string;
  }[];
}

/** An inverted index from tokens to entries. */
export interface Engine {
  add(entry: IndexEntry): void;
  remove(id: number): void;
  /** Ids, in any order. */
  find(query: EngineQuery): Iterable<number>;
}

/** Shorter beginnings are shared by so many words that looking at every document is faster. */
const SHORTEST_BEGINNING = 3;
/** A long run without spaces is pinned down by its first pairs of characters. */
const MOST_PAIRS = 8;
/** More new documents than this are taken in little by little, meanwhile searches do without. */
const MOST_AT_ONCE = 200;
const SLICE = 50;

export interface IndexOptions<Doc> {
  /** The folded text of a document. */
  readonly textOf: (doc: Doc) => string;
  /** Undefined: there is none, and only words are kept. */
  readonly createEngine: (() => Engine) | undefined;
  /** Above so many documents the engine is let go: it needs more memory than it is worth. */
  readonly mostInEngine: number;
}

/** A query that knows its misspellings, and the documents to be looked at. */
export interface Narrowed<Doc> {
  readonly query: Query;
  readonly documents: readonly Doc[];
}

/** The index over one list of documents: all words in it, and an engine that knows which document holds which. */
export class SearchIndex<Doc extends object> {
  readonly #options: IndexOptions<Doc>;
  #engine: Engine | undefined;
  #vocabulary = new Vocabulary();
  #ids = new Map<Doc, number>();
  #nextId = 0;
  /** The list the index stands for, and by id where in it the document is. */
  #followed: readonly Doc[] = [];
  #positions: number[] = [];
  #building: Promise<void> | undefined;

  constructor(options: IndexOptions<Doc>) {
    this.#options = options;
    this.#engine = options.createEngine?.();
  }

  /**
   * Leaves the documents that may answer the query (all that do, and some that do not), in their order. While the index is still being
   * built, and where the query has nothing to narrow by, these are all of them.
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

  /** Resolves once the index stands for `documents`. */
  async prepare(documents: readonly Doc[]): Promise<void> {
    while (!this.#follow(documents)) await this.#building;
  }

  /** Brings the index up to date with the list; false when that takes so long that it was only begun. */
  #follow(documents: readonly Doc[]): boolean {
    if (this.#building) return false;
    if (documents === this.#followed) return true;
    const fresh = documents.filter((doc) => !this.#ids.has(doc));
    if (fresh.length > MOST_AT_ONCE) {
      this.#building = this.#build(documents, fresh).finally(() => (this.#building = undefined));
      // Whoever waits for it hears of a failure; a search goes on without the index.
      this.#building.catch(() => undefined);
      return false;
    }
    for (const doc of fresh) this.#add(doc);
    this.#settle(documents);
    return true;
  }

  /** Takes documents in a slice at a time, so that other calls are answered meanwhile. */
  async #build(documents: readonly Doc[], fresh: readonly Doc[]): Promise<void> {
    // Taking most of it out again one by one costs more than starting anew.
    const anew = fresh.length * 2 > documents.length;
    if (anew) {
      this.#engine = documents.length > this.#options.mostInEngine ? undefined : this.#options.createEngine?.();
      this.#vocabulary = new Vocabulary();
      this.#ids = new Map();
    }
    for (const [index, doc] of (anew ? documents : fresh).entries()) {
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

  /** Notes where each document stands and removes those that are gone. */
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

/** The tokens of a document's text: its words; of runs without spaces each character and each pair of neighbours. */
export function indexTokens(text: string): string[] {
  const tokens: string[] = [];
  eachRun(text, (start, end, kind) => {
    const run = text.slice(start, end);
    if (kind === SPACED) tokens.push(run);
    else for (const token of [...Array.from(run), ...pairs(run)]) tokens.push(token);
  });
  return tokens;
}

function pairs(run: string): string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** What the engine is asked for one term; nothing when the term does not narrow the search. */
function tokenQueries(term: Term): EngineQuery["all"][number][] {
  if (term.kind === "word") {
    if (term.text.length < SHORTEST_BEGINNING) return [];
    return [{ anyOf: term.spellings ?? [], beginning: term.text }];
  }
  if (classAt(term.text, 0) !== UNSPACED) return [];
  const tokens = pairs(term.text).slice(0, MOST_PAIRS);
  return (tokens.length === 0 ? [term.text] : tokens).map((token) => ({ anyOf: [token] }));
}
