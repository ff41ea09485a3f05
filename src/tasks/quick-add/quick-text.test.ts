import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLocalDate } from "../../clock.js";
import { readQuickLine } from "./quick-line.js";
import { readQuickText } from "./quick-text.js";

const today = parseLocalDate("2026-11-21")!;

const isProject = (name: string): boolean => ["two words", "two words more"].includes(name.toLowerCase());

/** What a line says, without what is empty. */
function said(line: string): Record<string, unknown> {
  const { wordsOf: _, name: _name, unread: _unread, read: _read, ...task } = readQuickLine(line, { today, isProject });
  return Object.fromEntries(Object.entries(task).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

describe("readQuickLine", () => {
  it.each([
    ["Buy milk", { title: "Buy milk" }],
    ["Buy milk tomorrow", { title: "Buy milk", due: "2026-11-22" }],
    ["Call Bob friday at 3pm !high", { title: "Call Bob at 3pm", due: "2026-11-27", priority: "High" }],
    ["Call Bob tomorrow 15:00 #phone", { title: "Call Bob 15:00", due: "2026-11-22", tags: ["phone"] }],
    ["Call Bob tomorrow at 9", { title: "Call Bob at 9", due: "2026-11-22" }],
    ["Anna anrufen morgen um 15 Uhr", { title: "Anna anrufen um 15 Uhr", due: "2026-11-22" }],
    ["Meet Eva on 2026-12-04 10:30", { title: "Meet Eva 10:30", scheduled: "2026-12-04" }],
    ["Meet Eva 2026-12-04T10:30", { title: "Meet Eva 10:30", due: "2026-12-04" }],
    ["Meet Eva [due:: 2026-12-04T10:30]", { title: "Meet Eva [due:: 2026-12-04T10:30]" }],
    ["Train 7:45", { title: "Train 7:45" }],
    ["Look at 3", { title: "Look at 3" }],
    ["Pay rent monthly", { title: "Pay rent", recurrence: "every month", due: "2026-11-21" }],
    ["Stretch daily", { title: "Stretch", recurrence: "every day", due: "2026-11-21" }],
    ["Write the weekly", { title: "Write the weekly" }],
    ["Weekly", { title: "Weekly" }],
    [
      "Call Anna due next friday !high #phone @home",
      { title: "Call Anna", due: "2026-11-27", priority: "High", tags: ["phone"], contexts: ["home"] },
    ],
    [
      "Write report on monday start 2026-11-22",
      { title: "Write report", scheduled: "2026-11-23", start: "2026-11-22" },
    ],
    ["Water plants every 3 days tomorrow", { title: "Water plants", recurrence: "every 3 days", due: "2026-11-22" }],
    [
      "Pay rent every month on the 1st when done",
      { title: "Pay rent", recurrence: "every month on the 1st when done", due: "2026-12-01" },
    ],
    [
      "Sand +[[New kitchen]] after [[Measure the wall]] ~1h30",
      { title: "Sand", projects: ["New kitchen"], blockedBy: ["[[Measure the wall]]"], timeEstimate: "1h30" },
    ],
    ["Fix #a #b/c +Kitchen", { title: "Fix", tags: ["a", "b/c"], projects: ["Kitchen"] }],
    ["Buy paint 📅 2026-12-01 🔺", { title: "Buy paint", due: "2026-12-01", priority: "High" }],
    ["Buy paint [due:: 2026-12-01] !low", { title: "Buy paint", due: "2026-12-01", priority: "Low" }],
    ['"Plan for tomorrow"', { title: "Plan for tomorrow" }],
    ['Watch "Today" friday', { title: 'Watch "Today"', due: "2026-11-27" }],
    ['friday review of "next week"', { title: 'friday review of "next week"' }],
    ["What is due", { title: "What is due" }],
    ["Work on it", { title: "Work on it" }],
    ["Room 101 #1", { title: "Room 101 #1" }],
    ["a@b.c", { title: "a@b.c" }],
    ["Twice today tomorrow", { title: "Twice today", due: "2026-11-22" }],
    ["tomorrow", { title: "", due: "2026-11-22" }],
    ["C++", { title: "C++" }],
    ["Call Anna tomorrow !hgih +Kitchen", { title: "Call Anna !hgih", due: "2026-11-22", projects: ["Kitchen"] }],
    [
      "📅 2026-12-01 Buy paint ⏫ for the hall",
      { title: "Buy paint for the hall", due: "2026-12-01", priority: "High" },
    ],
    ["Pay 🔁 every month rent [due:: 2026-12-01]", { title: "Pay rent", recurrence: "every month", due: "2026-12-01" }],
    ['Say "📅 2026-12-01" aloud', { title: 'Say "📅 2026-12-01" aloud' }],
    ['Sand +"New kitchen" friday', { title: "Sand", projects: ["New kitchen"], due: "2026-11-27" }],
    ["Sand +Two Words More today", { title: "Sand", projects: ["Two Words More"], due: "2026-11-21" }],
    ["Sand +Two Words twice", { title: "Sand twice", projects: ["Two Words"] }],
    ["Sand +Two Sheets", { title: "Sand Sheets", projects: ["Two"] }],
    ["Call +49 170 1234", { title: "Call +49 170 1234" }],
    ["Anna anrufen am Freitag !low", { title: "Anna anrufen", scheduled: "2026-11-27", priority: "Low" }],
    ["Steuer bis zum 5. Dezember", { title: "Steuer", due: "2026-12-05" }],
    ["Payer le loyer avant le 5 décembre", { title: "Payer le loyer", due: "2026-12-05" }],
    ["Things to do", { title: "Things to do" }],
    ["Wir sind hier", { title: "Wir sind hier" }],
    ["Pay due:2026-12-05", { title: "Pay", due: "2026-12-05" }],
    ["Pay due: friday", { title: "Pay", due: "2026-11-27" }],
    ["Pay (2026-12-05)", { title: "Pay", due: "2026-12-05" }],
    ["Pay (by friday)", { title: "Pay", due: "2026-11-27" }],
    ["Call tmrw", { title: "Call", due: "2026-11-22" }],
    ["Call p1", { title: "Call", priority: "High" }],
    ["Call !!!", { title: "Call", priority: "High" }],
    ["Anrufen !hoch", { title: "Anrufen", priority: "High" }],
    ["Call priority:low", { title: "Call", priority: "Low" }],
    ["Call pri:B", { title: "Call", priority: "Medium" }],
    ["(A) Call Ann @phone", { title: "Call Ann", priority: "High", contexts: ["phone"] }],
    ["(C) 2026-11-01 Call Ann", { title: "Call Ann", priority: "Low", created: "2026-11-01" }],
    ["(A) 2026-12-24 Cook", { title: "2026-12-24 Cook", priority: "High" }],
    [
      "x 2026-11-03 2026-11-01 Call Ann @phone +House due:2026-11-05",
      {
        title: "Call Ann",
        status: "Done",
        completed: "2026-11-03",
        created: "2026-11-01",
        due: "2026-11-05",
        contexts: ["phone"],
        projects: ["House"],
      },
    ],
    ["x (A) 2026-11-03 Call Ann", { title: "Call Ann", status: "Done", priority: "High", completed: "2026-11-03" }],
    [
      "x 2026-11-03 (A) 2026-11-01 Call Ann",
      { title: "Call Ann", status: "Done", priority: "High", completed: "2026-11-03", created: "2026-11-01" },
    ],
    ["x 2026-12-05 Call Ann", { title: "x 2026-12-05 Call Ann" }],
    ["x marks the spot", { title: "x marks the spot" }],
    ["(A) or (B)?", { title: "(A) or (B)?" }],
    ["(A)nother day", { title: "(A)nother day" }],
    ["(a) paint", { title: "(a) paint" }],
    ["Call Mary first", { title: "Call Mary first" }],
    ["Pay rent the first", { title: "Pay rent", due: "2026-12-01" }],
    ["(A)", { title: "(A)" }],
    ["Vitamin (A) pills", { title: "Vitamin (A) pills" }],
    ["Appeler Anna !", { title: "Appeler Anna !" }],
    ["Send slides by friday", { title: "Send slides", due: "2026-11-27" }],
    ["Ship it before friday", { title: "Ship it", due: "2026-11-27" }],
    ["Rendre avant vendredi", { title: "Rendre", due: "2026-11-27" }],
    ["Paint starting 2026-12-05", { title: "Paint", start: "2026-12-05" }],
    ["Miete jeden 1. Juli", { title: "Miete", recurrence: "every July on the 1st", due: "2027-07-01" }],
    [
      "Check the oil every Aug 30",
      { title: "Check the oil", recurrence: "every August on the 30th", due: "2027-08-30" },
    ],
    [
      "Water every! 2 weeks starting 2026-12-05",
      { title: "Water", recurrence: "every 2 weeks when done", start: "2026-12-05", due: "2026-12-05" },
    ],
    [
      "Water every 2 weeks from 2026-12-05",
      { title: "Water", recurrence: "every 2 weeks", start: "2026-12-05", due: "2026-12-05" },
    ],
    ["Stretch every day", { title: "Stretch", recurrence: "every day", due: "2026-11-21" }],
    ["Stretch every day.", { title: "Stretch.", recurrence: "every day", due: "2026-11-21" }],
    ["Call Anna friday!", { title: "Call Anna!", due: "2026-11-27" }],
    ["Pay invoice tomorrow !", { title: "Pay invoice !", due: "2026-11-22" }],
    ["Pay invoice !!", { title: "Pay invoice", priority: "Medium" }],
    ["Fix the tap tomorrow #home.", { title: "Fix the tap.", due: "2026-11-22", tags: ["home"] }],
    ["Meet Eva friday at 3pm.", { title: "Meet Eva at 3pm.", due: "2026-11-27" }],
    ["Go to Anna.", { title: "Go to Anna." }],
    ["Pay invoice. tomorrow!", { title: "Pay invoice.", due: "2026-11-22" }],
    ["See [[Anna]] friday.", { title: "See [[Anna]].", due: "2026-11-27" }],
    ["tomorrow.", { title: "", due: "2026-11-22" }],
    ["Gym every monday", { title: "Gym", recurrence: "every monday", due: "2026-11-23" }],
    ["Gym every other tuesday", { title: "Gym", recurrence: "every 2 weeks on Tuesday", due: "2026-11-24" }],
    [
      "Train every day until friday",
      { title: "Train", recurrence: "every day until November 27, 2026", due: "2026-11-21" },
    ],
    ["Gym every mon wed fri", { title: "Gym", recurrence: "every mon, wed, fri", due: "2026-11-23" }],
    ["Gym every mon/wed", { title: "Gym", recurrence: "every mon, wed", due: "2026-11-23" }],
    ["Rent on the 1st of every month", { title: "Rent", recurrence: "every month on the 1st", due: "2026-12-01" }],
    [
      "Club first monday of each month",
      { title: "Club", recurrence: "every month on the 1st Monday", due: "2026-12-07" },
    ],
    ["Pills every day at 9am", { title: "Pills at 9am", recurrence: "every day", due: "2026-11-21" }],
    ["Pills every monday 10:30", { title: "Pills 10:30", recurrence: "every monday", due: "2026-11-23" }],
    ["Taxes every quarter", { title: "Taxes", recurrence: "every 3 months", due: "2026-11-21" }],
    ["Payroll biweekly", { title: "Payroll", recurrence: "every 2 weeks", due: "2026-11-21" }],
    ["Call +33612345678", { title: "Call +33612345678" }],
    ["Call +1-800-555 today", { title: "Call +1-800-555", due: "2026-11-21" }],
    ["Print +3D", { title: "Print", projects: ["3D"] }],
    ["Meet Bob @5pm", { title: "Meet Bob @5pm" }],
    ["Lunch @12", { title: "Lunch @12" }],
    ["Gießen alle 2 Wochen", { title: "Gießen", recurrence: "every 2 weeks", due: "2026-11-21" }],
    ["Sport tous les lundis", { title: "Sport", recurrence: "every Monday", due: "2026-11-23" }],
    ["Basura cada martes", { title: "Basura", recurrence: "every Tuesday", due: "2026-11-24" }],
    ["Pay every last day of the month", { title: "Pay", recurrence: "every month on the last", due: "2026-11-30" }],
    ["Meet every first monday", { title: "Meet", recurrence: "every month on the 1st Monday", due: "2026-12-07" }],
    ["Leap every Feb 29", { title: "Leap", recurrence: "every February on the 29th", due: "2028-02-29" }],
  ])("%s", (line, expected) => expect(said(line)).toEqual(expected));
});

describe("what is not read", () => {
  it.each([
    ["Call !hgih tomorrow", "Call", [["!hgih", "priorities: high, medium, low"]]],
    ["Call !high the plumber", "Call the plumber", [["!high", "it counts at the line's end only"]]],
    ["Call tomorrow about the roof", "Call about the roof", [["tomorrow", "it counts at the line's end only"]]],
    ['Buy paint +"Big House" 2h', "Buy paint 2h", [['+"Big House"', "it counts at the line's end only"]]],
    ["Buy paint +[[Big House]] 2h", "Buy paint 2h", [["+[[Big House]]", "it counts at the line's end only"]]],
    ["Call today tomorrow", "Call", [["today", "the line has one already"]]],
    ["Call !low !high", "Call", [["!low", "the line has one already"]]],
    ["(B) Plan pri:C", "Plan", [["pri:C", "the line has one already"]]],
    ["Plan p2 !high", "Plan", [["p2", "the line has one already"]]],
    ["Call Anna 1/2/2027", "Call Anna", [["1/2/2027", "write 2027-01-02 or 2027-02-01"]]],
    ["Anrufen nächsten Sonntag", "Anrufen", [["nächsten Sonntag", "write 2026-11-22 or 2026-11-29"]]],
    ["Buy paint 📅 someday", "Buy paint someday", [["📅", "its value must follow, and it counts once"]]],
    [
      "Call [phone:: 123] now",
      "Call now",
      [["[phone:: 123]", "fields: due, scheduled, start, priority, repeat, created, completion, each once"]],
    ],
    ["Fix first bug of room 101 #1 where we sit", "Fix first bug of room 101 #1 where we sit", []],
    ['"Call tomorrow !high" friday', "Call tomorrow !high", []],
    ["Old due:2021-05-13", "Old", [["due:2021-05-13", "a past day or none; write due 2026-12-05"]]],
    ["Read paper (2019-05-01)", "Read paper", [["(2019-05-01)", "write due 2019-05-01 if it is the task's day"]]],
    ["Call (tomorrow) Mark", "Call Mark", [["(tomorrow)", "it counts at the line's end only"]]],
    ["Move it to friday", "Move it to", [["friday", "write due friday if it is the task's day"]]],
    [
      "Delete mails up to january 30th",
      "Delete mails up to",
      [["january 30th", "write due january 30th if it is the task's day"]],
    ],
    ["Buy eggs due:someday", "Buy eggs", [["due:someday", "a past day or none; write due 2026-12-05"]]],
    ["Meet 30/2/2027", "Meet", [["30/2/2027", "no day has this date"]]],
    ["Meet 31 february", "Meet", [["31 february", "no day has this date"]]],
    ["Meet Feb 30th Anna", "Meet Anna", [["Feb 30th", "no day has this date"]]],
    ["Pay 4/7", "Pay", [["4/7", "a day needs its month's name or year, as in 2026-12-05"]]],
    ["Support 24/7", "Support 24/7", []],
    ["Read 4/7 of it", "Read 4/7 of it", []],
    ["(D) Paint", "Paint", [["(D)", "priorities: (A), (B), (C), once"]]],
    ["(E) or (F)?", "(E) or (F)?", []],
    ["Meet 2026-02-30", "Meet", [["2026-02-30", "a past day or none; write due 2026-12-05"]]],
    ["Deadline <2026-12-05 Sat>", "Deadline Sat>", [["<2026-12-05", "a past day or none; write due 2026-12-05"]]],
    [
      "Pay t:2026-12-05 due:2026-12-10 rec:+1m",
      "Pay",
      [
        ["t:2026-12-05", "write starting 2026-12-05"],
        ["rec:+1m", "write every 2 weeks"],
      ],
    ],
    [
      "Meet every 2nd friday",
      "Meet",
      [
        ["every 2nd", "rules: every 2 weeks, every friday"],
        ["friday", "write due friday if it is the task's day"],
      ],
    ],
    [
      "Meet every second monday",
      "Meet",
      [
        ["every second", "rules: every 2 weeks, every friday"],
        ["monday", "write due monday if it is the task's day"],
      ],
    ],
  ])("%s", (line, name, unread) => {
    const read = readQuickLine(line, { today });
    expect(read.unread.map(({ text, reason }) => [text, reason])).toEqual(unread);
    expect(read.name).toBe(name);
    for (const [text] of unread) expect(read.title).toContain(text);
  });

  it("is no short word that may be a day, whatever stands after it", () =>
    expect(readQuickLine("Look at the sun .", { today }).unread).toEqual([]));

  it("is in the title: no word of a line is lost", () => {
    const words = [
      "Call",
      "Anna",
      "tomorrow",
      "!hgih",
      "!low",
      "#a",
      "#b",
      "@x",
      "+Two",
      "Words",
      "~30m",
      "~3x",
      "due",
      "bis",
      "every week",
      "⏫",
      "📅",
      "2026-12-01",
      "[due:: 2026-12-02]",
      '"so"',
      "after",
      "[[A]]",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 9 }), (line) => {
        const { title, due, wordsOf, read, ...task } = readQuickLine(line.join(" "), { today, isProject });
        const kept = JSON.stringify([title, due, wordsOf, task]).toLowerCase();
        for (const word of new Set(
          line
            .join(" ")
            .split(/\s+/)
            .map((part) => part.replace(/^[!#@+~"]|["\]]$|^\[due::$/g, "")),
        ))
          if (!/^(?:due|bis|every|after|⏫|📅|2026-12-0[12])?$/.test(word))
            expect(kept).toMatch(word === "tomorrow" ? /tomorrow|until november 22/ : word.toLowerCase());
        const source = line.join(" ");
        const left = read.reduce(
          (rest, { from, to }) => rest.slice(0, from) + "_".repeat(to - from) + rest.slice(to),
          source,
        );
        expect(
          left
            .replace(/(?:^| )_+(?=$| )/g, "")
            .trim()
            .replace(/^"([^"]+)"$/, "$1"),
        ).toBe(title);
        for (const { from, to, text } of task.unread) expect(source.slice(from, to)).toBe(text);
      }),
    );
  });
});

describe("readQuickText", () => {
  it("makes deeper lines subtasks and drops markers and boxes", () => {
    const entries = readQuickText("- [ ] A\n  - B tomorrow\n\n\t1. C\r\n    * D\nE", { today });
    expect(entries.map(({ task, parent, line }) => [task.title, parent, line])).toEqual([
      ["A", undefined, 1],
      ["B", 0, 2],
      ["C", 0, 4],
      ["D", 2, 5],
      ["E", undefined, 6],
    ]);
  });

  it("knows the signs of other programs, ticked boxes, headings and prose of a pasted text", () => {
    const text =
      "# Plan\nThis is what we need:\n• A\n– B p1\n- [x] C ✅ 2026-11-20\n  - [/] D ➕ 2026-11-01\n- [?] E\n[a] option\n---\nF";
    const entries = readQuickText(text, { today });
    expect(entries.map(({ task, problem, line }) => [line, task.title, task.status, problem])).toEqual([
      [1, "# Plan", undefined, "It is a heading."],
      [2, "This is what we need:", undefined, "It is prose, without the list sign of other lines."],
      [3, "A", undefined, undefined],
      [4, "B", undefined, undefined],
      [5, "C", "Done", undefined],
      [6, "D", "In Progress", undefined],
      [7, "E", undefined, undefined],
      [8, "[a] option", undefined, undefined],
      [9, "---", undefined, "It is a rule or fence, without words."],
      [10, "F", undefined, undefined],
    ]);
    expect(entries[4]?.task.completed).toBe("2026-11-20");
    expect(entries[5]).toMatchObject({ parent: 4, task: { created: "2026-11-01" } });
    const [odd] = entries[6]?.task.unread ?? [];
    expect([odd?.text, text.slice(odd?.from, odd?.to)]).toEqual(["[?]", "[?]"]);
    const plain = readQuickText("Buy milk.\nThings:\n  Eggs", { today });
    expect(plain.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
  });

  it("says what it read of a line of todo.txt", () => {
    const text = "- x 2026-11-03 2026-11-01 Call Ann\n(A) 2026-11-02 Pay";
    const told = readQuickText(text, { today }).map(({ task }) =>
      task.read.map(({ field, value, from, to }) => [field, value, text.slice(from, to)]),
    );
    expect(told).toEqual([
      [
        ["status", "Done", "x"],
        ["completed", "2026-11-03", "2026-11-03"],
        ["created", "2026-11-01", "2026-11-01"],
      ],
      [
        ["priority", "High", "(A)"],
        ["created", "2026-11-02", "2026-11-02"],
      ],
    ]);
  });

  it("says where in the text each field was read, and what was not", () => {
    const text = "- [ ] Buy  📅 2026-12-01 milk !hgih #food\r\n\tCall +Two Words today about rent +a\n";
    const entries = readQuickText(text, { today, isProject });
    const told = entries.map(({ task: { read, unread } }) => [
      read.map(({ field, value, from, to }) => [field, value, text.slice(from, to)]),
      unread.map((one) => [one.text, text.slice(one.from, one.to)]),
    ]);
    expect(told).toEqual([
      [
        [
          ["dueDate", "2026-12-01", "📅 2026-12-01"],
          ["tags", "food", "#food"],
        ],
        [["!hgih", "!hgih"]],
      ],
      [
        [
          ["parentProjects", "Two Words", "+Two Words"],
          ["parentProjects", "a", "+a"],
        ],
        [["today", "today"]],
      ],
    ]);
  });

  it("names every line without a title and too many lines", () => {
    const entries = readQuickText("a\ntomorrow\nb\n#x", { today });
    expect(entries.flatMap(({ line, problem }) => (problem === undefined ? [] : [line]))).toEqual([2, 4]);
    expect(() => readQuickText("  \n", { today })).toThrow("no line");
    expect(() => readQuickText("a\n".repeat(51), { today })).toThrow("51 lines");
  });
});
