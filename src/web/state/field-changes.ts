/** Words a change from its diff. */
import { WORDS } from "../words.js";
import { LATER_WORDS } from "../later-words.js";
import { dayText, isDay } from "./days.js";

/** Bookkeeping without meaning for people. */
const KEPT_BY_PROGRAMS = /^(modified|updated|dateModified|lastModified|completed|completedDate)$/i;
const PROPERTY = /^([\w ]+):[ ]?(.*)$/;
const BOX = /^\s*[-*+] \[(.)\] (.*)$/;
const BOXES: Readonly<Record<string, string>> = { " ": "To Do", "/": "In Progress", x: "Done", "-": "Cancelled" };
const DAY_SIGNS = { due: "📅", scheduled: "⏳", start: "🛫" };
const INSTANCES = /^(complete|skipped)_?instances$/i;
const FINISHED = /^\+\s*[-*+] \[x\] /;
const SIGNS = /\s*[📅⏳🛫➕✅❌🔁⏫🔼🔽⏬🔺🆔⛔🏁].*$/u;

interface ReadChange {
  /** If the diff has one task, a line. */
  readonly title: string | undefined;
  /** Such as `Due today → Fri 4 Dec`; empty if other text changed. */
  readonly fields: string;
}

/** @param diff unified; for several notes only common changes count */
export function readChange(diff = "", today: string): ReadChange {
  const isChange = (line: string) => /^[-+](?!--|\+\+)/.test(line);
  const all = diff.split("\n");
  let key: string | undefined;
  const read = all.map((line) => {
    const [, item] = /^.\s*- (?!\[.\] )(.*)$/.exec(line) ?? [];
    if (item !== undefined && key !== undefined) return [[key, item]] as const;
    key = PROPERTY.exec(line.slice(1))?.[1];
    return pairsOf(line.slice(1));
  });
  const boxes = all.filter(isChange).map((line) => /^([-+])\s*[-*+] (\[.\]) /.exec(line)?.slice(1).join("") ?? "");
  const isSeries = boxes.toSorted().join("") === "+[ ]+[x]-[ ]";
  const isShown = (line: string) => isChange(line) && !(isSeries && FINISHED.test(line));
  const lines = all.filter(isShown);
  const pairs = read.filter((_, at) => isShown(all[at] ?? ""));
  const isOne = all.filter((line) => line.startsWith("+++ ")).length === 1;
  const titles = (sign: string) =>
    lines.flatMap((line) => (line.startsWith(sign) && BOX.exec(line.slice(1))?.[2]?.replace(SIGNS, "")) || []);
  const [before, after] = [titles("-"), titles("+")];
  const title = before.length <= 1 && after.length <= 1 ? (after[0] ?? before[0]) : undefined;
  if (pairs.includes(undefined)) return { title, fields: "" };
  const shown = (values?: Set<string>): string => (isOne ? [...(values ?? [])].join(", ") : only(values));
  const values = new Map<string, Record<string, Set<string>>>();
  for (const [at, line] of lines.entries())
    for (const [key, value] of pairs[at] ?? []) {
      const pair = values.get(key) ?? { "-": new Set(), "+": new Set() };
      if (value !== "") pair[line.charAt(0)]?.add(shownText(key, value, today));
      values.set(key, pair);
    }
  const fields = [...values].flatMap(([key, { "-": before, "+": after }]) => {
    const [from, to] = [shown(before), shown(after)];
    if (KEPT_BY_PROGRAMS.test(key) || from === to) return [];
    const [, kind] = INSTANCES.exec(key) ?? [];
    if (kind !== undefined && from === "") return LATER_WORDS.instances[kind.toLowerCase() as "complete"](to);
    return LATER_WORDS.fieldChanged(
      WORDS.fieldNames[key as "title"] ?? WORDS.capital(key.replace(/^timeE/, "e")),
      from,
      to,
    );
  });
  return { title, fields: [...(isSeries ? [BOXES["x"]] : []), ...fields].join(", ") };
}

function shownText(key: string, value: string, today: string): string {
  if (isDay(value)) return dayText(value, today);
  if (/estimate$/i.test(key) && /^\d+$/.test(value)) return WORDS.duration(Number(value));
  return value.replaceAll(/["[\]]/g, "");
}

/** Of a property, or of a task line. */
function pairsOf(line: string): readonly (readonly [key: string, value: string])[] | undefined {
  const [, key, value = ""] = PROPERTY.exec(line) ?? [];
  if (key !== undefined) return [[key, value]];
  const [, box, text = ""] = BOX.exec(line) ?? [];
  if (box === undefined) return undefined;
  const days = Object.entries(DAY_SIGNS).map(
    ([name, sign]) => [name, text.split(sign)[1]?.trim().slice(0, 10) ?? ""] as const,
  );
  return [["status", BOXES[box] ?? box], ...days];
}

const only = (values: Set<string> = new Set()): string => (values.size === 1 ? ([...values][0] ?? "") : "");
