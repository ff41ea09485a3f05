/** Which tool to call instead of one that does not exist: one that does the same kind of thing (docs: tools, "Arguments"). */
import { nearest } from "../text/nearest.js";

/** Words that begin or end the names of tools, by what they ask for. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  delete: ["delete", "remove", "trash", "erase", "destroy"],
  undo: ["undo", "revert", "restore", "rollback"],
  rename: ["rename", "move", "mv"],
  finish: ["complete", "finish", "close", "check", "done"],
  add: ["create", "add", "new", "make", "write", "insert", "append", "prepend", "save"],
  change: ["update", "edit", "change", "modify", "set", "patch", "replace"],
  find: ["find", "search", "list", "scan", "query", "grep", "ls"],
  show: ["get", "read", "view", "show", "open", "cat", "fetch", "summarise", "summarize"],
};

/** What a tool of another name does instead, and how. Only tools that are offered are named. */
const BY_OTHER_TOOLS: readonly {
  readonly verb: string;
  readonly noun: string;
  readonly tool: string;
  readonly how: string;
}[] = [
  { verb: "delete", noun: "task", tool: "obsidian_delete_note", how: "a task is a note" },
  { verb: "delete", noun: "task", tool: "delete", how: "a task is a note" },
  { verb: "rename", noun: "task", tool: "update_task", how: "with a new title" },
  { verb: "finish", noun: "task", tool: "update_task", how: 'with status "Done"' },
  { verb: "find", noun: "task", tool: "search_tasks", how: "with query *, or filters" },
];

/** A sentence that says what to call instead, or which tools there are. */
export function insteadOf(name: string, names: readonly string[]): string {
  const words = wordsOf(name);
  const verb = verbOf(words);
  const [best] = nearest(name, names, 1);
  if (verb === undefined) return best === undefined ? all(names) : `Did you mean "${best}"?`;
  const other = BY_OTHER_TOOLS.find((row) => row.verb === verb && words.includes(row.noun) && names.includes(row.tool));
  const alike = names.filter((known) => verbOf(wordsOf(known)) === verb);
  if (best !== undefined && alike.includes(best) && sharesNoun(best, words, verb)) return `Did you mean "${best}"?`;
  if (other) return `Call "${other.tool}" (${other.how}).`;
  const about = alike.filter((known) => sharesNoun(known, words, verb));
  const offered = about.length > 0 ? about : alike;
  if (offered.length === 0) return all(names);
  return `To ${verb}, there is ${offered.map((known) => `"${known}"`).join(", ")}.`;
}

function all(names: readonly string[]): string {
  return `The tools are: ${names.join(", ")}.`;
}

/** `deleteTasks` and `delete_task` are the same words. */
function wordsOf(name: string): string[] {
  const words = name.slice(0, 200).replace(/(?<=[a-z])(?=[A-Z])/g, "_");
  return words
    .toLowerCase()
    .split(/[^a-z]+/)
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word))
    .filter((word) => word !== "" && word !== "obsidian");
}

function verbOf(words: readonly string[]): string | undefined {
  for (const word of words)
    for (const [verb, spellings] of Object.entries(VERBS))
      if (spellings.some((spelling) => spelling === word || spelling.replace(/s$/, "") === word)) return verb;
  return undefined;
}

function sharesNoun(known: string, words: readonly string[], verb: string): boolean {
  const nouns = words.filter((word) => verbOf([word]) !== verb);
  return nouns.length === 0 || wordsOf(known).some((word) => nouns.includes(word));
}
