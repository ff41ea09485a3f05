/** Text that was typed and not yet written: it outlives a closed drawer, a lost session and a reloaded page of this tab. */

const PREFIX = "draft:";

export interface TypedText {
  readonly text: string;
  /** What stood there when typing began: what a change elsewhere is told by. */
  readonly was: string;
}

/** @param draft undefined: nothing is open any more */
export function keepDraft(name: string, draft: TypedText | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    // A full store, or none at all: the field itself still holds the text.
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
