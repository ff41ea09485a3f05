/** Words of other languages: each is read, and answered in its own language. */
import { describe, expect, it } from "vitest";
import { note, taskVault } from "../../../test/kit/task-vault.js";
import { PRIORITIES, STATUSES, priorityOf, statusOf } from "./vocabulary.js";
import { GREENFIELD, priorityWord, statusWord } from "./dialect.js";
import { KEY_ROWS, PRIORITY_ROWS, STATUS_ROWS } from "./languages.js";
import { COMMON_SPELLING } from "./spelling.js";

const wordsOf = (row: string): string[][] => row.split(";").map((words) => words.trim().split(/,\s*/));
const languages = Object.keys(STATUS_ROWS);

describe.each(languages)("in %s", (language) => {
  it("every status is read, also in capitals, and written back in the language", () => {
    const rows = wordsOf(STATUS_ROWS[language]!);
    for (const [place, words] of rows.entries())
      for (const word of words) {
        expect(statusOf(word)).toBe(STATUSES[place]);
        expect(statusOf(word.toUpperCase())).toBe(STATUSES[place]);
        const [done = ""] = rows[STATUSES.indexOf("Done")]!;
        const dialect = { ...GREENFIELD, statusWords: { "In Progress": rows[1]! } };
        expect(statusWord("Done", word, dialect).toLowerCase()).toBe(done.toLowerCase());
      }
  });

  it("every priority is read and written back", () => {
    const rows = wordsOf(PRIORITY_ROWS[language]!);
    for (const [place, words] of rows.entries())
      for (const word of words) expect(priorityOf(word)).toBe(PRIORITIES[place]);
    const [low = ""] = rows[2]!;
    const dialect = { ...GREENFIELD, priorityWords: { Medium: rows[1]!, Low: rows[2]! } };
    expect(priorityWord("Low", rows[0]![0]!, dialect)).toBe(low);
  });

  it("every key is read", () => {
    for (const part of KEY_ROWS[language]!.split(";")) {
      const [field = "", keys = ""] = part.trim().split(/:\s*/);
      for (const key of keys.split(/,\s*/))
        expect(COMMON_SPELLING.fieldsSpelled(key).map(({ name }) => name)).toContain(field);
    }
  });
});

it("no word is in two rows of one kind with two meanings", () => {
  for (const rows of [STATUS_ROWS, PRIORITY_ROWS]) {
    const meanings = new Map<string, number>();
    for (const row of Object.values(rows))
      for (const [place, words] of wordsOf(row).entries())
        for (const word of words) {
          expect(meanings.get(word) ?? place).toBe(place);
          meanings.set(word, place);
        }
  }
});

it("a German task is read, and changed in its own keys and words", async () => {
  const files = {
    "_projects/Lampe.md": note(
      "Typ: Aufgabe\nTitel: Lampe tauschen\nStatus: in Arbeit\nfällig: 2026-11-30\nPriorität: hoch",
    ),
    "_projects/Dach.md": note("Typ: Aufgabe\nStatus: fertig"),
    "_projects/Gast.md": note("typ: Gast\nstatus: offen"),
  };
  const { tasks, text } = taskVault(files, { now: "2026-11-23T12:00:00Z" });
  expect((await tasks.get("Lampe tauschen")).task).toMatchObject({
    status: "In Progress",
    due: "2026-11-30",
    priority: "High",
  });
  await tasks.update("Lampe tauschen", { status: "Done", dueDate: "übermorgen", priority: "Low" });
  expect(await text("_projects/Lampe.md")).toBe(
    note("Typ: Aufgabe\nTitel: Lampe tauschen\nStatus: fertig\nfällig: 2026-11-25\nPriorität: niedrig"),
  );
  expect((await tasks.agenda()).taskCount).toBe(2);
});

describe("in a vault of several languages", () => {
  const statusWords = { "To Do": ["To Do", "offen", "未着手"], Done: ["erledigt"], Blocked: ["waiting"] };
  const priorityWords = { High: ["high", "高"], Low: ["低"] };
  const mixed = { ...GREENFIELD, statusWords, priorityWords };

  it("a new task gets the word most used, whatever its script", () => {
    expect(statusWord("To Do", "", mixed)).toBe("To Do");
    expect(statusWord("Done", "", mixed)).toBe("Done");
    expect(priorityWord("High", "", mixed)).toBe("high");
    expect(priorityWord("Low", "", mixed)).toBe("low");
  });

  it("an English note stays English when the only word for its new status is one of another language", () => {
    expect(statusWord("Done", "To Do", mixed)).toBe("Done");
    expect(statusWord("Done", "waiting", mixed)).toBe("done");
    const both = { ...mixed, statusWords: { ...statusWords, Done: ["Done", "erledigt"] } };
    expect(statusWord("Done", "doing", both)).toBe("Done");
    expect(statusWord("Done", "offen", mixed)).toBe("erledigt");
    expect(statusWord("Done", "未着手", mixed)).toBe("完了");
    expect(priorityWord("Low", "high", mixed)).toBe("low");
  });

  it("but a vault that writes one status in one language and the next in another is followed", () => {
    const habit = { ...GREENFIELD, statusWords: { "To Do": ["open"], Done: ["erledigt"] } };
    expect(statusWord("Done", "open", habit)).toBe("erledigt");
  });
});

it("a word that languages read differently is not read by itself", () => {
  for (const word of ["待機", "停止", "suspenso", "대기"]) expect(statusOf(word)).toBeUndefined();
  for (const key of ["Termin", "Datum", "fecha", "fin"]) expect(COMMON_SPELLING.fieldsSpelled(key)).toEqual([]);
});
