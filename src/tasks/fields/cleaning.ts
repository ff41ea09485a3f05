/** Makes the values callers give fit to be written: on one line, bare, existing; and says what it changed (spec: tasks, section 4). */
import { type LocalDate, parseLocalDate } from "../../clock.js";
import { VaultError } from "../../errors.js";
import { normaliseTag } from "../../markdown/links/property-links.js";
import { foldName } from "../../storage/path.js";
import { isTemplated } from "../../catalog/ignore.js";
import { bareName, oneLine } from "./property-values.js";

/** A value as it can be written, and in words what had to be changed. */
export interface Cleaned<T> {
  readonly value: T;
  readonly adjustments: readonly string[];
}

/** A title on one line. @throws VaultError INVALID_ARGUMENT when it is blank */
export function cleanText(argument: string, text: string): Cleaned<string> {
  const clean = oneLine(text);
  if (isBlank(clean)) throw blank(argument);
  const broken = clean !== text.trim();
  return { value: clean, adjustments: broken ? [`line breaks in ${argument} were written as spaces`] : [] };
}

/** The bare name of an area. @throws VaultError INVALID_ARGUMENT when it is blank or a placeholder */
export function cleanName(argument: string, text: string): string {
  const name = settled(oneLine(text));
  if (isBlank(name)) throw blank(argument);
  if (isTemplated(name)) {
    throw new VaultError("INVALID_ARGUMENT", `${argument} holds a template placeholder ({{...}} or <%...%>).`, {
      hint: "Notes with placeholders in their properties count as templates. Leave the placeholder out.",
    });
  }
  return name;
}

/** The bare names of projects, each once, blank ones left out. */
export function cleanNames(argument: string, texts: readonly string[]): string[] {
  const names = texts.filter((text) => !isBlank(text)).map((text) => cleanName(argument, text));
  return [...new Set(names)];
}

/** A name that reads back as itself: `[[[[Work]]]]` is a link in brackets. */
function settled(text: string): string {
  const name = bareName(text);
  return name === text || name === "" ? name : settled(name);
}

/** A day, or `""`, which clears. @throws VaultError INVALID_ARGUMENT naming it */
export function cleanDay(argument: string, text: string, _today: LocalDate): Cleaned<LocalDate | ""> {
  const day = parseLocalDate(text);
  if (text === "" || day !== undefined) return { value: day ?? "", adjustments: [] };
  throw new VaultError(
    "INVALID_ARGUMENT",
    `${argument} ${JSON.stringify(text.slice(0, 40))} is not a day that exists.`,
    {
      hint: "Give a day of the calendar as YYYY-MM-DD, such as 2025-09-15.",
    },
  );
}

/** Whether there is nothing to see in a text: blanks and invisible characters only. */
function isBlank(text: string): boolean {
  // Most texts are seen to hold a letter at once, and V8 takes long to read the pattern of what cannot be seen.
  if (/[\x21-\x7e]/.test(text)) return false;
  return !/[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text);
}

function blank(argument: string): VaultError {
  return new VaultError("INVALID_ARGUMENT", `${argument} must not be blank.`, {
    hint: `Give the ${argument} at least one visible character.`,
  });
}

/** A caller's tags as tags can be written, each once (a comma stands between two), and in words what was changed about them. */
export function cleanTags(tags: readonly string[]): Cleaned<readonly string[]> {
  const clean: string[] = [];
  const adjustments: string[] = [];
  for (const tag of tags) {
    const written = tag.split(",").flatMap((part) => normaliseTag(part) ?? []);
    if (written.length === 0) {
      adjustments.push(`tag ${JSON.stringify(tag)} was left out: nothing in it can stand in a tag`);
    } else if (written[0] !== tag) {
      const words = written.map((word) => JSON.stringify(word)).join(" and ");
      adjustments.push(`tag ${JSON.stringify(tag)} was written as ${words}`);
    }
    for (const word of written) {
      if (!clean.some((known) => foldName(known) === foldName(word))) clean.push(word);
    }
  }
  return { value: clean, adjustments };
}
