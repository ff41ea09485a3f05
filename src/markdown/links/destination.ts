/** Reads a Markdown link's destination and title. */

/** UTF-16 offsets into the text. */
export interface Destination {
  /** As written, without angle brackets. */
  readonly start: number;
  readonly end: number;
  readonly angled: boolean;
  /** After destination and title. */
  readonly after: number;
}

/** CommonMark's limit for nested parentheses. */
const MAX_DEPTH = 32;

export function readDestination(text: string, at: number, end: number): Destination | undefined {
  const angled = text.charCodeAt(at) === 60;
  const start = angled ? at + 1 : at;
  const stop = angled ? angledEnd(text, start, end) : plainEnd(text, start, end);
  if (stop === undefined) return undefined;
  const behind = angled ? stop + 1 : stop;
  return { start, end: stop, angled, after: titleEnd(text, behind, end) };
}

/** Crosses at most one line end. */
export function skipBlanks(text: string, at: number, end: number): number {
  let stop = at;
  let lines = 0;
  while (stop < end && /\s/.test(text.charAt(stop))) {
    if (text.charCodeAt(stop) === 10 && ++lines > 1) break;
    stop += 1;
  }
  return stop;
}

function angledEnd(text: string, from: number, end: number): number | undefined {
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 62) return at;
    if (code === 60 || code === 10) return undefined;
    if (code === 92) at += 1;
  }
  return undefined;
}

function plainEnd(text: string, from: number, end: number): number | undefined {
  let depth = 0;
  let at = from;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 127) break;
    if (code === 92 && at + 1 < end) at += 1;
    else if (code === 40 && ++depth > MAX_DEPTH) return undefined;
    else if (code === 41 && --depth < 0) break;
  }
  return depth <= 0 ? at : undefined;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", "(": ")" };

function titleEnd(text: string, at: number, end: number): number {
  const open = skipBlanks(text, at, end);
  const close = open > at ? CLOSING[text.charAt(open)] : undefined;
  if (close === undefined) return at;
  for (let stop = open + 1; stop < end; stop += 1) {
    const mark = text.charAt(stop);
    if (mark === close) return stop + 1;
    if (mark === "(" && close === ")") return at;
    if (mark === "\\") stop += 1;
  }
  return at;
}

/** Undefined when it leads out of the vault or nowhere. */
export function splitDestination(
  text: string,
  { start, end }: Destination,
): { readonly target: string; readonly targetEnd: number; readonly subpath: string } | undefined {
  const raw = text.slice(start, end);
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/|\\\\)/i.test(raw)) return undefined;
  const hash = raw.indexOf("#");
  const target = decoded(hash === -1 ? raw : raw.slice(0, hash));
  const subpath = hash === -1 ? "" : decoded(raw.slice(hash));
  if (target === "" && subpath.length < 2) return undefined;
  return { target, targetEnd: hash === -1 ? end : start + hash, subpath };
}

/** As written if the encoding is invalid. */
function decoded(raw: string): string {
  const plain = raw.includes("\\") ? raw.replace(/\\([!-/:-@[-`{-~])/g, "$1") : raw;
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
