/** Settings stored in this browser, and unsaved text in this tab; without storage, defaults apply. */
import { type Signal, signal } from "@preact/signals";

type StorageName = "localStorage" | "sessionStorage";

export const isStorageBlocked = signal(false);

function storedSignal<T>(
  storage: StorageName,
  name: string,
  initial: T,
  isValid: (stored: unknown) => boolean,
): Signal<T> {
  const stored = read(storage, name);
  const value = signal(isValid(stored) ? (stored as T) : initial);
  value.subscribe((now) => {
    try {
      if (now === undefined) globalThis[storage].removeItem(name);
      else globalThis[storage].setItem(name, JSON.stringify(now));
    } catch {
      // Without storage the value ends with the document.
      isStorageBlocked.value = true;
    }
  });
  return value;
}

function read(storage: StorageName, name: string): unknown {
  let text: string | null = null;
  try {
    text = globalThis[storage].getItem(name);
    return JSON.parse(text ?? "null");
  } catch {
    // No storage, or a plain word.
    return text;
  }
}

/** @param values the first is the default */
function choice<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Signal<Value> {
  return storedSignal<Value>("localStorage", name, values[0], (stored) => values.some((value) => value === stored));
}

function list<Item>(name: string, isItem: (one: unknown) => boolean): Signal<readonly Item[]> {
  return storedSignal<readonly Item[]>(
    "localStorage",
    name,
    [],
    (stored) => Array.isArray(stored) && stored.every((one) => isItem(one)),
  );
}

interface SavedView {
  readonly name: string;
  /** `#/board?area=Work`. */
  readonly address: string;
}

export const savedViews = list<SavedView>("views", (one) => {
  const { name, address } = (one ?? {}) as Partial<SavedView>;
  return typeof name === "string" && typeof address === "string";
});

/** @param address undefined removes the view */
export function saveView(name: string, address: string | undefined): void {
  if (name.trim() === "") return;
  const others = savedViews.value.filter((one) => one.name !== name);
  savedViews.value = address === undefined ? others : [...others, { name, address }];
}

/** Board columns that show only their heading. */
export const collapsed = list<string>("collapsed", (one) => typeof one === "string");

export const theme = choice("theme", ["auto", "light", "dark"]);

/** The style reads it from the root element. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

/** Whether single-character keys work (WCAG 2.1.4). */
export const singleKeys = choice("single-keys", ["on", "off"]);

export interface TypedText {
  readonly text: string;
  /** The saved value when typing began. */
  readonly was: string;
}

/** Survives a closed drawer, a lost session and a reload. */
export function storedDraft(name: string): Signal<TypedText | undefined> {
  return storedSignal<TypedText | undefined>("sessionStorage", `draft:${name}`, undefined, (stored) => stored !== null);
}
