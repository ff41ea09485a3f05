/** Checks CouchDB's answers; translates failures into errors without secrets. */
import { isRecord } from "../../text/decoded.js";
import { VaultError, type VaultErrorDetails } from "../../errors.js";
import type { RawDocument } from "./codec/document.js";

export interface ChangeRow {
  readonly id: string;
  readonly isDeleted: boolean;
  /** Deleted ones too, the current one first. */
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

/** Newest first. */
export function historyIn(document: unknown): readonly string[] {
  const revisions = isRecord(document) ? document["_revisions"] : undefined;
  if (!isRecord(revisions)) return [];
  const { start, ids } = revisions;
  if (typeof start !== "number" || !Array.isArray(ids)) return [];
  return ids.map((hash, index) => `${start - index}-${String(hash)}`);
}

/** Undefined for deleted and missing documents. */
export function leafIn(result: unknown): RawDocument | undefined {
  const docs: unknown = isRecord(result) ? result["docs"] : undefined;
  if (!Array.isArray(docs)) throw unexpected("a question for chunks");
  for (const one of docs as readonly unknown[]) {
    const document = isRecord(one) ? one["ok"] : undefined;
    if (isRecord(document) && document["_deleted"] !== true) return documentIn(document);
  }
  return undefined;
}

/** @returns ids that existed */
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

const UNCONNECTED: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at its address",
  ENOTFOUND: "its host name is unknown",
  EAI_AGAIN: "its host name cannot be looked up",
  EHOSTUNREACH: "there is no way to its host",
  ENETUNREACH: "there is no network",
  ETIMEDOUT: "its host does not answer",
};
/** From OpenSSL. */
const NO_TLS = new Set([
  "EPROTO",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_HTTP_REQUEST",
]);
/** From the parser. */
const NO_HTTP = new Set(["HPE_INVALID_CONSTANT", "HPE_INVALID_VERSION"]);
const CERTIFICATE = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/;
const CHECK_URL = "Check COUCHDB_BASE_URL, and that the server runs and can be reached from here.";
const TRUST =
  "Name the file of the authority that signed it in NODE_EXTRA_CA_CERTS, and check that COUCHDB_BASE_URL has the name it was made for.";

interface NoAnswer {
  readonly error: VaultError;
  /** Perhaps carried out. */
  readonly isUncertain: boolean;
  readonly isPassing: boolean;
}

export function noAnswer(cause: unknown): NoAnswer {
  const code = codeOf(cause);
  const unreachable = (why: string, hint = CHECK_URL, isPassing = false): NoAnswer => {
    const error = unavailable(`The CouchDB server cannot be reached: ${why}.`, hint, { cause });
    return { error, isUncertain: false, isPassing };
  };
  const why = UNCONNECTED[code];
  if (why !== undefined) return unreachable(why, CHECK_URL, code !== "ENOTFOUND");
  if (NO_TLS.has(code))
    return unreachable("its port speaks no https, perhaps http", "Try http:// in COUCHDB_BASE_URL, or another port.");
  if (NO_HTTP.has(code))
    return unreachable("its port speaks no http, perhaps https", "Try https:// in COUCHDB_BASE_URL, or another port.");
  if (CERTIFICATE.test(code)) return unreachable("its certificate is not trusted", TRUST);
  const hint = `${CHECK_URL} A port that speaks https closes plain http connections, and the other way round.`;
  const error = unavailable("The connection to the CouchDB server broke.", hint, { cause });
  return { error, isUncertain: true, isPassing: true };
}

export function tooSlow(seconds: number): VaultError {
  return unavailable(
    `The CouchDB server sent nothing for ${seconds} seconds.`,
    "Check that COUCHDB_BASE_URL names the port of CouchDB, and that the server is not overloaded.",
  );
}

export function proxyFault(status: number): VaultError {
  return unavailable(
    `A proxy in front of the CouchDB server answered ${status}, not CouchDB itself.`,
    "Check that CouchDB runs and that the proxy reaches it.",
  );
}

export function refusedBefore(): VaultError {
  return unavailable(
    "The CouchDB server refused this user name or password less than five minutes ago (401); it was not sent again.",
    "Check COUCHDB_USER and COUCHDB_PASSWORD: five wrong logins lock the account. A changed one is tried immediately.",
  );
}

/** A portal or proxy answered. */
export function notCouch(status: number): VaultError {
  const isElsewhere = status >= 300 && status < 400;
  return unavailable(
    isElsewhere
      ? "The address of the CouchDB server leads elsewhere (it answers with a redirection)."
      : "What answers at the address of the CouchDB server is no CouchDB: the answer is not JSON.",
    `${CHECK_URL} A network's sign-in page may be in between, or the port wants https.`,
  );
}

export function answerTooLong(bytes: number): VaultError {
  const size = Math.floor(bytes / 1024 / 1024);
  return new VaultError("TOO_LARGE", `An answer of the CouchDB server is longer than ${size} MB.`, {
    hint: "Look at the database for documents that LiveSync did not write.",
  });
}

/** @param isRepeated the address ends with the database's name */
export function noDatabase(isRepeated: boolean): VaultError {
  const hint = isRepeated
    ? "COUCHDB_BASE_URL ends with the database's name: leave it out there, COUCHDB_DATABASE_NAME says it."
    : "Check COUCHDB_DATABASE_NAME.";
  return unavailable("The CouchDB server has no database of that name (404).", hint, { isOfSetup: true });
}

export function unexpected(what: string): VaultError {
  return unavailable(`The CouchDB server's answer to ${what} is not what CouchDB answers.`, CHECK_URL);
}

export function refusal(status: number, body: unknown, isWrite: boolean): VaultError {
  switch (status) {
    case 401:
      return unavailable(
        "The CouchDB server does not accept the user name or the password (401).",
        "Check COUCHDB_USER and COUCHDB_PASSWORD.",
        { isOfSetup: true },
      );
    case 403:
      if (isLockedOut(body)) return lockedOut();
      return isWrite
        ? new VaultError("PERMISSION_DENIED", "The CouchDB user may not write to the database (403).", {
            hint: "Give the user the right to write, or start the server with --read-only.",
          })
        : unavailable(
            "The CouchDB user may not read the database (403).",
            "Make the user a member of the database, or use another one (COUCHDB_USER).",
            { isOfSetup: true },
          );
    case 413:
      return new VaultError("TOO_LARGE", "The CouchDB server does not take documents of this size (413).", {
        hint: "Raise max_document_size and max_http_request_size of the CouchDB server.",
      });
    case 429:
      return unavailable("The CouchDB server is asked too often (429).", "Try again later.");
    default:
      return unavailable(
        `The CouchDB server refused (${status}${reasonIn(body)}).`,
        status >= 500 || status === 412 ? "Try again later, and look at the server's log." : CHECK_URL,
      );
  }
}

/** After five wrong passwords CouchDB refuses even the right one for five minutes. */
function isLockedOut(body: unknown): boolean {
  return isRecord(body) && typeof body["reason"] === "string" && /temporarily locked/i.test(body["reason"]);
}

function lockedOut(): VaultError {
  return unavailable(
    "The CouchDB server has locked the account for some minutes: a wrong password was sent too often (403).",
    "Find what sends the wrong password (COUCHDB_PASSWORD here, or another device), then wait five minutes.",
  );
}

export function isMissingDocument(body: unknown): boolean {
  return isRecord(body) && (body["reason"] === "missing" || body["reason"] === "deleted");
}

/** Omits reasons: they may contain names. */
function reasonIn(body: unknown): string {
  const word = isRecord(body) ? body["error"] : undefined;
  return typeof word === "string" && /^[a-z_]{1,40}$/.test(word) ? `, ${word}` : "";
}

function unavailable(message: string, hint: string, details: VaultErrorDetails = {}): VaultError {
  return new VaultError("UNAVAILABLE", message, { ...details, hint });
}

function codeOf(error: unknown): string {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 4; inner = inner.cause, depth++) {
    if ("code" in inner && typeof inner.code === "string") return inner.code;
    if (inner instanceof AggregateError) return codeOf(inner.errors[0]);
  }
  return "";
}
