/** Bad conditions for a benchmark: a machine four times slower, and files that no cache of the system holds. Linux only. */
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

/** Of one processor the programs under test get a fourth: so many others are busy on it. */
const BUSY = 3;

/** Ends with its parent, however that ends. */
const IDLE_NEVER = "const parent = process.ppid; while (process.ppid === parent);";

const EVICT = `
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        handle = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)
`;

/** Keeps this process and all it starts to one processor, which others are busy on too. @returns what ends that */
export function slowDown() {
  execFileSync("taskset", ["-cp", "0", String(process.pid)], { stdio: "ignore" });
  const busy = Array.from({ length: BUSY }, () => spawn(process.execPath, ["-e", IDLE_NEVER], { stdio: "ignore" }));
  return () => busy.forEach((child) => child.kill());
}

/**
 * Has the system forget what it read: everything where this may be said to it, which root may, else the vault's notes (with python3).
 * @returns in words what was forgotten
 */
export function forgetFiles(vault) {
  execFileSync("sync");
  try {
    writeFileSync("/proc/sys/vm/drop_caches", "3");
    return "nothing cached";
  } catch {
    execFileSync("python3", ["-c", EVICT, vault]);
    return "no note cached";
  }
}
