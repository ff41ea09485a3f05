import { RRule } from "rrule";
import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../async/timers.js";
import { fixedClock, sequentialIds } from "../../clock.js";
import { toLocalDate } from "../../dates/days.js";
import { assembleVault } from "../../open.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { noteSource } from "../../index/read-note.js";
import { SettingsKeeper } from "../../obsidian/settings.js";
import { vaultPath } from "../../storage/path.js";
import { lineFormat } from "../line-format/format.js";
import { CHECKBOX_DAYS, checkboxSubject, INVALID_DAY, readCheckbox } from "./checkbox-subject.js";
import { taskSubject } from "./task-subject.js";

const emoji = { globalFilter: "", form: "emoji" } as const;
const dataview = { globalFilter: "", form: "bracket" } as const;

function read(line: string, settings: Parameters<typeof readCheckbox>[1] = emoji): Record<string, unknown> {
  const { days, ...box } = readCheckbox(line, settings)!;
  const shown = CHECKBOX_DAYS.map((name) => {
    const day = days[name] ?? null;
    return [name, day === INVALID_DAY ? "invalid" : day && toLocalDate(day)];
  });
  return { ...box, ...Object.fromEntries(shown) };
}

describe("the rows of a long note", () => {
  const subjects = [checkboxSubject(), taskSubject([lineFormat()], fixedClock("2026-11-24T12:00:00Z"))];
  const bytes = new TextEncoder().encode("- [ ] plain\n- [ ] task 📅 2026-11-24\n".repeat(50));
  const stat = { path: vaultPath("long.md"), size: bytes.length, modified: 0, created: 0, stamp: [] };
  const para = { projects: [], areas: [], resources: [], archive: [], inbox: [] };

  it.each([
    { title: "of its checkboxes", subject: subjects[0], part: "read", rows: 100 },
    { title: "of its tasks", subject: subjects[1], part: "read", rows: 100 },
    { title: "of its plain checkboxes", subject: subjects[1], part: "readLater", rows: 100 },
  ] as const)("$title are made with turns of the event loop between", async ({ subject, part, rows }) => {
    const settings = await new SettingsKeeper(new MemoryStorage()).current();
    let turns = 0;
    const slice = Object.assign(new TimeSlice(), { yield: async () => void turns++ });
    Object.defineProperty(slice, "isOver", { value: true });
    await subject?.[part]?.(noteSource({ stat, bytes }).note!, { settings, para, hidden: false }, slice);
    expect(turns).toBeGreaterThanOrEqual(rows);
  });
});

describe("a checkbox line, as the plugin reads it", () => {
  it.each([
    ["- [ ] plain", { description: "plain", symbol: " ", priority: 3, tags: [], isNested: false }],
    [
      "\t* [/] a  b #x 📅 2026-11-24 #y/z ⏫ ^id-1",
      { description: "a  b #x #y/z", due: "2026-11-24", priority: 1, tags: ["#x", "#y/z"], isNested: true },
    ],
    ["- [ ] two 📅 2026-11-24 📅 2026-11-25", { due: "2026-11-24", description: "two" }],
    ["- [ ] before 📅 2026-11-24 text", { description: "before 📅 2026-11-24 text", due: null }],
    ["- [ ] wrong 📅 2026-02-30", { due: "invalid", description: "wrong" }],
    ["> - [ ] quoted", { isNested: false }],
    [">   - [ ] deep in a quote", { isNested: true }],
    ["- [ ] 🆔 a1 ⛔ b, c", { sign: "a1", waits: "b,c", description: "" }],
    ["- [ ] ends 🏁 delete ➕ 2026-01-01 🛫 2026-01-02 ⏳ 2026-01-03", { created: "2026-01-01", start: "2026-01-02" }],
    ["- [x] ✅ 2026-01-01 ❌ 2026-01-02", { done: "2026-01-01", cancelled: "2026-01-02", symbol: "x" }],
    ["- [ ] a [due:: 2026-11-24]", { description: "a [due:: 2026-11-24]", due: null }],
  ])("%s", (line, expected) => expect(read(line)).toMatchObject(expected));

  it.each([
    ["- [ ] a [due:: 2026-11-24] (priority:: high)", { due: "2026-11-24", priority: 1, description: "a" }],
    ["- [ ] a [repeat:: every day], [id:: x]", { rule: "every day", sign: "x", description: "a" }],
    ["- [ ] a 📅 2026-11-24", { description: "a 📅 2026-11-24", due: null }],
    ["- [ ] a [due:: 2026-11-24] b", { description: "a [due:: 2026-11-24] b", due: null }],
  ])("in Dataview's format: %s", (line, expected) => expect(read(line, dataview)).toMatchObject(expected));

  it("leaves the global filter out of the description and the tags", () => {
    const settings = { globalFilter: "#task", form: "emoji" } as const;
    expect(read("- [ ] #task eggs #food", settings)).toMatchObject({ description: "eggs #food", tags: ["#food"] });
    expect(read("- [ ] #task/home sweep", settings)).toMatchObject({
      description: "/home sweep",
      tags: ["#task/home"],
    });
    expect(readCheckbox("- [ ] eggs", settings)).toBeUndefined();
    expect(readCheckbox("no checkbox", settings)).toBeUndefined();
  });

  it.each([
    "every day",
    "every 3 days",
    "every week",
    "every 2 weeks",
    "every weekday",
    "every Monday",
    "every Tuesday, Friday",
    "every week on Sunday",
    "every month",
    "every month on the 1st",
    "every month on the 15th",
    "every month on the last",
    "every month on the last Friday",
    "every month on the 2nd Monday",
    "every 3 months",
    "every January",
    "every January on the 15th",
    "every year",
    "EVERY DAY",
    "everyday",
    "every weekdays",
    "every month on the first Friday",
    "every month on the last day",
    "every day for 5 times",
    "every day until January 1, 2027",
  ])("names the rule %s as rrule does", (rule) => {
    const options = RRule.parseText(rule);
    const named = new RRule(options ?? {}).toText();
    expect(read(`- [ ] x 🔁 ${rule}`)).toMatchObject({ rule: named });
    expect(read(`- [ ] x 🔁 ${rule} when done`)).toMatchObject({ rule: `${named} when done` });
  });

  it.each(
    "daily|every|every banana|every other week|every 0 days|every 02 days|every second day|every 2 fortnights|every two weeks".split(
      "|",
    ),
  )("has no rule in words that the plugin does not know: %s", (rule) => {
    expect(read(`- [ ] x 🔁 ${rule}`)).toMatchObject({ rule: undefined, description: "x" });
  });

  it.each([
    ["🔁 every week 📅 2026-02-30", undefined],
    ["🔁 every week ⏳ 2026-02-30", undefined],
    ["🔁 every week 🛫 2026-02-30", undefined],
    ["🔁 every week ⏳ 2026-02-30 📅 2026-11-24", "every week"],
    ["🔁 every week 🛫 2026-02-30 ⏳ 2026-11-24", "every week"],
    ["🔁 every week when done 📅 2026-02-30", "every week when done"],
  ])("has no rule that counts from a day that does not exist: %s", (fields, rule) => {
    expect(read(`- [ ] x ${fields}`)).toMatchObject({ rule });
  });

  it("is stored for callers that ask for it", async () => {
    const clock = fixedClock("2026-11-24T10:00:00Z");
    const storage = new MemoryStorage({ files: { "A.md": "# H\n- [ ] a\n\n- [ ] b 📅 2026-11-24\n" }, clock });
    const { vault } = assembleVault({ storage, name: "V", clock, ids: sequentialIds() });
    const numbers = "SELECT id & 4194303 FROM checkbox ORDER BY id";
    expect((await vault.index.refresh()).holds("checkboxes")).toBe(false);
    expect((await vault.index.refresh({ rows: ["checkboxes"] })).all(numbers)).toEqual([[2], [4]]);
  });
});
