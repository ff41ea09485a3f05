/** Checkbox lines as the Tasks plugin reads them (docs: tasks, "Tasks queries"). */
import type { TimeSlice } from "../../async/timers.js";
import { parseLocalDate } from "../../clock.js";
import { type DayNumber, toDayNumber } from "../../dates/days.js";
import type { NoteSource, Subject, SubjectRow } from "../../index/subject.js";
import { scanBlocks } from "../../markdown/blocks.js";
import { remembered } from "../../text/fold.js";
import {
  FIELD_SIGNS,
  type FieldSigns,
  hasSign,
  type LineFieldName,
  PRIORITY_EMOJI,
} from "../line-format/field-signs.js";
import { dayInName } from "../line-format/line-derivation.js";
import { mayHoldLines } from "../line-format/line-facts.js";
import { type LineOptions, type LineSettings, lineSettingsReader } from "../line-format/line-settings.js";
import { checkboxParts } from "../line-format/task-line.js";
import { parseRuleWords, toRuleWords } from "../recurrence/rule-words.js";

/** The plugin's priorities, in its order. */
export const CHECKBOX_PRIORITIES = ["highest", "high", "medium", "none", "low", "lowest"] as const;
export const CHECKBOX_DAYS = ["due", "scheduled", "start", "created", "done", "cancelled"] as const;
export type CheckboxDay = (typeof CHECKBOX_DAYS)[number];
/** A written day that does not exist; sorts before all others. */
export const INVALID_DAY: DayNumber = -10_000_000;

const VERSION = 6;

export function checkboxSubject(options: LineOptions = {}): Subject {
  const settingsFor = lineSettingsReader(options);
  return {
    name: "checkboxes",
    version: VERSION,
    isRare: true,
    tables: [
      {
        name: "checkbox",
        columns: [
          "symbol TEXT NOT NULL",
          "priority INTEGER NOT NULL",
          ...CHECKBOX_DAYS.map((name) => `${name} INTEGER`),
          // Whether it is indented.
          "nested INTEGER NOT NULL",
          "rule TEXT",
          "sign TEXT",
          // Signs, with commas between.
          "waits TEXT",
          // With line feeds between.
          "tags TEXT",
        ],
        indexes: ["checkbox_signs ON checkbox (id) WHERE sign IS NOT NULL OR waits IS NOT NULL"],
      },
      // So that a scan of `checkbox` reads less.
      {
        name: "checkbox_text",
        columns: ["line TEXT NOT NULL", "description TEXT NOT NULL", "heading TEXT NOT NULL"],
      },
    ],
    epoch: (settings) => {
      const { globalFilter, form, dayFolders } = settingsFor(settings);
      return [globalFilter, form, dayFolders, settings.tasksPlugin.filenameAsScheduledDateFormat];
    },
    // Also of templates and excluded notes, as in the plugin.
    read: (note, { settings }, slice) =>
      mayHoldLines(note.text) ? rowsOf(note, settingsFor(settings), slice) : undefined,
  };
}

async function rowsOf(
  { path, text: whole, truncated, parts }: NoteSource,
  settings: LineSettings,
  slice: TimeSlice,
): Promise<Record<string, SubjectRow[]>> {
  // The last line may be cut.
  const text = truncated ? whole.slice(0, whole.lastIndexOf("\n") + 1) : whole;
  const [rows, texts]: [SubjectRow[], SubjectRow[]] = [[], []];
  const day = settings.dayFolders && dayInName(path, settings.dayFolders, settings.dayOfName);
  const dayOfName = day === undefined ? null : toDayNumber(day);
  let [number, counted] = [1, 0];
  for (const { start, end, heading } of itemsOf(text, parts.bodyStart)) {
    if (slice.isOver) await slice.yield();
    const line = text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
    const box = readCheckbox(line, settings);
    if (box === undefined) continue;
    for (let at = text.indexOf("\n", counted); at >= 0 && at < start; at = text.indexOf("\n", at + 1)) {
      number += 1;
      counted = at + 1;
    }
    const { due, start: first, created, done, cancelled } = box.days;
    const isUndated = due === undefined && first === undefined && box.days.scheduled === undefined;
    const scheduled = isUndated ? dayOfName : (box.days.scheduled ?? null);
    const days = [due ?? null, scheduled, first ?? null, created ?? null, done ?? null, cancelled ?? null];
    const { symbol, priority, isNested, rule, sign, waits, description, tags } = box;
    const ends = [Number(isNested), rule ?? null, sign ?? null, waits ?? null, tags.join("\n") || null];
    rows.push([number, symbol, priority, ...days, ...ends]);
    texts.push([number, line, description, heading]);
  }
  return { checkbox: rows, checkbox_text: texts };
}

/** The first lines of list items, each with the heading above it. */
function itemsOf(text: string, bodyStart: number) {
  const items: { readonly start: number; readonly end: number; readonly heading: string }[] = [];
  let above = "";
  scanBlocks(text, bodyStart, {
    heading: (found) => {
      above = found.text;
      return false;
    },
    item: (start, end) => void items.push({ start, end, heading: above }),
  });
  return items;
}

interface Checkbox {
  readonly symbol: string;
  readonly isNested: boolean;
  readonly days: Partial<Record<CheckboxDay, DayNumber>>;
  readonly priority: number;
  /** In the plugin's words. */
  readonly rule: string | undefined;
  readonly sign: string | undefined;
  readonly waits: string | undefined;
  /** With tags, without the global filter. */
  readonly description: string;
  /** With `#`, as written; without the global filter. */
  readonly tags: readonly string[];
}

type PluginField = LineFieldName | "tag";

/** As the plugin takes them from a line's end. */
const FIELDS: readonly PluginField[] = [
  "priority",
  "completed",
  "cancelled",
  "due",
  "scheduled",
  "start",
  "created",
  "recurrence",
  "onCompletion",
  "tag",
  "id",
  "blockedBy",
];
const TAG_AT_END = /(?:^|\s)(#[^ !@#$%^&*(),.?":{}|<>]+)$/;
const TAGS = /(?:^|\s)#[^ !@#$%^&*(),.?":{}|<>]+/g;
const BLOCK_LINK = / \^[a-zA-Z0-9-]+$/;
const NO_TAGS: readonly string[] = [];
/** The plugin's limit. */
const MAX_TURNS = 21;

const patternsOf = (emojiOrKey: (name: PluginField, signs: FieldSigns | undefined) => string) =>
  FIELDS.map((name) => {
    const signs = FIELD_SIGNS.find((one) => one.name === name);
    return { name, pattern: name === "tag" ? TAG_AT_END : new RegExp(`${emojiOrKey(name, signs)}$`) };
  });
const valueOf = (signs: FieldSigns | undefined): string => `(${signs?.value.source.slice(1, -1)})`;

const BY_FORM = {
  emoji: patternsOf((_, signs) =>
    signs === undefined
      ? `(${[...PRIORITY_EMOJI.keys()].join("|")})\uFE0F?`
      : `(?:${signs.emoji.join("|")})\uFE0F? *${valueOf(signs)}`,
  ),
  bracket: patternsOf((name, signs) => {
    const value = signs === undefined ? `(${[...PRIORITY_EMOJI.values()].join("|")})` : valueOf(signs);
    return `(?:(?=[^\\]]+\\])\\[|(?=[^)]+\\))\\() *${signs?.key ?? name}:: *${value} *[)\\]](?: *,)?`;
  }),
};

export function readCheckbox(
  line: string,
  { globalFilter, form }: Pick<LineSettings, "globalFilter" | "form">,
): Checkbox | undefined {
  const parts = checkboxParts(line);
  if (parts === undefined) return undefined;
  const body = line.slice(parts.bodyStart).trim().replace(BLOCK_LINK, "").trim();
  if (!body.includes(globalFilter)) return undefined;
  const found = new Map<PluginField, string>();
  const atEnd: string[] = [];
  let text = body;
  const mayEndInFields = body.includes("#") || (form === "bracket" ? body.includes("::") : hasSign(body));
  for (let turn = 0, matched = mayEndInFields; matched && turn < MAX_TURNS; turn++) {
    matched = false;
    for (const { name, pattern } of BY_FORM[form === "bracket" ? "bracket" : "emoji"]) {
      const match = pattern.exec(text);
      if (match === null) continue;
      matched = true;
      text = text.slice(0, match.index).trim();
      // The first in the line counts, because it is taken last.
      if (name === "tag") atEnd.unshift(match[1] ?? "");
      else found.set(name, match[1] ?? "");
    }
  }
  const description = [text, ...atEnd].filter((part) => part !== "").join(" ");
  const tags = description.includes("#") ? (description.match(TAGS) ?? NO_TAGS) : NO_TAGS;
  const priority = found.get("priority") ?? "none";
  const days: Checkbox["days"] = Object.fromEntries(
    CHECKBOX_DAYS.flatMap((name) => {
      const day = found.get(name === "done" ? "completed" : name);
      return day === undefined ? [] : [[name, dayOf(day)]];
    }),
  );
  return {
    symbol: parts.symbol,
    isNested: isNested(parts.lead),
    days,
    priority: (CHECKBOX_PRIORITIES as readonly string[]).indexOf(PRIORITY_EMOJI.get(priority) ?? priority),
    rule: ruleOf(found.get("recurrence") ?? "", days.due ?? days.scheduled ?? days.start),
    sign: found.get("id"),
    waits: found.get("blockedBy")?.replaceAll(" ", ""),
    description: globalFilter === "" ? description : description.replace(globalFilter, () => "").trim(),
    tags: tags.map((tag) => tag.trim()).filter((tag) => tag !== globalFilter),
  };
}

/** An item of a quote is not indented by the blank after its mark. */
function isNested(lead: string): boolean {
  const quoted = lead.lastIndexOf(">");
  return quoted < 0 ? lead !== "" : !/^ ?$/.test(lead.slice(quoted + 1));
}

function dayOf(text: string): DayNumber {
  const day = parseLocalDate(text);
  return day === undefined ? INVALID_DAY : toDayNumber(day);
}

/** How the plugin's rules begin. A list of names must not end open. */
const RULE =
  /^every\s*(?:[1-9]\d*\s*)?(?:day|week|hour|minute|month|year|(?![a-z,\s]*(?:,|\sand)$)(?:mo|tu|we|th|fr|sa|su|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/i;

/** A rule that only the plugin understands stays as written. */
const ruleWords = remembered((written) => {
  const text = written.trim();
  const [, beforeNoCount = ""] = /^(.*?) +for +(?![1-9])/i.exec(text) ?? [];
  if (!RULE.test(text) || parseRuleWords(beforeNoCount).understood) return undefined;
  const read = parseRuleWords(text.replace(/[\s,]+$/, ""));
  return (read.understood && toRuleWords(read.rule, read.whenDone ? "completion" : "scheduled")) || text;
});

/** @param day of the occurrence; a rule that counts from a day that does not exist is none */
function ruleOf(written: string, day: DayNumber | undefined): string | undefined {
  const rule = ruleWords(written);
  return day === INVALID_DAY && rule?.endsWith("when done") === false ? undefined : rule;
}
