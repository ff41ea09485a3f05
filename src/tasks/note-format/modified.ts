/** Keeps the date a note says it was last changed on, where it says one under TaskNotes' key, in the form that stands there. */
import { type Clock, localTimeOf } from "../../clock.js";
import { setProperty } from "../../markdown/frontmatter/edit.js";
import { readFrontmatter } from "../../markdown/frontmatter/frontmatter.js";
import { normaliseWord } from "../fields/vocabulary.js";

/** Other keys of that meaning are kept by other programs. */
const KEY = "datemodified";
const FORM = /^\d{4}-\d{2}-\d{2}(?:([T ])\d{2}:\d{2}(?:(:\d{2})(\.\d{3})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** The text with that date as of now; the same text when the note says none, or in a form that is not known. */
export function stampModified(text: string, clock: Clock): string {
  const property = readFrontmatter(text).properties.find(({ key }) => normaliseWord(key) === KEY);
  const form = FORM.exec(property?.text ?? "");
  if (!property || !form) return text;
  return setProperty(text, property.key, stampLike(form, clock), { plain: true });
}

function stampLike([, separator, seconds, milliseconds, zone]: RegExpExecArray, clock: Clock): string {
  if (separator === undefined) return clock.today();
  const isUtc = zone === "Z";
  const now = isUtc ? { text: new Date(clock.now()).toISOString().slice(0, 23), offset: 0 } : localTimeOf(clock);
  const length = milliseconds !== undefined ? 23 : seconds !== undefined ? 19 : 16;
  const suffix = zone === undefined || isUtc ? (zone ?? "") : offsetText(now.offset, zone.includes(":"));
  return now.text.slice(0, length).replace("T", separator) + suffix;
}

function offsetText(minutes: number, colon: boolean): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}${colon ? ":" : ""}${two(size % 60)}`;
}
