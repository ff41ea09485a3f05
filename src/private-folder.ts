/** Makes a folder, with those above it, that only this user may enter. */
import fs from "node:fs";
import { dirname } from "node:path";

/** On Node 20 `recursive` never ends in a folder that accepts none, such as `/proc`. @throws Error of node:fs */
export function makePrivateFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  if (dirname(folder) !== folder) makePrivateFolder(dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it.
    if (!fs.existsSync(folder)) throw error;
  }
}
