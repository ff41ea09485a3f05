/** Whether one of the program's folders can be used or made. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The folder, or its nearest parent that exists. */
export function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

export function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
