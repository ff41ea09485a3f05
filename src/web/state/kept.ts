/** Choices stored in this browser, and unsaved text in this tab; without storage, defaults apply. */
import { signal } from "@preact/signals";

export function keptChoice(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepChoice(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Without storage the choice ends with the document.
  }
}

const KEPT_VIEWS = "views";
const KEPT_COLLAPSED = "collapsed";
const KEPT_COMPACT = "compact";

export interface SavedView {
  readonly name: string;
  /** `#/board?area=Work`. */
  readonly address: string;
}

export const savedViews = signal<readonly SavedView[]>(keptList(KEPT_VIEWS).filter(isSavedView));

/** @param address undefined removes the view */
export function saveView(name: string, address: string | undefined): void {
  if (name.trim() === "") return;
  const others = savedViews.value.filter((one) => one.name !== name);
  savedViews.value = address === undefined ? others : [...others, { name, address }];
  keepChoice(KEPT_VIEWS, JSON.stringify(savedViews.value));
}

/** Board columns that show only their heading. */
export const collapsed = signal<ReadonlySet<unknown>>(new Set(keptList(KEPT_COLLAPSED)));

export function toggleCollapsed(column: string): void {
  const columns = new Set(collapsed.value);
  if (!columns.delete(column)) columns.add(column);
  collapsed.value = columns;
  keepChoice(KEPT_COLLAPSED, JSON.stringify([...columns]));
}

/** Cards show only titles and days. */
export const isCompact = signal(keptChoice(KEPT_COMPACT) !== null);

export function setCompact(isOn: boolean): void {
  isCompact.value = isOn;
  keepChoice(KEPT_COMPACT, isOn ? "on" : undefined);
}

function keptList(name: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(keptChoice(name) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function isSavedView(one: unknown): one is SavedView {
  const { name, address } = (one ?? {}) as Partial<SavedView>;
  return typeof name === "string" && typeof address === "string";
}

const DRAFT = "draft:";

/** Kept through a closed drawer, a lost session and a reload. */
export interface TypedText {
  readonly text: string;
  /** The saved value when typing began. */
  readonly was: string;
}

export function keepDraft(name: string, draft: TypedText | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(DRAFT + name);
    else sessionStorage.setItem(DRAFT + name, JSON.stringify(draft));
  } catch {
    // The field still has the text.
  }
}

export function keptDraft(name: string): TypedText | undefined {
  try {
    const kept = sessionStorage.getItem(DRAFT + name);
    return kept === null ? undefined : (JSON.parse(kept) as TypedText);
  } catch {
    return undefined;
  }
}
