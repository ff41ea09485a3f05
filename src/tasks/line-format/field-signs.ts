/**
 * Fields in checkbox lines: the Tasks plugin's emoji and Dataview's `[key:: value]` (docs: tasks, "Checkbox lines").
 */
import { FIELD_NAMES, fieldNamed, type SignedField } from "../fields/field-table.js";
import type { LineSign } from "../fields/field.js";
import { DAY_IN_LINE } from "../fields/kinds.js";

export type LineFieldName = SignedField | "priority" | "cancelled" | "onCompletion" | "id" | "time";

export interface FieldSigns extends LineSign {
  readonly name: LineFieldName;
  readonly value: RegExp;
}

const ANYTHING = /\S/;
const OF_TABLE = FIELD_NAMES.flatMap((name): FieldSigns[] => {
  const { sign, inLine = ANYTHING } = fieldNamed(name);
  return sign === undefined ? [] : [{ ...sign, name: name as SignedField, value: inLine }];
});

export const FIELD_SIGNS: readonly FieldSigns[] = [
  ...OF_TABLE,
  { name: "cancelled", emoji: ["❌"], key: "cancelled", value: DAY_IN_LINE },
  { name: "onCompletion", emoji: ["🏁"], key: "onCompletion", value: /^[a-zA-Z]+$/ },
  { name: "id", emoji: ["🆔"], key: "id", value: /^[\w-]+$/ },
];

export const LINE_DAYS: ReadonlySet<LineFieldName> = new Set(
  FIELD_SIGNS.flatMap(({ name, value }) => (value === DAY_IN_LINE ? [name] : [])),
);

export const PRIORITY_EMOJI: ReadonlyMap<string, string> = new Map([
  ["🔺", "highest"],
  ["⏫", "high"],
  ["🔼", "medium"],
  ["🔽", "low"],
  ["⏬", "lowest"],
]);

const BY_EMOJI = new Map(FIELD_SIGNS.flatMap((signs) => signs.emoji.map((emoji) => [emoji, signs] as const)));
const BY_KEY = new Map<string, LineFieldName>([
  ...FIELD_SIGNS.map(({ key, name }) => [key, name] as const),
  ["priority", "priority"],
]);

export interface SignPlace {
  readonly emoji: string;
  readonly start: number;
  /** After a variation selector. */
  readonly end: number;
}

const SIGNS: ReadonlySet<string> = new Set([...BY_EMOJI.keys(), ...PRIORITY_EMOJI.keys()]);
const FIRST_SIGN = 0x2300;
const VARIATION_SELECTOR = 0xfe0f;

export function hasSign(text: string): boolean {
  if (!/[\u2300-\uffff]/.test(text)) return false;
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) >= FIRST_SIGN && SIGNS.has(String.fromCodePoint(text.codePointAt(at) ?? 0))) return true;
  return false;
}

export function signsIn(text: string, from: number, to: number): SignPlace[] {
  const found: SignPlace[] = [];
  for (let start = from; start < to; start++) {
    if (text.charCodeAt(start) < FIRST_SIGN) continue;
    const emoji = String.fromCodePoint(text.codePointAt(start) ?? 0);
    const end = start + emoji.length;
    if (SIGNS.has(emoji))
      found.push({ emoji, start, end: text.charCodeAt(end) === VARIATION_SELECTOR ? end + 1 : end });
    start = end - 1;
  }
  return found;
}

export const fieldOfKey = (key: string): LineFieldName | undefined => BY_KEY.get(key);

export function readSign(emoji: string, behind: string): { name: LineFieldName; value: string } | undefined {
  const priority = PRIORITY_EMOJI.get(emoji);
  if (priority !== undefined) return behind === "" ? { name: "priority", value: priority } : undefined;
  const signs = BY_EMOJI.get(emoji);
  return signs?.value.test(behind) ? { name: signs.name, value: behind } : undefined;
}

const DAY_IN_FIGURES = /^\d{1,4}([-/.])\d{1,2}\1\d{1,4}$/;

export function signBefore(emoji: string, behind: string): LineFieldName | undefined {
  const signs = BY_EMOJI.get(emoji);
  if (signs === undefined) return undefined;
  const first = /^\S+/.exec(behind)?.[0] ?? "";
  // Other emoji may be decoration.
  const isMeant =
    signs.value === DAY_IN_LINE ? DAY_IN_FIGURES.test(first) : signs.name === "recurrence" && /^every\s/i.test(behind);
  return isMeant ? signs.name : undefined;
}

export function writtenField(name: LineFieldName, value: string, form: FieldForm): string {
  if (form === "emoji" || form === "board")
    return name === "priority" ? (emojiOfPriority(value) ?? "") : `${emojiOf(name)} ${value}`;
  const [open, close] = form === "bracket" ? ["[", "]"] : ["(", ")"];
  return `${open}${keyOf(name)}:: ${value}${close}`;
}

export const blanksBefore = (form: FieldForm): string => (form === "emoji" || form === "board" ? " " : "  ");

/** `board`: a day or time on a Kanban card. */
export type FieldForm = "emoji" | "bracket" | "parenthesis" | "board";

const emojiOf = (name: LineFieldName): string => FIELD_SIGNS.find((signs) => signs.name === name)?.emoji[0] ?? "";
const keyOf = (name: LineFieldName): string => FIELD_SIGNS.find((signs) => signs.name === name)?.key ?? name;
export const emojiOfPriority = (word: string): string | undefined =>
  [...PRIORITY_EMOJI].find(([, priority]) => priority === word)?.[0];
