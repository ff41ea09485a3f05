/** A vault of 370 notes as people have them: PARA folders, TaskNotes, daily notes, meetings, a board, other languages. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A Saturday; the questions are asked then. */
export const QUESTION_NOW = "2026-11-28T12:00:00Z";
const DAY_MS = 86_400_000;

/** `2026-11-26` for -2. */
function dayFrom(distance: number): string {
  return new Date(Date.parse(QUESTION_NOW) + distance * DAY_MS).toISOString().slice(0, 10);
}

interface Note {
  readonly text: string;
  /** Days since its last change. */
  readonly age: number;
}

type Notes = Map<string, Note>;

const PROJECTS = [
  {
    name: "Roof repair",
    area: "Home",
    status: "active",
    tasks: ["Call the roofer", "Get a second offer", "Clear the attic"],
  },
  {
    name: "Wedding",
    area: "Family",
    status: "active",
    tasks: ["Book the band", "Send the invitations", "Taste the menu"],
  },
  {
    name: "Website relaunch",
    area: "Work",
    status: "active",
    tasks: ["Write the copy", "Migrate the blog", "Test the forms"],
  },
  { name: "Tax return 2025", area: "Finance", status: "waiting", tasks: ["Collect the receipts"] },
  { name: "Learn Italian", area: "Personal", status: "paused", tasks: [] },
  { name: "Trip to Japan", area: "Family", status: "active", tasks: ["Renew the passports", "Book the flights"] },
  { name: "Umzug Büro", area: "Work", status: "active", tasks: ["Möbel bestellen", "Umzugsfirma anfragen"] },
  { name: "Garden shed", area: "Home", status: "someday", tasks: [] },
  { name: "Hiring", area: "Work", status: "active", tasks: ["Write the job ad", "Interview candidates"] },
  {
    name: "Quarterly report",
    area: "Work",
    status: "active",
    tasks: ["Task review quarterly report", "Collect the figures"],
  },
] as const;

const AREAS = ["Home", "Work", "Health", "Finance", "Family", "Personal"] as const;
const PEOPLE = ["Anna", "Ben", "Carla", "Dieter", "Emi"] as const;
const TOPICS = ["Budget", "Roadmap", "Hiring", "Design", "Retro"] as const;
const DISHES = ["Lasagne", "Ramen", "Pancakes", "Curry", "Borscht", "Tacos", "Risotto", "Goulash"] as const;
const PRIORITIES = ["normal", "high", "low", "normal"] as const;

const frontmatter = (properties: Readonly<Record<string, string>>): string =>
  ["---", ...Object.entries(properties).map(([key, value]) => `${key}: ${value}`), "---", ""].join("\n");

function addTask(notes: Notes, title: string, properties: Readonly<Record<string, string>>, text = "", age = 20): void {
  const head = frontmatter({ title, ...properties, tags: "[task]", dateCreated: `${dayFrom(-age)}T09:00:00.000Z` });
  notes.set(`TaskNotes/Tasks/${title}.md`, { text: `${head}\n${text}`, age });
}

function addProjects(notes: Notes): void {
  let number = 0;
  for (const { name, area, status, tasks } of PROJECTS) {
    const text = `${frontmatter({ type: "project", status, area })}\n# ${name}\n\nGoal: have it done by spring.\n\n## Log\n\n- begun\n`;
    notes.set(`1. Projects/${name}/${name}.md`, { text, age: 5 + number });
    notes.set(`1. Projects/${name}/Ideas.md`, {
      text: `# Ideas for ${name}\n\nAsk [[${PEOPLE[number % 5]}]].\n`,
      age: 12,
    });
    for (const title of tasks) {
      const due = dayFrom((number % 9) - 2);
      const estimate = ["30", "45", "120"][number % 3] ?? "30";
      addTask(notes, title, {
        status: "open",
        priority: PRIORITIES[number % 4] ?? "normal",
        due,
        projects: `["[[${name}]]"]`,
        timeEstimate: estimate,
      });
      number++;
    }
  }
}

function addSpecialTasks(notes: Notes): void {
  addTask(notes, "Order the tiles", {
    status: "open",
    priority: "high",
    due: dayFrom(-4),
    projects: '["[[Roof repair]]"]',
    timeEstimate: "20",
  });
  addTask(notes, "Lay the tiles", {
    status: "open",
    due: dayFrom(3),
    projects: '["[[Roof repair]]"]',
    blockedBy: '[{uid: "[[Order the tiles]]", reltype: FINISHTOSTART}]',
    timeEstimate: "240",
  });
  addTask(notes, "Pay the electricity bill", {
    status: "open",
    priority: "high",
    due: dayFrom(1),
    contexts: '["home"]',
  });
  addTask(notes, "Pay the gas bill", { status: "open", due: dayFrom(-1), contexts: '["home"]' });
  addTask(notes, "Call Anna", { status: "in-progress", contexts: '["phone"]' });
  addTask(notes, "Renew the gym", { status: "done", completedDate: dayFrom(-1), due: dayFrom(-3) });
  addTask(notes, "File the claim", { status: "done", completedDate: dayFrom(-5) });
  addTask(notes, "Water the plants", { status: "open", scheduled: dayFrom(0), recurrence: '"FREQ=WEEKLY;BYDAY=SA"' });
  addTask(notes, "会議の資料を準備", { status: "open", due: dayFrom(2) });
  addTask(notes, "Steuererklärung abgeben", { status: "open", priority: "high", due: dayFrom(2) });
  for (let week = 1; week <= 40; week++) {
    const properties = { status: "open", due: dayFrom(-7 * week), priority: "low" };
    const head = frontmatter({ title: "Clean the filter", ...properties, tags: "[task]" });
    notes.set(`TaskNotes/Tasks/Clean the filter ${week}.md`, { text: `${head}\n`, age: 7 * week });
  }
}

function addMeetings(notes: Notes): void {
  for (let number = 0; number < 60; number++) {
    const [topic, person] = [TOPICS[number % 5] ?? "", PEOPLE[(number * 3) % 5] ?? ""];
    const day = dayFrom(-2 * number - 1);
    const head = frontmatter({
      date: day,
      attendees: `["[[${person}]]", "[[Ben]]"]`,
      tags: "[meeting]",
      project: `"[[${PROJECTS[number % 10]?.name ?? ""}]]"`,
    });
    const text = `# ${topic} meeting\n\n## Notes\n\nWe spoke about the ${topic.toLowerCase()} with ${person}.\n\n## Decisions\n\n- decided: go on with option ${number % 3}\n\n## Action items\n\n- [ ] send the minutes to ${person}\n`;
    notes.set(`Meetings/${day} ${topic}.md`, { text: `${head}\n${text}`, age: 2 * number + 1 });
  }
}

function addDailies(notes: Notes): void {
  for (let number = 0; number < 110; number++) {
    const day = dayFrom(-number);
    const done = number % 4 === 0 ? `- [x] stretch ✅ ${day}\n` : "";
    const open = number % 10 === 3 ? `- [ ] return the library books 📅 ${dayFrom(4)} #errand\n` : "";
    const text = `# ${day}\n\nSlept ${5 + (number % 4)} hours. Met [[${PEOPLE[number % 5]}]].\n\n## Tasks\n${open}${done}\n## Notes\n\n- ${number === 9 ? "The roof leaks near the chimney." : "Nothing special."}\n`;
    notes.set(`Daily/${day}.md`, { text, age: number });
  }
}

function addResources(notes: Notes): void {
  for (const [number, dish] of DISHES.entries()) {
    const head = frontmatter({ rating: String(2 + (number % 4)), tags: "[recipe]", source: "grandmother" });
    notes.set(`3. Resources/Recipes/${dish}.md`, {
      text: `${head}\n# ${dish}\n\n## Ingredients\n\n- salt\n\n## Steps\n\nCook it.\n`,
      age: 60 + number,
    });
  }
  for (let number = 1; number <= 40; number++) {
    const head = frontmatter({
      author: PEOPLE[number % 5] ?? "",
      rating: String(1 + (number % 5)),
      read: number % 3 === 0 ? "true" : "false",
      tags: "[book]",
    });
    const link = number % 8 === 0 ? "See [[Missing author]] too." : "A chapter a day.";
    notes.set(`3. Resources/Books/Book ${number}.md`, {
      text: `${head}\n# Book ${number}\n\n${link}\n`,
      age: 90 + number,
    });
  }
  for (const person of PEOPLE)
    notes.set(`3. Resources/People/${person}.md`, {
      text: `${frontmatter({ aliases: `["${person} B."]`, tags: "[person]" })}\nPhone: 555.\n`,
      age: 100,
    });
  const notesOfOthers: Readonly<Record<string, string>> = {
    Wärmepumpe: "Angebot für die Wärmepumpe: 18.000 Euro, Förderung prüfen. #haus",
    "Recette de crêpes": "Farine, œufs, lait. À laisser reposer une heure.",
    東京の旅: "東京駅から始める。宿を予約する。",
    "Заметки о книге": "Главная мысль: делать меньше.",
    "Decision log": "# Decision log\n\n## Why we chose Hugo\n\nIt is fast.\n\n## Why we left Jira\n\nIt is slow.\n",
    Wifi: "The wifi password of the cabin is on the fridge. #todo/home #tools",
  };
  for (const [name, text] of Object.entries(notesOfOthers))
    notes.set(`3. Resources/${name}.md`, { text: `${text}\n`, age: 30 });
}

function addOthers(notes: Notes): void {
  const board =
    "---\n\nkanban-plugin: board\n\n---\n\n## To do\n\n- [ ] Sort the photos\n- [ ] Fix the door @{2026-12-01}\n\n## Doing\n\n- [ ] Paint the fence\n\n## Done\n\n**Complete**\n- [x] Buy paint\n";
  notes.set("Boards/House.md", { text: board, age: 3 });
  const errands =
    "---\n\nkanban-plugin: board\n\n---\n\n## Next\n\n- [ ] [[Pay the gas bill]]\n- [ ] Fetch the parcel\n";
  notes.set("Boards/Errands.md", { text: errands, age: 30 });
  for (const area of AREAS) notes.set(`2. Areas/${area}.md`, { text: `# ${area}\n\nStandards of ${area}.\n`, age: 40 });
  for (let number = 1; number <= 20; number++)
    notes.set(`4. Archive/Old project ${number}.md`, {
      text: `${frontmatter({ type: "project", status: "done" })}\n# Old project ${number}\n`,
      age: 300,
    });
  for (let number = 1; number <= 15; number++)
    notes.set(`0. Inbox/Idea ${number}.md`, { text: `An idea about ${TOPICS[number % 5]}. #idea\n`, age: number });
  notes.set("Templates/Meeting.md", { text: "# {{title}}\n\n## Notes\n\n## Decisions\n", age: 200 });
}

export function writeQuestionVault(folder: string): number {
  const notes: Notes = new Map();
  for (const add of [addProjects, addSpecialTasks, addMeetings, addDailies, addResources, addOthers]) add(notes);
  const settings = {
    "daily-notes.json": { folder: "Daily", format: "YYYY-MM-DD" },
    "templates.json": { folder: "Templates" },
    "app.json": {},
    "core-plugins.json": ["daily-notes", "templates"],
  };
  const files = [...notes].map(([path, { text, age }]) => [path, text, age] as const);
  const set = Object.entries(settings).map(
    ([name, value]) => [`.obsidian/${name}`, JSON.stringify(value), 200] as const,
  );
  for (const [path, text, age] of [...files, ...set]) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    const seconds = (Date.parse(QUESTION_NOW) - age * DAY_MS) / 1000 - 3600;
    utimesSync(place, seconds, seconds);
  }
  return notes.size;
}
