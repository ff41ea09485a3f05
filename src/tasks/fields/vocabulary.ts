/** Words for statuses and priorities, and their lookup (docs: tasks, "Fields"). */
import { remembered } from "../../text/fold.js";
import { KEY_ROWS, PRIORITY_ROWS, STATUS_ROWS, TASK_TYPES } from "./languages.js";

export const STATUSES = ["To Do", "In Progress", "Blocked", "Done", "Cancelled"] as const;

export type Status = (typeof STATUSES)[number];

export const isStatus = (word: string): word is Status => (STATUSES as readonly string[]).includes(word);

/** `Other`: any word of the vault's own. */
export const STATUS_FILTERS = [...STATUSES, "Other"] as const;

/** Or a word of the vault's own. */
export type StatusFilter = (typeof STATUS_FILTERS)[number] | (string & Record<never, never>);

export const NEW_STATUSES = ["To Do", "In Progress", "Done", "Blocked"] as const;

export const SETTABLE_STATUSES = [...NEW_STATUSES, "Cancelled"] as const;

export type SettableStatus = (typeof SETTABLE_STATUSES)[number];

export const PRIORITIES = ["High", "Medium", "Low"] as const;

export type Priority = (typeof PRIORITIES)[number];

/** NFKC, lower case, without spaces, `_`, `-` and emoji variation selectors. */
export function normaliseWord(text: string): string {
  if (/^[a-z]*$/.test(text)) return text;
  if (PLAIN.test(text)) return text.toLowerCase().replace(/[ _-]+/g, "");
  return text.normalize("NFKC").toLowerCase().replace(UNSEEN, "");
}

const PLAIN = /^[\x20-\x7e]*$/;
/** `\p{Variation_Selector}` compiles slowly. */
const UNSEEN = /(?:[\s_-]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|[\u180b-\u180d\u180f])+/gu;

const listed = (words: string): readonly string[] => words.split(", ");

/** Symbols are those of checkbox plugins. */
export const STATUS_WORDS: Readonly<Record<Status, readonly string[]>> = {
  "To Do": [
    ...listed(
      "todo, open, new, none, not started, backlog, pending, next, ready, planned, planning, someday, inbox, false",
    ),
    " ",
    ">",
    "<",
    "?",
    "!",
    "*",
  ],
  "In Progress": [
    ...listed("in progress, doing, started, wip, active, working, ongoing, review, in review, half done"),
    "/",
  ],
  Blocked: listed("blocked, waiting, waiting for, on hold, hold, paused, deferred, stuck, h"),
  Done: [...listed("done, complete, completed, closed, finished, resolved, shipped, true, x, X"), "✅"],
  Cancelled: [...listed("cancelled, canceled, dropped, wontfix, won't do, abandoned"), "-"],
};

const PRIORITY_WORDS: Readonly<Record<Priority, readonly string[]>> = {
  High: listed("high, highest, urgent, critical, important, p0, p1, 1, a, A, 🔺, ⏫, ❗, 🔴, !!!, !1"),
  Medium: listed("medium, med, normal, moderate, none, p2, 2, b, B, 🔼, 🟡, !!, !2"),
  Low: listed("low, lowest, minor, trivial, p3, p4, 3, 4, c, C, 🔽, ⏬, 🟢, 🔵, !, !3"),
};

/** A note with `p1` gets `p3`, not `Low`. */
const PRIORITY_SCALES: readonly (readonly [high: string, medium: string, low: string])[] = [
  ["1", "2", "3"],
  ["p1", "p2", "p3"],
  ["a", "b", "c"],
  ["!1", "!2", "!3"],
  ["!!!", "!!", "!"],
  ["⏫", "🔼", "🔽"],
  ["🔴", "🟡", "🟢"],
];

/** Exact words first, because `-` and ` ` have meanings; then without leading symbols. */
function lookup<Meaning extends string>(
  meanings: readonly Meaning[],
  words: Readonly<Record<Meaning, readonly string[]>>,
): (raw: string) => Meaning | undefined {
  const exact = new Map<string, Meaning>();
  const normalised = new Map<string, Meaning>();
  for (const meaning of meanings) {
    for (const word of words[meaning]) {
      exact.set(word, meaning);
      // Letters are checkbox symbols: `h` means Blocked in some themes, `H` does not.
      const key = /^[a-z]$/i.test(word) ? "" : PLAIN.test(word) ? normaliseWord(word) : word;
      if (key !== "") normalised.set(key, meaning);
    }
  }
  return remembered((raw) => {
    const known = exact.get(raw) ?? exact.get(raw.trim()) ?? normalised.get(normaliseWord(raw));
    return known ?? normalised.get(normaliseWord(raw.replace(/^[^\p{L}\p{N}]+/u, "")));
  });
}

const foreignWord = (text: string): string => normaliseWord(text).replace(/['’]/g, "");
const withoutAccents = (word: string): string => word.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC");

interface Sense<Meaning> {
  readonly language: string;
  readonly meaning: Meaning;
}

/** Accents are optional unless two meanings would collide. */
function foreignWords<Meaning extends string>(meanings: readonly Meaning[], texts: Readonly<Record<string, string>>) {
  const rows = new Map(
    Object.entries(texts).map(([language, row]) => [
      language,
      row.split(";").map((words) => words.trim().split(/,\s*/)),
    ]),
  );
  let senses: Map<string, Sense<Meaning>[]> | undefined;

  function meaningOf(raw: string): Meaning | undefined {
    return sensesOf(raw)[0]?.meaning;
  }

  /** In the language of `like`; if ambiguous, of most `others`. */
  function wordLike(
    meaning: Meaning,
    like: string,
    used: readonly string[] = [],
    others: readonly string[] = [],
  ): string | undefined {
    const languages = languagesOf(like);
    const speaks = (word: string, language: string): boolean =>
      sensesOf(word).some((sense) => sense.language === language);
    const uses = (language: string): number => others.filter((word) => speaks(word, language)).length;
    const [language] = languages.toSorted((a, b) => uses(b) - uses(a));
    if (language === undefined) return undefined;
    const own = used.find((word) => speaks(word, language));
    const first = rows.get(language)?.[meanings.indexOf(meaning)]?.[0];
    if (own !== undefined || first === undefined) return own ?? first;
    return /^\p{Lu}/u.test(like) ? first.charAt(0).toUpperCase() + first.slice(1) : first;
  }

  function languagesOf(raw: string): readonly string[] {
    return sensesOf(raw).map(({ language }) => language);
  }

  function sensesOf(raw: string): readonly Sense<Meaning>[] {
    senses ??= compile();
    const word = foreignWord(raw);
    return senses.get(word) ?? senses.get(withoutAccents(word)) ?? [];
  }

  function compile(): Map<string, Sense<Meaning>[]> {
    const [exact, plain] = [new Map<string, Sense<Meaning>[]>(), new Map<string, Sense<Meaning>[]>()];
    for (const [language, row] of rows)
      for (const [place, meaning] of meanings.entries())
        for (const word of (row[place] ?? []).map(foreignWord))
          for (const [map, key] of [
            [exact, word],
            [plain, withoutAccents(word)],
          ] as const)
            map.set(key, [...(map.get(key) ?? []), { language, meaning }]);
    for (const [word, senses] of plain)
      if (!exact.has(word) && new Set(senses.map(({ meaning }) => meaning)).size === 1) exact.set(word, senses);
    return exact;
  }

  return { meaningOf, wordLike, languagesOf };
}

const FOREIGN_STATUSES = foreignWords(STATUSES, STATUS_ROWS);
const FOREIGN_PRIORITIES = foreignWords(PRIORITIES, PRIORITY_ROWS);
export const foreignStatusLike = FOREIGN_STATUSES.wordLike;
export const foreignPriorityLike = FOREIGN_PRIORITIES.wordLike;
/** Empty for English, symbols and unknown words. */
export const languagesOf = (word: string): readonly string[] =>
  [FOREIGN_STATUSES, FOREIGN_PRIORITIES].flatMap((words) => words.languagesOf(word));

const foreignKeys = onceMade(() => {
  const keys = new Map<string, string>();
  for (const row of Object.values(KEY_ROWS))
    for (const part of row.split(";")) {
      const [field = "", words = ""] = part.trim().split(/:\s*/);
      for (const word of words.split(/,\s*/)) keys.set(foreignWord(word), field);
    }
  for (const [word, field] of keys) if (!keys.has(withoutAccents(word))) keys.set(withoutAccents(word), field);
  return keys;
});

export const foreignFieldOf = (key: string): string | undefined => {
  const word = foreignWord(key);
  return foreignKeys().get(word) ?? foreignKeys().get(withoutAccents(word));
};

const taskTypes = onceMade(() => new Set(TASK_TYPES.split(", ").map(foreignWord)));
export const isForeignTaskType = (type: string): boolean => taskTypes().has(foreignWord(type));

function onceMade<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}

/** Undefined for a vault's own word. */
export const statusOf: (raw: string) => Status | undefined = orForeign(
  lookup(STATUSES, STATUS_WORDS),
  FOREIGN_STATUSES,
);

function orForeign<Meaning extends string>(
  own: (raw: string) => Meaning | undefined,
  foreign: ReturnType<typeof foreignWords<Meaning>>,
): (raw: string) => Meaning | undefined {
  return remembered((raw) => {
    const known = own(raw);
    if (known !== undefined || !/\p{L}/u.test(raw)) return known;
    return foreign.meaningOf(raw) ?? foreign.meaningOf(raw.replace(/^[^\p{L}\p{N}]+/u, ""));
  });
}

/** Areas, books and people have these too. */
const NOT_OF_TASKS_ALONE: ReadonlySet<string> = new Set(["active", "ongoing"]);

export function isTaskStatus(raw: string): boolean {
  return statusOf(raw) !== undefined && !NOT_OF_TASKS_ALONE.has(normaliseWord(raw.replace(/^[^\p{L}\p{N}]+/u, "")));
}

export const priorityOf: (raw: string) => Priority | undefined = orForeign(
  lookup(PRIORITIES, PRIORITY_WORDS),
  FOREIGN_PRIORITIES,
);

export function priorityOnScale(priority: Priority, like: string): string | undefined {
  const word = like.trim();
  const scale = PRIORITY_SCALES.find((scale) => scale.includes(word.toLowerCase()));
  const found = scale?.[PRIORITIES.indexOf(priority)];
  return found !== undefined && word !== word.toLowerCase() ? found.toUpperCase() : found;
}
