/** Unsaved text, kept through a closed drawer, a lost session and a reload of this tab. */

const PREFIX = "draft:";

export interface TypedText {
  readonly text: string;
  /** The saved value when typing began, to detect conflicts. */
  readonly was: string;
}

/** @param draft undefined removes it */
export function keepDraft(name: string, draft: TypedText | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    // Storage is full or unavailable; the field still has the text.
  }
}

export function keptDraft(name: string): TypedText | undefined {
  try {
    const kept = sessionStorage.getItem(PREFIX + name);
    return kept === null ? undefined : (JSON.parse(kept) as TypedText);
  } catch {
    return undefined;
  }
}
