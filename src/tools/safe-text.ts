/** Makes notes' text safe in an answer: on one line, without invisible characters. */

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

// Large patterns are slow to compile, so they are compiled on first use.

function isSuspect(text: string): boolean {
  if (/^[\x20-\x7e]*$/.test(text)) return / {2}|^ | $/.test(text);
  return /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]|\s{2,}|^\s|\s$/u.test(text);
}

/** Line breaks, controls and runs of white space become one space; invisible characters go, except joiners and variation selectors of an emoji or a word. */
export function oneLine(text: string): string {
  if (!isSuspect(text)) return text;
  let shown = "";
  let previous = "";
  for (const char of text) {
    const safe = visible(char, previous);
    shown += safe;
    if (safe !== "") previous = safe;
  }
  return shown.replace(/\s+/gu, " ").trim();
}

function visible(char: string, previous: string): string {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(char)) return " ";
  if (/\p{Cs}/u.test(char)) return "\uFFFD";
  if (!INVISIBLE.test(char)) return char;
  return belongs(char, previous) ? char : "";
}

/** In these scripts joiners belong to the spelling; elsewhere they only hide text. */
function isJoiningScript(char: string): boolean {
  return /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]/u.test(
    char,
  );
}

/** To the character before it. */
function belongs(char: string, previous: string): boolean {
  if (previous === "" || INVISIBLE.test(previous) !== (previous === "\uFE0F")) return false;
  if (char === "\u200D" && /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]/u.test(previous)) return true;
  if (char === "\u200C" || char === "\u200D") return isJoiningScript(previous);
  if (char === "\uFE0E" || char === "\uFE0F") return /\p{Emoji}/u.test(previous);
  return /[\u{E0100}-\u{E01EF}]/u.test(char) && /\p{Script=Han}/u.test(previous);
}

/** A short quotation of the caller's input. */
export function excerpt(text: string, length = 60): string {
  const line = oneLine(text.slice(0, length * 4));
  const cut = Array.from(line).slice(0, length).join("");
  return cut.length < line.length || text.length > length * 4 ? `${cut}…` : cut;
}

/** Marked as data between two rulers that the text cannot contain, without control characters except tabs and line ends. */
export function quoted(text: string): string {
  const clean = text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu, "");
  const longest = (clean.match(/~{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const rule = "~".repeat(longest + 1);
  return `${rule}\n${clean}${clean.endsWith("\n") ? "" : "\n"}${rule}`;
}

/** Answers leave empty lists out. */
export const unlessEmpty = <Item>(list: readonly Item[]): readonly Item[] | undefined =>
  list.length === 0 ? undefined : list;
