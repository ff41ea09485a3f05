/** The opener of vaults for a server with many callers: it limits how many vaults are open. */
import { VaultError } from "../../errors.js";
import type { ClosableOpener } from "../../open.js";

/** Each vault costs memory and watches; a caller who may scan any folder could open thousands. */
const MAX_VAULTS = 16;

/** @param home the configured vault, which is never refused */
export function boundedOpener(
  door: ClosableOpener,
  home: string | undefined,
  most: number = MAX_VAULTS,
): ClosableOpener {
  let open = 0;
  return {
    resolve: (path) => door.resolve(path),
    async open(folder, name, access) {
      if (open >= most && name !== home)
        throw new VaultError("UNAVAILABLE", `${most} vaults are open already.`, { hint: "Work with one of those." });
      open++;
      try {
        return await door.open(folder, name, access);
      } catch (error) {
        open--;
        throw error;
      }
    },
    close: () => door.close(),
  };
}
