/** Words for days in German, French and Spanish, without accents: texts are compared without them. */
import {
  endOfPeriod,
  exactDate,
  nextDate,
  nextWeekday,
  shift,
  type Span,
  startOfPeriod,
  weekdayInWeek,
} from "./calendar-terms.js";
import type { DayNumber, Weekday } from "./day-number.js";
import { type DayForm, type Slots, type SlotValues, spelled } from "./english.js";
import { LanguageForms } from "./language-forms.js";

/** Forms as in `english.ts`; spaces separate synonyms. */
interface DayWords {
  readonly today: string;
  readonly tomorrow: string;
  readonly dayAfterTomorrow: string;
  readonly yesterday: string;
  readonly dayBeforeYesterday: string;
  /** From Monday. */
  readonly weekdays: readonly string[];
  readonly months: readonly string[];
  /** From one. */
  readonly counts: readonly string[];
  /** Day, week, month, year. */
  readonly units: readonly string[];
  readonly weekday: string;
  /** The next one, or that of next week: ambiguous unless both are the same day. */
  readonly ambiguousNext: readonly string[];
  readonly dates: readonly string[];
  readonly in: string;
  /** Week, month, year. */
  readonly nextPeriod: readonly string[];
  readonly endOf: readonly string[];
  /** Saturday or Sunday. */
  readonly weekend?: string;
  readonly keywords: Readonly<Record<DayField, string>>;
}

export const DAY_FIELDS = ["due", "scheduled", "start"] as const;
export type DayField = (typeof DAY_FIELDS)[number];

const GERMAN: DayWords = {
  today: "heute",
  tomorrow: "morgen[ (fruh|vormittag|mittag|nachmittag|abend)]",
  dayAfterTomorrow: "ubermorgen",
  yesterday: "gestern",
  dayBeforeYesterday: "vorgestern",
  weekdays: [
    "montag mo",
    "dienstag di",
    "mittwoch mi",
    "donnerstag do",
    "freitag fr",
    "samstag sonnabend sa",
    "sonntag so",
  ],
  months: "januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember".split("|"),
  counts: "ein eine einem einer|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf".split("|"),
  units: ["tag tagen", "woche wochen", "monat monaten", "jahr jahren"],
  weekday: "[(am|kommenden|diesen) ]{weekday}",
  ambiguousNext: ["nachsten {weekday}"],
  dates: ["[am ]{day}[\\.] {month}[ {year}]", "[am ]{day}\\. ?{monthNumber}\\.[ ?{year}]"],
  in: "in {count} {unit}",
  nextPeriod: ["nachste woche", "nachsten monat", "nachstes jahr"],
  endOf: ["ende der woche", "ende des monats", "ende des jahres"],
  keywords: { due: "bis zum|bis|fallig am|fallig", scheduled: "geplant fur|am", start: "ab dem|ab" },
};

const FRENCH: DayWords = {
  today: "aujourd'hui",
  tomorrow: "demain[ (matin|midi|apres-midi|soir)]",
  dayAfterTomorrow: "apres-demain",
  yesterday: "hier",
  dayBeforeYesterday: "avant-hier",
  weekdays: "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche".split("|"),
  months: "janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre".split("|"),
  counts: "un une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze".split("|"),
  units: ["jour jours", "semaine semaines", "mois", "an ans"],
  weekday: "[(ce|le) ]{weekday}",
  ambiguousNext: ["{weekday} prochain"],
  dates: ["[le ]{day} {month}[ {year}]"],
  in: "dans {count} {unit}",
  nextPeriod: ["la semaine prochaine", "le mois prochain", "l'annee prochaine"],
  endOf: ["fin de la semaine", "fin du mois", "fin de l'annee"],
  weekend: "fin de semaine",
  keywords: { due: "avant le|pour le|d'ici", scheduled: "le", start: "a partir du|a partir de" },
};

const SPANISH: DayWords = {
  today: "hoy",
  tomorrow: "manana[ por la (manana|tarde|noche)]",
  dayAfterTomorrow: "pasado manana",
  yesterday: "ayer",
  dayBeforeYesterday: "anteayer",
  weekdays: "lunes|martes|miercoles|jueves|viernes|sabado|domingo".split("|"),
  months: "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre setiembre|octubre|noviembre|diciembre".split(
    "|",
  ),
  counts: "un uno una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce".split("|"),
  units: ["dia dias", "semana semanas", "mes meses", "ano anos"],
  weekday: "[(el|este) ]{weekday}",
  ambiguousNext: ["[el ]proximo {weekday}", "[el ]{weekday} que viene"],
  dates: ["[el ]{day} de {month}[ (de|del) {year}]"],
  in: "(en|dentro de) {count} {unit}",
  nextPeriod: ["la proxima semana", "el proximo mes", "el proximo ano"],
  endOf: ["fin de la semana", "fin de mes", "fin de ano"],
  weekend: "fin de semana",
  keywords: { due: "para el|antes del", scheduled: "el", start: "desde el|a partir del" },
};

const ROWS: readonly DayWords[] = [GERMAN, FRENCH, SPANISH];
const PERIODS = ["week", "month", "year"] as const;
const UNITS: readonly Span[] = [{ days: 1 }, { days: 7 }, { months: 1 }, { months: 12 }];

type Readings = (slots: SlotValues, today: DayNumber) => readonly DayNumber[];

const ENGLISH_KEYWORDS: DayWords["keywords"] = { due: "due", scheduled: "on", start: "start" };
export const DAY_KEYWORDS: readonly DayWords["keywords"][] = [
  ENGLISH_KEYWORDS,
  ...ROWS.map(({ keywords }) => keywords),
];

/** Abbreviations and common words: a day only where one is expected. */
export const NOT_ALONE: ReadonlySet<string> = new Set(["hier", "mo", "di", "mi", "do", "fr", "sa", "so"]);

let compiled: readonly LanguageForms<Readings>[] | undefined;

/**
 * Readings in the first language that matches; two if ambiguous.
 * @param plain in lower case, without accents
 */
export function foreignReadings(plain: string, today: DayNumber): readonly DayNumber[] {
  compiled ??= ROWS.map((row) => new LanguageForms(slotsOf(row), formsOf(row)));
  for (const forms of compiled) {
    const found = forms.match(plain);
    if (found !== undefined) return [...new Set(found.meaning(found.values, today))];
  }
  return [];
}

function slotsOf({ weekdays, months, counts, units }: DayWords): Slots {
  const numbered = <Value>(words: readonly string[], value: (place: number) => Value) =>
    spelled(words.map((row, place) => [row, value(place)] as const));
  return {
    count: { words: numbered(counts, (place) => place + 1), digits: "\\d{1,6}" },
    unit: { words: numbered(units, (place) => UNITS[place] ?? { days: 1 }) },
    weekday: { words: numbered(weekdays, (place) => place as Weekday) },
    month: { words: numbered(months, (place) => place + 1) },
    monthNumber: { words: new Map(), digits: "\\d{1,2}" },
    day: { words: new Map(), digits: "\\d{1,2}(?:er)?" },
    year: { words: new Map(), digits: "\\d{4}" },
  };
}

function formsOf(words: DayWords): (readonly [form: string, readings: Readings])[] {
  const one = (form: string, meaning: DayForm[1]): readonly [string, Readings] => [
    form,
    (slots, today) => [meaning(slots, today)].filter((day) => day !== undefined),
  ];
  return [
    one(words.today, (_, today) => today),
    one(words.tomorrow, (_, today) => today + 1),
    one(words.dayAfterTomorrow, (_, today) => today + 2),
    one(words.yesterday, (_, today) => today - 1),
    one(words.dayBeforeYesterday, (_, today) => today - 2),
    one(words.weekday, ({ weekday }, today) => nextWeekday(today, weekday)),
    ...words.ambiguousNext.map((form): readonly [string, Readings] => [
      form,
      ({ weekday }, today) => [nextWeekday(today, weekday), weekdayInWeek(today, weekday, 1)],
    ]),
    ...words.dates.map((form) => one(form, dateOf)),
    one(words.in, ({ count, unit }, today) => shift(today, count, unit)),
    ...words.nextPeriod.map((form, place) =>
      one(form, (_, today) => startOfPeriod(today, PERIODS[place] ?? "week", 1)),
    ),
    ...words.endOf.map((form, place) => one(form, (_, today) => endOfPeriod(today, PERIODS[place] ?? "week", 0))),
    ...(words.weekend === undefined
      ? []
      : ([
          [words.weekend, (_, today) => [endOfPeriod(today, "week", 0) - 1, endOfPeriod(today, "week", 0)]] as const,
        ] satisfies (readonly [string, Readings])[])),
  ];
}

function dateOf({ day, month, monthNumber, year }: SlotValues, today: DayNumber): DayNumber | undefined {
  const wanted = month ?? monthNumber;
  return year === undefined || Number.isNaN(year) ? nextDate(today, wanted, day) : exactDate(year, wanted, day);
}
