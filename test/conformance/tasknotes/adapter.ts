/** What the cases of tasknotes-spec ask for, answered by our own code: names are translated here and nothing is decided. */
import { fixedClock, localDateOf, type LocalDate } from "../../../src/clock.js";
import { parseDay, requireDay } from "../../../src/dates/read-day.js";
import type { ReadDay } from "../../../src/dates/days.js";
import { isVaultError } from "../../../src/errors.js";
import {
  changeRRuleSeries,
  clockDigits,
  instanceState,
  nextOpenDay,
  type RRuleSeries,
  type SeriesChange,
  startedRule,
} from "../../../src/tasks/recurrence/series.js";
import { REFERENCE_OPERATIONS } from "./references-adapter.js";

type Input = Readonly<Record<string, unknown>>;
type Result = Readonly<Record<string, unknown>>;
type Operation = (input: Input) => Result | Promise<Result>;

export interface Envelope {
  readonly ok: boolean;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

export const metadata = {
  implementation: "obsidian-vault-mcp-server",
  version: "0",
  spec_version: "0.3.0-rc.3",
  validation_modes: ["strict"],
  profiles: ["core-lite", "recurrence"],
  capabilities: [],
};

const TODAY = fixedClock("2026-02-20T12:00:00Z").today();

const text = (input: Input, name: string): string => (input[name] ?? "") as string;
const list = (input: Input, name: string): string[] => (input[name] ?? []) as string[];
const day = (input: Input, name: string): ReadDay => requireDay(name, text(input, name), TODAY);

const dayInUtc = ({ day, time }: ReadDay): LocalDate =>
  time === undefined ? day : localDateOf(Date.parse(`${day}${time}`), "UTC");

function seriesOf(input: Input): RRuleSeries {
  const days = { scheduled: text(input, "scheduled"), due: text(input, "due"), created: text(input, "dateCreated") };
  return {
    recurrence: text(input, "recurrence") || "FREQ=DAILY",
    anchor: input["recurrenceAnchor"] === "completion" ? "completion" : "scheduled",
    ...days,
    completed: list(input, "completeInstances"),
    skipped: list(input, "skippedInstances"),
  };
}

function changed(input: Input, action: SeriesChange["action"], named: string): Readonly<Record<string, unknown>> {
  const occurrence = day(input, named).day;
  const before = seriesOf(input);
  const outcome = changeRRuleSeries(before, { action, today: occurrence, occurrence, movesDue: true });
  const series = outcome.kind === "changed" ? outcome.series : before;
  return {
    updatedRecurrence: series.recurrence,
    completeInstances: series.completed,
    skippedInstances: series.skipped,
    ...(outcome.kind === "changed" && outcome.next !== undefined
      ? { nextScheduled: series.scheduled, nextDue: series.due }
      : {}),
  };
}

/** The day that finishing means, for a series that has every day. */
function targetDay(input: Input): unknown {
  const outcome = changeRRuleSeries(seriesOf(input), {
    action: "done",
    today: TODAY,
    movesDue: true,
    ...(input["explicitDate"] === undefined ? {} : { occurrence: day(input, "explicitDate").day }),
  });
  return outcome.kind === "changed" ? outcome.day : undefined;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  "date.parse_utc": (input) => ({ date: dayInUtc(day(input, "value")) }),
  "date.parse_local": (input) => ({ localDate: dayInUtc(day(input, "value")), isoDate: dayInUtc(day(input, "value")) }),
  "date.validate": (input) => ({ value: day(input, "value") && input["value"] }),
  "date.get_part": (input) => ({ value: day(input, "value").day }),
  "date.has_time": (input) => ({ value: clockDigits(text(input, "value")) !== "" }),
  "date.is_same": (input) => {
    const [a, b] = [parseDay(text(input, "a"), TODAY), parseDay(text(input, "b"), TODAY)];
    return { value: a !== undefined && a.day === b?.day };
  },
  "date.is_before": (input) => {
    const [a, b] = [parseDay(text(input, "a"), TODAY), parseDay(text(input, "b"), TODAY)];
    return { value: a !== undefined && b !== undefined && a.day < b.day };
  },
  "date.resolve_operation_target": (input) => ({ value: targetDay(input) }),
  "date.day_in_timezone": (input) => ({
    value: localDateOf(Date.parse(text(input, "instant")), text(input, "timezone")),
  }),
  "recurrence.complete": (input) => changed(input, "done", "completionDate"),
  "recurrence.uncomplete_instance": (input) => changed(input, "reopen", "targetDate"),
  "recurrence.skip_instance": (input) => changed(input, "skip", "targetDate"),
  "recurrence.unskip_instance": (input) => changed(input, "reopen", "targetDate"),
  "recurrence.effective_state": (input) => ({ value: instanceState(seriesOf(input), day(input, "targetDate").day) }),
  "recurrence.recalculate": (input) => {
    const from = day(input, "referenceDate").day;
    return { updatedRecurrence: startedRule(seriesOf(input), from), nextScheduled: nextOpenDay(seriesOf(input), from) };
  },
  ...REFERENCE_OPERATIONS,
};

/** The operations that are claimed; a case of any other is not run and does not count. */
export const claims = (operation: string): boolean => Object.hasOwn(OPERATIONS, operation);

export async function execute(operation: string, input: Input): Promise<Envelope> {
  try {
    return { ok: true, result: (await OPERATIONS[operation]?.(input)) ?? {} };
  } catch (error) {
    if (!isVaultError(error)) throw error;
    return { ok: false, error: `${error.code === "INVALID_ARGUMENT" ? "Invalid" : error.code}: ${error.message}` };
  }
}
