/** Narrows a search over many documents down to those that may answer it, and follows the documents as they change. */
import { mayBeTypo, typoDistance } from "./search-query.js";
import type { Query, Term } from "./search-query.js";
import { SPACED, UNSPACED, classAt, eachRun } from "./search-words.js";

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
/** More new documents than this are taken in little by little, meanwhile there are no candidates. */
const MOST_AT_ONCE = 200;
const SLICE = 50;

/** The index over one list of documents. */
export class CandidateIndex<Doc extends object> {
  readonly #createEngine: () => Engine;
  readonly #textOf: (doc: Doc) => string;
  #engine: Engine;
  #vocabulary = new Vocabulary();
  #ids = new Map<Doc, number>();
  #nextId = 0;
  /** The list the index stands for, and by id where in it the document is. */
  #followed: readonly Doc[] = [];
  #positions: number[] = [];
  #building: Promise<void> | undefined;

  constructor(createEngine: () => Engine, textOf: (doc: Doc) => string) {
    this.#createEngine = createEngine;
    this.#textOf = textOf;
    this.#engine = createEngine();
  }

  /**
   * The documents that may answer the query (all that do, and some that do not), in the order of `documents`.
   * Undefined when nothing can be said: the query has nothing to narrow by, or the index is still being built.
   */
  candidates(documents: readonly Doc[], query: Query): Doc[] | undefined {
    if (!this.#follow(documents)) return undefined;
    const all = query.terms.flatMap((term) => tokenQueries(term, this.#vocabulary));
    if (all.length === 0) return undefined;
    const positions: number[] = [];
    for (const id of this.#engine.find({ all })) positions.push(this.#positions[id] ?? -1);
    positions.sort((a, b) => a - b);
    return positions.flatMap((position) => documents[position] ?? []);
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
      this.#engine = this.#createEngine();
      this.#vocabulary = new Vocabulary();
      this.#ids = new Map();
    }
    for (const [index, doc] of (anew ? documents : fresh).entries()) {
      if (index % SLICE === 0) await otherWork();
      this.#add(doc);
    }
    this.#settle(documents);
  }

  #add(doc: Doc): void {
    const id = this.#nextId++;
    this.#ids.set(doc, id);
    const text = this.#textOf(doc);
    this.#engine.add({ id, text });
    this.#vocabulary.add(text);
  }

  /** Notes where each document stands and removes those that are gone. */
  #settle(documents: readonly Doc[]): void {
    const positions: number[] = [];
    for (const [position, doc] of documents.entries()) {
      const id = this.#ids.get(doc);
      if (id !== undefined) positions[id] = position;
    }
    if (this.#ids.size > documents.length) {
      for (const [doc, id] of this.#ids) {
        if (positions[id] !== undefined) continue;
        this.#engine.remove(id);
        this.#ids.delete(doc);
      }
    }
    this.#positions = positions;
    this.#followed = documents;
  }
}

/** Lets input and timers have their turn. */
function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The words that occur, so that misspelt ones are looked for with the very rule the scorer uses. */
class Vocabulary {
  /** By length: each word with its letter mask. Words of removed documents stay; they only cost a look. */
  readonly #words = new Map<number, Map<string, number>>();

  add(text: string): void {
    eachRun(text, (start, end, kind, mask) => {
      if (kind !== SPACED) return;
      let words = this.#words.get(end - start);
      if (!words) this.#words.set(end - start, (words = new Map()));
      words.set(text.slice(start, end), mask);
    });
  }

  misspellings(term: Term): string[] {
    const found: string[] = [];
    if (term.typos === 0) return found;
    const { length } = term.text;
    for (let candidate = length - term.typos; candidate <= length + term.typos; candidate++) {
      for (const [word, mask] of this.#words.get(candidate) ?? []) {
        if (mayBeTypo(term, candidate, mask) && typoDistance(term, word) !== undefined) found.push(word);
      }
    }
    return found;
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
function tokenQueries(term: Term, vocabulary: Vocabulary): EngineQuery["all"][number][] {
  if (term.kind === "word") {
    if (term.text.length < SHORTEST_BEGINNING) return [];
    return [{ anyOf: vocabulary.misspellings(term), beginning: term.text }];
  }
  if (classAt(term.text, 0) !== UNSPACED) return [];
  const tokens = pairs(term.text).slice(0, MOST_PAIRS);
  return (tokens.length === 0 ? [term.text] : tokens).map((token) => ({ anyOf: [token] }));
}
