/** Checks a vault: can it be read and written, what is in it, and which notes need fixing. */
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { isVaultError } from "../../errors.js";
import type { Dialect } from "../../tasks/fields/dialect.js";
import { dialectOfNotes, noteFormat } from "../../tasks/note-format/format.js";
import type { Agenda } from "../../tasks/api.js";
import type { Task, TaskProblem } from "../../tasks/task.js";
import { projectsFolder } from "../../tasks/note-format/new-task.js";
import type { OpenVault } from "../../tools/workspace.js";
import type { CatalogView, Progress } from "../../catalog/catalog.js";
import { PARA_BUCKETS } from "../../catalog/para.js";
import { leftOut, unfollowedLinks, type PassedOverNotice } from "../../catalog/unlisted.js";
import type { Finding } from "./finding.js";

/** More findings of a kind than this are counted, not listed. */
const MOST_LISTED = 100;

/** @param folder the vault's folder as from the door's `resolve` */
export function checkFolder(folder: string, name: string): Finding[] {
  const findings: Finding[] = [{ level: "ok", subject: "vault", message: `found: ${name}` }];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    findings.push({ level: "ok", subject: "vault", message: "can be read and written" });
  } catch {
    findings.push({
      level: "error",
      subject: "vault",
      message: "cannot be written",
      advice:
        "Check the folder's permissions and that its disk is not mounted read-only; reading tools work all the same.",
    });
  }
  if (!existsSync(join(folder, ".obsidian"))) {
    findings.push({
      level: "note",
      subject: "vault",
      message: "holds no .obsidian folder",
      advice: "If this is not the folder you open in Obsidian, use that one, so that links and settings are found.",
    });
  }
  return findings;
}

/** Findings from the index of the vault. */
export async function checkNotes(
  { vault, tasks }: Pick<OpenVault, "vault" | "tasks">,
  onProgress?: (progress: Progress) => void,
): Promise<Finding[]> {
  // Checkbox lines must be requested before the agenda can tell how many do not count.
  await tasks.search({ query: "*", is: ["inline"], limit: 0 }, onProgress ? { onProgress } : {});
  const agenda = await tasks.agenda();
  const settings = await vault.settings();
  const view = await vault.catalog.refresh({ facts: [noteFormat.readerFor(settings)] });
  const { tasks: all } = await tasks.all();
  const folders = PARA_BUCKETS.flatMap((bucket) => agenda.paraFolders[bucket].map((path) => `${bucket}: ${path}`));
  const home = projectsFolder(agenda.paraFolders);
  return [
    { level: "ok", subject: "notes", message: `${agenda.noteCount} notes, ${agenda.taskCount} tasks` },
    folders.length > 0
      ? { level: "ok", subject: "PARA folders", message: folders.join(", ") }
      : {
          level: "note",
          subject: "PARA folders",
          message: "none",
          advice: `Nothing needs to be done: ${home} is made with the first new task.`,
        },
    ...inlineFindings(agenda),
    describeDialect(dialectOfNotes(view, settings)),
    ...problemFindings(agenda.problems, view),
    ...duplicateIds(all),
    ...linkFindings(unfollowedLinks(view.passedOver), home),
  ];
}

function inlineFindings({ inline, unreadInline = 0 }: Agenda): Finding[] {
  const [subject, boxes] = ["checkboxes", "checkboxes are marked as tasks"];
  if (inline.tasks > 0)
    return [{ level: "ok", subject, message: `${inline.tasks} outstanding, in ${inline.notes} notes, count as tasks` }];
  if (unreadInline === 0) return [];
  const advice = "With --inline-tasks marked they count; auto counts them where the Tasks plugin is on.";
  return [{ level: "note", subject, message: `${unreadInline} ${boxes} and do not count`, advice }];
}

function describeDialect({ tasks, keys, marker, lists }: Dialect): Finding {
  if (tasks === 0) return { level: "note", subject: "dialect", message: "no tasks yet: new ones get the plain style" };
  const spelled = ["status", "due", "priority", "area", "projects"].flatMap((field) => keys[field] ?? []);
  const by = marker === "tag" ? "a tag" : "a type key";
  return {
    level: "ok",
    subject: "dialect",
    message: `tasks are marked by ${by}, lists are ${lists}${spelled.length > 0 ? `, keys: ${spelled.join(", ")}` : ""}`,
  };
}

function problemFindings(problems: readonly TaskProblem[], { passedOver }: CatalogView): readonly Finding[] {
  const unseen = leftOut(passedOver);
  const unseenPaths = new Set(unseen.map(({ path }) => path));
  const inNotes = problems.filter(({ path }) => !unseenPaths.has(path));
  const findings = [
    ...unseen.map(({ path, message, advice }): Finding => ({
      level: "warning",
      subject: "vault",
      path,
      message,
      advice,
    })),
    ...inNotes.map(({ path, line, column, message }): Finding => {
      return { level: "warning", subject: "note", path, line, column, message, advice: IN_NOTE };
    }),
  ];
  return firstOf(findings, {
    level: "warning",
    subject: "note",
    message: `and ${findings.length - MOST_LISTED} more problems`,
    advice: "Fix the first ones and look again.",
  });
}

const IN_NOTE = "Fix this place in Obsidian; until then the value is left out and edits of the note may be refused.";

/** @param home the folder for new tasks, whose place such a link may take */
function linkFindings(links: readonly PassedOverNotice[], home: string): readonly Finding[] {
  const findings = links.map(({ path, message, advice }): Finding => {
    if (path !== home) return { level: "note", subject: "link", path, message, advice };
    const blocked = "New tasks cannot be made: a link that leads nowhere they may go stands where their folder should.";
    return { level: "warning", subject: "link", path, message: blocked, advice: "Fix or remove the link." };
  });
  return firstOf(findings, {
    level: "note",
    subject: "link",
    message: `and ${findings.length - MOST_LISTED} more links that are not followed`,
    advice: "They are left alone on purpose: nothing outside the vault is read.",
  });
}

function firstOf(findings: readonly Finding[], rest: Finding): readonly Finding[] {
  return findings.length > MOST_LISTED ? [...findings.slice(0, MOST_LISTED), rest] : findings;
}

function duplicateIds(tasks: readonly Task[]): Finding[] {
  const paths = new Map<string, string[]>();
  for (const { source, id, path } of tasks)
    if (source === "note" && id !== path) paths.set(id, [...(paths.get(id) ?? []), path]);
  return [...paths]
    .filter(([, sharing]) => sharing.length > 1)
    .map(([id, sharing]) => ({
      level: "warning",
      subject: "ids",
      message: `${sharing.length} notes have the id ${JSON.stringify(id)}: ${sharing.sort().join(", ")}`,
      advice: "Change or remove the id in all but one of them; until then use their paths.",
    }));
}

/** A failure to open or read the vault as a finding. */
export function failureFinding(error: unknown): Finding {
  if (!isVaultError(error))
    return { level: "error", subject: "vault", message: "cannot be read", advice: "DEBUG=true tells more." };
  return {
    level: "error",
    subject: "vault",
    message: error.message,
    ...(error.hint === undefined ? {} : { advice: error.hint }),
  };
}
