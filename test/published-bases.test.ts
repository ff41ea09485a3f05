/** Bases as people publish them: each is answered, or refused by the clause that is not understood. */
import { beforeAll, describe, expect, it } from "vitest";
import type { VaultPath } from "../src/storage/path.js";
import { basesVault } from "./kit/bases-vault.js";

const FILES = {
  "Daily/2026-11-23.md": { text: "---\nmood: 4\ntags: [daily]\n---\nRead [[Dune]].\n\n- [ ] water plants\n" },
  "Daily/2026-11-24.md": { text: "---\nmood: 5\nsleep: 7.5\ntags: [daily]\n---\nFine.\n" },
  "References/Dune.md": {
    text: '---\ncategories: ["[[Books]]"]\nauthor: ["[[Frank Herbert]]"]\nrating: 7\nlast: 2026-11-01\ncover: "[[dune.jpg]]"\ngenre: ["[[Sci-fi]]"]\nlength: 612\n---\n![[dune.jpg]]\n',
  },
  "References/Berlin.md": {
    text: '---\ncategories: ["[[Places]]"]\ntype: ["[[Cities]]"]\ncoordinates: ["52.5", "13.4"]\nloc: "52.5,13.4"\n---\n',
  },
  "TaskNotes/Tasks/Paint.md": {
    text: '---\ntitle: Paint\nstatus: open\npriority: high\ndue: 2026-11-24\nscheduled: 2026-11-25T09:00\ntags: [task]\nprojects: ["[[House]]"]\ntimeEstimate: 90\nrecurrence: FREQ=WEEKLY\ncomplete_instances: [2026-11-17]\n---\n',
  },
  "TaskNotes/Tasks/Call.md": {
    text: "---\ntitle: Call\nstatus: done\npriority: normal\ndue: 2026-11-20\ntags: [task]\n---\n",
  },
  "Projects/House.md": {
    text: '---\ntags: [project]\nstatus: active\nstart: 2026-09-01\nbudget: 1200\nspent: 300\nlinks: "[[Paint]]"\n---\n',
  },
  "Clippings/Article.md": {
    text: '---\ntitle: An article\nsource: https://example.org/a\nauthor: ["[[Ann]]"]\npublished: 2026-10-10\ncreated: 2026-11-20\ntags: [clippings]\nread: false\n---\nText.\n',
  },
  "People/Ann.md": { text: "---\nbirthday: 1990-11-30\ntags: [people]\nlast_contact: 2026-08-01\n---\n" },
  "Templates/Book.md": { text: '---\ncategories: ["[[Books]]"]\nrating:\n---\n' },
  "dune.jpg": { bytes: 1_000_000 },
  "Papers/a.pdf": { bytes: 2_000_000 },
};

const view = (more: string, type = "table") =>
  `views:\n  - type: ${type}\n    name: View\n${more.replace(/^(?=.)/gm, "    ")}`;
const KANBAN = view(
  "groupBy:\n  property: note.status\n  direction: ASC\nswimLane: note.priority\nhideEmptyColumns: true\n",
  "tasknotesKanban",
);

/** Number of rows, or the refused clause. */
const BASES: readonly (readonly [title: string, base: string, expected: number | string])[] = [
  [
    "daily notes, newest first",
    `filters:\n  and:\n    - file.inFolder("Daily")\n${view("order: [file.name, mood, sleep]\nsort:\n  - property: file.name\n    direction: DESC\ncolumnSize:\n  file.name: 120\nsummaries:\n  mood: Average\n")}`,
    2,
  ],
  ["days of this week", `filters: file.inFolder("Daily") && date(file.name) > today() - "7d"\n${view("")}`, 2],
  [
    "days with a note of sleep",
    `filters:\n  and:\n    - file.hasTag("daily")\n    - '!sleep.isEmpty()'\n${view("")}`,
    1,
  ],
  [
    "books by category",
    `filters:\n  and:\n    - categories.contains(link("Books"))\n    - '!file.inFolder("Templates")'\n${view("order: [file.name, author, rating, genre]\nsort:\n  - property: rating\n    direction: DESC\nrowHeight: tall\n")}`,
    1,
  ],
  [
    "books as cards",
    `filters: list(categories).contains(link("Books"))\n${view("image: note.cover\nimageFit: contain\nimageAspectRatio: 1.5\ncardSize: 160\norder: [file.name, rating]\n", "cards")}`,
    2,
  ],
  [
    "best books",
    `filters: rating >= 7\nformulas:\n  stars: '"★".repeat(rating)'\nproperties:\n  formula.stars:\n    displayName: Stars\n${view("order: [file.name, formula.stars]\n")}`,
    1,
  ],
  [
    "reading list",
    `filters:\n  or:\n    - file.hasTag("clippings")\n    - file.hasTag("article", "read-later")\n${view("order: [title, author, source, published]\nsort:\n  - column: published\n    direction: DESC\n")}`,
    1,
  ],
  [
    "unread clippings",
    `filters:\n  and:\n    - file.hasTag("clippings")\n    - or:\n        - read != true\n        - read.isEmpty()\n${view("limit: 20\n")}`,
    1,
  ],
  [
    "links as icons",
    `formulas:\n  open: link(source, icon("external-link"))\nfilters: source\n${view("order: [file.name, formula.open]\n")}`,
    1,
  ],
  [
    "places on a map",
    `filters: list(type).contains(link("Cities"))\n${view('coordinates: note.coordinates\nmarkerIcon: note.icon\nmarkerColor: formula.color\nmapHeight: 400\ndefaultZoom: 5\nmapTiles: ["https://tiles.example.org"]\n', "map")}`,
    1,
  ],
  [
    "map from a formula",
    `formulas:\n  place: '[loc.split(",")[0], loc.split(",")[1]]'\nfilters: loc\n${view("coordinates: formula.place\norder: [file.name, formula.place]\n", "map")}`,
    1,
  ],
  [
    "a bulleted list",
    `filters: file.hasTag("people")\n${view('markers: number\nindentProperties: true\nseparator: ", "\norder: [file.name, birthday]\n', "list")}`,
    1,
  ],
  [
    "people not met for long",
    `filters: file.hasTag("people") && last_contact < today() - "90 days"\nformulas:\n  ago: last_contact.relative()\n${view("order: [file.name, formula.ago]\n")}`,
    1,
  ],
  [
    "next birthdays",
    `formulas:\n  next: 'if(birthday, date(today().year + "-" + birthday.format("MM-DD")), null)'\nfilters: birthday\n${view("order: [file.name, formula.next]\nsort:\n  - property: formula.next\n")}`,
    1,
  ],
  [
    "tasks of TaskNotes",
    `filters:\n  and:\n    - file.hasTag("task")\n    - note.status != "done"\n${view("order: [note.status, note.priority, note.due, note.scheduled, note.projects]\noptions:\n  showExpandedSubtasks: true\n", "tasknotesTaskList")}`,
    1,
  ],
  ["TaskNotes' board", `filters: file.hasTag("task")\n${KANBAN}`, 2],
  [
    "TaskNotes' calendar",
    `filters: file.hasTag("task")\n${view("options:\n  showScheduled: true\ncalendarView: timeGridWeek\n", "tasknotesCalendar")}`,
    2,
  ],
  [
    "TaskNotes' days",
    `formulas:\n  daysUntilDue: if(due, ((number(date(due)) - number(today())) / 86400000).floor(), null)\n  isOverdue: due && date(due) < today() && status != "done"\n  late: if(formula.isOverdue, formula.daysUntilDue * -1 + "d late", "")\nfilters: file.hasTag("task")\n${view("order: [file.name, formula.daysUntilDue, formula.isOverdue, formula.late]\n")}`,
    2,
  ],
  [
    "TaskNotes' instances",
    `formulas:\n  doneToday: '!complete_instances.isEmpty() && complete_instances.map(date(value)).contains(today())'\nfilters: recurrence && !formula.doneToday\n${view("")}`,
    1,
  ],
  [
    "TaskNotes' time",
    `formulas:\n  hours: if(timeEstimate, (timeEstimate / 60).toFixed(1) + "h", "")\nfilters: file.hasTag("task")\n${view("order: [file.name, formula.hours]\nsummaries:\n  note.timeEstimate: Sum\n")}`,
    2,
  ],
  [
    "subtasks of a project",
    `filters:\n  and:\n    - file.hasTag("task")\n    - list(projects).contains(this.file)\n${view("")}`,
    0,
  ],
  [
    "projects with what is left",
    `filters: file.hasTag("project")\nformulas:\n  left: budget - spent\n  share: (spent / budget * 100).round() + "%"\n${view("order: [file.name, budget, formula.left, formula.share]\nsummaries:\n  formula.left: Sum\n  budget: Max\n")}`,
    1,
  ],
  [
    "a summary of one's own",
    `filters: budget\nsummaries:\n  euros: '"€" + values.filter(value.isType("number")).reduce(acc + value, 0)'\n${view("order: [file.name, budget]\nsummaries:\n  budget: euros\n")}`,
    1,
  ],
  [
    "attachments",
    `filters:\n  and:\n    - file.ext != "md"\n    - file.ext != "base"\nformulas:\n  mb: (file.size / 1000000).toFixed(1)\n${view("order: [file.name, file.ext, formula.mb]\nsort:\n  - property: file.size\n    direction: DESC\n")}`,
    2,
  ],
  ["attachments that nobody links to", `filters: file.ext == "pdf" && file.backlinks.isEmpty()\n${view("")}`, 1],
  [
    "notes without links",
    `filters:\n  and:\n    - file.ext == "md"\n    - file.links.length == 0\n    - file.inFolder("People")\n${view("")}`,
    1,
  ],
  [
    "recent notes",
    `filters: file.mtime > now() - "1 week" && file.ext == "md"\n${view("order: [file.name, file.mtime, file.folder]\nlimit: 5\n")}`,
    5,
  ],
  ["backlinks", `filters: file.hasLink(this.file)\n${view("")}`, 0],
  [
    "notes by folder",
    `filters: file.ext == "md"\n${view("groupBy:\n  property: file.folder\n  direction: DESC\n")}`,
    10,
  ],
  [
    "related by tags",
    `filters:\n  and:\n    - file.tags.containsAny("#project", "#people")\n    - file.path != this.file.path\n${view("")}`,
    2,
  ],
  ["notes with a picture", `filters: file.embeds.filter(value.asFile().ext == "jpg").length > 0\n${view("")}`, 1],
  ["names by a pattern", `filters: /^\\d{4}-\\d{2}-\\d{2}$/.matches(file.name)\n${view("")}`, 2],
  [
    "the genre's first letter",
    `formulas:\n  letter: file.name.slice(0, 1).title()\nfilters: file.ext == "md"\n${view("groupBy:\n  property: formula.letter\n")}`,
    10,
  ],
  ["Dataview's words", `filters: contains(file.tags, "book")\n${view("")}`, 'contains(file.tags, "book")'],
  ["Dataview's days", `filters: file.cday = date(today)\n${view("")}`, "file.cday = date(today)"],
  ["JavaScript's name", `filters: file.name.includes("Dune")\n${view("")}`, 'file.name.includes("Dune")'],
  [
    "taggedWith of the first versions",
    `filters: taggedWith(file.file, "book")\n${view("")}`,
    'taggedWith(file.file, "book")',
  ],
  ["a source, as in Dataview", `source: '"Books"'\n${view("")}`, "source"],
  [
    "an unquoted exclamation mark",
    `filters: !file.inFolder("Templates")\n${view("")}`,
    'filters: !file.inFolder("Templates")',
  ],
  ["groups as a list", view("groupBy:\n  - property: status\n"), "[property: status]"],
  ["a page size", view("pageSize: 20\n"), "pageSize"],
  ["a custom class", view("cssclass: wide\n"), "cssclass"],
];

describe("bases as they are published", () => {
  let vault: Awaited<ReturnType<typeof basesVault>>;
  beforeAll(async () => {
    vault = await basesVault(FILES, "2026-11-24T10:00:00+01:00");
  });

  it.each(BASES)("answers or refuses %s", async (_, base, expected) => {
    await vault.storage.write("Case.base" as VaultPath, new TextEncoder().encode(base), { kind: "any" });
    const outcome = await vault.call("run_view", { source: "Case.base", limit: 200 });
    if (typeof expected === "number") expect(outcome).toMatchObject({ ok: true, data: { total: expected } });
    else expect(!outcome.ok && outcome.error.details?.[0]?.clause).toBe(expected);
  });
});
