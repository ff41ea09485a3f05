/** Boards as the Kanban plugin itself reads and changes them: the answers of its own code. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Board, type BoardCard, cardLines, readBoard } from "../src/markdown/kanban/board.js";
import {
  BOARD_DEFAULTS,
  boardStyle,
  type BoardDefaults,
  type BoardStyle,
  cardDates,
  dayOfSign,
  timeOfSign,
  withDay,
} from "../src/markdown/kanban/card-dates.js";
import { addCards, archiveCard, moveCard, withDaySign } from "../src/markdown/kanban/change.js";
import type { LocalDate } from "../src/clock.js";

interface PluginSettings {
  readonly plugin?: Record<string, unknown>;
  readonly dailyNotes?: { readonly enabled: boolean; readonly format?: string; readonly folder?: string };
  readonly templates?: { readonly enabled: boolean; readonly dateFormat?: string; readonly timeFormat?: string };
  readonly useTab?: boolean;
  readonly useMarkdownLinks?: boolean;
}
interface Place {
  readonly lane: number;
  readonly index: number;
}
interface Case {
  readonly id: string;
  readonly input: { readonly board: string };
  readonly call:
    | { readonly op: "read" }
    | { readonly op: "move"; readonly card: Place; readonly to: number }
    | { readonly op: "add"; readonly lane: number; readonly text: string }
    | { readonly op: "setDay"; readonly card: Place; readonly day: LocalDate }
    | { readonly op: "archive"; readonly card: Place; readonly now: string };
  readonly expected: { readonly markdown?: string; readonly reading?: Reading } & Partial<Reading>;
}
interface ReadCard {
  readonly title: string;
  readonly date?: string | null;
}
interface Reading {
  readonly lanes: readonly { readonly cards: readonly ReadCard[] }[];
  readonly archive: readonly ReadCard[];
}

const table = JSON.parse(readFileSync(new URL("corpus/tables/kanban-boards.json", import.meta.url), "utf8")) as {
  readonly boards: Record<string, { readonly markdown: string; readonly settings?: PluginSettings }>;
  readonly cases: readonly Case[];
};

function defaultsOf({
  plugin = {},
  dailyNotes,
  templates,
  useTab = true,
  useMarkdownLinks = false,
}: PluginSettings): BoardDefaults {
  const daily = dailyNotes?.enabled === true ? dailyNotes : undefined;
  const dates = [daily?.format, templates?.enabled === true ? templates.dateFormat : undefined];
  return {
    ...BOARD_DEFAULTS,
    plugin,
    dateFormat: dates.find((format) => format !== undefined) ?? "YYYY-MM-DD",
    timeFormat: (templates?.enabled === true ? templates.timeFormat : undefined) ?? "HH:mm",
    usesMarkdownLinks: useMarkdownLinks,
    dailyFolder: dailyNotes?.folder ?? "",
    indent: useTab ? "\t" : "    ",
  };
}

/** What the table says of a board; a day in `@[…](…)` is read by us and not by the plugin, and links are read elsewhere. */
function reading({ lanes, archive }: Board, style: BoardStyle): object {
  const cardOf = ({ text, symbol = " " }: BoardCard, isArchived = false): object => {
    const { dates, times } = cardDates(text, style);
    const [date, time] = [dates.findLast(({ isShown }) => !isShown), times.at(-1)];
    return {
      title: text,
      checked: symbol !== " ",
      symbol,
      ...(date && { dateText: date.value, ...(!isArchived && { date: dayOfSign(date, style) ?? null }) }),
      ...(time && { timeText: time.value, ...(!isArchived && { time: timeOfSign(time.value, style) ?? null }) }),
    };
  };
  return {
    lanes: lanes.map(({ title, limit, isComplete, cards }) => ({
      title,
      ...(limit !== undefined && { limit }),
      complete: isComplete,
      cards: cards.map((card) => cardOf(card)),
    })),
    archive: (archive?.cards ?? []).map((card) => cardOf(card, true)),
  };
}

/** The table's own words without what is not compared here. */
function compared({ lanes, archive }: Reading): object {
  const cardOf = ({ ...card }: ReadCard, isArchived: boolean): object =>
    Object.fromEntries(
      Object.entries(card).filter(
        ([key]) => !["link", "tags"].includes(key) && !(isArchived && ["date", "time"].includes(key)),
      ),
    );
  return {
    lanes: lanes.map((lane) => ({ ...lane, cards: lane.cards.map((card) => cardOf(card, false)) })),
    archive: archive.map((card) => cardOf(card, true)),
  };
}

function changed(text: string, call: Exclude<Case["call"], { op: "read" }>, style: BoardStyle): string {
  const { lanes } = readBoard(text);
  const cardAt = ({ lane, index }: Place): BoardCard => lanes[lane]!.cards[index]!;
  if (call.op === "move") return moveCard(text, cardAt(call.card), lanes[call.to]!, style).text;
  if (call.op === "add")
    return addCards(text, [`- [ ] ${call.text.replaceAll("\n", `\n${style.indent}`)}`], lanes[call.lane]!, style).text;
  const card = cardAt(call.card);
  if (call.op === "archive") {
    const [day = "", time = ""] = call.now.split("T");
    return archiveCard(text, card, { day: day as LocalDate, time: time.slice(0, 5) }, style).text;
  }
  const lines = cardLines(text, card);
  const old = cardDates(lines, style).dates.at(-1);
  const day = old && dayOfSign(old, style);
  const now = day === undefined ? withDaySign(lines, call.day, style) : withDay(lines, day, call.day, style);
  return text.slice(0, card.start) + now + text.slice(card.start + lines.length);
}

describe("a board of the plugin's", () => {
  it.each(table.cases)("$id", ({ input, call, expected }) => {
    const { markdown, settings = {} } = table.boards[input.board]!;
    const style = boardStyle(readBoard(markdown).settings, defaultsOf(settings));
    if (call.op === "read") {
      expect(reading(readBoard(markdown), style)).toEqual(compared(expected as Reading));
      return;
    }
    const text = changed(markdown, call, style);
    if (expected.markdown !== undefined) expect(text).toBe(expected.markdown);
    if (expected.reading !== undefined) expect(reading(readBoard(text), style)).toEqual(compared(expected.reading));
  });
});

describe("a board written by hand", () => {
  const READ: readonly (readonly [text: string, lanes: readonly unknown[]])[] = [
    ["## A\n- [ ] a\n  - [ ] s\n- [ ] b", [["A", "a\n- [ ] s", "b"]]],
    ["## A\n- [ ] a\n  * s\n  more\n- [ ] b", [["A", "a\n* s\nmore", "b"]]],
    ["## A\n1. [ ] a\n   - s\n2. [ ] b", [["A", "a\n- s", "b"]]],
    ["## A\n-   [ ] a\n  - [ ] b\n\t- s", [["A", "a", "b\n- s"]]],
    ["## A\n- [ ] a\n\tb<br>c ^id\n- [ ] d ^id2", [["A", "a\nb\nc", "d"]]],
    ["## A\n- [ ] a ^id\n\t- [ ] b ^id2", [["A", "a\n- [ ] b ^id2"]]],
    ["## Archive\n- [ ] a\n## B (0)\n", [["Archive", "a"], ["B"]]],
    ["## A\n- [ ] a\n  ## H\n- [ ] b\n   # K\n## B\n   ## C", [["A", "a\n## H", "b\n# K"], ["B"], ["C"]]],
    ["## A\n- [ ] a\n* [ ] b\n  ## H\n## B", [["A", "a"], ["B"]]],
    ["## A\n- [ ] a\n  ## H\nprose\n- [ ] b", [["A", "a\n## H"]]],
  ];
  it.each(READ)("%j has the plugin's lanes and cards", (text, expected) => {
    const { lanes } = readBoard(`---\nkanban-plugin: board\n---\n${text}\n`);
    expect(lanes.map(({ title, cards }) => [title, ...cards.map((card) => card.text)])).toEqual(expected);
    expect(lanes.every(({ limit }) => limit === undefined)).toBe(true);
  });

  it.each([
    ["**Complete**\n", true],
    ["\n**Complete**\n- [ ] a\n", true],
    ["**Complete**\n***\n", true],
    ["prose\n\n**Complete**\n", true],
    ["**Complete**\nis what this lane means\n- [ ] a\n", false],
    ["This lane is\n**Complete**\n", false],
  ])("a lane with %j is complete: %s", (text, isComplete) => {
    expect(readBoard(`---\nkanban-plugin: board\n---\n## A\n${text}`).lanes[0]?.isComplete).toBe(isComplete);
  });

  it("moves a card with what is nested by two blanks", () => {
    const text = "---\nkanban-plugin: board\n---\n## A\n- [ ] a\n  - [ ] s\n- [ ] b\n## B\n- [ ] c\n";
    const { lanes } = readBoard(text);
    const style = boardStyle(readBoard(text).settings, BOARD_DEFAULTS);
    const moved = readBoard(moveCard(text, lanes[0]!.cards[0]!, lanes[1]!, style).text).lanes;
    expect(moved.map(({ cards }) => cards.map((card) => card.text))).toEqual([["b"], ["c", "a\n- [ ] s"]]);
  });

  it("has no archive when its last card is a lane's again", () => {
    const { markdown } = table.boards["archive"]!;
    const style = boardStyle(readBoard(markdown).settings, BOARD_DEFAULTS);
    const back = (text: string): string => {
      const { lanes, archive } = readBoard(text);
      return archive === undefined ? text : back(moveCard(text, archive.cards[0]!, lanes[0]!, style).text);
    };
    expect(back(markdown)).not.toMatch(/\*\*\*|Archive/);
    expect(back(markdown)).toContain("- [x] Pay the deposit\n\n\n\n\n%% kanban:settings");
  });
});
