/** What callers call an operation: `op-` and its id, in answers and as what is to be undone. */

const REFERENCE = /^op-([0-9a-z]{1,10}-[0-9a-z]{1,12})$/;

/** @param id empty where no journal could be kept */
export function operationReference(id: string): string | undefined {
  return id === "" ? undefined : `op-${id}`;
}

/** The id in a reference; undefined for a text that is none. */
export function operationIn(reference: string): string | undefined {
  return REFERENCE.exec(reference.trim())?.[1];
}
