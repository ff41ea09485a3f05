/** Writes a link's target in the link's form. */
import type { Splice } from "../line-edit.js";
import { type LinkSpan, readDestination } from "./wikilink.js";

/** These end a wikilink's target or are invalid in it. */
const NOT_IN_WIKILINK = /[[\]|#^\p{Cc}]/u;
const NOT_IN_WIKILINK_SUBPATH = /[[\]|\p{Cc}]/u;

/**
 * Keeps the span's form, encoding and surrounding spaces. Undefined when that form cannot hold the target.
 * @param raw the old target as written
 * @param target decoded
 */
export function writeTarget(span: LinkSpan, raw: string, target: string): string | undefined {
  const [, before = "", after = ""] = /^(\s*)[^]*?(\s*)$/u.exec(raw) ?? [];
  const written = span.form === "wikilink" ? wikilinkTarget(target) : destination(raw, target, span.angled);
  return written === undefined ? undefined : before + written + after;
}

/** With its `#`. */
export function subpathPlace(text: string, span: LinkSpan): Pick<Splice, "start" | "end"> | undefined {
  if (span.subpath === "") return undefined;
  const start = text.indexOf("#", span.targetEnd);
  if (span.form === "markdown") {
    const end = readDestination(text, span.targetStart - (span.angled ? 1 : 0), span.end)?.end;
    return end === undefined ? undefined : { start, end };
  }
  const [written = ""] = /^(?:(?!\\?\||\]\])[^])*/.exec(text.slice(start, span.end)) ?? [];
  return { start, end: start + written.trimEnd().length };
}

/** Both with their `#`; undefined when the form cannot hold it. */
export function writeSubpath(span: LinkSpan, raw: string, subpath: string): string | undefined {
  if (span.form === "wikilink") return NOT_IN_WIKILINK_SUBPATH.test(subpath) ? undefined : subpath;
  const parts = subpath.split("#").map((part) => destination(raw, part, span.angled));
  return parts.join("#");
}

function wikilinkTarget(target: string): string | undefined {
  return NOT_IN_WIKILINK.test(target) || target.trim() !== target ? undefined : target;
}

/** Always encodes what would end the target or begin an escape. */
function destination(raw: string, target: string, angled: boolean): string {
  const style = angled ? /[<>%#\p{Cc}\\|]/gu : /[<>%#\p{Cc}\\|\s]/gu;
  const least = target.replace(style, percent).replace(/^[a-z][a-z\d+.-]*:/i, (scheme) => scheme.replace(":", "%3A"));
  const encoded = encodesLetters(raw) ? least.replace(/[^\0-\u007f]+/gu, percent) : least;
  if (angled) return /%20/.test(raw) ? encoded.replaceAll(" ", "%20") : encoded;
  return parenthesesFit(raw, encoded) ? encoded : encoded.replace(/[()]/g, percent);
}

function percent(text: string): string {
  return text === "(" ? "%28" : text === ")" ? "%29" : encodeURIComponent(text);
}

/** As `encodeURI` does; Obsidian encodes little more than spaces. */
function encodesLetters(raw: string): boolean {
  return /%[89A-F][0-9A-F]/i.test(raw);
}

/** Without angle brackets, they must be in pairs. A link that encoded them still does. */
function parenthesesFit(raw: string, destinationText: string): boolean {
  if (/%2[89]/.test(raw)) return false;
  let depth = 0;
  for (const mark of destinationText.match(/[()]/g) ?? []) {
    depth += mark === "(" ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
