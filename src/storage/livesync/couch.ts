/** Checked operations on a database (docs: livesync). */
import { isRecord } from "../../text/decoded.js";
import { randomBytes } from "node:crypto";
import { isVaultError, VaultError } from "../../errors.js";
import type { CouchClient } from "./client.js";
import type { RawDocument } from "./codec/document.js";
import {
  assertAdded,
  changeIn,
  type ChangeRow,
  documentIn,
  historyIn,
  leafIn,
  notAdded,
  revisionIn,
  rowsIn,
  unexpected,
} from "./couch-answers.js";

/** Opaque. */
export type Sequence = string | number;

interface DatabaseInfo {
  readonly sequence: Sequence;
  /** Creation time; undefined: unknown. */
  readonly instance: string | undefined;
  /** 1: a single server. */
  readonly copies: number;
}

export type Found =
  | { readonly kind: "document"; readonly document: RawDocument }
  | { readonly kind: "deleted"; readonly revision: string | undefined }
  | { readonly kind: "missing" };

export interface ChangePage {
  readonly rows: readonly ChangeRow[];
  readonly last: Sequence;
}

/** `conflict`: another revision is there. */
export type Put =
  | {
      readonly kind: "written";
      readonly revision: string;
      /** On a cluster: it may lose to another version. */
      readonly isUndecided: boolean;
    }
  | {
      readonly kind: "conflict";
      /** An earlier try broke: the other revision may be ours. */
      readonly isRepeated: boolean;
    };

/** On any copy. */
export interface LeafVersion {
  readonly revision: string;
  readonly isDeleted: boolean;
  /** Begins with the revision itself. */
  readonly history: readonly string[];
}

/** Of ids, by their UTF-8 bytes. */
export interface Range {
  readonly from: string;
  readonly to: string;
  /** Excludes `from`. */
  readonly isAfter?: boolean;
}

interface Page extends Range {
  readonly limit: number;
  readonly descending?: boolean;
}

/** All but chunks. Some servers need an end. */
export const METADATA: readonly Range[] = [
  { from: "", to: "h:" },
  { from: "h;", to: "\u{10FFFF}" },
];

/** At each end of a range. */
const SAMPLE = 25;

interface ListedPage {
  readonly documents: readonly RawDocument[];
  readonly limit: number;
}

const PAGE_SIZE = 1000;
/** Fewer rows end the feed. */
export const CHANGES_AT_ONCE = 10_000;
const MAX_ADD_TRIES = 3;
const ACCEPTED = 202;

interface Added {
  readonly existing: readonly string[];
  readonly isDecided: boolean;
}

export class Couch {
  readonly client: CouchClient;

  constructor(client: CouchClient) {
    this.client = client;
  }

  /** @throws UNAVAILABLE, also without such a database */
  async info(): Promise<DatabaseInfo> {
    const { body } = await this.client.ask({ method: "GET", path: "" });
    const { update_seq: sequence, instance_start_time: instance, cluster } = isRecord(body) ? body : {};
    if (typeof sequence !== "string" && typeof sequence !== "number") throw unexpected("what it is");
    const copies = isRecord(cluster) && typeof cluster["n"] === "number" ? cluster["n"] : 1;
    return { sequence, instance: typeof instance === "string" ? instance : undefined, copies };
  }

  /** Also `_local` ones. */
  async document(id: string): Promise<RawDocument | undefined> {
    const { status, body } = await this.client.ask({ method: "GET", path: pathOf(id) });
    if (status === 404) return undefined;
    return documentIn(body);
  }

  /** Undefined when its content is gone. */
  async revision(id: string, revision: string): Promise<RawDocument | undefined> {
    const { status, body } = await this.client.ask({ method: "GET", path: pathOf(id), query: { rev: revision } });
    return status === 404 ? undefined : documentIn(body);
  }

  async history(id: string): Promise<readonly string[]> {
    const { status, body } = await this.client.ask({ method: "GET", path: pathOf(id), query: { revs: true } });
    return status === 404 ? [] : historyIn(body);
  }

  /** On all reachable nodes. */
  async versions(id: string, copies: number, signal?: AbortSignal): Promise<readonly LeafVersion[]> {
    const query = { open_revs: "all", revs: true, r: copies };
    const { status, body } = await this.client.ask({ method: "GET", path: pathOf(id), query, signal });
    if (status === 404) return [];
    if (!Array.isArray(body)) throw unexpected("a question for all versions");
    return body.flatMap((one: unknown) => {
      const document = isRecord(one) ? one["ok"] : undefined;
      if (!isRecord(document)) return [];
      const { _rev: revision, _deleted: isDeleted } = document;
      return { revision: String(revision), isDeleted: isDeleted === true, history: historyIn(document) };
    });
  }

  /** Writes and removes a local document. */
  async hasQuorum(): Promise<boolean> {
    const id = `_local/obsidian-vault-mcp-quorum-${randomBytes(8).toString("hex")}`;
    const put = await this.put({ _id: id });
    if (put.kind !== "written") return false;
    await this.put({ _id: id, _rev: put.revision, _deleted: true }).catch(() => undefined);
    return !put.isUndecided;
  }

  async sample(): Promise<readonly RawDocument[]> {
    const pages = METADATA.flatMap((range) => [
      this.#page({ ...range, limit: SAMPLE }),
      this.#page({ ...range, limit: SAMPLE, descending: true }),
    ]);
    return (await Promise.all(pages)).flat();
  }

  /** Requests the next page early. */
  async *range({ to, ...start }: Range): AsyncGenerator<readonly RawDocument[]> {
    let next: Promise<ListedPage> | undefined = this.#pageAfter(start, to, PAGE_SIZE);
    while (next) {
      const page: ListedPage = await next;
      const { documents, limit } = page;
      const last: RawDocument | undefined = documents.at(-1);
      const isFull: boolean = last !== undefined && documents.length === limit;
      next = last && isFull ? this.#pageAfter({ from: last["_id"], isAfter: true }, to, limit) : undefined;
      next?.catch(() => undefined);
      if (documents.length > 0) yield documents;
    }
  }

  async #pageAfter(start: Omit<Range, "to">, to: string, limit: number): Promise<ListedPage> {
    try {
      return { documents: await this.#page({ ...start, to, limit }), limit };
    } catch (error) {
      if (limit === 1 || !isVaultError(error, "TOO_LARGE")) throw error;
      return this.#pageAfter(start, to, Math.ceil(limit / 10));
    }
  }

  async #page({ from, to, limit, isAfter, descending }: Page): Promise<readonly RawDocument[]> {
    const { body } = await this.client.ask({
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
    });
    return rowsIn(body, "a listing").flatMap(({ doc }) => (isRecord(doc) ? documentIn(doc) : []));
  }

  /** With conflicts; deleted ids differ from unknown ones. */
  async byIds(ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    if (ids.length === 0) return found;
    const { body } = await this.client.ask({
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

  /** The existing chunks, at a quarter of a listing's work. */
  async leaves(ids: readonly string[], signal?: AbortSignal): Promise<readonly RawDocument[]> {
    if (ids.length === 0) return [];
    const docs = ids.map((id) => ({ id }));
    let body: unknown;
    try {
      ({ body } = await this.client.ask({ method: "POST", path: "_bulk_get", body: { docs }, signal }));
    } catch (error) {
      if (ids.length === 1 || !isVaultError(error, "TOO_LARGE")) throw error;
      const half = ids.length >> 1;
      return [...(await this.leaves(ids.slice(0, half), signal)), ...(await this.leaves(ids.slice(half), signal))];
    }
    const results = isRecord(body) ? body["results"] : undefined;
    if (!Array.isArray(results)) throw unexpected("a question for chunks");
    return results.flatMap((one: unknown) => leafIn(one) ?? []);
  }

  /** Those that the database never had, or lost. */
  async lacking(revisions: ReadonlyMap<string, string>): Promise<readonly string[]> {
    if (revisions.size === 0) return [];
    const asked = Object.fromEntries([...revisions].map(([id, revision]) => [id, [revision]]));
    const { body } = await this.client.ask({ method: "POST", path: "_revs_diff", body: asked });
    if (!isRecord(body)) throw unexpected("a comparison of revisions");
    return Object.keys(body);
  }

  async present(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { body } = await this.client.ask({ method: "POST", path: "_all_docs", body: { keys: ids } });
    const rows = rowsIn(body, "a listing").filter(({ value }) => isRecord(value) && value["deleted"] !== true);
    return new Set(rows.flatMap(({ id }) => (typeof id === "string" ? id : [])));
  }

  /** Each id once, unfiltered: filters hide tombstones. */
  async changes(since: Sequence): Promise<ChangePage> {
    const { body } = await this.client.ask({
      method: "GET",
      path: "_changes",
      // Sequences of a cluster are long and slow to make.
      query: { since, limit: CHANGES_AT_ONCE, style: "all_docs", seq_interval: CHANGES_AT_ONCE },
    });
    if (!isRecord(body) || !Array.isArray(body["results"])) throw unexpected("what changed");
    const last = body["last_seq"];
    if (typeof last !== "string" && typeof last !== "number") throw unexpected("what changed");
    return { rows: (body["results"] as readonly unknown[]).map(changeIn), last };
  }

  async put(document: RawDocument): Promise<Put> {
    const { _id: id } = document;
    const { status, body, isRepeated } = await this.client.ask({
      method: "PUT",
      path: pathOf(id),
      body: document,
      isWrite: true,
    });
    if (status === 409) return { kind: "conflict", isRepeated };
    if (status === 412) {
      throw new VaultError("UNAVAILABLE", "The CouchDB server refused a condition that was not set (412).", {
        hint: "Check what is between this server and CouchDB.",
      });
    }
    const revision = isRecord(body) && body["ok"] === true ? body["rev"] : undefined;
    if (typeof revision !== "string") throw unexpected("a write");
    return { kind: "written", revision, isUndecided: status === ACCEPTED };
  }

  /**
   * @returns whether enough nodes accepted all, and which existed
   * @throws when one was refused; others may have been written
   */
  async add(documents: readonly RawDocument[]): Promise<Added> {
    for (let tries = 1; ; tries++) {
      const { status, body } = await this.client.ask({
        method: "POST",
        path: "_bulk_docs",
        body: { docs: documents },
        isWrite: true,
      });
      if (status < 300) {
        return { existing: assertAdded(documents, body), isDecided: status !== ACCEPTED };
      }
      const existing = documents.map(({ _id }) => _id);
      const there = await this.present(existing);
      if (existing.every((id) => there.has(id))) return { existing, isDecided: true };
      if (tries === MAX_ADD_TRIES) throw notAdded(undefined);
    }
  }
}

function pathOf(id: string): string {
  const local = /^_local\/(.+)$/s.exec(id)?.[1];
  return local === undefined ? encodeURIComponent(id) : `_local/${encodeURIComponent(local)}`;
}
