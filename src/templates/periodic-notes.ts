/**
 * Notes of days, weeks, months, quarters and years (docs:
 * notes-and-files, "Periodic notes").
 */
import type { Moment, unitOfTime } from "moment";
import { type Wording } from "../text/wording.js";
import { localTimeOf } from "../clock.js";
import { type Period, PERIODICITY, PERIODS } from "../dates/calendar-terms.js";
import { type PeriodName, readPeriodName } from "../dates/period-names.js";
import { isVaultError, VaultError } from "../errors.js";
import { isTemplate } from "../obsidian/ignore.js";
import type { PeriodSettings } from "../obsidian/plugin-settings.js";
import { baseName, foldName, isMarkdown, joinPath, stemOf, vaultPath, type VaultPath } from "../storage/path.js";
import { isGoodName, sameNamed } from "../vault/new-path.js";
import type { Vault } from "../vault/vault.js";
import { momentIn, type MomentLocale } from "./moment-format.js";
import { type FilledTemplate, unfilledIn } from "./templates.js";

const MAX_CANDIDATES = 10;

/** May not exist yet. */
export interface PeriodicNote {
  readonly period: Period;
  /** `2026-11-23`, `2026-W48`, `2026-11`, `2026-Q4` or `2026`. */
  readonly label: string;
  readonly path: VaultPath;
  readonly exists: boolean;
  /** A day in the period, in the vault's locale. */
  readonly date: Moment;
}

/**
 * By words such as `this week`; undefined if the text names no period.
 * @throws INVALID_ARGUMENT if notes of the period are not set up, or it or the path is invalid; AMBIGUOUS_NAME
 */
export async function periodicNote(vault: Vault, text: string): Promise<PeriodicNote | undefined> {
  const name = readPeriodName(text, vault.clock.today());
  return name && noteOf(vault, name);
}

export async function hasPeriodicNotes(vault: Vault, period: Period): Promise<boolean> {
  return (await vault.settings()).periodicNotes[period] !== undefined;
}

/** By path or name. */
export async function periodicNoteAt(vault: Vault, reference: string): Promise<PeriodicNote | undefined> {
  // All names contain a year.
  if (!/\p{Nd}/u.test(reference)) return undefined;
  try {
    return await readReference(vault, reference);
  } catch (error) {
    if (isVaultError(error, "INVALID_ARGUMENT")) return undefined;
    throw error;
  }
}

async function readReference(vault: Vault, reference: string): Promise<PeriodicNote | undefined> {
  const text = reference.trim().replace(/^\//, "").replace(/\.md$/i, "");
  const { periodicNotes } = await vault.settings();
  for (const period of PERIODS) {
    const settings = periodicNotes[period];
    if (settings === undefined) continue;
    const { folder, format } = settings;
    const below = text.startsWith(`${folder}/`) ? text.slice(folder.length + 1) : text;
    for (const part of new Set([format, baseName(format)])) {
      const date = await readIn(part, below, period, periodicNotes);
      if (date === undefined) continue;
      const path = pathOf(vault, period, settings, date);
      if (foldName(`/${path}`).endsWith(foldName(`/${text}.md`)))
        return { period, label: labelOf(period, date, format), date, ...(await found(vault, path, [])) };
    }
  }
  return undefined;
}

async function readIn(format: string, text: string, period: Period, locale: MomentLocale): Promise<Moment | undefined> {
  if (!isWhole(period, format)) return undefined;
  const { moment, name } = await momentIn(locale);
  const date = moment.utc(text, format, name, true);
  return date.isValid() && foldName(date.format(format)) === foldName(text) ? date : undefined;
}

export async function newPeriodicText(
  vault: Vault,
  { period, date, path }: PeriodicNote,
  template?: string,
): Promise<FilledTemplate> {
  const { periodicNotes, templateDateFormat, templateTimeFormat } = await vault.settings();
  const settings = periodicNotes[period];
  const found = template ?? (settings?.template === undefined ? "" : await templateText(vault, settings.template));
  if (found === undefined) return { text: "", unfilled: [], missing: settings?.template };
  const text = found;
  if (settings === undefined || text === "") return { text, unfilled: [] };
  const now = localTimeOf(vault.clock);
  const [hour = 0, minute = 0, second = 0] = now.text.slice(11, 19).split(":").map(Number);
  const at = date.clone().set({ hour, minute, second }).utcOffset(now.offset, true);
  const ofCore = period === "day" && !periodicNotes.isPluginDaily;
  const name = baseName(path).slice(0, -".md".length);
  return fillPeriodicTemplate(text, {
    period,
    at,
    format: settings.format,
    name,
    date: ofCore ? at.format(templateDateFormat) : name,
    time: at.format(ofCore ? templateTimeFormat : "HH:mm"),
  });
}

/** By path, or by its end. */
async function templateText(vault: Vault, template: VaultPath): Promise<string | undefined> {
  const file = isMarkdown(template) ? template : vaultPath(`${template}.md`, { allowHidden: true });
  const view = await vault.index.refresh({ rows: [] });
  const named = view.paths("stem = ? AND note = 1", stemOf(baseName(file)));
  const fitting = named.filter((path) => `/${foldName(path)}`.endsWith(`/${foldName(file)}`));
  const [nearest = file] = fitting.sort((a, b) => a.length - b.length);
  try {
    return (await vault.read(nearest)).text;
  } catch (error) {
    if (isVaultError(error, "FILE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** @param how a call that makes it */
export function noPeriodicNote({ period, label, path }: PeriodicNote, how: Wording): VaultError {
  const what = `There is no ${PERIODICITY[period]} note for ${label}; it would be '${path}'.`;
  return new VaultError("FILE_NOT_FOUND", what, { path, hint: how });
}

async function noteOf(vault: Vault, name: PeriodName): Promise<PeriodicNote> {
  const { periodicNotes } = await vault.settings();
  const { period } = name;
  const settings = periodicNotes[period];
  if (settings === undefined) {
    const kind = PERIODICITY[period];
    const what = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} notes are not set up in this vault. Give a path.`;
    throw new VaultError("INVALID_ARGUMENT", what);
  }
  const locale = await momentIn(periodicNotes);
  const today = locale.moment.utc(vault.clock.today()).locale(locale.name);
  const date = (typeof name.day === "string" ? locale.moment.utc(name.day) : weekOf(name.day, today, settings))
    .locale(locale.name)
    .add(name.ahead, period);
  const path = pathOf(vault, period, settings, date);
  return {
    period,
    label: labelOf(period, date, settings.format),
    date,
    ...(await found(vault, path, await otherPaths(vault, period, settings, date, path))),
  };
}

function weekOf(
  { year, week }: { readonly year: number; readonly week: number },
  today: Moment,
  { format }: PeriodSettings,
) {
  const isIso = hasIsoWeeks(format);
  const middle = today.clone().year(year).month(5).date(15);
  if (week < 1 || week > (isIso ? middle.isoWeeksInYear() : middle.weeksInYear())) {
    const weekday = isIso ? 1 : today.localeData().firstDayOfWeek();
    const first = today.clone().locale("en").day(weekday).format("dddd");
    throw new VaultError("INVALID_ARGUMENT", `${year} has no week ${week} (weeks begin on ${first}).`);
  }
  return isIso ? middle.isoWeekday(1).isoWeek(week) : middle.weekday(0).week(week);
}

function pathOf(vault: Vault, period: Period, { folder, format }: PeriodSettings, date: Moment): VaultPath {
  const name = date.format(format).replace(/\.md$/, "");
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  try {
    if (!parts.every(isGoodName)) throw new VaultError("INVALID_ARGUMENT", "");
    return vaultPath(joinPath(folder, `${parts.join("/")}.md`), vault.pathRules);
  } catch (cause) {
    const what = `The format of ${PERIODICITY[period]} notes, "${format}", gives "${name}", which no note in the vault can be called.`;
    throw new VaultError("INVALID_ARGUMENT", what, { hint: "Change the format in Obsidian, or give a path.", cause });
  }
}

/** Ignores case. Else the only one of `others`. */
async function found(
  vault: Vault,
  path: VaultPath,
  others: readonly VaultPath[],
): Promise<Pick<PeriodicNote, "path" | "exists">> {
  const there = await sameNamed(vault, path);
  const isOpen = vault.mayWrite(path);
  if (there === undefined && others.length > 1)
    throw new VaultError(
      "AMBIGUOUS_NAME",
      `Several notes are that periodic note${isOpen ? `, and none is '${path}'` : ""}:`,
      {
        candidates: others.slice(0, MAX_CANDIDATES).map((one) => ({ id: one, title: baseName(one), path: one })),
        hint: "Give the path of the one you mean.",
      },
    );
  // Its path follows from settings that the caller does not see.
  if (there === undefined && others.length === 0 && !isOpen)
    throw new VaultError("PERMISSION_DENIED", "That periodic note is where the access rules allow no change.", {
      hint: "Name another note, or ask the person who runs the server.",
    });
  return { path: there ?? others[0] ?? path, exists: there !== undefined || others.length > 0 };
}

/**
 * Notes elsewhere in the folder whose names read as the period; where only the whole path does, notes at the paths of
 * its
 * days.
 */
async function otherPaths(
  vault: Vault,
  period: Period,
  { folder, format, template }: PeriodSettings,
  date: Moment,
  path: VaultPath,
): Promise<readonly VaultPath[]> {
  const part = baseName(format);
  if (!saysPeriod(period, format) || (await sameNamed(vault, path)) !== undefined) return [];
  const unit = period === "week" ? weekUnit(format) : period;
  const end = date.clone().endOf(unit);
  const days: Moment[] = [];
  for (const day = date.clone().startOf(unit); day.isBefore(end); day.add(1, "day")) days.push(day.clone());
  if (!saysPeriod(period, part)) {
    const paths = new Set(days.map((day) => pathOf(vault, period, { folder, format, template }, day)));
    const there = await Promise.all([...paths].map((one) => sameNamed(vault, one)));
    return there.filter((one) => one !== undefined);
  }
  const names = new Set(days.map((day) => stemOf(`${baseName(day.format(format))}.md`)));
  const view = await vault.index.refresh({ rows: [] });
  return view
    .paths(
      "note = 1 AND hidden = 0 AND stem IN (SELECT value FROM json_each(?)) ORDER BY path",
      JSON.stringify([...names]),
    )
    .filter((one) => folder === "" || foldName(one).startsWith(`${foldName(folder)}/`))
    .filter((one) => !isTemplate(one, view.settings));
}

const tokensOf = (format: string): string => format.replace(/\[[^\]]*\]|\\./g, "");

const hasIsoWeeks = (format: string): boolean => /[WG]/.test(tokensOf(format)) && !/[wg]/.test(tokensOf(format));

/** With a day, weeks are the locale's. */
const weekUnit = (format: string): "week" | "isoWeek" =>
  hasIsoWeeks(format) && !isWhole("day", format) ? "isoWeek" : "week";

/** Or a day in it. */
const saysPeriod = (period: Period, format: string): boolean => isWhole(period, format) || isWhole("day", format);

function isWhole(period: Period, format: string): boolean {
  const tokens = tokensOf(format);
  if (/[LlXx]/.test(tokens)) return true;
  const says: Readonly<Record<Period, boolean>> = {
    day: /DDD|M[^]*D|D[^]*M/.test(tokens) || (/w/i.test(tokens) && /[deE]/.test(tokens)),
    week: /w/i.test(tokens),
    month: /M/.test(tokens),
    quarter: /[QM]/.test(tokens),
    year: true,
  };
  return /[YyGg]/.test(tokens) && says[period];
}

function labelOf(period: Period, date: Moment, format: string): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  const year = String(date.year()).padStart(4, "0");
  if (period === "week")
    return hasIsoWeeks(format)
      ? `${date.isoWeekYear()}-W${two(date.isoWeek())}`
      : `${date.weekYear()}-W${two(date.week())}`;
  const rest = {
    day: `-${two(date.month() + 1)}-${two(date.date())}`,
    month: `-${two(date.month() + 1)}`,
    quarter: `-Q${date.quarter()}`,
    year: "",
  };
  return year + rest[period];
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const PLACEHOLDER = new RegExp(
  String.raw`\{\{\s*(title|date|time|yesterday|tomorrow|month|quarter|year|${WEEKDAYS.join("|")})` +
    String.raw`\s*(?:([+-]\d{1,6})([yqmwdhs]))?\s*(?::([^{}\n]*))?\}\}`,
  "gi",
);

interface NewPeriodicNote {
  readonly period: Period;
  readonly at: Moment;
  readonly format: string;
  readonly name: string;
  readonly date: string;
  readonly time: string;
}

function fillPeriodicTemplate(template: string, note: NewPeriodicNote): FilledTemplate {
  const text = template.replace(
    PLACEHOLDER,
    (placeholder, kind: string, count?: string, unit?: string, format?: string) =>
      valueOf(note, kind.toLowerCase(), count, unit, format?.trim()) ?? placeholder,
  );
  return { text, unfilled: unfilledIn(template, text) };
}

/** @param unit of moment: `m` is minutes, `M` months */
function valueOf(note: NewPeriodicNote, kind: string, count?: string, unit?: string, format?: string) {
  const { period, at } = note;
  if (format === "") return undefined;
  if (count === undefined && format === undefined) {
    if (kind === "title") return note.name;
    if (kind === "date" || kind === "time") return note[kind];
    if (period === "day" && kind === "yesterday") return at.clone().subtract(1, "day").format(note.format);
    if (period === "day" && kind === "tomorrow") return at.clone().add(1, "day").format(note.format);
  }
  const weekday = WEEKDAYS.indexOf(kind);
  if (weekday >= 0) {
    if (period !== "week" || count !== undefined || format === undefined) return undefined;
    return at
      .clone()
      .weekday((weekday - at.localeData().firstDayOfWeek() + 7) % 7)
      .format(format);
  }
  const isDate = kind === "date" || kind === "time";
  if (!isDate && (kind !== period || period === "day" || period === "week")) return undefined;
  const start = startOf(at, period === "week" ? weekUnit(note.format) : period);
  if (count !== undefined) start.add(Number(count), unit as unitOfTime.DurationConstructor);
  return start.isValid() ? start.format(format ?? note.format) : undefined;
}

/** At the same time of day. */
function startOf(at: Moment, period: Period | "isoWeek"): Moment {
  const [hour, minute, second] = [at.hour(), at.minute(), at.second()];
  return at.clone().startOf(period).set({ hour, minute, second });
}
