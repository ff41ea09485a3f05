/** Reads CouchDB's answers and checks their form. */
import { VaultError } from "../../errors.js";
import { isRecord, type RawDocument } from "./codec/document.js";
import { unexpected } from "./failure.js";

export interface ChangeRow {
  readonly id: string;
  readonly isDeleted: boolean;
  /** All in conflict, deleted ones too, the current one first. */
  readonly revisions: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

export function rowsIn(body: unknown, what: string): readonly Row[] {
  const rows = isRecord(body) ? body["rows"] : undefined;
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw unexpected(what);
  return rows;
}

export function documentIn(body: unknown): RawDocument {
  if (!isRecord(body) || typeof body["_id"] !== "string") throw unexpected("a document");
  return body as RawDocument;
}

export function changeIn(row: unknown): ChangeRow {
  if (!isRecord(row) || typeof row["id"] !== "string") throw unexpected("what changed");
  const changes: readonly unknown[] = Array.isArray(row["changes"]) ? row["changes"] : [];
  return {
    id: row["id"],
    isDeleted: row["deleted"] === true,
    revisions: changes.flatMap((one) => revisionIn(one) ?? []),
  };
}

export function revisionIn(value: unknown): string | undefined {
  const revision = isRecord(value) ? value["rev"] : undefined;
  return typeof revision === "string" ? revision : undefined;
}

/** Newest first. @param document requested with `revs` */
export function historyIn(document: unknown): readonly string[] {
  const revisions = isRecord(document) ? document["_revisions"] : undefined;
  if (!isRecord(revisions)) return [];
  const { start, ids } = revisions;
  if (typeof start !== "number" || !Array.isArray(ids)) return [];
  return ids.map((hash, index) => `${start - index}-${String(hash)}`);
}

/** From `_bulk_get`; undefined for deleted and missing documents. */
export function leafIn(result: unknown): RawDocument | undefined {
  const docs: unknown = isRecord(result) ? result["docs"] : undefined;
  if (!Array.isArray(docs)) throw unexpected("a question for chunks");
  for (const one of docs as readonly unknown[]) {
    const document = isRecord(one) ? one["ok"] : undefined;
    if (isRecord(document) && document["_deleted"] !== true) return documentIn(document);
  }
  return undefined;
}

/** The ids that existed already. */
export function assertAdded(documents: readonly RawDocument[], body: unknown): readonly string[] {
  const results: readonly unknown[] = Array.isArray(body) ? body : [];
  const states = new Map<unknown, Readonly<Record<string, unknown>>>();
  for (const one of results) if (isRecord(one)) states.set(one["id"], one);
  for (const { _id: id } of documents) {
    const state = states.get(id);
    if (state?.["ok"] === true || state?.["error"] === "conflict") continue;
    if (state?.["error"] === undefined) throw unexpected("a write");
    throw notAdded(state["error"]);
  }
  return documents.flatMap(({ _id: id }) => (states.get(id)?.["ok"] === true ? [] : id));
}

export function notAdded(word: unknown): VaultError {
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
  const message = `The CouchDB server did not take a part of the content${why}; nothing was changed.`;
  return new VaultError("UNAVAILABLE", message, { hint: "Try again later." });
}
