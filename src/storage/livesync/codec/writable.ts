/** Which files may be written to a LiveSync database: what its clients would refuse, or obey as a command, is refused here (spec: livesync, section 8). */
import { VaultError } from "../../../errors.js";
import { isHidden, type VaultPath } from "../../path.js";

/** Files that make a client stop syncing or rebuild its vault, and its logs. */
const COMMANDS = /^(?:redflag[^/]*\.md|flag_[^/]*\.md|livesync_log_.*)$/i;
const MAX_SIZE = 50 * 1024 * 1024;

/** @throws VaultError INVALID_ARGUMENT, PERMISSION_DENIED or TOO_LARGE */
export function assertSyncable(path: VaultPath, size = 0): void {
  if (path.includes(":")) {
    throw new VaultError("INVALID_ARGUMENT", `'${path}' has a colon, which LiveSync keeps for itself.`, {
      path,
      hint: "Choose a name without a colon.",
    });
  }
  if (isHidden(path)) {
    throw new VaultError("PERMISSION_DENIED", `'${path}' is hidden; LiveSync keeps hidden files apart.`, { path });
  }
  if (COMMANDS.test(path)) {
    throw new VaultError("PERMISSION_DENIED", `'${path}' is a name that LiveSync obeys as a command or logs to.`, {
      path,
      hint: "Choose another name.",
    });
  }
  if (size > MAX_SIZE) {
    throw new VaultError("TOO_LARGE", `'${path}' would be longer than 50 MB; LiveSync does not sync such files.`, {
      path,
    });
  }
}
