/** Calendars of vaults: read back with another library, counted in octets, and the same bytes for the same vault. */
import * as fc from "fast-check";
import { convertIcsCalendar, type IcsCalendar, type IcsEvent } from "ts-ics";
import { describe, expect, it } from "vitest";
import { expectGolden } from "../../test/kit/golden.js";
import { note, taskVault, type TaskVaultOptions } from "../../test/kit/task-vault.js";
import type { CalendarFilters } from "./link-folder.js";
import { TaskCalendar } from "./task-calendar.js";
import { anyCharacter } from "../../test/kit/any-character.js";

const NOW = "2026-03-10T12:00:00Z";

function calendar(files: Readonly<Record<string, string>>, options: TaskVaultOptions = {}) {
  const kit = taskVault(files, { now: NOW, ...options });
  const linkTo = ({ path }: { readonly path: string }) =>
    `obsidian://open?vault=Notes&file=${encodeURIComponent(path.replace(/\.md$/, ""))}`;
  const made = new TaskCalendar({ tasks: kit.tasks, vaultId: "Notes", linkTo });
  const read = async (filters: CalendarFilters = {}) => {
    const calendarText = await made.read("Tasks", filters);
    return { ...calendarText, text: calendarText.bytes.toString() };
  };
  return { ...kit, read };
}

const parsed = (text: string): IcsCalendar => convertIcsCalendar(undefined, text);
const events = async (files: Readonly<Record<string, string>>, filters: CalendarFilters = {}): Promise<IcsEvent[]> =>
  parsed((await calendar(files).read(filters)).text).events ?? [];
const titles = (found: readonly IcsEvent[]): string[] => found.map(({ summary }) => summary);
const dayOf = ({ start }: IcsEvent): string => start.date.toISOString().slice(0, 10);

const task = (frontmatter: string, body = "") => note(`type: task\n${frontmatter}`, body);
/** A task that is due so many days from now. */
const dueIn = (days: number, more = ""): string =>
  task(`due: ${new Date(Date.parse(NOW) + days * 86_400_000).toISOString().slice(0, 10)}${more}`);

/** The lines as they are sent, folds not undone. */
const octets = (text: string): number[] => text.split("\r\n").map((line) => Buffer.byteLength(line));

describe("what a calendar shows", () => {
  it("has the text of links in titles, not their brackets", async () => {
    const [event] = await events({ "a.md": dueIn(1, '\ntitle: "Call [[People/Anna|Anna]]"') });
    expect(event?.summary).toBe("Call Anna");
  });

  it("is outstanding, dated, and from 30 days back to a year ahead", async () => {
    const found = await events({
      "Long ago.md": dueIn(-31),
      "Just back.md": dueIn(-30),
      "Today.md": dueIn(0),
      "In a year.md": dueIn(365),
      "Too far.md": dueIn(367),
      "Undated.md": task("status: open"),
      "Finished.md": dueIn(1, "\nstatus: done"),
      "Dropped.md": dueIn(1, "\nstatus: cancelled"),
      "Archive/Old.md": dueIn(1, "\narchived: true"),
      "A note.md": "# No task",
    });
    expect(titles(found)).toEqual(["Just back", "Today", "In a year"]);
  });

  it("stands on the due day, else on the scheduled one, or as it is asked", async () => {
    const files = {
      "Both.md": task("due: 2026-03-20\nscheduled: 2026-03-15"),
      "Due.md": task("due: 2026-03-21"),
      "Planned.md": task("scheduled: 2026-03-16"),
    };
    const days = async (filters: CalendarFilters) =>
      (await events(files, filters)).map((event) => `${event.summary} ${dayOf(event)}`);
    expect(await days({})).toEqual(["Planned 2026-03-16", "Both 2026-03-20", "Due 2026-03-21"]);
    expect(await days({ dates: "due" })).toEqual(["Both 2026-03-20", "Due 2026-03-21"]);
    expect(await days({ dates: "scheduled" })).toEqual(["Both 2026-03-15", "Planned 2026-03-16"]);
    const both = ["Both 2026-03-15", "Planned 2026-03-16", "Both 2026-03-20", "Due 2026-03-21"];
    expect(await days({ dates: "both" })).toEqual(both);
    const names = (await events(files, { dates: "both" })).map(({ uid }) => uid);
    expect(new Set(names).size).toBe(4);
  });

  it("is narrowed by area, project and tag", async () => {
    const files = {
      "A.md": dueIn(1, "\narea: Work\ntags: [urgent]"),
      "B.md": dueIn(1, '\narea: Home\nprojects: ["[[Kitchen]]"]'),
      "C.md": dueIn(1, "\ntags: [urgent/now]"),
    };
    expect(titles(await events(files, { area: "work" }))).toEqual(["A"]);
    expect(titles(await events(files, { project: "Kitchen" }))).toEqual(["B"]);
    expect(new Set(titles(await events(files, { tags: ["urgent"] })))).toEqual(new Set(["A", "C"]));
  });

  it("is whole without any task: readers want a component, and a time zone is shown nowhere", async () => {
    for (const component of ["event", "todo"] as const) {
      const { text, entries } = await calendar({ "a.md": "# No task" }).read({ component });
      expect(entries).toBe(0);
      expect(text.match(/^BEGIN:.*$/gm)?.map((line) => line.trim())).toEqual([
        "BEGIN:VCALENDAR",
        "BEGIN:VTIMEZONE",
        "BEGIN:STANDARD",
      ]);
      expect(parsed(text).timezones).toMatchObject([{ id: "UTC" }]);
    }
  });

  it("keeps the nearest 2,000", async () => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 2100; n++) files[`T${n}.md`] = dueIn(n % 300);
    const found = await events(files);
    expect(found).toHaveLength(2000);
    expect(dayOf(found.at(-1) as IcsEvent) < "2027-01-01").toBe(true);
    const counts = found.filter((event) => dayOf(event) === "2026-03-10");
    expect(counts).toHaveLength(7);
  });

  it("shows done tasks on request, with a check mark and without an alarm", async () => {
    const files = { "Open.md": dueIn(1), "Closed.md": dueIn(-1, "\nstatus: done") };
    const { text } = await calendar(files).read({ done: true, alarm: "9:30" });
    expect(titles(parsed(text).events ?? [])).toEqual(["✓ Closed", "Open"]);
    expect(text.match(/BEGIN:VALARM/g)).toHaveLength(1);
    expect(text).toContain("TRIGGER:PT9H30M\r\n");
  });

  it("gives to-dos in place of events", async () => {
    const files = {
      "Both.md": task("due: 2026-03-20\nscheduled: 2026-03-15\nstatus: in-progress\npriority: high"),
      "Weekly.md": task("scheduled: 2026-03-16\nrecurrence: FREQ=WEEKLY"),
      "Done.md": task("due: 2026-03-09\nstatus: done"),
    };
    const { text } = await calendar(files).read({ component: "todo", dates: "both", done: true, alarm: "00:00" });
    expect(text).not.toContain("VEVENT");
    expect(text).not.toContain("RRULE");
    const todos = parsed(text).todos ?? [];
    expect(todos.map(({ summary, status }) => [summary, status])).toEqual([
      ["Done", "COMPLETED"],
      ["Weekly", "NEEDS-ACTION"],
      ["Both", "IN-PROCESS"],
    ]);
    expect(text).toContain("DTSTART;VALUE=DATE:20260315\r\nDUE;VALUE=DATE:20260320\r\n");
    expect(text).toContain("PRIORITY:1\r\n");
    expect(text).toContain("TRIGGER;RELATED=END:PT0S\r\n");
  });
});

describe("how it is written", () => {
  it("says all day, free, and what the task belongs to, and never the note's text", async () => {
    const files = {
      "Paint, plan; do.md": task(
        'due: 2028-02-29\narea: Home\nprojects: ["[[Projects/Kitchen|K]]"]\ntags: ["a,b"]',
        "A secret text\n",
      ),
    };
    const { text } = await calendar(files, { now: "2028-02-10T12:00:00Z" }).read();
    expect(text).not.toContain("secret");
    const [found] = parsed(text).events ?? [];
    expect(found).toMatchObject({
      summary: "Paint, plan; do",
      status: "CONFIRMED",
      timeTransparent: "TRANSPARENT",
      url: "obsidian://open?vault=Notes&file=Paint%2C%20plan%3B%20do",
    });
    expect(text).toContain("DTSTART;VALUE=DATE:20280229\r\nDTEND;VALUE=DATE:20280301\r\n");
    expect(text).toContain("REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\nX-PUBLISHED-TTL:PT1H\r\n");
    expect(found?.description).toBe(
      "Area: Home\nProject: Kitchen\nobsidian://open?vault=Notes&file=Paint%2C%20plan%3B%20do",
    );
  });

  it.each(["events", "todos"])("is what the golden file of %s says", async (kind) => {
    const files = {
      "买菜.md": task('id: task-buy\ndue: 2028-02-29\narea: 家\ntags: ["食品,生鲜"]', "正文不在这里\n"),
      "Party.md": task(
        'title: "🎉 Party; bring\\\\cake, \\nand 🕯️ candles, in every colour that there is in the shop"\ndue: 2028-03-05',
      ),
      "Water.md": task(
        'id: task-water\nscheduled: 2028-02-14\nrecurrence: "DTSTART:20280101;FREQ=WEEKLY;BYDAY=MO"\nskipped_instances: [2028-02-21]',
      ),
      "List.md": "- [ ] Bin 📅 2028-02-20 🔁 every 2 weeks ^bin\n- [x] Mow 📅 2028-02-09 ✅ 2028-02-09\n",
    };
    const options = { now: "2028-02-10T12:00:00Z", lines: { inlineTasks: "all" } } as const;
    const component = kind === "todos" ? "todo" : "event";
    const { text } = await calendar(files, options).read({ done: true, alarm: "08:00", component });
    expectGolden(`calendar-${kind}.ics`, text.replaceAll("\r\n", "\n"));
  });

  it.each(["Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu"])("is the note's day in %s", async (timeZone) => {
    const { text } = await calendar({ "A.md": dueIn(0) }, { timeZone }).read();
    expect(text).toContain("DTSTART;VALUE=DATE:20260310\r\n");
  });

  it.each(["日本語のタイトル", "😀👩‍👩‍👧‍👦", "a;b,c\\d", "é".repeat(200), "line\nbreak"])("keeps %j", async (title) => {
    const files = { "T.md": task(`title: ${JSON.stringify(title)}\ndue: 2026-03-12`) };
    const kit = calendar(files);
    const { text } = await kit.read();
    expect(Math.max(...octets(text))).toBeLessThanOrEqual(75);
    expect((parsed(text).events ?? [])[0]?.summary).toBe((await kit.tasks.all()).tasks[0]?.title);
  });

  it("keeps any title, and no line is longer than 75 octets", async () => {
    const char = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
      fc.constantFrom("\\", ";", ",", ":", '"', "\r", "\n", "\t", "\u0000", "\ud800", "日", "😀", "é"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(char, { maxLength: 120 }), fc.array(char, { maxLength: 20 }), async (letters, tag) => {
        const title = letters.join("");
        const all = { today: "2026-03-10", tasks: [{ ...(await shape), title, tags: [tag.join("")], area: title }] };
        const made = new TaskCalendar({
          tasks: { all: async () => all as never, search: () => Promise.reject(new Error("No filter was given.")) },
          vaultId: "v",
          linkTo: () => undefined,
        });
        const text = (await made.read("N", { alarm: "07:05" })).bytes.toString();
        expect(Math.max(...octets(text))).toBeLessThanOrEqual(75);
        expect(
          text
            .split("\r\n")
            .every((line) => !/[\u0000-\u001f\ud800-\udfff]/.test(line.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ""))),
        ).toBe(true);
        const back = parsed(text).events ?? [];
        expect(back).toHaveLength(1);
        // What may be told apart is the same; blanks at the ends of a value are the reader's affair.
        expect((back[0]?.summary ?? "").trim()).toBe(cleaned(title).trim());
      }),
    );
  });

  it("is the same, byte for byte, for the same vault", async () => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 50; n++) files[`T${n}.md`] = dueIn((n * 7) % 40, `\nid: task-${n}`);
    const [one, other] = [await calendar(files).read(), await calendar(files).read()];
    expect(one.text).toBe(other.text);
    expect(one.hash).toBe(other.hash);
  });

  it("is not made again while the vault is as it was", async () => {
    const kit = calendar({ "A.md": dueIn(1) });
    const first = await kit.read();
    expect((await kit.read()).bytes).toBe(first.bytes);
    await kit.put("B.md", dueIn(2));
    expect((await kit.read()).entries).toBe(2);
  });

  it("lets others have their turn", async () => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 400; n++) files[`T${n}.md`] = dueIn(n % 300);
    const kit = calendar(files);
    await kit.tasks.all();
    let turns = 0;
    const timer = setInterval(() => {});
    const count = (): void => void (turns++, setImmediate(count).unref());
    count();
    await kit.read();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });
});

const shape = calendar({ "A.md": dueIn(2) })
  .tasks.all()
  .then(({ tasks }) => tasks[0] as object);

const cleaned = (title: string): string =>
  title
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, " ")
    .replace(/\p{Surrogate}/gu, "\ufffd");

describe("what a task is called", () => {
  const uidOf = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
    (await events(files)).map(({ uid }) => uid);

  it("is its id, whatever its title, day or place", async () => {
    expect(await uidOf({ "A.md": dueIn(1, "\nid: task-x") })).toEqual(["task-x"]);
    expect(await uidOf({ "In/B.md": dueIn(9, "\nid: task-x\ntitle: New") })).toEqual(["task-x"]);
  });

  it("is its path without an id, whatever its title or day", async () => {
    const [before] = await uidOf({ "A.md": dueIn(1) });
    expect(await uidOf({ "A.md": dueIn(9, "\ntitle: New") })).toEqual([before]);
    expect(await uidOf({ "B.md": dueIn(1) })).not.toEqual([before]);
  });

  it("is never shared by copies of a note", async () => {
    const names = await uidOf({ "A.md": dueIn(1, "\nid: x"), "Copy.md": dueIn(1, "\nid: x") });
    expect(new Set(names).size).toBe(2);
    expect(names).not.toContain("x");
  });

  it("of a line is its block id or sign, else its title's, with its note's", async () => {
    const lines = async (text: string): Promise<string[]> => {
      const kit = calendar({ "List.md": text }, { lines: { inlineTasks: "all" } });
      return (parsed((await kit.read()).text).events ?? []).map(({ uid }) => uid);
    };
    const block = await lines("- [ ] Paint 📅 2026-03-12 ^b1\n");
    expect(await lines("intro\n\n- [ ] Paint it 📅 2026-03-19 ^b1\n")).toEqual(block);
    const sign = await lines("- [ ] Paint 🆔 abc 📅 2026-03-12\n");
    expect(await lines("- [ ] Other 🆔 abc 📅 2026-03-13\n")).toEqual(sign);
    const plain = await lines("- [ ] Paint 📅 2026-03-12\n- [ ] Paint 📅 2026-03-12\n");
    expect(new Set(plain).size).toBe(2);
    const copied = "- [ ] Paint 📅 2026-03-12 ^b1\n- [ ] Paint 📅 2026-03-12 ^b1\n- [ ] Paint 📅 2026-03-12\n";
    expect(new Set(await lines(copied)).size).toBe(3);
    expect(await lines("\n\n- [ ] Paint 📅 2026-03-15\n- [ ] Paint 📅 2026-03-15\n")).toEqual(plain);
  });
});
