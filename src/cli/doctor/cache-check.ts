/** Looks at the folder where indexes are kept between runs: can it be used, and how much is in it. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "./finding.js";
import { isUsable, nearestFolder } from "./usable-folder.js";

const subject = "cache";
const SUFFIX = ".catalog";
const NO_CACHE = "without it every start reads all notes";

/** @param folder undefined: none is kept */
export function checkCache(folder: string | undefined): Finding[] {
  if (folder === undefined)
    return [{ level: "note", subject, message: `switched off: ${NO_CACHE}`, advice: ADVICE_OFF }];
  const place = nearestFolder(folder);
  if (!isUsable(place)) {
    const what = place === folder ? folder : `${folder} cannot be made, because ${place}`;
    const advice = `Make it a folder you may write to, or name another one with --cache-folder; ${NO_CACHE}.`;
    return [{ level: "warning", subject, message: `${what} cannot be written`, advice }];
  }
  if (place !== folder) return [{ level: "ok", subject, message: `${folder} will be made when first needed` }];
  const sizes = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  const size = Math.ceil(sizes.reduce((sum, bytes) => sum + bytes, 0) / 1024);
  const message = `${folder}: ${sizes.length} ${sizes.length === 1 ? "index" : "indexes"}, ${size} KiB; deleting it costs only time`;
  return [{ level: "ok", subject, message }];
}

const ADVICE_OFF = "Leave out --no-cache to keep one.";
