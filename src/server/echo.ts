/** Shows a peer's own word back to it, short and on one line. */
import { withoutControls } from "../text/controls.js";

const LONGEST = 100;

export function echo(name: string): string {
  const word = withoutControls(name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name);
  return JSON.stringify(word);
}
