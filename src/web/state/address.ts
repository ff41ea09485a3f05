/** The page's state in its address: `#/board?area=Work&task=task-1`. */
import { computed, signal } from "@preact/signals";

export interface Route {
  readonly view: string;
  readonly params: Readonly<Record<string, string>>;
}

/** They open a drawer and are no filters. */
const OPENING = new Set(["task", "note"]);

function parseRoute(hash: string): Route {
  const [, view = "", query = ""] = /^#\/([a-z]*)\??(.*)$/s.exec(hash) ?? [];
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** Omits empty parameters. */
export function routeText({ view, params }: Route): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== "")).toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}

export class PageAddress {
  readonly route = signal<Route>(parseRoute(location.hash));
  readonly filters = computed(() => {
    const entries = Object.entries(this.route.value.params);
    return Object.fromEntries(entries.filter(([name]) => !OPENING.has(name)));
  });
  /** Runs when the browser goes back; true if it closed something, so that the view stays. */
  onBack: () => boolean = () => false;
  readonly #keeper: "browser" | "memory";
  #shownOpened = 0;

  /** @param keeper `memory` where the document has no address, as in a host's sandbox */
  constructor(keeper: "browser" | "memory" = "browser") {
    this.#keeper = keeper;
    if (keeper === "memory") return;
    this.#read();
    addEventListener("hashchange", () => {
      if (history.state !== null && this.onBack()) this.#go(this.route.peek(), "push", this.#shownOpened);
      else this.#read();
    });
  }

  show(view: string, params: Readonly<Record<string, string>> = {}): void {
    this.#go({ view, params }, "push");
  }

  /** History entries that Back must skip to close the drawer; each entry stores its number. */
  get #opened(): number {
    const { opened = 0 } = (history.state ?? {}) as { readonly opened?: number };
    return opened;
  }

  follow(address: string): void {
    this.#go(parseRoute(address), "push");
  }

  /** The browser's Back closes it. */
  open(what: "task" | "note", name: string): void {
    const opened = this.#keeper === "browser" ? this.#opened + 1 : 0;
    this.#go({ ...this.route.value, params: { ...this.filters.value, [what]: name } }, "push", opened);
  }

  /** Goes back in the history if the page opened it. */
  close(): void {
    if (this.#keeper === "browser" && this.#opened > 0) history.go(-this.#opened);
    else this.#go({ ...this.route.value, params: this.filters.value }, "replace");
  }

  filter(changes: Readonly<Record<string, string>>): void {
    this.#go(
      { ...this.route.value, params: { ...this.filters.value, ...changes } },
      "replace",
      this.#keeper === "browser" ? this.#opened : 0,
    );
  }

  #go(route: Route, how: "push" | "replace", opened = 0): void {
    if (this.#keeper === "memory") {
      this.route.value = parseRoute(routeText(route));
      return;
    }
    history[how === "push" ? "pushState" : "replaceState"]({ opened }, "", routeText(route));
    this.#read();
  }

  /** Gives a new address a state that identifies Back. */
  #read(): void {
    if (history.state === null) history.replaceState({ opened: 0 }, "");
    this.#shownOpened = this.#opened;
    this.route.value = parseRoute(location.hash);
  }
}
