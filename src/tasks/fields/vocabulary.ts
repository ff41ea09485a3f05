/** The words vaults use for statuses and priorities, and how words and keys are looked up (spec: tasks, section 2). */
import { remembered } from "../../text/memo.js";
import { PRIORITIES, STATUSES, type Priority, type Status } from "../task.js";

/** How keys and words are compared: NFKC, lower case, without spaces, `_`, `-` and emoji variation selectors. */
export function normaliseWord(text: string): string {
  if (/^[a-z]*$/.test(text)) return text;
  if (PLAIN.test(text)) return text.toLowerCase().replace(/[ _-]+/g, "");
  return text.normalize("NFKC").toLowerCase().replace(UNSEEN, "");
}

const PLAIN = /^[\x20-\x7e]*$/;
/** The selectors by their numbers: V8 takes half a millisecond to look up `\p{Variation_Selector}`, at every start. */
const UNSEEN = /(?:[\s_-]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|[\u180b-\u180d\u180f])+/gu;

/** Words read as each status. Symbols are the characters of checkbox plugins; `_`, `-` and spaces do not matter in words. */
const STATUS_WORDS: Readonly<Record<Status, readonly string[]>> = {
  "To Do": [
    "todo",
    "open",
    "new",
    "none",
    "not started",
    "backlog",
    "pending",
    "next",
    "ready",
    "planned",
    "planning",
    "someday",
    "inbox",
    "false",
    " ",
    ">",
    "<",
    "?",
    "!",
    "*",
  ],
  "In Progress": [
    "in progress",
    "doing",
    "started",
    "wip",
    "active",
    "working",
    "ongoing",
    "review",
    "in review",
    "half done",
    "/",
  ],
  Blocked: ["blocked", "waiting", "waiting for", "on hold", "hold", "paused", "deferred", "stuck", "h"],
  Done: ["done", "complete", "completed", "closed", "finished", "resolved", "shipped", "true", "x", "✅"],
  Cancelled: ["cancelled", "canceled", "dropped", "wontfix", "won't do", "abandoned", "-"],
};

const PRIORITY_WORDS: Readonly<Record<Priority, readonly string[]>> = {
  High: [
    "high",
    "highest",
    "urgent",
    "critical",
    "important",
    "p0",
    "p1",
    "1",
    "a",
    "🔺",
    "⏫",
    "❗",
    "🔴",
    "!!!",
    "!1",
  ],
  Medium: ["medium", "med", "normal", "moderate", "none", "p2", "2", "b", "🔼", "🟡", "!!", "!2"],
  Low: ["low", "lowest", "minor", "trivial", "p3", "p4", "3", "4", "c", "🔽", "⏬", "🟢", "🔵", "!", "!3"],
};

/** Words that belong together, for High, Medium and Low: a note that says `p1` is answered with `p3`, not with `Low`. */
const PRIORITY_SCALES: readonly (readonly [high: string, medium: string, low: string])[] = [
  ["1", "2", "3"],
  ["p1", "p2", "p3"],
  ["a", "b", "c"],
  ["!1", "!2", "!3"],
  ["!!!", "!!", "!"],
  ["⏫", "🔼", "🔽"],
  ["🔴", "🟡", "🟢"],
];

/** A lookup that tries the word as it stands (so that `-` and ` ` keep their meaning), then normalised, then without symbols before it. */
function lookup<Meaning extends string>(
  meanings: readonly Meaning[],
  words: Readonly<Record<Meaning, readonly string[]>>,
): (raw: string) => Meaning | undefined {
  const exact = new Map<string, Meaning>();
  const normalised = new Map<string, Meaning>();
  for (const meaning of meanings) {
    for (const word of words[meaning]) {
      exact.set(word, meaning);
      // The symbols stand in the tables as they are compared.
      const key = PLAIN.test(word) ? normaliseWord(word) : word;
      if (key !== "") normalised.set(key, meaning);
    }
  }
  return remembered((raw) => {
    const known = exact.get(raw) ?? exact.get(raw.trim()) ?? normalised.get(normaliseWord(raw));
    // "🟢 Active" means active; a lone symbol was looked up above.
    return known ?? normalised.get(normaliseWord(raw.replace(/^[^\p{L}\p{N}]+/u, "")));
  });
}

/** The status a word stands for; undefined for a word of the vault's own. */
export const statusOf: (raw: string) => Status | undefined = lookup(STATUSES, STATUS_WORDS);

/** The priority a word stands for. */
export const priorityOf: (raw: string) => Priority | undefined = lookup(PRIORITIES, PRIORITY_WORDS);

/** Our word for a priority on the scale that `like` belongs to; undefined when `like` is an ordinary word. */
export function priorityOnScale(priority: Priority, like: string): string | undefined {
  const word = like.trim();
  const scale = PRIORITY_SCALES.find((scale) => scale.includes(word.toLowerCase()));
  const found = scale?.[PRIORITIES.indexOf(priority)];
  return found !== undefined && word !== word.toLowerCase() ? found.toUpperCase() : found;
}
