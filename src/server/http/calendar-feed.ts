/** Calendars at secret addresses, `/calendar/<secret>.ics` (docs: calendar, "The feed"). */
import { unlessLate } from "../../async/timers.js";
import { feedDigest, isFeedSecret, type FeedLink, type LinkFolder } from "../../calendar/link-folder.js";
import type { CalendarText, TaskCalendar } from "../../calendar/task-calendar.js";
import { isVaultError } from "../../errors.js";
import type { Log } from "../../log.js";
import { deepLink } from "../../tools/file-view.js";
import type { OpenVault, Workspace } from "../../tools/workspace.js";
import { CALL_LIMITS } from "../calls.js";
import type { RateLimit } from "./guards.js";
import { tooManyRequests, unavailable } from "./refusal.js";
import { findToken, type NamedToken } from "./tokens.js";

interface CalendarFeedOptions {
  readonly links: Pick<LinkFolder, "find"> | undefined;
  /** They open all dated tasks. */
  readonly tokens: readonly NamedToken[];
  readonly workspace: Workspace;
  /** Per calendar. */
  readonly rate: RateLimit | undefined;
  readonly log: Log;
}

export interface CalendarFeed {
  read(secret: string): Promise<CalendarText | undefined>;
}

export function secretCalendars(options: CalendarFeedOptions): CalendarFeed {
  const calendars = new WeakMap<OpenVault, TaskCalendar>();

  async function read(secret: string): Promise<CalendarText | undefined> {
    const link = findLink(secret);
    if (!link) return undefined;
    const wait = options.rate?.take(`calendar ${link.name}`) ?? 0;
    if (wait > 0) throw tooManyRequests(wait);
    return make(link);
  }

  /** Not cached: a revoked link stops at once. */
  function findLink(secret: string): FeedLink | undefined {
    if (!isFeedSecret(secret)) return undefined;
    const token = findToken(options.tokens, secret);
    return token ? { name: token.name, filters: {} } : options.links?.find(feedDigest(secret));
  }

  async function make({ name, filters }: FeedLink): Promise<CalendarText> {
    try {
      const calendar = await calendarFor(await options.workspace.current());
      // The work continues for the next request.
      const made = await unlessLate(calendar.read(name, filters), CALL_LIMITS.callMs);
      if (made) return made;
    } catch (error) {
      if (!isVaultError(error)) throw error;
      options.log.warn("A calendar could not be made", { code: error.code });
    }
    throw unavailable("Unavailable", "The vault cannot be read at the moment.", 60);
  }

  async function calendarFor(opened: OpenVault): Promise<TaskCalendar> {
    const known = calendars.get(opened);
    if (known) return known;
    const { TaskCalendar } = await import("../../calendar/task-calendar.js");
    const { tasks, vault, linkName } = opened;
    const made = new TaskCalendar({ tasks, vaultId: vault.id, linkTo: ({ path }) => deepLink(path, linkName) });
    calendars.set(opened, made);
    return made;
  }

  return { read };
}
