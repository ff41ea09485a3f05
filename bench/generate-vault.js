/**
 * Makes a vault of any size that looks like a real one: PARA folders, journal, notes of 0.5 to 6 KB, 30 % of them tasks in several
 * dialects. The same size and seed give the same bytes. `node bench/generate-vault.js <folder> [notes] [seed]`
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A word that stands in few notes: in the title of one task in 500, and in the body of one other note in 500. */
export const RARE_WORD = "zanzibar";
/** A word that is in three quarters of the notes. */
export const COMMON_WORD = "car";

const WORDS =
  `about account after agenda again answer archive arrange balance before begin between board book bread bridge brief budget build call camera car chair change chapter check city clean client close coast coffee collect colour compare contract copy cost country course cover crew cut daily data day deliver design desk detail dinner discuss document door draft drive early east edit email evening event example expense family field figure file final find first fix floor follow forest form forward friend front garden gather glass goal green group guide half harbour hear help history hold hour house idea image improve index island issue item join journal journey keep kitchen lake language large later launch learn leave letter level library light line list local long look main make manual map market match material meeting member message method middle minute model money month morning mountain move music name neighbour network night note notice number offer office old open option order outline page paint paper part party past path people period phone photo picture piece place plan plant point policy post prepare present price print problem process produce project proof proposal publish question quick quiet quote rate reach read ready reason receipt record reduce refer region release remind renew repair reply report request research review right river road room round route rule sample save schedule school season second section send series server service session share shelf shop short side sign simple site sketch slide small software source south space speak spring staff stage stand start station steps stone store story street strong studio study subject summary summer supply support survey system table tailor take talk task teach team test text theme ticket time title today tool topic total town track train travel tree trip update visit voice wait walk wall watch water week welcome west wheel window winter word work workshop write year`.split(
    /\s+/,
  );
const NAMES = ["Ana", "Bruno", "Chloé", "Dmitri", "Elif", "Farid", "Grete", "Hana", "Ivo", "Jun", "Kasia", "Søren"];
const TITLES_ELSEWHERE = [
  "准备下周的会议",
  "週次レポートを仕上げる",
  "Überprüfung der Verträge",
  "مراجعة العقد",
  "회의 자료 정리",
  "Réviser le résumé",
];
const AREAS = ["Work", "Home", "Health", "Finance", "Family", "Learning", "Community", "Travel"];
const TAGS = ["phone", "errand", "deep-work", "waiting", "computer", "home/repairs", "reading", "q1", "q2", "urgent"];

/** Makes numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function authorOf(seed) {
  const random = randomFrom(seed);
  const below = (limit) => Math.floor(random() * limit);
  const pick = (list) => list[below(list.length)];
  // Squared, so that some words are common and most are not, as in prose.
  const word = () => WORDS[Math.floor(random() ** 2 * WORDS.length)];
  const words = (count) => Array.from({ length: count }, word).join(" ");
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const sentence = () => `${capital(words(5 + below(12)))}${random() < 0.08 ? ` with ${pick(NAMES)}` : ""}.`;
  const date = () => new Date(Date.UTC(2025, 6, 1) + below(900) * 86_400_000).toISOString().slice(0, 10);
  return { random, below, pick, words, capital, sentence, date };
}

function bodyText(author, bytes, links) {
  const lines = [];
  for (let length = 0; length < bytes;) {
    const kind = author.random();
    let line;
    if (kind < 0.08) line = `## ${author.capital(author.words(3))}`;
    else if (kind < 0.3) line = `- ${author.sentence()}`;
    else if (kind < 0.36) line = `- [ ] ${author.sentence()}`;
    else if (kind < 0.45 && links.length > 0) line = `See [[${author.pick(links)}]]. ${author.sentence()}`;
    else line = Array.from({ length: 1 + author.below(4) }, author.sentence).join(" ");
    lines.push(line, "");
    length += line.length + 2;
  }
  return lines.join("\n");
}

/** Frontmatter of a task in one of the dialects people use; the first is the commonest. */
const DIALECTS = [
  {
    share: 0.7,
    write: (task) =>
      `id: ${task.id}\ntype: task\ntitle: ${task.title}\nstatus: ${task.status}\npriority: ${task.priority}\ndue: ${task.due}\narea: ${task.area}\nprojects:\n  - "[[${task.project}]]"\ntags:\n${task.tags.map((tag) => `  - ${tag}`).join("\n")}\ncreated: ${task.created}\n`,
  },
  {
    share: 0.1,
    write: (task) =>
      `title: ${task.title}\nstatus: ${task.status === "Done" ? "done" : "open"}\npriority: normal\ndue: ${task.due}\ncontexts:\n  - phone\nprojects:\n  - "[[${task.project}]]"\ntags:\n  - task\n  - ${task.tags[0]}\ndateCreated: ${task.created}T08:00:00.000Z\n`,
  },
  {
    share: 0.08,
    write: (task) =>
      `Type: Task\nTitle: ${task.title}\nStatus: ${task.status}\nDue Date: ${task.due}\nArea: "[[${task.area}]]"\nTags: [${task.tags.join(", ")}]\n`,
  },
  {
    share: 0.05,
    write: (task) =>
      `# kept by hand\ntype: task\nstate: ${task.status.toLowerCase()}  # ask first\ndue_date: ${task.due}\nprio: high\n`,
  },
  {
    share: 0.04,
    write: (task) => `tags: [task, ${task.tags.join(", ")}]\ndone: ${task.status === "Done"}\ndue: ${task.due}\n`,
  },
  {
    share: 0.03,
    write: (task) =>
      `type: task\ntitle: >-\n  ${task.title}\nstatus: "${task.status}"\nmeta:\n  source: { from: mail, by: '${task.area}' }\ndue: "${task.due}"\n`,
  },
];

function taskNote(author, number, home) {
  const status = author.pick([
    "To Do",
    "To Do",
    "To Do",
    "To Do",
    "In Progress",
    "In Progress",
    "Blocked",
    "Done",
    "Done",
  ]);
  let title =
    author.random() < 0.03
      ? `${author.pick(TITLES_ELSEWHERE)} ${number}`
      : author.capital(author.words(2 + author.below(5)));
  if (number % 500 === 0) title += ` in ${RARE_WORD}`;
  const task = {
    id: `task-${number}-${author.below(2_176_782_336).toString(36).padStart(6, "0")}`,
    title,
    status,
    priority: author.pick(["High", "Medium", "Medium", "Low"]),
    due: author.random() < 0.3 ? "" : author.date(),
    area: author.pick(AREAS),
    project: home.project,
    tags: [author.pick(TAGS), author.pick(TAGS)],
    created: author.date(),
  };
  let share = author.random();
  const dialect = DIALECTS.find((one) => (share -= one.share) < 0) ?? DIALECTS[0];
  return { title, frontmatter: dialect.write(task) };
}

function plainNote(author) {
  const title = author.capital(author.words(2 + author.below(4)));
  const frontmatter =
    author.random() < 0.5 ? `tags:\n  - ${author.pick(TAGS)}\naliases: []\ncreated: ${author.date()}\n` : "";
  return { title, frontmatter };
}

const SETTINGS = {
  "app.json": { newLinkFormat: "shortest", attachmentFolderPath: "attachments" },
  "templates.json": { folder: "Templates" },
};

/**
 * Writes the vault into `folder`, which is made when missing.
 * @returns {{ notes: number, tasks: number, bytes: number }}
 */
export function generateVault(folder, { notes = 1_000, seed = 1 } = {}) {
  const author = authorOf(seed);
  const made = new Set();
  const write = (path, name, text) => {
    const parent = join(folder, path);
    if (!made.has(parent)) {
      mkdirSync(parent, { recursive: true });
      made.add(parent);
    }
    writeFileSync(join(parent, name), text);
  };
  for (const [name, value] of Object.entries(SETTINGS)) write(".obsidian", name, JSON.stringify(value));
  write("Templates", "Task.md", '---\ntype: task\ntitle: "{{title}}"\nstatus: To Do\n---\n# {{title}}\n');

  const projects = Math.max(4, Math.round(notes / 60));
  let tasks = 0;
  let bytes = 0;
  const recent = [];
  for (let number = 1; number <= notes; number++) {
    const isTask = number % 10 === 0 || number % 10 === 3 || number % 10 === 7;
    const project = `Project ${1 + author.below(projects)}`;
    const home = isTask ? taskFolder(author, project) : noteFolder(author, number);
    const note = isTask ? taskNote(author, number, { project }) : plainNote(author);
    const size = 400 + Math.floor(author.random() ** 2 * 5_400);
    let body = bodyText(author, size, recent);
    if (!isTask && number % 500 === 1) body += `\nOnce in ${RARE_WORD}.\n`;
    const fence = note.frontmatter === "" ? "" : `---\n${note.frontmatter}---\n`;
    const text = `${fence}# ${note.title}\n\n${body}`;
    const name = `${note.title.replaceAll(/[\\/:*?"<>|#^[\]]/g, " ")} ${number}`;
    write(home, `${name}.md`, number % 97 === 0 ? text.replaceAll("\n", "\r\n") : text);
    recent[number % 50] = name;
    if (isTask) tasks++;
    bytes += Buffer.byteLength(text);
  }
  return { notes, tasks, bytes };
}

function taskFolder(author, project) {
  const kind = author.random();
  if (kind < 0.6) return `_projects/${project}`;
  if (kind < 0.65) return "_projects";
  if (kind < 0.95) return `_areas/${author.pick(AREAS)}`;
  return "_archive/2024";
}

function noteFolder(author, number) {
  const kind = author.random();
  if (kind < 0.4) return `_resources/Topic ${1 + author.below(Math.ceil(number / 80))}`;
  if (kind < 0.7) return `Journal/${2015 + author.below(12)}/${String(1 + author.below(12)).padStart(2, "0")}`;
  if (kind < 0.9) return `Notes/${author.pick(AREAS)}/${1 + author.below(Math.ceil(number / 400))}`;
  return `_archive/${2019 + author.below(6)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder, notes = "1000", seed = "1"] = process.argv.slice(2);
  if (folder === undefined) {
    console.error("Usage: node bench/generate-vault.js <folder> [notes] [seed]");
    process.exitCode = 2;
  } else {
    console.log(JSON.stringify(generateVault(folder, { notes: Number(notes), seed: Number(seed) })));
  }
}
