/** Follows `/web/events` while the page is visible, and reconnects (docs: web). */
import type { ChangeListener } from "./transport.js";

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Then a hidden page stops listening. */
const HIDDEN_MS = 300_000;

const NAME = "vault-changes";

/** A waiting tab sends `asked`, the listening tab the others. */
type TabMessage = "asked" | "connected" | "changed";

/** @returns a function that retries immediately, as after a login */
export function followChanges(open: (signal: AbortSignal) => Promise<Response>, listener: ChangeListener): () => void {
  /** `waiting`: another tab listens. */
  let state: "listening" | "waiting" | "resting" = "resting";
  let isConnected = false;
  /** Another tab listened for this one, and may have missed changes at its end. */
  let wasHelped = false;
  let connection = new AbortController();
  let wake = (): void => {};

  addEventListener("online", () => wake());
  let hiding: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.visibilityState === "hidden") hiding = setTimeout(() => connection.abort(), HIDDEN_MS);
    else wake();
  });

  // Browsers open six connections per server, so one tab's stream serves all tabs. Over plain HTTP pages have no locks,
  // and each tab listens itself.
  const tabs = { channel: "locks" in navigator ? new BroadcastChannel(NAME) : undefined };
  const tellTabs = (message: TabMessage) => tabs.channel?.postMessage(message);
  tabs.channel?.addEventListener("message", ({ data: message }: MessageEvent<TabMessage>) => {
    if (message === "asked") {
      if (state === "listening" && isConnected) tellTabs("connected");
    } else if (state === "waiting") {
      wasHelped = true;
      if (message === "changed") listener.changed();
      else if (!isConnected) setConnected(true);
    } else if (document.visibilityState === "visible") wake();
  });

  function setConnected(is: boolean): void {
    isConnected = is;
    listener.connected(is);
  }

  /** @returns whether a login is required */
  async function listen(): Promise<boolean> {
    state = "listening";
    const response = await open(connection.signal);
    if (response.status === 401) return true;
    if (!response.ok) throw new Error("refused");
    setConnected(true);
    tellTabs("connected");
    const changed = () => {
      tellTabs("changed");
      listener.changed();
    };
    if (wasHelped) changed();
    wasHelped = false;
    for await (const { event } of readEvents(response)) if (event === "changed") changed();
    return false;
  }

  async function listenInTurn(): Promise<boolean> {
    if (!tabs.channel) return await listen();
    state = "waiting";
    tellTabs("asked");
    return await navigator.locks.request(NAME, { signal: connection.signal }, listen);
  }

  async function keepListening(): Promise<never> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      const began = performance.now();
      connection = new AbortController();
      const isLoggedOut = await listenInTurn().catch(() => false);
      state = "resting";
      const isHidden = connection.signal.aborted;
      if (isLoggedOut) listener.loggedOut();
      else if (!isHidden) setConnected(false);
      if (performance.now() - began > MAX_PAUSE_MS) pause = FIRST_PAUSE_MS;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (!isHidden && !isLoggedOut) setTimeout(resolve, pause);
      });
    }
  }

  void keepListening();
  return () => wake();
}

interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Parses server-sent events from a fetched response, because EventSource cannot send the session's key. Comments, which
 * keep a connection open, have neither name nor data.
 */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const blocks = (rest + part.value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): ServerEvent {
  const fields = block.split(/\r?\n/).map((line) => /^([a-z]+): ?(.*)$/s.exec(line));
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ""] : []));
  return { event: valuesOf("event").at(-1) ?? "", data: valuesOf("data").join("\n") };
}
