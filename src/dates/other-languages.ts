/** German, French and Spanish words for days, folded. */
import {
  dateFrom,
  endOfPeriod,
  exactDate,
  type Seek,
  shift,
  type Span,
  startOfPeriod,
  weekdayFrom,
  weekdayInWeek,
} from "./calendar-terms.js";
import type { DayNumber } from "./days.js";
import {
  type FirstAndLast,
  everyDate,
  everySpan,
  everyWeekday,
  type Form,
  formReader,
  ONE_TO_TWELVE,
  type Slots,
  type SlotValues,
  spanOfPeriod,
  wordTable,
  WEEKDAYS,
} from "./english.js";

/** `|` separates words, spaces synonyms. */
interface DayWords {
  readonly overdue: string;
  readonly today: string;
  readonly tomorrow: string;
  readonly dayAfterTomorrow: string;
  readonly yesterday: string;
  readonly dayBeforeYesterday: string;
  /** Names, from Monday on. */
  readonly weekdays: string;
  readonly months: string;
  /** Words, from one on. */
  readonly counts: string;
  /** Day, week, month, year. */
  readonly units: string;
  readonly weekday: string;
  /** Ambiguous unless both readings are the same day. */
  readonly ambiguousNext: readonly string[];
  readonly dates: readonly string[];
  readonly in: string;
  /** Week, month, year, as below. */
  readonly thisPeriod: readonly string[];
  readonly nextPeriod: readonly string[];
  readonly lastPeriod: readonly string[];
  readonly endOf: readonly string[];
  /** Saturday or Sunday. */
  readonly weekend?: string;
  readonly keywords: Readonly<Record<DayField, string>>;
  /** Each unit, weekday or date. */
  readonly every: { readonly units: string; readonly weekdays: string; readonly dates: readonly string[] };
}

export const DAY_FIELDS = ["due", "scheduled", "start"] as const;
export type DayField = (typeof DAY_FIELDS)[number];

const GERMAN: DayWords = {
  overdue: "uberfallig uberfallige uberfalligen",
  today: "heute",
  tomorrow: "morgen[ (fruh|vormittag|mittag|nachmittag|abend)]",
  dayAfterTomorrow: "ubermorgen",
  yesterday: "gestern",
  dayBeforeYesterday: "vorgestern",
  weekdays: "montag mo|dienstag di|mittwoch mi|donnerstag do|freitag fr|samstag sonnabend sa|sonntag so",
  months: "januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember",
  counts: "ein eine einem einer|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf",
  units: "tag tage tagen|woche wochen|monat monate monaten|jahr jahre jahren",
  weekday: "[(am|kommenden|diesen) ]{weekday}",
  ambiguousNext: ["nachsten {weekday}"],
  dates: ["[am ]{day}[\\.] {month}[ {year}]", "[am ]{day}\\. ?{monthNumber}\\.[ ?{year}]"],
  in: "in {count} {unit}",
  thisPeriod: ["diese woche", "diesen monat", "dieses jahr"],
  nextPeriod: ["nachste woche", "nachsten monat", "nachstes jahr"],
  lastPeriod: ["letzte woche", "letzten monat", "letztes jahr"],
  endOf: ["ende der woche", "ende des monats", "ende des jahres"],
  keywords: {
    due: "bis zum|bis|fallig am|fallig|vor dem|vor|fur",
    scheduled: "geplant fur|am",
    start: "ab dem|ab",
  },
  every: {
    units: "(jeden|jede|jedes|alle)[ {count}] {unit}",
    weekdays: "jeden {weekday}",
    dates: ["jeden {day}\\.? {month}", "jeden {day}\\. ?{monthNumber}\\."],
  },
};

const FRENCH: DayWords = {
  overdue: "en-retard",
  today: "aujourd'hui",
  tomorrow: "demain[ (matin|midi|apres-midi|soir)]",
  dayAfterTomorrow: "apres-demain",
  yesterday: "hier",
  dayBeforeYesterday: "avant-hier",
  weekdays: "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
  months: "janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre",
  counts: "un une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze",
  units: "jour jours|semaine semaines|mois|an ans annee annees",
  weekday: "[(ce|le) ]{weekday}",
  ambiguousNext: ["{weekday} prochain"],
  dates: ["[le ]{day} {month}[ {year}]"],
  in: "dans {count} {unit}",
  thisPeriod: ["cette semaine", "ce mois", "cette annee"],
  nextPeriod: ["la semaine prochaine", "le mois prochain", "l'annee prochaine"],
  lastPeriod: ["la semaine derniere", "le mois dernier", "l'annee derniere"],
  endOf: ["fin de la semaine", "fin du mois", "fin de l'annee"],
  weekend: "fin de semaine",
  keywords: {
    due: "avant le|avant|pour le|pour|d'ici|jusqu'au|jusqu'a",
    scheduled: "le",
    start: "a partir du|a partir de",
  },
  every: {
    units: "(chaque|tous les|toutes les)[ {count}] {unit}",
    weekdays: "(chaque|tous les) {weekday}s?",
    dates: ["(chaque|tous les) {day} {month}"],
  },
};

const SPANISH: DayWords = {
  overdue: "atrasado atrasada atrasadas atrasados vencido vencida vencidas vencidos",
  today: "hoy",
  tomorrow: "manana[ por la (manana|tarde|noche)]",
  dayAfterTomorrow: "pasado manana",
  yesterday: "ayer",
  dayBeforeYesterday: "anteayer",
  weekdays: "lunes|martes|miercoles|jueves|viernes|sabado|domingo",
  months: "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre setiembre|octubre|noviembre|diciembre",
  counts: "un uno una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce",
  units: "dia dias|semana semanas|mes meses|ano anos",
  weekday: "[(el|este) ]{weekday}",
  ambiguousNext: ["[el ]proximo {weekday}", "[el ]{weekday} que viene"],
  dates: ["[el ]{day} de {month}[ (de|del) {year}]"],
  in: "(en|dentro de) {count} {unit}",
  thisPeriod: ["esta semana", "este mes", "este ano"],
  nextPeriod: ["la proxima semana", "el proximo mes", "el proximo ano"],
  lastPeriod: ["la semana pasada", "el mes pasado", "el ano pasado"],
  endOf: ["fin de la semana", "fin de mes", "fin de ano"],
  weekend: "fin de semana",
  keywords: {
    due: "para el|para|antes del|antes de|hasta el|hasta",
    scheduled: "el",
    start: "desde el|desde|a partir del|a partir de",
  },
  every: {
    units: "(cada|todos los|todas las)[ {count}] {unit}",
    weekdays: "(cada|todos los) {weekday}s?",
    dates: ["(cada|todos los) {day} de {month}"],
  },
};

const ROWS: readonly DayWords[] = [GERMAN, FRENCH, SPANISH];
const PERIODS = ["week", "month", "year"] as const;
const UNITS: readonly Span[] = [{ days: 1 }, { days: 7 }, { months: 1 }, { months: 12 }];

const ENGLISH_KEYWORDS: DayWords["keywords"] = {
  due: "due by|due on|due|by|no later than|before|until|till|deadline|for",
  scheduled: "scheduled for|scheduled on|scheduled|planned for|on",
  start: "starting on|starting|starts on|starts|start on|start|beginning on|beginning|not before",
};
export const DAY_KEYWORDS: readonly DayWords["keywords"][] = [
  ENGLISH_KEYWORDS,
  ...ROWS.map(({ keywords }) => keywords),
];

/** Common words: days only where one is expected. */
export const NOT_ALONE: ReadonlySet<string> = new Set(
  "first second third fourth fifth last hier mo di mi do fr sa so".split(" "),
);

type Readings = readonly (DayNumber | undefined)[];

type Readers<Result> = readonly ReturnType<typeof formReader<Result>>[];

function firstFound<Result>(readers: Readers<Result>, plain: string, today: DayNumber, seek?: Seek) {
  for (const read of readers) {
    const found = read(plain, today, seek);
    if (found !== undefined) return found;
  }
  return undefined;
}

let readers: Readers<Readings> | undefined;

/** Two days if the text is ambiguous. */
export function foreignReadings(plain: string, today: DayNumber, seek: Seek): Readings {
  readers ??= ROWS.map((row) => formReader(slotsOf(row), formsOf(row)));
  return [...new Set(firstFound(readers, plain, today, seek)?.result)];
}

export const meansOverdue = (plain: string): boolean =>
  ROWS.some(({ overdue }) => overdue.split(" ").includes(plain.replaceAll(" ", "-")));

let months: ReadonlyMap<string, number> | undefined;

export function foreignMonth(plain: string): number | undefined {
  months ??= new Map(ROWS.flatMap((row) => [...wordTable(row.months, ONE_TO_TWELVE)]));
  return months.get(plain);
}

let spans: Readers<FirstAndLast> | undefined;

export function foreignRange(plain: string, today: DayNumber, seek: Seek): FirstAndLast | undefined {
  spans ??= ROWS.map((row) =>
    formReader<FirstAndLast>(
      {},
      [row.lastPeriod, row.thisPeriod, row.nextPeriod].flatMap((forms, place) =>
        PERIODS.map((period, at): Form<FirstAndLast> => [
          forms[at] ?? "",
          (_, now, seeking) => spanOfPeriod(now, period, place - 1, seeking),
        ]),
      ),
    ),
  );
  return firstFound(spans, plain, today, seek)?.result;
}

let rules: Readers<string | undefined> | undefined;

/** In English words. */
export function foreignRule(plain: string): string | undefined {
  rules ??= ROWS.map((row) =>
    formReader<string | undefined>(slotsOf(row), [
      [row.every.units, ({ count, unit }) => everySpan(Number.isNaN(count) ? 1 : count, unit)],
      [row.every.weekdays, ({ weekday }) => everyWeekday(weekday)],
      ...row.every.dates.map((form): Form<string | undefined> => [
        form,
        ({ day, month, monthNumber }) => everyDate(month ?? monthNumber, day),
      ]),
    ]),
  );
  return firstFound(rules, plain, 0)?.result;
}

const slotsOf = ({ weekdays, months, counts, units }: DayWords): Slots => ({
  count: { words: wordTable(counts, ONE_TO_TWELVE), digits: "\\d{1,6}" },
  unit: { words: wordTable(units, UNITS) },
  weekday: { words: wordTable(weekdays, WEEKDAYS) },
  month: { words: wordTable(months, ONE_TO_TWELVE) },
  monthNumber: { digits: "\\d{1,2}" },
  day: { digits: "\\d{1,2}(?:er)?" },
  year: { digits: "\\d{4}" },
});

function formsOf(words: DayWords): readonly Form<Readings>[] {
  return [
    [words.today, (_, today) => [today]],
    [words.tomorrow, (_, today) => [today + 1]],
    [words.dayAfterTomorrow, (_, today) => [today + 2]],
    [words.yesterday, (_, today) => [today - 1]],
    [words.dayBeforeYesterday, (_, today) => [today - 2]],
    [words.weekday, ({ weekday }, _, seek) => [weekdayFrom(seek, weekday)]],
    ...words.ambiguousNext.map((form): Form<Readings> => [
      form,
      ({ weekday }, today) => [
        weekdayFrom({ direction: "ahead", day: today }, weekday),
        weekdayInWeek(today, weekday, 1),
      ],
    ]),
    ...words.dates.map((form): Form<Readings> => [form, (slots, _, seek) => [dateOf(slots, seek)]]),
    [words.in, ({ count, unit }, today) => [shift(today, count, unit)]],
    ...PERIODS.flatMap((period, place): Form<Readings>[] => [
      [words.nextPeriod[place] ?? "", (_, today) => [startOfPeriod(today, period, 1)]],
      [words.endOf[place] ?? "", (_, today) => [endOfPeriod(today, period, 0)]],
    ]),
    ...[words.weekend ?? []]
      .flat()
      .map((form): Form<Readings> => [
        form,
        (_, today) => [endOfPeriod(today, "week", 0) - 1, endOfPeriod(today, "week", 0)],
      ]),
  ];
}

function dateOf({ day, month, monthNumber, year }: SlotValues, seek: Seek): DayNumber | undefined {
  const wanted = month ?? monthNumber;
  return year === undefined || Number.isNaN(year) ? dateFrom(seek, wanted, day) : exactDate(year, wanted, day);
}
