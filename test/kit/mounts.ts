/** Whether tests may mount disks of their own. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import nodePath from "node:path";

/** Only as root, and not in every container. */
export function mayMount(): boolean {
  const folder = fs.mkdtempSync(nodePath.join(os.tmpdir(), "mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "none", folder], { stdio: "ignore" });
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
