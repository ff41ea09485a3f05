/** The App's host: it carries calls, and gives the context and the result to draw (docs: mcp-app, "The App"). */
import { signal } from "@preact/signals";
import type { Beginning, CallOptions, ChangeListener, PageTransport } from "../transport/transport.js";
import type { ToolAnswers, ToolArguments, ToolName, ToolReply } from "../transport/transport.js";
import { CallFailure, messageOf, structuredOf } from "../transport/transport.js";
import { WORDS } from "../words.js";
import { APP_WORDS } from "../later-words.js";

/** The revision of MCP Apps. */
const APP_PROTOCOL = "2026-01-26";
const APP_INFO = { name: "obsidian-vault-mcp-server", title: "Tasks", version: "1" };
/** Where a result lists the caller's tools; otherwise the App tries all. */
const OFFERED_META = "obsidian-vault-mcp-server/tools";
const ALL_TOOLS: readonly ToolName[] = [
  "search_tasks",
  "get_agenda",
  "get_task",
  "update_task",
  "add_tasks",
  "undo_edit",
];
/** The model gets only the latest changes. */
const MAX_REPORTED = 20;

type DisplayMode = "inline" | "fullscreen" | "pip";

interface HostContext {
  readonly theme?: "light" | "dark";
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
  readonly displayMode?: DisplayMode;
  readonly availableDisplayModes?: readonly DisplayMode[];
}

interface HostCapabilities {
  readonly serverTools?: object;
  readonly updateModelContext?: object;
  readonly openLinks?: object;
}

export type Given =
  | { readonly kind: "waiting" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly text: string }
  /** `number` distinguishes answers. */
  | { readonly kind: "answer"; readonly number: number; readonly data: object };

export class Host implements PageTransport {
  readonly given = signal<Given>({ kind: "waiting" });
  /** Of the model's call. */
  readonly args = signal<ToolArguments>({});
  readonly context = signal<HostContext>({});

  readonly #wire: ReturnType<typeof hostWire>;
  #capabilities: HostCapabilities = {};
  #offered: readonly string[] = ALL_TOOLS;
  #reported: readonly string[] = [];
  #answers = 0;

  constructor(frame: Window) {
    this.#wire = hostWire(frame, {
      "ui/notifications/tool-input": ({ arguments: args }) => (this.args.value = (args ?? {}) as ToolArguments),
      "ui/notifications/tool-result": (result) => this.#take(result),
      "ui/notifications/tool-cancelled": () => (this.given.value = { kind: "cancelled" }),
      "ui/notifications/host-context-changed": (changed) => this.#setContext(changed),
    });
  }

  /** The host sends nothing before this handshake. */
  async connect(): Promise<void> {
    const hello = {
      protocolVersion: APP_PROTOCOL,
      appInfo: APP_INFO,
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    };
    const answer = (await this.#wire.request("ui/initialize", hello)) as {
      readonly hostCapabilities?: HostCapabilities;
      readonly hostContext?: HostContext;
    };
    this.#capabilities = answer.hostCapabilities ?? {};
    this.#setContext(answer.hostContext ?? {});
    this.#wire.notify("ui/notifications/initialized", {});
  }

  /** Otherwise the App only shows the first result. */
  get #carriesCalls(): boolean {
    return this.#capabilities.serverTools !== undefined;
  }

  async callTool(name: ToolName, args: ToolArguments, { signal }: CallOptions): Promise<unknown> {
    if (!this.#carriesCalls) throw new CallFailure("refused", APP_WORDS.showsOnly);
    const result = await this.#wire.request("tools/call", { name, arguments: args }, signal);
    const answer = structuredOf(result as ToolReply);
    const sentence = changeSentence(name, answer);
    if (sentence !== undefined) this.#tellModel(sentence);
    return answer;
  }

  async begin(): Promise<Beginning> {
    const { today } = (this.given.value.kind === "answer" ? this.given.value.data : {}) as Partial<Beginning>;
    return { tools: this.#carriesCalls ? this.#offered : [], ...(today !== undefined && { today }) };
  }

  /** Hosts report no vault changes: reads again when the document becomes visible. */
  follow(listener: ChangeListener): void {
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.#carriesCalls) listener.changed();
    });
  }

  tellSize(width: number, height: number): void {
    this.#wire.notify("ui/notifications/size-changed", { width, height });
  }

  async show(mode: DisplayMode): Promise<void> {
    const answer = (await this.#wire.request("ui/request-display-mode", { mode })) as { readonly mode?: DisplayMode };
    // The host may choose another mode.
    if (answer.mode !== undefined) this.#setContext({ displayMode: answer.mode });
  }

  async openLink(url: string): Promise<boolean> {
    if (this.#capabilities.openLinks === undefined) return false;
    try {
      const answer = (await this.#wire.request("ui/open-link", { url })) as { readonly isError?: boolean };
      return answer.isError !== true;
    } catch {
      return false;
    }
  }

  /** Repeats earlier sentences, because each message replaces the last. */
  #tellModel(sentence: string): void {
    if (this.#capabilities.updateModelContext === undefined) return;
    this.#reported = [...this.#reported, sentence].slice(-MAX_REPORTED);
    const text = this.#reported.join("\n");
    // The change holds even if the host rejects this.
    this.#wire.request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});
  }

  #take(result: ToolReply): void {
    const { _meta: meta } = result;
    const offered = meta?.[OFFERED_META];
    if (Array.isArray(offered)) this.#offered = offered.map(String);
    try {
      this.given.value = { kind: "answer", number: ++this.#answers, data: structuredOf(result) };
    } catch (error) {
      this.given.value = { kind: "failed", text: messageOf(error) };
    }
  }

  #setContext(changed: HostContext): void {
    this.context.value = { ...this.context.value, ...changed };
    const { theme = "auto", styles } = this.context.value;
    const root = document.documentElement;
    root.dataset["theme"] = theme;
    for (const [name, value] of Object.entries(styles?.variables ?? {}))
      if (name.startsWith("--") && value !== undefined) root.style.setProperty(name, value);
  }
}

/** Undefined without a change. */
function changeSentence(name: ToolName, answer: object): string | undefined {
  if (name === "update_task") {
    const { changed, title, id, updatedFields, status, due } = answer as ToolAnswers["update_task"];
    const now = `status ${status}, ${due === undefined ? "no due date" : `due ${due}`}`;
    if (changed) return `The user changed ${updatedFields.join(", ")} of the task "${title}" (id ${id}); now: ${now}.`;
  }
  if (name === "add_tasks") {
    const { added } = answer as ToolAnswers["add_tasks"];
    if (added.length > 0) return `The user added ${added.map(({ title }) => `"${title}"`).join(", ")}.`;
  }
  if (name === "undo_edit") {
    const { asked, undone } = answer as ToolAnswers["undo_edit"];
    return `The user took back the last ${undone} of ${asked}.`;
  }
  return undefined;
}

type Params = Readonly<Record<string, unknown>>;

interface HostMessage {
  readonly jsonrpc?: string;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** Requests of the host that need only an answer. Others are refused. */
const ANSWERED: ReadonlySet<string> = new Set(["ping", "ui/resource-teardown"]);
const METHOD_NOT_FOUND = { code: -32601, message: "Method not found" };
/** A sandboxed frame cannot know its parent's origin. */
const ANY_ORIGIN = "*";

/**
 * JSON-RPC over postMessage.
 * @param changes by method; others are ignored
 */
function hostWire(host: Window, changes: Readonly<Record<string, (params: Params) => void>>) {
  /** By request number. */
  const waiting = new Map<number, (reply: HostMessage) => void>();
  let lastId = 0;
  const post = (message: HostMessage & { readonly error?: object }) =>
    host.postMessage({ jsonrpc: "2.0", ...message }, ANY_ORIGIN);
  const settle = (id: number, reply: HostMessage) => {
    const take = waiting.get(id);
    waiting.delete(id);
    take?.(reply);
  };
  const notify = (method: string, params: Params) => post({ method, params });
  /** @throws CallFailure with the host's message */
  const request = (method: string, params: Params, signal?: AbortSignal): Promise<unknown> => {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ result, error }) =>
        error ? reject(new CallFailure("refused", error.message ?? WORDS.refused)) : resolve(result),
      );
      const cancel = () => {
        if (!waiting.has(id)) return;
        notify("notifications/cancelled", { requestId: id });
        settle(id, { error: { message: WORDS.brokenOff } });
      };
      signal?.addEventListener("abort", cancel, { once: true });
      post({ id, method, params });
    });
  };
  addEventListener("message", ({ source, data }: MessageEvent<HostMessage | null>) => {
    if (source !== host || typeof data !== "object" || data?.jsonrpc !== "2.0") return;
    const { id, method, params = {} } = data;
    if (method === undefined) settle(Number(id), data);
    else if (id === undefined) changes[method]?.(params);
    else post({ id, ...(ANSWERED.has(method) ? { result: {} } : { error: METHOD_NOT_FOUND }) });
  });
  return { request, notify };
}
