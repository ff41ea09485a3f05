/** What each word of a query finds in the fields of documents, for searches that look for the words elsewhere too. */
import { SearchIndex } from "./search-index.js";
import { parseQuery, type Query, type Term } from "./search-query.js";
import {
  asTyped,
  foldDocument,
  misspelt,
  togetherness,
  type FoldedDocument,
  type SearchField,
} from "./search-score.js";

export interface FieldTermsOptions<Doc> {
  readonly fields: readonly SearchField<Doc>[];
  /** From how many documents on to remember which words there are. Left out, never: right for a process that answers once. */
  readonly indexFrom?: number | undefined;
}

/** By place of the document in the list: what a term earns there. */
export interface TermPoints {
  readonly term: Term;
  /** Where it stands as it was typed, or as the beginning of a word; 0 where it does not. */
  readonly asTyped: Int32Array;
  /** Where it stands misspelt only; 0 elsewhere. */
  readonly misspelt: Int32Array;
}

export interface TermLook {
  readonly terms: readonly TermPoints[];
  /** What a document earns on top by holding the whole query in one field. */
  readonly together: (place: number) => number;
}

/** Documents are known by identity: a changed one is a new object; keep the array itself while nothing changes. */
export class FieldTerms<Doc extends object> {
  readonly #fields: readonly SearchField<Doc>[];
  readonly #weights: readonly number[];
  readonly #indexFrom: number;
  readonly #folded = new WeakMap<Doc, FoldedDocument>();
  #list: { readonly of: readonly Doc[]; readonly folded: readonly FoldedDocument[] } = { of: [], folded: [] };
  #index: SearchIndex<Doc> | undefined;

  constructor({ fields, indexFrom = Infinity }: FieldTermsOptions<Doc>) {
    this.#fields = fields.toSorted((a, b) => b.weight - a.weight);
    this.#weights = this.#fields.map(({ weight }) => weight);
    this.#indexFrom = indexFrom;
  }

  /** What the words of a query find; no terms when there is no word in it. */
  look(documents: readonly Doc[], text: string): TermLook {
    const { query, folded } = this.#prepared(documents, parseQuery(text));
    const weights = this.#weights;
    return {
      terms: query.terms.map((term) => points(term, folded, weights)),
      together: (place) => {
        const document = folded[place];
        return document ? togetherness(document, query, weights) : 0;
      },
    };
  }

  #prepared(documents: readonly Doc[], query: Query): { query: Query; folded: readonly FoldedDocument[] } {
    if (this.#list.of !== documents) this.#list = { of: documents, folded: documents.map((doc) => this.#fold(doc)) };
    const { folded } = this.#list;
    if (documents.length < this.#indexFrom) return { query, folded };
    this.#index ??= new SearchIndex({
      textOf: (doc) => this.#fold(doc).text,
      createEngine: undefined,
      mostInEngine: 0,
    });
    return { query: this.#index.narrow(documents, query).query, folded };
  }

  #fold(doc: Doc): FoldedDocument {
    let document = this.#folded.get(doc);
    if (!document) this.#folded.set(doc, (document = foldDocument(this.#fields, doc)));
    return document;
  }
}

function points(term: Term, folded: readonly FoldedDocument[], weights: readonly number[]): TermPoints {
  const found = { term, asTyped: new Int32Array(folded.length), misspelt: new Int32Array(folded.length) };
  // A plain loop: it goes over every note of a vault.
  for (let place = 0; place < folded.length; place++) {
    const document = folded[place];
    if (!document) continue;
    const typed = asTyped(document, term, weights);
    if (typed > 0) found.asTyped[place] = typed;
    else found.misspelt[place] = misspelt(document, term, weights);
  }
  return found;
}

/** What a term earns in a text of folded words that counts least of all fields. */
export function pointsInBody(folded: string, term: Term): number {
  return asTyped({ text: folded, starts: [0, folded.length + 1] }, term, [1]);
}
