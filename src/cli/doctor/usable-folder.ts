/** Whether a folder of ours can be used, or made: asked of every place where the program keeps something between runs. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The folder, or the nearest one above it that is there. */
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
