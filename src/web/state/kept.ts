/** Small choices that this browser keeps. Where a document may keep nothing, as in a host's sandbox, each is as at first. */

export function keptChoice(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param value undefined forgets it */
export function keepChoice(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // It lasts as long as the document.
  }
}
