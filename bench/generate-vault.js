/**
 * Makes a vault of any size that looks like a real one: PARA folders, journal, notes of 0.5 to 6 KB, 30 % of them tasks in several
 * dialects. The same size and seed give the same bytes. With `--dense`, notes of 0.5 to 6 KB with eleven checkbox lines each, a
 * fifth of them marked with a date or a tag. `node bench/generate-vault.js <folder> [notes] [seed] [--dense]`
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

function writerInto(folder) {
  const made = new Set();
  return (path, name, text) => {
    const parent = join(folder, path);
    if (!made.has(parent)) {
      mkdirSync(parent, { recursive: true });
      made.add(parent);
    }
    writeFileSync(join(parent, name), text);
  };
}

/**
 * Writes the vault into `folder`, which is made when missing.
 * @returns {{ notes: number, tasks: number, bytes: number }}
 */
export function generateVault(folder, { notes = 1_000, seed = 1, dense = false } = {}) {
  if (dense) return generateDenseVault(folder, notes, seed);
  const author = authorOf(seed);
  const write = writerInto(folder);
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

const DENSE_WORDS =
  `the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state people those too mr how little world very great still men own see work life get here between both being under three never know same last another while us against part feel asked use quickly however review budget meeting agenda draft proposal client invoice kitchen renovation garden website launch migration database backup server deploy release roadmap quarter goals health doctor appointment insurance policy contract lawyer tax return receipts travel flights hotel itinerary book reading notes chapter summary idea research paper experiment results figure dataset model training recipe dinner groceries birthday gift family school parents teacher homework language practice guitar piano exercise running plan schedule weekly daily monthly annual checklist template reference link source quote author article podcast video course lecture decision risk assumption dependency blocker follow-up email call message reply team hiring interview candidate onboarding feedback performance strategy vision mission metrics dashboard report analysis customer support ticket bug feature design prototype mockup wireframe user story acceptance criteria test coverage refactor documentation`.split(
    /\s+/,
  );
const DENSE_AREAS = ["health", "finance", "home", "career", "family", "learning", "community", "writing"];
const DENSE_TAGS =
  "work urgent deep-work errand phone computer waiting-for someday q1 q2 q3 q4 reading project/alpha project/beta person/anna person/bob recipe travel idea".split(
    " ",
  );
const ELSEWHERE = ["Über", "café", "naïve", "日本語", "Привет", "résumé", "Zürich", "🚀 launch", "mañana", "façade"];
const DENSE_STATUSES = Object.entries({
  "not-started": 0.34,
  "in-progress": 0.2,
  blocked: 0.05,
  waiting: 0.06,
  "on-hold": 0.05,
  done: 0.25,
  archived: 0.05,
});

function denseAuthorOf(seed) {
  const random = randomFrom(seed);
  const between = (least, most) => least + Math.floor(random() * (most - least + 1));
  const pick = (list) => list[Math.floor(random() * list.length)];
  const several = (least, most, make) => Array.from({ length: between(least, most) }, make);
  const words = (least, most) => several(least, most, () => pick(DENSE_WORDS)).join(" ");
  const phrase = (least, most) => {
    const text = words(least, most);
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
  const pad = (number) => String(number).padStart(2, "0");
  const date = () => `${between(2023, 2027)}-${pad(between(1, 12))}-${pad(between(1, 28))}`;
  const title = () => phrase(2, 6) + (random() < 0.05 ? ` ${pick(ELSEWHERE)}` : "");
  const status = () => {
    let share = random();
    return (DENSE_STATUSES.find(([, one]) => (share -= one) < 0) ?? DENSE_STATUSES[0])[0];
  };
  const quoted = (text) => (random() < 0.3 ? JSON.stringify(text) : random() < 0.2 ? `'${text}'` : text);
  return { random, between, pick, several, words, phrase, pad, date, title, status, quoted };
}

function densePiece(author, names) {
  const { random, pick, several, words, phrase, date } = author;
  const kind = random();
  if (kind < 0.12) return `\n## ${phrase(1, 5)}\n`;
  if (kind < 0.28) {
    const mark = () => (random() < 0.2 ? ` 📅 ${date()}` : "") + (random() < 0.15 ? ` #${pick(DENSE_TAGS)}` : "");
    return `${several(2, 7, () => `- [${random() < 0.4 ? "x" : " "}] ${phrase(3, 9)}${mark()}`).join("\n")}\n`;
  }
  if (kind < 0.36) return `${several(2, 6, () => `- ${phrase(3, 10)}`).join("\n")}\n`;
  if (kind < 0.46 && names.length > 0) return `See [[${pick(names)}]] and [[${pick(names)}|${words(2, 2)}]].\n`;
  if (kind < 0.5) return `\`\`\`js\nconst count = ${author.between(1, 999)};\n// ${words(5, 5)}\n\`\`\`\n`;
  if (kind < 0.53) return `> ${phrase(8, 20)}.\n`;
  return `${several(2, 5, () => `${phrase(6, 18)}.`).join(" ")}${random() < 0.1 ? ` #${pick(DENSE_TAGS)}` : ""}\n`;
}

function denseBody(author, most, names) {
  const size = author.between(500, most);
  let text = "";
  for (let bytes = 0; bytes < size; bytes = Buffer.byteLength(text)) text += `${densePiece(author, names)}\n`;
  return text;
}

function denseTask(author, title, project) {
  const { random, pick, several, date, quoted } = author;
  const tags = [...new Set(several(1, 4, () => pick(DENSE_TAGS)))];
  const lines = [`title: ${quoted(title)}`, "type: task", `status: ${author.status()}`];
  lines.push(`area: ${project?.area ?? pick(DENSE_AREAS)}`);
  if (random() < 0.6) lines.push(`due: ${date()}`);
  lines.push(`priority: ${pick(["low", "medium", "high", "urgent"])}`);
  lines.push(random() < 0.5 ? `tags: [${tags.join(", ")}]` : `tags:\n${tags.map((tag) => `  - ${tag}`).join("\n")}`);
  if (project) lines.push(`parentProjects:\n  - "[[${project.title}]]"`);
  if (random() < 0.3) lines.push(`custom_field: ${pick(DENSE_WORDS)}`);
  return `---\n${lines.join("\n")}\n---\n`;
}

function denseFolder(author, projects) {
  const { random, pick, between, pad } = author;
  const kind = random();
  if (kind < 0.2) return `${pick(projects).folder}/notes`;
  if (kind < 0.4) return `_areas/${pick(DENSE_AREAS)}`;
  if (kind < 0.75) return `_resources/${pick(DENSE_AREAS)}/${pick(DENSE_WORDS)}`;
  if (kind < 0.88) return `_archive/${between(2019, 2025)}`;
  return kind < 0.95 ? `daily/${between(2019, 2026)}/${pad(between(1, 12))}` : "Inbox";
}

/** 166 projects, 2,949 tasks and 6,885 other notes of 10,000. */
function generateDenseVault(folder, notes, seed) {
  const author = denseAuthorOf(seed);
  const { random, pick } = author;
  const write = writerInto(folder);
  write(".obsidian", "app.json", "{}");
  const projects = Array.from({ length: Math.min(notes, Math.max(5, Math.floor(notes / 60))) }, (_, number) => {
    const title = `${author.title()} ${number}`;
    return { title, folder: `_projects/${title}`, area: pick(DENSE_AREAS) };
  });
  const names = [];
  let [tasks, bytes] = [0, 0];
  const add = (path, name, text) => {
    write(path, `${name}.md`, text);
    names.push(name);
    bytes += Buffer.byteLength(text);
  };
  for (const { title, folder: path, area } of projects) {
    const tags = `[project, ${pick(DENSE_TAGS)}]`;
    const fields = `title: ${author.quoted(title)}\ntype: project\nstatus: ${author.status()}\narea: ${area}\ntags: ${tags}\n`;
    add(path, title, `---\n${fields}---\n\n# ${title}\n${denseBody(author, 3_000, names)}`);
  }
  for (let number = projects.length; number < notes; number++) {
    const title = author.title() + (number % 500 === 0 ? ` ${RARE_WORD}` : "");
    const name = `${title} ${number}`;
    if (number % 10 < 3) {
      const project = random() < 0.75 ? pick(projects) : undefined;
      const path = project ? `${project.folder}/tasks` : `_areas/${pick(DENSE_AREAS)}/tasks`;
      add(path, name, `${denseTask(author, title, project)}\n# ${title}\n${denseBody(author, 3_000, names)}`);
      tasks++;
      continue;
    }
    const tags = `[${pick(DENSE_TAGS)}, ${pick(DENSE_TAGS)}]`;
    const fields = `title: ${author.quoted(title)}\ntype: note\ncreated: ${author.date()}\ntags: ${tags}\n`;
    const start = random() < 0.7 ? `---\n${fields}---\n\n` : "";
    const once = number % 500 === 3 ? `\nOnce in ${RARE_WORD}.\n` : "";
    add(denseFolder(author, projects), name, `${start}# ${title}\n${denseBody(author, 6_000, names)}${once}`);
  }
  return { notes, tasks, bytes };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const dense = process.argv.includes("--dense");
  const [folder, notes = "1000", seed = "1"] = process.argv.slice(2).filter((argument) => argument !== "--dense");
  if (folder === undefined || folder.startsWith("-")) {
    console.error(
      "Usage: node bench/generate-vault.js <folder> [notes] [seed] [--dense]\n  --dense  eleven checkbox lines a note, a fifth of them marked",
    );
    process.exitCode = 2;
  } else {
    console.log(JSON.stringify(generateVault(folder, { notes: Number(notes), seed: Number(seed), dense })));
  }
}
