/** What is asked of a CouchDB database, in the terms of its documents: nothing is believed that it answers (spec: livesync, sections 7 and 8). */
import { isVaultError, VaultError } from "../../errors.js";
import type { CouchAnswer, CouchClient, CouchRequest } from "./client.js";
import { isRecord, type RawDocument } from "./codec/document.js";
import { unexpected } from "./failure.js";

/** Where a feed of changes stands: a number or a text, meaningful to the database alone. */
export type Sequence = string | number;

/** What tells a database from another of its name, and where its feed stands. */
export interface DatabaseInfo {
  readonly sequence: Sequence;
  /** When it was made, as the server writes it; the same for all where the server does not say. */
  readonly instance: string | undefined;
  /** How many nodes hold each document; 1 where the server is no cluster. */
  readonly copies: number;
}

/** What a database says of one id. */
export type Found =
  | { readonly kind: "document"; readonly document: RawDocument }
  | { readonly kind: "deleted"; readonly revision: string | undefined }
  | { readonly kind: "missing" };

export interface ChangeRow {
  readonly id: string;
  readonly isDeleted: boolean;
  /** All versions that stand side by side, deleted ones too, the current one first. */
  readonly revisions: readonly string[];
}

export interface ChangePage {
  readonly rows: readonly ChangeRow[];
  readonly last: Sequence;
}

/** What became of a document that was to be written. `conflict`: another revision stands there. */
export type Put =
  | { readonly kind: "written"; readonly revision: string }
  | {
      readonly kind: "conflict";
      /** An earlier try broke, so what stands there may be ours. */
      readonly isRepeated: boolean;
    };

/** Ids from `from` to `to`, by raw UTF-8 bytes. */
export interface Range {
  readonly from: string;
  readonly to: string;
  /** `from` itself is known already. */
  readonly isAfter?: boolean;
}

interface Page extends Range {
  readonly limit: number;
  readonly descending?: boolean;
}

/** All documents but chunks; always with an end, which not every server does well without. */
export const METADATA: readonly Range[] = [
  { from: "", to: "h:" },
  { from: "h;", to: "\u{10FFFF}" },
];

interface ListedPage {
  readonly documents: readonly RawDocument[];
  readonly limit: number;
}

const PAGE = 1000;
/** A feed that brings fewer is at its end. */
export const CHANGES_AT_ONCE = 10_000;
const ADDING_TRIES = 3;

export class Couch {
  readonly client: CouchClient;

  constructor(client: CouchClient) {
    this.client = client;
  }

  /** @throws VaultError UNAVAILABLE, also when there is no such database */
  async info(): Promise<DatabaseInfo> {
    const { body } = await this.#ask({ method: "GET", path: "" });
    const { update_seq: sequence, instance_start_time: instance, cluster } = isRecord(body) ? body : {};
    if (typeof sequence !== "string" && typeof sequence !== "number") throw unexpected("what it is");
    const copies = isRecord(cluster) && typeof cluster["n"] === "number" ? cluster["n"] : 1;
    return { sequence, instance: typeof instance === "string" ? instance : undefined, copies };
  }

  /** One document by its id, `_local` ones too. */
  async document(id: string): Promise<RawDocument | undefined> {
    const { status, body } = await this.#ask({ method: "GET", path: pathOf(id) });
    if (status === 404) return undefined;
    return documentIn(body);
  }

  /** One revision of a document; undefined when the database has forgotten what stood in it. */
  async revision(id: string, revision: string): Promise<RawDocument | undefined> {
    const { status, body } = await this.#ask({ method: "GET", path: pathOf(id), query: { rev: revision } });
    return status === 404 ? undefined : documentIn(body);
  }

  /** The revisions that led to the one that stands there, the newest first. */
  async history(id: string): Promise<readonly string[]> {
    const { status, body } = await this.#ask({ method: "GET", path: pathOf(id), query: { revs: true } });
    const revisions = status === 404 || !isRecord(body) ? undefined : body["_revisions"];
    if (!isRecord(revisions)) return [];
    const { start, ids } = revisions;
    if (typeof start !== "number" || !Array.isArray(ids)) return [];
    return ids.map((hash, index) => `${start - index}-${String(hash)}`);
  }

  /** A few documents from both ends of the metadata. */
  async sample(count: number): Promise<readonly RawDocument[]> {
    const pages = METADATA.flatMap((range) => [
      this.#page({ ...range, limit: count }),
      this.#page({ ...range, limit: count, descending: true }),
    ]);
    return (await Promise.all(pages)).flat();
  }

  /** All documents of a range, in pages; the next is under way while one is looked at. */
  async *range({ to, ...start }: Range, signal?: AbortSignal): AsyncGenerator<readonly RawDocument[]> {
    let next: Promise<ListedPage> | undefined = this.#pageAfter(start, to, PAGE, signal);
    while (next) {
      const page: ListedPage = await next;
      const { documents, limit } = page;
      const last: RawDocument | undefined = documents.at(-1);
      const isFull: boolean = last !== undefined && documents.length === limit;
      next = last && isFull ? this.#pageAfter({ from: last["_id"], isAfter: true }, to, limit, signal) : undefined;
      // Whoever stops looking leaves it to itself.
      next?.catch(() => undefined);
      if (documents.length > 0) yield documents;
    }
  }

  /** Pages of documents that are long beyond measure are made shorter. */
  async #pageAfter(
    start: Omit<Range, "to">,
    to: string,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<ListedPage> {
    try {
      return { documents: await this.#page({ ...start, to, limit }, signal), limit };
    } catch (error) {
      if (limit === 1 || !isVaultError(error, "TOO_LARGE")) throw error;
      return this.#pageAfter(start, to, Math.ceil(limit / 10), signal);
    }
  }

  async #page({ from, to, limit, isAfter, descending }: Page, signal?: AbortSignal): Promise<readonly RawDocument[]> {
    const { body } = await this.#ask({
      method: "GET",
      path: "_all_docs",
      query: {
        include_docs: true,
        conflicts: true,
        startkey: JSON.stringify(descending ? to : from),
        endkey: JSON.stringify(descending ? from : to),
        limit,
        ...(isAfter ? { skip: 1 } : {}),
        ...(descending ? { descending: true } : {}),
      },
      signal,
    });
    return rowsIn(body, "a listing").flatMap(({ doc }) => (isRecord(doc) ? documentIn(doc) : []));
  }

  /** Documents by their ids, with the revisions in conflict. Ids that are no longer, or never were, are told apart. */
  async byIds(ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    if (ids.length === 0) return found;
    const { body } = await this.#ask({
      method: "POST",
      path: "_all_docs",
      query: { include_docs: true, conflicts: true },
      body: { keys: ids },
      signal,
    });
    for (const { key, value, doc } of rowsIn(body, "a listing")) {
      if (typeof key !== "string") throw unexpected("a listing");
      if (isRecord(doc)) found.set(key, { kind: "document", document: documentIn(doc) });
      else if (isRecord(value) && value["deleted"] === true)
        found.set(key, { kind: "deleted", revision: revisionIn(value) });
      else found.set(key, { kind: "missing" });
    }
    if (ids.some((id) => !found.has(id))) throw unexpected("a listing");
    return found;
  }

  /** Chunks by their ids, those that are there: a quarter of the work that a listing by keys makes for the server. */
  async leaves(ids: readonly string[], signal?: AbortSignal): Promise<readonly RawDocument[]> {
    if (ids.length === 0) return [];
    const docs = ids.map((id) => ({ id }));
    let body: unknown;
    try {
      ({ body } = await this.#ask({ method: "POST", path: "_bulk_get", body: { docs }, signal }));
    } catch (error) {
      if (ids.length === 1 || !isVaultError(error, "TOO_LARGE")) throw error;
      const half = ids.length >> 1;
      return [...(await this.leaves(ids.slice(0, half), signal)), ...(await this.leaves(ids.slice(half), signal))];
    }
    const results = isRecord(body) ? body["results"] : undefined;
    if (!Array.isArray(results)) throw unexpected("a question for chunks");
    return results.flatMap((one: unknown) => leafIn(one) ?? []);
  }

  /** Which of these revisions the database has never had, or has lost with all that came after them. */
  async lacking(revisions: ReadonlyMap<string, string>): Promise<readonly string[]> {
    if (revisions.size === 0) return [];
    const asked = Object.fromEntries([...revisions].map(([id, revision]) => [id, [revision]]));
    const { body } = await this.#ask({ method: "POST", path: "_revs_diff", body: asked });
    if (!isRecord(body)) throw unexpected("a comparison of revisions");
    return Object.keys(body);
  }

  /** Which of the ids have a document that is not deleted. */
  async present(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { body } = await this.#ask({ method: "POST", path: "_all_docs", body: { keys: ids } });
    const rows = rowsIn(body, "a listing").filter(({ value }) => isRecord(value) && value["deleted"] !== true);
    return new Set(rows.flatMap(({ id }) => (typeof id === "string" ? id : [])));
  }

  /** What changed since, each id once, unfiltered (filters hide tombstones). */
  async changes(since: Sequence, signal?: AbortSignal): Promise<ChangePage> {
    const { body } = await this.#ask({
      method: "GET",
      path: "_changes",
      // One sequence at the end will do: those of a cluster are long, and take time to make.
      query: { since, limit: CHANGES_AT_ONCE, style: "all_docs", seq_interval: CHANGES_AT_ONCE },
      signal,
    });
    if (!isRecord(body) || !Array.isArray(body["results"])) throw unexpected("what changed");
    const last = body["last_seq"];
    if (typeof last !== "string" && typeof last !== "number") throw unexpected("what changed");
    return { rows: (body["results"] as readonly unknown[]).map(changeIn), last };
  }

  /** Writes a document over the revision it names, or where there is none. */
  async put(document: RawDocument): Promise<Put> {
    const { _id: id } = document;
    const { status, body, isRepeated } = await this.#ask({
      method: "PUT",
      path: pathOf(id),
      body: document,
      isWrite: true,
    });
    if (status === 409) return { kind: "conflict", isRepeated };
    if (status === 412) {
      throw new VaultError("UNAVAILABLE", "The CouchDB server refused a condition that was not set (412).", {
        hint: "Look at what stands between this server and CouchDB.",
      });
    }
    const revision = isRecord(body) && body["ok"] === true ? body["rev"] : undefined;
    if (typeof revision !== "string") throw unexpected("a write");
    return { kind: "written", revision };
  }

  /**
   * Adds documents that may be there already, which is as good.
   * @throws VaultError when one was refused; others may have been written
   */
  async add(documents: readonly RawDocument[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { status, body } = await this.#ask({
        method: "POST",
        path: "_bulk_docs",
        body: { docs: documents },
        isWrite: true,
      });
      if (status < 300) {
        assertAdded(documents, body);
        return;
      }
      // A conflict of the whole request says nothing of its documents.
      const there = await this.present(documents.map(({ _id }) => _id));
      if (documents.every(({ _id }) => there.has(_id))) return;
      if (tries === ADDING_TRIES) throw notAdded(undefined);
    }
  }

  #ask(request: CouchRequest): Promise<CouchAnswer> {
    return this.client.ask(request);
  }
}

function assertAdded(documents: readonly RawDocument[], body: unknown): void {
  const results: readonly unknown[] = Array.isArray(body) ? body : [];
  const states = new Map<unknown, Readonly<Record<string, unknown>>>();
  for (const one of results) if (isRecord(one)) states.set(one["id"], one);
  for (const { _id: id } of documents) {
    const state = states.get(id);
    if (state?.["ok"] === true || state?.["error"] === "conflict") continue;
    if (state?.["error"] === undefined) throw unexpected("a write");
    throw notAdded(state["error"]);
  }
}

function notAdded(word: unknown): VaultError {
  const why = typeof word === "string" && /^[a-z_]{1,40}$/.test(word) ? ` (${word})` : "";
  if (word === "forbidden" || word === "unauthorized") {
    return new VaultError("PERMISSION_DENIED", `The CouchDB user may not write to the database${why}.`, {
      hint: "Give the user the right to write, or start the server with --read-only.",
    });
  }
  if (word === "too_large" || word === "document_too_large") {
    return new VaultError("TOO_LARGE", "The CouchDB server does not take documents of this size.", {
      hint: "Raise max_document_size of the CouchDB server.",
    });
  }
  return new VaultError(
    "UNAVAILABLE",
    `The CouchDB server did not take a part of the content${why}; nothing was changed.`,
    {
      hint: "Try again later.",
    },
  );
}

/** `_local/` ids keep their slash, all others are one segment. */
function pathOf(id: string): string {
  const local = /^_local\/(.+)$/s.exec(id)?.[1];
  return local === undefined ? encodeURIComponent(id) : `_local/${encodeURIComponent(local)}`;
}

type Row = Readonly<Record<string, unknown>>;

function rowsIn(body: unknown, what: string): readonly Row[] {
  const rows = isRecord(body) ? body["rows"] : undefined;
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw unexpected(what);
  return rows;
}

function documentIn(body: unknown): RawDocument {
  if (!isRecord(body) || typeof body["_id"] !== "string") throw unexpected("a document");
  return body as RawDocument;
}

/** A row of a feed of changes. @throws VaultError UNAVAILABLE */
export function changeIn(row: unknown): ChangeRow {
  if (!isRecord(row) || typeof row["id"] !== "string") throw unexpected("what changed");
  const changes: readonly unknown[] = Array.isArray(row["changes"]) ? row["changes"] : [];
  return {
    id: row["id"],
    isDeleted: row["deleted"] === true,
    revisions: changes.flatMap((one) => revisionIn(one) ?? []),
  };
}

function revisionIn(value: unknown): string | undefined {
  const revision = isRecord(value) ? value["rev"] : undefined;
  return typeof revision === "string" ? revision : undefined;
}

/** The current version in one result of `_bulk_get`; deleted ones, and what is not there, give nothing. */
function leafIn(result: unknown): RawDocument | undefined {
  const docs: unknown = isRecord(result) ? result["docs"] : undefined;
  if (!Array.isArray(docs)) throw unexpected("a question for chunks");
  for (const one of docs as readonly unknown[]) {
    const document = isRecord(one) ? one["ok"] : undefined;
    if (isRecord(document) && document["_deleted"] !== true) return documentIn(document);
  }
  return undefined;
}
