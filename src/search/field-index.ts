/** What each word of a query matches in the fields of documents, for searches that also look for the words elsewhere. */
import { parseQuery, type Query, type Term } from "./query.js";
import { anySieveFor, type Sieve } from "./prefilter.js";
import { asTyped, foldDocument, misspelt, togetherness, type SearchField } from "./score.js";
import { Vocabulary, spelt } from "./vocabulary.js";
import { MAX_SIGNED_BYTES, SignatureStore, trigramsOf } from "./text-signature-store.js";
import { idleTurn, TimeSlice } from "../async/yield-to-loop.js";

export interface FieldTermsOptions<Doc, Read> {
  /**
   * Reads the fields of a document; called anew at every search, for the candidates. With a sieve, undefined for a document that does not
   * pass it.
   */
  readonly read: (doc: Doc, sieve?: Sieve) => Read | undefined;
  readonly fields: readonly SearchField<Read>[];
  /**
   * From this number of documents on, what each holds is remembered between searches. Undefined: never, which is right for a process that
   * answers once.
   */
  readonly indexFrom?: number | undefined;
}

/** What a term scores in each document, by the document's index in the list. */
export interface TermPoints {
  readonly term: Term;
  /** Where it occurs as typed, or as the beginning of a word; 0 elsewhere. */
  readonly asTyped: Int32Array;
  /** Where it occurs only misspelt; 0 elsewhere. */
  readonly misspelt: Int32Array;
}

export interface TermLook {
  readonly terms: readonly TermPoints[];
  /** By index: what a document scores in addition for holding the whole query in one field. */
  readonly together: Int32Array;
}

/** What is remembered of a list of documents, without their texts. */
interface Memory<Doc> {
  readonly documents: readonly Doc[];
  /** By index in the list, the number of the document's signature. */
  readonly signatures: Int32Array;
  readonly store: SignatureStore;
  /** Words of documents that are gone stay; they only cost a comparison. */
  readonly vocabulary: Vocabulary;
}

/** Documents are known by identity: a changed one is a new object; keep the array itself while nothing changes. */
export class FieldTerms<Doc extends object, Read> {
  readonly #read: (doc: Doc, sieve?: Sieve) => Read | undefined;
  readonly #fields: readonly SearchField<Read>[];
  readonly #weights: readonly number[];
  readonly #indexFrom: number;
  #memory: Memory<Doc> | undefined;
  #preparing: Promise<void> | undefined;

  constructor({ read, fields, indexFrom = Infinity }: FieldTermsOptions<Doc, Read>) {
    this.#read = read;
    this.#fields = fields.toSorted((a, b) => b.weight - a.weight);
    this.#weights = this.#fields.map(({ weight }) => weight);
    this.#indexFrom = indexFrom;
  }

  /** Updates what is remembered, which makes the next search of these documents faster. No search depends on it. */
  async prepare(documents: readonly Doc[]): Promise<void> {
    if (documents.length < this.#indexFrom) return;
    while (this.#memory?.documents !== documents)
      await (this.#preparing ??= this.#remember(documents).finally(() => (this.#preparing = undefined)));
  }

  /** What the words of a query match; no terms when there is no word in it. */
  async look(documents: readonly Doc[], text: string, slice: TimeSlice): Promise<TermLook> {
    const memory = this.#memory?.documents === documents ? this.#memory : undefined;
    const parsed = parseQuery(text);
    const query = memory ? { ...parsed, terms: parsed.terms.map((term) => spelt(term, memory.vocabulary)) } : parsed;
    const column = (): Int32Array => new Int32Array(documents.length);
    const found = {
      terms: query.terms.map((term) => ({ term, asTyped: column(), misspelt: column() })),
      together: column(),
    };
    if (query.terms.length === 0) return found;
    const sieve = memory ? undefined : anySieveFor(query.terms);
    const mayHold = memory ? anyIn(memory, query) : () => true;
    // A plain loop, because it visits every note of a vault.
    for (let place = 0; place < documents.length; place++) {
      if (slice.isOver) await slice.yield();
      const document = documents[place];
      const read = document && mayHold(place) ? this.#read(document, sieve) : undefined;
      if (read !== undefined) this.#score(read, place, query, found);
    }
    return found;
  }

  #score(read: Read, place: number, query: Query, { terms, together }: TermLook): void {
    const folded = foldDocument(this.#fields, read);
    for (const found of terms) {
      const typed = asTyped(folded, found.term, this.#weights);
      if (typed > 0) found.asTyped[place] = typed;
      else found.misspelt[place] = misspelt(folded, found.term, this.#weights);
    }
    together[place] = togetherness(folded, query, this.#weights);
  }

  async #remember(documents: readonly Doc[]): Promise<void> {
    const slice = new TimeSlice();
    const before = this.#memory && isWorthKeeping(this.#memory) ? this.#memory : emptyMemory<Doc>();
    const { store, vocabulary } = before;
    const signatures = signaturesOf(documents, before);
    for (const [place, document] of documents.entries()) {
      const read = signatures[place] === NEW ? this.#read(document) : undefined;
      if (read === undefined) continue;
      const { text } = foldDocument(this.#fields, read);
      const bytes = Buffer.from(text, "utf8");
      signatures[place] = bytes.length > MAX_SIGNED_BYTES ? store.addBlank() : store.add(bytes);
      vocabulary.add(text);
      if (!slice.isOver) continue;
      // Whoever waits for an answer goes first.
      await idleTurn();
      await slice.yield();
    }
    store.rest();
    this.#memory = { documents, signatures, store, vocabulary };
  }
}

/** Stands for a signature that has not been made yet. */
const NEW = -1;
/** Up to so many words are always worth their memory. */
const FEW_WORDS = 1 << 16;

function emptyMemory<Doc>(): Memory<Doc> {
  return { documents: [], signatures: new Int32Array(), store: new SignatureStore(), vocabulary: new Vocabulary() };
}

/** Whether most signatures in the store still stand for a document. */
function isWorthKeeping<Doc>({ signatures, store }: Memory<Doc>): boolean {
  if (store.words < FEW_WORDS) return true;
  let words = 0;
  for (const signature of signatures) words += store.wordsOf(signature);
  return words * 2 >= store.words;
}

/** The signatures of documents known from before, `NEW` for the others. Most are in the same order as before. */
function signaturesOf<Doc>(documents: readonly Doc[], before: Memory<Doc>): Int32Array {
  const known = before.documents;
  const shorter = Math.min(known.length, documents.length);
  let start = 0;
  while (start < shorter && known[start] === documents[start]) start += 1;
  let end = 0;
  while (end < shorter - start && known.at(-1 - end) === documents.at(-1 - end)) end += 1;
  const signatures = new Int32Array(documents.length);
  signatures.set(before.signatures.subarray(0, start));
  signatures.set(before.signatures.subarray(known.length - end), documents.length - end);
  const between = new Map(
    known.slice(start, known.length - end).map((document, index) => [document, before.signatures[start + index]]),
  );
  for (let place = start; place < documents.length - end; place++) {
    const document = documents[place];
    signatures[place] = (document && between.get(document)) ?? NEW;
  }
  return signatures;
}

/** Tells for an index in the list whether one of the query's words may occur there, as typed or misspelt; false is certain. */
function anyIn<Doc>({ signatures, store }: Memory<Doc>, { terms }: Query): (place: number) => boolean {
  const needles = terms.flatMap(({ text, spellings = [] }) => [text, ...spellings].map(trigramsOf));
  return (place) => {
    const signature = signatures[place] ?? NEW;
    for (const needle of needles) if (store.mayHold(signature, needle)) return true;
    return false;
  };
}

/** What a term scores in a folded text that has the least weight of all fields. */
export function pointsInBody(folded: string, term: Term): number {
  return asTyped({ text: folded, starts: [0, folded.length + 1] }, term, [1]);
}
