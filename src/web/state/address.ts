/** The page's state in its address: `#/board?area=Work&task=task-1`. */
import { computed, signal } from "@preact/signals";

export interface Route {
  readonly view: string;
  readonly params: Readonly<Record<string, string>>;
}

type State = { readonly opened: number; readonly isFirst?: boolean } | null;
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
    if (history.state === null) history.replaceState({ opened: 0, isFirst: true }, "");
    this.#read();
    addEventListener("popstate", () => {
      const shown = this.route.peek();
      if (history.state !== null && this.onBack()) this.#go(shown, "push", this.#shownOpened);
      // Only `keepBack` made two of one address.
      else if (this.#isFirst && routeText(parseRoute(location.hash)) === routeText(shown)) history.back();
      else this.#read();
    });
  }

  /** The site's first entry is doubled before a dialog opens on it, as Back would leave the site. */
  keepBack(): void {
    if (this.#isFirst) this.#go(this.route.peek(), "push", this.#opened);
  }

  get #isFirst(): boolean {
    return (history.state as State)?.isFirst === true;
  }

  show(view: string, params: Readonly<Record<string, string>> = {}): void {
    this.#go({ view, params }, "push");
  }

  /** History entries that Back must skip to close the drawer; each entry stores its number. */
  get #opened(): number {
    return (history.state as State)?.opened ?? 0;
  }

  follow(address: string): void {
    this.#go(parseRoute(address), "push");
  }

  /** The browser's Back closes it. */
  open(what: "task" | "note", name: string): void {
    this.#go({ ...this.route.value, params: { ...this.filters.value, [what]: name } }, "push", this.#opened + 1);
  }

  /** Goes back in the history if the page opened it. */
  close(): void {
    if (this.#opened > 0) history.go(-this.#opened);
    else this.#go({ ...this.route.value, params: this.filters.value }, "replace");
  }

  filter(changes: Readonly<Record<string, string>>): void {
    this.#go({ ...this.route.value, params: { ...this.filters.value, ...changes } }, "replace", this.#opened);
  }

  #go(route: Route, how: "push" | "replace", opened = 0): void {
    if (this.#keeper === "memory") {
      this.route.value = parseRoute(routeText(route));
      return;
    }
    const isFirst = how === "replace" && this.#isFirst;
    history[how === "push" ? "pushState" : "replaceState"]({ opened, isFirst }, "", routeText(route));
    this.#read();
  }

  /** Gives a new address a state that identifies Back. */
  #read(): void {
    if (history.state === null) history.replaceState({ opened: 0 }, "");
    this.#shownOpened = this.#opened;
    this.route.value = parseRoute(location.hash);
  }
}
