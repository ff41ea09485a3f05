/** Where the secret links to a vault's calendars are stored: the command that makes them and the server must agree on it. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { LinkFolder } from "../calendar/link-folder.js";
import type { Settings } from "./options/options.js";
import { stateFolder, thisPlatform } from "./places.js";

/** Undefined without a configured vault, since calendars are of that one. */
export function calendarLinks(settings: Settings): LinkFolder | undefined {
  const { vault } = settings;
  if (vault === undefined) return undefined;
  const folder = resolve(settings.stateFolder ?? stateFolder(thisPlatform(process.env)));
  return new LinkFolder({ folder, vault: () => vaultKey(vault, settings) });
}

/** What identifies the vault: of a folder its real path, of a database its server and name, without user and password. */
function vaultKey(vault: string, { couchdbUrl, setupUri }: Settings): string {
  if (couchdbUrl !== undefined && URL.canParse(couchdbUrl)) {
    const { origin, pathname } = new URL(couchdbUrl);
    return JSON.stringify([vault, origin, pathname]);
  }
  if (couchdbUrl !== undefined || setupUri !== undefined) return JSON.stringify([vault]);
  try {
    return `folder:${realpathSync(vault)}`;
  } catch {
    // Its disk may be missing; then no link is found, and the server says so.
    return `folder:${resolve(vault)}`;
  }
}
