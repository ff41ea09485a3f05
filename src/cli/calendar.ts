/** The command `calendar` (docs: calendar, "The feed"). */
import { type CalendarFilters, type LinkFolder, linkFolder, minutesOf } from "../calendar/link-folder.js";
import { TaskCalendar, type CalendarText } from "../calendar/task-calendar.js";
import { isVaultError, systemCode } from "../errors.js";
import type { Log } from "../log.js";
import { inSpeech } from "../text/wording.js";
import { deepLink } from "../tools/file-view.js";
import { failedOutcome, type ToolOutcome } from "../tools/outcome.js";
import { EXIT_CODES } from "./exit-codes.js";
import { shellWord, speechOf } from "./speech.js";
import { addressText, publicUrl, httpAddress } from "./serve/http-access.js";
import { OPTIONS, type OptionName, type Settings } from "./options/options.js";
import { misused } from "./options/option-kinds.js";
import { printable, writeOut } from "./terminal.js";
import { withVault } from "./vault-opener.js";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { stateFolder, thisPlatform } from "./places.js";

const LIST_ADVICE = "calendar links lists them.";

/** @returns what to print, or the exit code */
export async function runCalendar(words: string, settings: Settings, log: Log): Promise<ToolOutcome | number> {
  const [, action = "", name = ""] = /^(\S+)\s*(.*)$/s.exec(words.trim()) ?? [];
  const links = calendarLinks(settings);
  if (!links) throw new Error("the command was begun without a vault");
  try {
    if (action === "link") return await makeLink(name, links, settings, log);
    if (action === "print" && name === "") return await print(settings, log);
    refuseFilters(action, settings);
    if (action === "links" && name === "") return listed(links);
    if (action === "revoke" && name === "") throw misused("calendar revoke", "needs the name of a link", LIST_ADVICE);
    if (action === "revoke") return revoked(name, links);
  } catch (error) {
    if (isVaultError(error) && error.code !== "INVALID_ARGUMENT")
      return failedOutcome(error.in(speechOf("calendar")), "");
    throw isVaultError(error) ? error.in(speechOf("calendar")) : error;
  }
  throw misused("calendar", "takes link <name>, links, revoke <name> or print");
}

async function makeLink(name: string, links: LinkFolder, settings: Settings, log: Log): Promise<ToolOutcome> {
  if (name.trim() === "")
    throw misused("calendar link", "needs a name for the calendar", "Write: calendar link <name>");
  const filters = filtersOf(settings);
  const origin = publicUrl(settings)?.origin ?? `http://${addressText(httpAddress(settings))}`;
  // Reports an unreadable vault first.
  const { entries, remarks } = await calendarOf(name, filters, settings, log);
  const secret = inStateFolder(() => links.add({ name, filters }));
  const url = `${origin}/calendar/${secret}.ics`;
  const webcal = url.replace(/^https?:/, "webcal:");
  const count = entries === 1 ? "1 entry" : `${entries} entries`;
  const advice = settings.publicUrl === undefined ? [NO_PUBLIC_URL] : [];
  return {
    ok: true,
    text: `The calendar "${name.trim()}" has ${count} now. Its addresses, which are shown this once:\n\n${url}\n${webcal}\n\nAnyone who has one can read the calendar; calendar revoke ${shellWord(name.trim())} ends both.${[...remarks, ...advice].map((one) => `\n\n${one}`).join("")}`,
    data: { name: name.trim(), entries, ...(remarks.length > 0 && { remarks }), url, webcal },
  };
}

/** Its failures name no path. */
function inStateFolder<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (isVaultError(error)) throw error;
    const code = systemCode(error);
    const needed = `needs a state folder that can be read and written${code === undefined ? "" : ` (${code})`}`;
    throw misused("calendar", needed, `Name one with ${OPTIONS.stateFolder.flag}.`);
  }
}

const NO_PUBLIC_URL =
  "They lead to this machine and this port; --port names another. With --public-url <url> (PUBLIC_URL) they lead to where others reach the server.";

function listed(links: LinkFolder): ToolOutcome {
  const found = inStateFolder(() => links.list());
  const lines = found.map(({ name, filters }) => `- ${name}${described(filters)}`);
  const text = lines.length === 0 ? "There are no calendar links. To make one: calendar link <name>" : lines.join("\n");
  return { ok: true, text, data: { links: found.map(({ name, filters }) => ({ name, shows: filters })) } };
}

function described(filters: CalendarFilters): string {
  const parts = Object.entries(filters).map(([name, value]) => (value === true ? name : `${name} ${String(value)}`));
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}

function revoked(name: string, links: LinkFolder): ToolOutcome {
  inStateFolder(() => links.revoke(name));
  return { ok: true, text: `The address of "${name}" leads nowhere from now on.`, data: { revoked: name } };
}

async function print(settings: Settings, log: Log): Promise<ToolOutcome | number> {
  const { bytes, entries, remarks } = await calendarOf("Tasks", filtersOf(settings), settings, log);
  for (const one of remarks) process.stderr.write(`${printable(one)}\n`);
  const text = bytes.toString("utf8");
  if (settings.json) return { ok: true, text, data: { entries, calendar: text } };
  await writeOut(text);
  return EXIT_CODES.ok.number;
}

/** `remarks`: how the filters were read. */
async function calendarOf(
  name: string,
  filters: CalendarFilters,
  settings: Settings,
  log: Log,
): Promise<CalendarText & { readonly remarks: readonly string[] }> {
  return withVault(settings, log, async (workspace) => {
    const { tasks, vault, linkName } = await workspace.current();
    const calendar = new TaskCalendar({ tasks, vaultId: vault.id, linkTo: ({ path }) => deepLink(path, linkName) });
    const made = await calendar.read(name, filters);
    const { area, project, tags } = filters;
    if (area === undefined && project === undefined && tags === undefined) return { ...made, remarks: [] };
    const hits = await tasks.search({ query: "*", area, project, tags, limit: 1 });
    return { ...made, remarks: hits.remarks.flatMap((one) => inSpeech(one, speechOf("calendar")) ?? []) };
  });
}

const FILTERS = ["area", "project", "tag", "done", "dates", "alarm"] as const satisfies readonly OptionName[];

function refuseFilters(action: string, settings: Settings): void {
  const given = FILTERS.find((name) => {
    const value = settings[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
  const stray = given ?? (settings.component === OPTIONS.component.fallback ? undefined : "component");
  if (stray !== undefined)
    throw misused(OPTIONS[stray].flag, `says what a calendar shows; it goes with link and print, not with ${action}`);
}

function filtersOf({ area, project, tag, done, dates, component, alarm }: Settings): CalendarFilters {
  const [only, another] = project;
  if (another !== undefined) throw misused(OPTIONS.project.flag, "is given twice", "A calendar is of one project.");
  if (alarm !== undefined && minutesOf(alarm) === undefined)
    throw misused(OPTIONS.alarm.flag, `is "${alarm}", which is no time such as 08:30`);
  return {
    ...(area !== undefined && { area }),
    ...(only !== undefined && { project: only }),
    ...(tag.length > 0 && { tags: tag }),
    ...(done && { done }),
    ...(dates !== undefined && { dates }),
    ...(component === "todo" && { component }),
    ...(alarm !== undefined && { alarm }),
  };
}

export function calendarLinks(settings: Settings): LinkFolder | undefined {
  const { vault } = settings;
  if (vault === undefined) return undefined;
  const folder = resolve(settings.stateFolder ?? stateFolder(thisPlatform(process.env)));
  return linkFolder({ folder, vault: () => vaultKey(vault, settings) });
}

/** Without credentials. */
function vaultKey(vault: string, { couchdbUrl, livesyncSetupUri }: Settings): string {
  if (couchdbUrl !== undefined && URL.canParse(couchdbUrl)) {
    const { origin, pathname } = new URL(couchdbUrl);
    return JSON.stringify([vault, origin, pathname]);
  }
  if (couchdbUrl !== undefined || livesyncSetupUri !== undefined) return JSON.stringify([vault]);
  try {
    return `folder:${realpathSync(vault)}`;
  } catch {
    // The vault is gone, so that no link is found.
    return `folder:${resolve(vault)}`;
  }
}
