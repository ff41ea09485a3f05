/** The App's host: capabilities, context and the result to draw (docs: mcp-app, "The App"). */
import { computed, signal } from "@preact/signals";
import type { ToolName } from "../carrier/carrier.js";
import { HostWire } from "../carrier/host-wire.js";
import { WORDS } from "../words.js";

export const APP_PROTOCOL = "2026-01-26";
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

export type DisplayMode = "inline" | "fullscreen" | "pip";

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

interface ToolReply {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type?: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type Given =
  | { readonly kind: "waiting" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly text: string }
  /** `number` distinguishes answers. */
  | { readonly kind: "answer"; readonly number: number; readonly data: Readonly<Record<string, unknown>> };

export class Host {
  readonly given = signal<Given>({ kind: "waiting" });
  /** Of the model's call. */
  readonly args = signal<Readonly<Record<string, unknown>>>({});
  readonly context = signal<HostContext>({});
  readonly isFullscreen = computed(() => this.context.value.displayMode === "fullscreen");
  readonly canFill = computed(() => this.context.value.availableDisplayModes?.includes("fullscreen") ?? false);
  offered: ReadonlySet<string> = new Set(ALL_TOOLS);

  readonly #wire: HostWire;
  #capabilities: HostCapabilities = {};
  #reported: readonly string[] = [];
  #answers = 0;

  constructor(frame: Window) {
    this.#wire = new HostWire(frame, {
      news: {
        "ui/notifications/tool-input": ({ arguments: args }) =>
          (this.args.value = (args ?? {}) as typeof this.args.value),
        "ui/notifications/tool-result": (result) => this.#draw(result),
        "ui/notifications/tool-cancelled": () => (this.given.value = { kind: "cancelled" }),
        "ui/notifications/host-context-changed": (changed) => this.#look(changed),
      },
      requests: { ping: () => ({}), "ui/resource-teardown": () => ({}) },
    });
  }

  /** Otherwise the App only shows the first result. */
  get carriesCalls(): boolean {
    return this.#capabilities.serverTools !== undefined;
  }

  /** The handshake; the host sends nothing before it. */
  async begin(): Promise<void> {
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
    this.#look(answer.hostContext ?? {});
    this.#wire.notify("ui/notifications/initialized", {});
  }

  request(method: string, params: Readonly<Record<string, unknown>>, abort?: AbortSignal): Promise<unknown> {
    return this.#wire.request(method, params, abort);
  }

  tellSize(width: number, height: number): void {
    this.#wire.notify("ui/notifications/size-changed", { width, height });
  }

  async show(mode: DisplayMode): Promise<void> {
    const answer = (await this.request("ui/request-display-mode", { mode })) as { readonly mode?: DisplayMode };
    // The host may choose another mode.
    if (answer.mode !== undefined) this.#look({ displayMode: answer.mode });
  }

  async openLink(url: string): Promise<boolean> {
    if (this.#capabilities.openLinks === undefined) return false;
    try {
      const answer = (await this.request("ui/open-link", { url })) as { readonly isError?: boolean };
      return answer.isError !== true;
    } catch {
      return false;
    }
  }

  /** Sends earlier sentences again, because each message replaces the last. */
  tellModel(sentence: string): void {
    if (this.#capabilities.updateModelContext === undefined) return;
    this.#reported = [...this.#reported, sentence].slice(-MAX_REPORTED);
    const text = this.#reported.join("\n");
    // The change holds even if the host rejects this.
    this.request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});
  }

  #draw(result: ToolReply): void {
    const { isError, content = [], structuredContent, _meta: meta = {} } = result;
    const offered = meta[OFFERED_META];
    if (Array.isArray(offered)) this.offered = new Set(offered.map(String));
    this.given.value =
      isError === true || structuredContent === undefined
        ? { kind: "failed", text: content.find(({ text }) => text !== undefined)?.text ?? WORDS.refused }
        : { kind: "answer", number: ++this.#answers, data: structuredContent };
  }

  #look(changed: HostContext): void {
    this.context.value = { ...this.context.value, ...changed };
    const { theme, styles } = this.context.value;
    const root = document.documentElement;
    root.dataset["theme"] = theme ?? "auto";
    for (const [name, value] of Object.entries(styles?.variables ?? {}))
      if (name.startsWith("--") && value !== undefined) root.style.setProperty(name, value);
  }
}
