/** Text that was typed and not yet sent: it outlives a closed drawer, a lost session and a reloaded page of this tab. */

const PREFIX = "draft:";

export function keepDraft(name: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, text);
  } catch {
    // A full store, or none at all: the field itself still holds the text.
  }
}

export function keptDraft(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}
