/** The connection to the server: reachability, tools, progress and login. */
import { computed, signal } from "@preact/signals";
import { type PageTransport, type CallOptions, isCallFailure, type PageSession } from "../transport/transport.js";
import type { ReadingProgress, ToolAnswers, ToolArguments, ToolName } from "../transport/transport.js";
import { localToday } from "./days.js";

/** They return every field only on request. */
const ALL_FIELDS: ReadonlySet<ToolName> = new Set<ToolName>([
  "add_tasks",
  "search_tasks",
  "get_agenda",
  "run_view",
  "find_notes",
  "read_note",
  "obsidian_get_outgoing_links",
  "get_history",
]);

export class Connection {
  readonly isOnline = signal(true);
  readonly needsLogin = signal(false);
  /** Undefined until the server answers. */
  readonly tools = signal<ReadonlySet<string> | undefined>(undefined);
  /** Set during the first reading of the vault. */
  readonly progress = signal<ReadingProgress | undefined>(undefined);
  /** Time of the last answer, in epoch milliseconds. */
  readonly readAt = signal<number | undefined>(undefined);
  /** `YYYY-MM-DD`, in the vault's time zone once an answer names it. */
  readonly today = signal(localToday());
  readonly canWrite = computed(() => this.isOnline.value && !this.needsLogin.value);

  readonly #transport: PageTransport;
  #asksForProgress = true;

  constructor(transport: PageTransport) {
    this.#transport = transport;
  }

  /** False until the tools are known. */
  offers(tool: ToolName): boolean {
    return this.tools.value?.has(tool) ?? false;
  }

  async call<Name extends ToolName>(
    name: Name,
    args: ToolArguments,
    options: CallOptions = {},
  ): Promise<ToolAnswers[Name]> {
    const isFirst = this.#asksForProgress;
    this.#asksForProgress = false;
    const report = isFirst ? { onProgress: (progress: ReadingProgress) => (this.progress.value = progress) } : {};
    const answer = await this.#watched(
      () =>
        this.#transport.callTool(name, ALL_FIELDS.has(name) ? { ...args, allFields: true } : args, {
          ...options,
          ...report,
        }) as Promise<ToolAnswers[Name]>,
    );
    if (isFirst) this.progress.value = undefined;
    this.readAt.value = Date.now();
    if ("today" in answer && typeof answer.today === "string") this.today.value = answer.today;
    return answer;
  }

  /** Undefined if the transport cannot read files. */
  async read(uri: string): Promise<Blob | undefined> {
    return await this.#watched(async () => this.#transport.readFile?.(uri));
  }

  async begin(): Promise<void> {
    const { tools, today } = await this.#watched(() => this.#transport.begin());
    if (today !== undefined) this.today.value = today;
    this.tools.value = new Set(tools);
  }

  get session(): PageSession | undefined {
    return this.#transport.session?.isOpen() ? this.#transport.session : undefined;
  }

  async logOut(): Promise<void> {
    await this.#transport.session?.end();
    this.needsLogin.value = true;
  }

  /** @throws CallFailure when the token is unknown */
  async logIn(token: string): Promise<void> {
    await this.#transport.logIn?.(token);
    this.needsLogin.value = false;
  }

  async #watched<T>(ask: () => Promise<T>): Promise<T> {
    try {
      const answer = await ask();
      this.isOnline.value = true;
      return answer;
    } catch (error) {
      if (isCallFailure(error, "login")) this.needsLogin.value = true;
      // A refusal is an answer, too.
      if (isCallFailure(error)) this.isOnline.value = error.kind !== "unreachable";
      this.progress.value = undefined;
      throw error;
    }
  }
}
