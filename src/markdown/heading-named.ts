/** Finds a heading by a caller's name for it. */
import { VaultError } from "../errors.js";
import { fold } from "../text/fold.js";
import { nearest } from "../text/nearest.js";
import { call, said } from "../text/said.js";
import type { Heading } from "./blocks.js";

const MAX_NAMED = 10;
const MAX_OUTLINE = 40;
const MAX_NAME_LENGTH = 100;

/** @throws VaultError with the outline */
export function headingIn(text: string, all: readonly Heading[], wanted: string): Heading {
  const lines = all
    .slice(0, MAX_OUTLINE)
    .map(
      (one) => `${"#".repeat(one.level)} ${one.text.slice(0, MAX_NAME_LENGTH)} (line ${lineNumber(text, one.start)})`,
    );
  const more = all.length > MAX_OUTLINE ? `; ${all.length - MAX_OUTLINE} more` : "";
  return headingNamed(
    text,
    all,
    wanted,
    lines.length === 0 ? "It has no headings." : `Outline: ${lines.join("; ")}${more}.`,
  );
}

/** @throws INVALID_ARGUMENT when there is none, or several */
export function headingNamed(text: string, all: readonly Heading[], wanted: string, outline?: string): Heading {
  const heading = headingIfAny(text, all, wanted, outline);
  if (heading === undefined) throw noHeading(wordsOf(wanted).words, all, outline);
  return heading;
}

/** @throws INVALID_ARGUMENT when there are several */
export function headingIfAny(
  text: string,
  all: readonly Heading[],
  wanted: string,
  outline?: string,
): Heading | undefined {
  const { markers, words } = wordsOf(wanted);
  const ofLevel = all.filter(({ level }) => markers === "" || level === markers.length);
  const exact = ofLevel.filter((heading) => heading.text === words);
  const alike = exact.length > 0 ? exact : ofLevel.filter((heading) => fold(heading.text) === fold(words));
  const found = alike.length === 0 && words.includes("#") ? headingsBelow(all, partsOf(words)) : alike;
  const [heading, ...others] = found;
  if (others.length === 0) return heading;
  const lines = found.slice(0, MAX_NAMED).map(({ start }) => lineNumber(text, start));
  throw new VaultError("INVALID_ARGUMENT", `The note has several such headings, at lines ${lines.join(", ")}.`, {
    hint: [
      "Put its # marks before the heading if their levels differ, or the heading above it: Above#Heading.",
      said`Otherwise change the lines with ${call("insert")} or ${call("edit_note")}.`,
      outline ?? [],
    ].flat(),
  });
}

function wordsOf(wanted: string): { readonly markers: string; readonly words: string } {
  const [, markers = "", words = ""] = /^\s*(#{0,6})(?!#)\s*(.*?)\s*$/su.exec(wanted) ?? [];
  return { markers, words };
}

/**
 * Of the last name, in sections of the earlier names: directly, else at any depth. For a change, a heading of another
 * section is none.
 */
export function headingsBelow(all: readonly Heading[], names: readonly string[]): readonly Heading[] {
  const [last, ...outer] = names.map(headingKey).toReversed();
  const above: Heading[] = [];
  const found = all.flatMap((heading) => {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    const keys = above.map(({ text }) => headingKey(text)).toReversed();
    above.push(heading);
    const missing = keys.reduce((left, key) => (key === left[0] ? left.slice(1) : left), outer);
    if (headingKey(heading.text) !== last || missing.length > 0) return [];
    return { heading, isDirect: outer.every((key, at) => keys[at] === key) };
  });
  const direct = found.filter(({ isDirect }) => isDirect);
  return (direct.length > 0 ? direct : found).map(({ heading }) => heading);
}

/** Each deeper than the one before, as Obsidian resolves a link `Note#A#B`. */
export function headingsNamed(all: readonly Heading[], names: readonly string[]): readonly Heading[] | undefined {
  const found: Heading[] = [];
  for (const heading of all) {
    const wanted = names[found.length];
    if (wanted === undefined) break;
    if (heading.level > (found.at(-1)?.level ?? 0) && headingKey(heading.text) === headingKey(wanted))
      found.push(heading);
  }
  return names.length > 0 && found.length === names.length ? found : undefined;
}

export const partsOf = (subpath: string): string[] => subpath.split("#").filter((name) => name.trim() !== "");

/** Ignores punctuation, spaces and case. */
export function headingKey(text: string): string {
  return text
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\r\n\s]+/g, " ")
    .trim()
    .toLowerCase();
}

function noHeading(words: string, all: readonly Heading[], outline: string | undefined): VaultError {
  const names = all.map((heading) => heading.text.slice(0, MAX_NAME_LENGTH));
  const near = nearest(words, names, MAX_NAMED);
  const shown = (near.length > 0 ? near : names.slice(0, MAX_NAMED)).map((name) => `"${name}"`).join(", ");
  return new VaultError("INVALID_ARGUMENT", "The note has no such heading.", {
    hint:
      outline ??
      (shown === "" ? "It has no headings; leave heading out to append at its end." : `Its headings include ${shown}.`),
  });
}

function lineNumber(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
