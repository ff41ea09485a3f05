/** Changes in the vault, and by whom (docs: undo). */
import { echoDay, requirePastDay } from "../../dates/read-day.js";
import { argument, joined, nextPage, said, type Wording } from "../../text/wording.js";
import { startOfDay } from "../../dates/days.js";
import { isVaultError, orIfFailed, VaultError } from "../../errors.js";
import { operationReference, type HistoryEntry } from "../../history/journal-records.js";
import { ANSWER_WEIGHT, endWithin } from "../../text/answer-weight.js";
import {
  array,
  boolean,
  count,
  integer,
  object,
  optional,
  string,
  unlisted,
  type Infer,
  optionalObjects,
} from "../schema.js";
import { folderPath } from "../../storage/path.js";
import type { Vault } from "../../vault/vault.js";
import { excerpt } from "../safe-text.js";
import { defineTool } from "../tool.js";
import { PATH_SHOWN, updatedFields } from "../file-view.js";

const MAX_LIMIT = 100;
/** Of a change; the text counts the others. */
const MAX_FILES = 3;
const MAX_ALL_FILES = 20;

const output = object({
  changes: optionalObjects("Newest first", "A change", {
    operation: string("op-…; undo_edit takes it as path"),
    at: string("When, as YYYY-MM-DD HH:MM"),
    by: string("Who: a client and its transport, or a token's name"),
    tool: string("The tool, or what the change was for"),
    fields: optional(string("Of a task: which fields were given")),
    files: array(PATH_SHOWN, "Where the files were then", { maxItems: MAX_ALL_FILES }),
    fileCount: optional(count("How many those are, where not all are listed")),
  }),
  cursor: optional(string("For the next page; absent on the last")),
  diff: optional(string("A unified diff of that operation")),
  cut: optional(boolean("True when the diff is longer than an answer")),
  remarks: optional(array(string(), "How a day in words was read")),
});
export type GetHistoryAnswer = Infer<typeof output>;

export const getHistory = defineTool({
  name: "get_history",
  title: "List changes",
  toolset: "files",
  alsoIn: ["tasks"],
  effect: "reads",
  showsFormerTexts: true,
  description: "Lists changes made through this server, newest first; or shows one as a diff.",
  input: object({
    path: optional(string("File or folder", { role: "place" })),
    since: optional(string("This day or later")),
    by: unlisted(string("Part of the caller's name")),
    diff: optional(string("op-…: show what it changed")),
    limit: unlisted(integer("Default 20", { minimum: 1, maximum: MAX_LIMIT })),
    cursor: optional(string("From the last answer")),
    allFields: unlisted(boolean("More files of each change, as the page searches them")),
  }),
  output,
  failure: "",
  async run({ path, since, by, diff, limit, cursor, allFields }, { workspace, say }) {
    const { files, vault } = await workspace.current();
    if (diff !== undefined) {
      const [filter] = Object.entries({ path, since, by }).find(([, value]) => value !== undefined) ?? [];
      if (filter !== undefined)
        throw new VaultError("INVALID_ARGUMENT", said`${argument("diff")} shows one change, whole.`, {
          hint: said`Leave out ${argument(filter)}.`,
        });
      const text = await files.diff(diff);
      const end = endWithin(text, 0, ANSWER_WEIGHT);
      return { diff: text.slice(0, end), cut: end < text.length || undefined };
    }
    const { clock } = vault;
    const today = clock.today();
    const day = since === undefined ? undefined : requirePastDay(argument("since"), since, today);
    const from = day && startOfDay(day.day, clock);
    const page = await files.history({ path, since: from, by, limit, cursor });
    const echo = since === undefined || !day ? undefined : echoDay(argument("since"), since, day, today);
    const changes = page.entries.map((entry) => shown(entry, clock.timeZone, allFields ? MAX_ALL_FILES : MAX_FILES));
    const given = { path, since: from, by };
    const filters = Object.entries({ path, since, by }).filter(([, text]) => text !== undefined);
    const without = changes.length > 0 || cursor !== undefined ? [] : filters;
    const remarks: Wording[] = echo === undefined ? [] : [echo];
    if (changes.length === 0 && path !== undefined && !(await isThere(vault, path)))
      remarks.push(`There is no file or folder '${excerpt(path)}'.`);
    for (const [name, text] of without) {
      const more = await orIfFailed(files.history({ ...given, [name]: undefined, limit: 1 }), undefined);
      if (more !== undefined && more.entries.length > 0)
        remarks.push(said`Without ${argument(name)} ${JSON.stringify(text)} there are changes.`);
    }
    return { changes, cursor: page.cursor, remarks: remarks.length === 0 ? undefined : say(remarks) };
  },
  text: report,
  details: ({ remarks }) => remarks?.join("\n"),
});

/** True also for an unreadable one. */
async function isThere(vault: Vault, path: string): Promise<boolean> {
  const place = folderPath(path, vault.pathRules);
  try {
    if ((await vault.children(place)) === undefined) await vault.stat(place);
    return true;
  } catch (error) {
    return !isVaultError(error, "FILE_NOT_FOUND");
  }
}

function shown({ id, at, caller, reason, files }: HistoryEntry, timeZone: string, most: number) {
  return {
    operation: operationReference(id) ?? "",
    at: minuteOf(at, timeZone),
    by: caller.owner === undefined ? (caller.client ?? "library") : `${caller.owner} (http)`,
    tool: caller.tool ?? excerpt(reason, 60),
    fields: updatedFields(reason),
    files: files.slice(0, most),
    fileCount: files.length > most ? files.length : undefined,
  };
}

/** `2026-11-23 14:02`. */
function minuteOf(at: number, timeZone: string): string {
  const form = { dateStyle: "short", timeStyle: "short", hourCycle: "h23", timeZone } as const;
  return new Intl.DateTimeFormat("sv-SE", form).format(at);
}

function report({ changes = [], cursor, diff, cut }: GetHistoryAnswer): Wording {
  if (diff !== undefined) return cut ? `${diff}\n[… the rest is cut: view the files, or undo and read them]` : diff;
  if (changes.length === 0) return "No changes found.";
  const lines = changes.map(({ operation, at, by, tool, fields, files, fileCount = files.length }) =>
    [
      at,
      by,
      fields === undefined ? tool : `${tool} (${excerpt(fields, 60)})`,
      fileCount === 1 ? files[0] : `${fileCount} notes`,
      operation,
    ].join(" · "),
  );
  return joined([...lines, cursor === undefined ? undefined : said`[More: ${nextPage(`cursor "${cursor}"`)}]`]);
}
