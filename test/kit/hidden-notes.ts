/** A vault of which access rules hide a part: each hidden note holds one word that is nowhere else. */
import type { VaultRules } from "../../src/access/rules.js";

/** In the names, tags, properties, links and texts of hidden notes, and nowhere else. */
export const CANARY = "xylocanary";

export const task = (title: string, more = "", body = ""): string =>
  `---\ntype: task\nstatus: To Do\n${more}---\n# ${title}\n${body}`;

export const VISIBLE: Readonly<Record<string, string>> = {
  "Home.md":
    "---\ntags: [home]\n---\n# Home\nSee [[Garden]], [[Seeds]] and [[Lost and found|a note]].\n- [ ] Water 📅 2025-09-01\n",
  "1-Projects/Garden.md": "---\ntype: project\n---\n# Garden\n",
  "1-Projects/Dig.md": task("Dig the bed", "due: 2025-09-02\nprojects: ['[[Garden]]']\n", "See [[Seeds]].\n"),
  "2-Areas/Home life.md": "---\ntype: area\n---\n# Home life\n",
  "3-Resources/Seeds.md": "# Seeds\nPeas and beans #plants/food\n",
  "3-Resources/plan.txt": "plain text",
};

/** What hides it, path and text. */
const HIDDEN: readonly (readonly [rule: keyof typeof RULES, path: string, text: string])[] = [
  [
    "deny",
    `Private/${CANARY} one.md`,
    task(`${CANARY} task`, `due: 2025-09-01\narea: ${CANARY}\n`, `[[Seeds]] #${CANARY}`),
  ],
  ["deny", "Private/Lost and found.md", `# Lost and found\n${CANARY} [[Garden]]\n`],
  ["deny", `Private/${CANARY}.png`, "no picture"],
  [
    "file",
    `1-Projects/Hidden/${CANARY}.md`,
    `---\ntype: project\n---\n# ${CANARY}\n- [ ] ${CANARY} line 📅 2025-09-01\n`,
  ],
  [
    "denyTags",
    `Diary/${CANARY} day.md`,
    `---\ntags: [Private/${CANARY}]\n---\n# ${CANARY}\n[[Home]] [[${CANARY} nowhere]]\n`,
  ],
  ["denyTags", "1-Projects/Inline.md", task(`${CANARY} inline`, "due: 2025-09-03\n", "\ntext #private\n")],
  [
    "denyProperties",
    `3-Resources/${CANARY} property.md`,
    `---\nai: false\n${CANARY}: yes\n---\n# ${CANARY}\n![[plan.txt]]\n`,
  ],
  ["denyTags", `3-Resources/${CANARY} unreadable.md`, `---\ntags: [private\nx: : y\n---\n${CANARY}\n`],
];

export const RULES = {
  deny: ["Private/"],
  denyTags: ["private"],
  denyProperties: ["ai=false"],
  file: "# kept from assistants\n1-Projects/Hidden/\n",
};

export const hiddenFiles = (without?: keyof typeof RULES): Record<string, string> => ({
  ...Object.fromEntries(HIDDEN.map(([, path, text]) => [path, text])),
  ...(without === "file" ? {} : { ".mcpignore": RULES.file }),
});

export const rulesBut = (without?: keyof typeof RULES): VaultRules => ({
  deny: without === "deny" ? undefined : RULES.deny,
  denyTags: without === "denyTags" ? undefined : RULES.denyTags,
  denyProperties: without === "denyProperties" ? undefined : RULES.denyProperties,
});
