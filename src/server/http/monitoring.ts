/** What an operator asks (docs: http, "Operations"): `/metrics` for Prometheus, whose labels hold no caller's text, and readiness. */
import { readdir } from "node:fs/promises";
import type { GaugeConfiguration, HistogramConfiguration } from "prom-client";
import { type ToolOutcome, traceOf } from "../../tools/outcome.js";
import { unlessLate } from "../../async/timers.js";
import { isVaultError } from "../../errors.js";
import { ROOT } from "../../storage/path.js";
import type { Log } from "../../log.js";
import type { Vault } from "../../vault/vault.js";
import type { Workspace } from "../../tools/workspace.js";

interface Gauges {
  readonly sessions: () => number;
  readonly requests: () => number;
  readonly calls: () => number;
  /** Undefined before the first refresh; seconds. */
  readonly index: () => { readonly notes: number; readonly age: number } | undefined;
}

export type Metrics = Awaited<ReturnType<typeof createMetrics>>;

const PREFIX = "obsidian_mcp_";
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** The storage may be the cause. */
const STORAGE_CODES = new Set(["UNAVAILABLE", "TIMEOUT", "SERVER_ERROR", "PERMISSION_DENIED", "VAULT_NOT_FOUND"]);
const METHODS = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS"]);

export async function createMetrics(gauges: Gauges) {
  const { default: prom } = await import("prom-client");
  const { Counter, Gauge, Histogram, Registry } = prom;
  const registry = new Registry();
  const about = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) => ({
    name: `${PREFIX}${name}`,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  });
  const histogram = <T extends string>(configuration: HistogramConfiguration<T>) =>
    new Histogram({ ...configuration, buckets: BUCKETS });
  const gauge = (
    configuration: GaugeConfiguration<string>,
    value: () => number | undefined | Promise<number | undefined>,
  ) =>
    new Gauge({
      ...configuration,
      async collect() {
        const now = await value();
        if (now !== undefined) this.set(now);
      },
    });

  const requests = new Counter(about("http_requests_total", "HTTP requests answered.", ["route", "method", "status"]));
  const requestSeconds = histogram(
    about("http_request_duration_seconds", "Seconds to answer a request; streams are not counted.", ["route"]),
  );
  const calls = new Counter(
    about("tool_calls_total", "Tool calls; outcome is ok or an error code.", ["tool", "outcome"]),
  );
  const callSeconds = histogram(
    about("tool_call_duration_seconds", "Seconds a tool call took, waiting included.", ["tool"]),
  );
  const storageErrors = new Counter(about("storage_errors_total", "Failures that may lie with the storage.", ["code"]));
  const scans = histogram(
    about("scan_duration_seconds", "Seconds to bring the vault's index up to date, as probes found it."),
  );
  gauge(about("sessions", "Open sessions of clients with sessions."), gauges.sessions);
  gauge(about("http_requests_open", "Requests that are being served, streams included."), gauges.requests);
  gauge(about("tool_calls_open", "Tool calls that run or wait."), gauges.calls);
  gauge(about("index_notes", "Notes in the index."), () => gauges.index()?.notes);
  gauge(
    about("index_age_seconds", "Seconds since a probe last saw the index brought up to date."),
    () => gauges.index()?.age,
  );
  processGauges((name, help, value) => gauge({ name, help, registers: [registry] }, value));

  return {
    /** @param route a path of the server, or `other` */
    request(route: string, method: string, status: number, seconds: number | undefined): void {
      requests.inc({ route, method: METHODS.has(method) ? method : "other", status: String(status) });
      if (seconds !== undefined) requestSeconds.observe({ route }, seconds);
    },
    call(tool: string, outcome: ToolOutcome, seconds: number): void {
      const result = outcome.ok ? "ok" : outcome.error.code;
      calls.inc({ tool, outcome: result });
      callSeconds.observe({ tool }, seconds);
      if (STORAGE_CODES.has(result)) storageErrors.inc({ code: result });
    },
    scan: (seconds: number) => scans.observe(seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** prom-client's own gauges wake the process 100 times a second. */
function processGauges(
  gauge: (name: string, help: string, value: () => number | Promise<number | undefined>) => unknown,
): void {
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  };
  gauge("process_cpu_seconds_total", "Processor time used, in seconds.", cpuSeconds);
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_used_bytes", "Heap in use.", () => process.memoryUsage().heapUsed);
  gauge(
    "process_start_time_seconds",
    "When the process began, in seconds since 1970.",
    () => performance.timeOrigin / 1000,
  );
  gauge("process_open_fds", "Open files and sockets, where the system reports them.", openFiles);
}

async function openFiles(): Promise<number | undefined> {
  try {
    return (await readdir("/proc/self/fd")).length;
  } catch {
    return undefined;
  }
}

/** Without one, notes are still served. */
type JournalState = "kept" | "off" | "unreadable";

type Readiness =
  | { readonly status: "ready"; readonly journal: JournalState }
  | { readonly status: "not ready"; readonly reason: string };

const PROBE_TIMEOUT_MS = 1000;
const RESULT_TTL_MS = 1000;

const NOT_INDEXED: Readiness = { status: "not ready", reason: "The vault is being indexed." };
const SLOW: Readiness = { status: "not ready", reason: "The vault takes long to answer." };

interface ReadyOptions {
  readonly workspace: Workspace;
  readonly log: Log;
  readonly keepsJournal: boolean;
  readonly onScan: (seconds: number) => void;
}

export type ReadyCheck = ReturnType<typeof readyCheck>;

export function readyCheck({ workspace, log, keepsJournal, onScan }: ReadyOptions) {
  let checking: Promise<Readiness> | undefined;
  let last: { readonly found: Readiness; readonly at: number } | undefined;
  let index: { readonly notes: number; readonly at: number } | undefined;

  function meanwhile(): Readiness {
    if (last?.found.status === "not ready") return last.found;
    return index ? SLOW : NOT_INDEXED;
  }

  async function run(): Promise<Readiness> {
    try {
      const { vault } = await workspace.current();
      if (!(await vault.children(ROOT))) return { status: "not ready", reason: "The vault's folder is gone." };
      const begun = performance.now();
      const { noteCount: notes } = await vault.index.refresh();
      index = { notes, at: performance.now() };
      onScan((index.at - begun) / 1000);
      return { status: "ready", journal: keepsJournal ? await journalOf(vault) : "off" };
    } catch (error) {
      if (isVaultError(error, "VAULT_NOT_INITIALIZED"))
        return { status: "not ready", reason: "No vault is configured." };
      log.warn("The vault is not ready", isVaultError(error) ? { code: error.code } : traceOf(error));
      return { status: "not ready", reason: isVaultError(error) ? error.code : "SERVER_ERROR" };
    }
  }

  return {
    /** Seconds. */
    index: () => index && { notes: index.notes, age: (performance.now() - index.at) / 1000 },
    /** Never rejects. A late check goes on. */
    async check(): Promise<Readiness> {
      if (last && performance.now() - last.at < RESULT_TTL_MS) return last.found;
      checking ??= run().then((found) => {
        last = { found, at: performance.now() };
        checking = undefined;
        return found;
      });
      const otherwise = meanwhile();
      return (await unlessLate(checking, PROBE_TIMEOUT_MS)) ?? otherwise;
    },
  };
}

async function journalOf(vault: Vault): Promise<JournalState> {
  try {
    await vault.history.unfinished();
    return "kept";
  } catch {
    return "unreadable";
  }
}
