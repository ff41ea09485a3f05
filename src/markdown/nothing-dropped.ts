/** Holds that a note's change drops no list item and no line that its request does not name. */
import { VaultError } from "../errors.js";
import { counted, call, said } from "../text/wording.js";
import { splitNote } from "./frontmatter/frontmatter.js";
import { cannotEdit, findKey, itemsOf, readableLayout, type FrontmatterLayout } from "./frontmatter/layout.js";

interface ItemInList {
  /** See `ListItem`. */
  readonly isText: boolean;
  /** Items the list had. */
  readonly count: number;
}

/** What a request names: the rest stays. */
export interface Named {
  item(key: string, item: ItemInList): boolean;
  /** Empty lines not counted. */
  readonly lines: number;
}

export const NOTHING_NAMED: Named = { item: () => false, lines: 0 };
/** The request gives the text itself. */
export const TEXT_NAMED: Named = { item: () => true, lines: Infinity };

export function bothNamed(one: Named, other: Named): Named {
  return { item: (key, item) => one.item(key, item) || other.item(key, item), lines: one.lines + other.lines };
}

interface Side {
  readonly text: string;
  /** Default: read from the text; without readable frontmatter only lines are compared. */
  readonly layout?: FrontmatterLayout | undefined;
}

/**
 * A rewritten item or line is still there: only a list or text with fewer than before counts.
 * @throws INVALID_ARGUMENT
 */
export function assertNothingDropped(before: Side, after: Side, named: Named): void {
  const [was, is] = [splitNote(before.text), splitNote(after.text)];
  const blocks = [before.text.slice(0, was.bodyStart), after.text.slice(0, is.bodyStart)];
  if (blocks[0] !== blocks[1]) assertItemsStay(before, after, named);
  // Added properties, or text made properties, are no loss.
  const start = was.frontmatter === undefined ? 0 : is.bodyStart;
  const lost = linesIn(before.text, was.bodyStart) - linesIn(after.text, start);
  if (lost <= named.lines) return;
  throw new VaultError(
    "INVALID_ARGUMENT",
    `The change would drop ${counted(lost, "line")} of text that it does not name.`,
    {
      hint: "Change the note's text itself. Nothing was changed.",
    },
  );
}

function linesIn(text: string, start: number): number {
  const word = /\S/g;
  let count = 0;
  for (let at = start; at !== -1; at = text.indexOf("\n", word.lastIndex)) {
    word.lastIndex = at;
    if (!word.test(text)) break;
    count++;
  }
  return count;
}

function assertItemsStay(before: Side, after: Side, named: Named): void {
  const old = before.layout ?? readableLayout(before.text);
  const isGone = after.layout === undefined && splitNote(after.text).frontmatter === undefined;
  const now = isGone ? NO_PROPERTIES : (after.layout ?? readableLayout(after.text));
  if (old === undefined || now === undefined) return;
  for (const [index, { key, line }] of old.properties.entries()) {
    const items = itemsOf(before.text, old, index);
    if (items === undefined) continue;
    const left = itemsOf(after.text, now, findKey(now.properties, key)) ?? [];
    for (const isText of [true, false]) {
      const had = items.filter(({ text }) => (text !== undefined) === isText);
      const has = left.filter(({ text }) => (text !== undefined) === isText);
      if (has.length >= had.length || named.item(key, { isText, count: items.length })) continue;
      throw cannotEdit({ message: isText ? SEVERAL : NO_TEXT, line, column: 1 }, ONE_BY_ONE);
    }
  }
}

const NO_PROPERTIES: FrontmatterLayout = { properties: [], slots: [], indent: "" };

const SEVERAL = "This list has more items than one, and the change would drop some that it does not name.";
const NO_TEXT =
  "This list has items that are no text (a mapping, a list, nothing), and the change would drop them: change it by hand.";
const ONE_BY_ONE = [
  said`Change the items one by one ({"add": ...} and {"remove": ...} in ${call("set_properties")}), or by hand.`,
  "Nothing was changed.",
];
