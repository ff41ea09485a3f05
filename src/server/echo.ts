/** Shows a peer's own word back to it, short and on one line. */

const LONGEST = 100;

export function echo(name: string): string {
  return JSON.stringify(name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name);
}
