/** What the Tasks plugin makes of a toggled line, and what this makes of it (docs: tasks, "Answers of other programs"). */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tasksPluginSettings } from "../../obsidian/plugin-settings.js";
import { settingsValues } from "../../obsidian/settings-values.js";
import { parseLocalDate } from "../../clock.js";
import { checkboxSymbols } from "./line-settings.js";
import { finishInstance, type RepeatStyle } from "./line-instances.js";
import { fieldSpan, parseTaskLine } from "./task-line.js";

interface Case {
  readonly id: string;
  readonly today: string;
  readonly settings: {
    readonly taskFormat: string;
    readonly setCreatedDate?: boolean;
    readonly setDoneDate?: boolean;
    readonly recurrenceOnNextLine?: boolean;
    readonly removeScheduledDateOnRecurrence?: boolean;
  };
  readonly line: string;
  readonly canonicalOrder: boolean;
  readonly result: string;
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../../test/corpus/tables/inline-completion.json", import.meta.url), "utf8"),
) as { cases: Case[] };

const { statuses } = tasksPluginSettings(
  settingsValues({}, () => {}),
  [],
);

function toggled({ line, settings, today }: Case): string {
  const style: RepeatStyle = {
    globalFilter: "",
    form: settings.taskFormat === "dataview" ? "bracket" : "emoji",
    symbols: checkboxSymbols(statuses),
    setCreatedDate: settings.setCreatedDate ?? false,
    setDoneDate: settings.setDoneDate ?? true,
    setCancelledDate: true,
    removeScheduledDateOnRecurrence: settings.removeScheduledDateOnRecurrence ?? false,
  };
  const day = parseLocalDate(today);
  const task = parseTaskLine(line);
  if (task === undefined || day === undefined) return "?";
  const step = finishInstance(task, { today: day, style, values: {}, done: "x" });
  const finished = fieldSpan(task, "onCompletion")?.value === "delete" ? [] : [step.finished];
  const next = step.next === undefined ? [] : [step.next.text];
  return (settings.recurrenceOnNextLine === true ? [...finished, ...next] : [...next, ...finished]).join("\n");
}

/** A line as what it means: its box, fields by name, title and tags; the wording of a rule aside, which the plugin rewrites. */
function meaning(text: string): unknown {
  return text.split("\n").map((line) => {
    const task = parseTaskLine(line);
    const fields = (task?.fields ?? [])
      .map(({ name, value }) => [name, name === "recurrence" ? "" : value] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return {
      fields: Object.fromEntries(fields),
      symbol: task?.symbol,
      title: task?.title,
      tags: task?.tags.map(({ tag }) => tag),
      blockId: task?.blockId,
    };
  });
}

const rewritten = ({ line, result }: Case): boolean => {
  const rule = fieldSpan(parseTaskLine(line)!, "recurrence")?.value;
  return rule !== undefined && !result.includes(rule);
};

it("means what the plugin writes, in every case", () => {
  const wrong = cases.filter((each) => JSON.stringify(meaning(toggled(each))) !== JSON.stringify(meaning(each.result)));
  expect(wrong.map((each) => `${each.id}\n${each.line}\n${each.result}\n${toggled(each)}`)).toEqual([]);
});

it("is byte for byte what the plugin writes where it rewrites nothing", () => {
  const wrong = cases.filter((each) => each.canonicalOrder && !rewritten(each) && toggled(each) !== each.result);
  expect(wrong.map((each) => `${each.id}\n${each.line}\n${each.result}\n${toggled(each)}`)).toEqual([]);
  expect(cases.filter((each) => each.canonicalOrder && rewritten(each)).length).toBeGreaterThan(0);
});
