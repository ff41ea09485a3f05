/** Answers that need all of a vault's index. */
import { silentLog } from "../../src/log.js";
import { closeVault, openFolder } from "../../src/open.js";
import type { IndexOrder } from "./index-rig.js";

/** @param begin called before the first refresh */
export async function askIndex(
  { vault, cache }: IndexOrder,
  begin: () => unknown = () => undefined,
): Promise<readonly (readonly string[])[]> {
  const opened = await openFolder(vault, "vault", { cacheFolder: cache, log: silentLog, session: false });
  begin();
  const { notes } = await opened.notes.find({ query: "quagga", sortBy: "path", includeContent: false });
  const { tasks } = await opened.tasks.search({ query: "*" });
  await closeVault(opened);
  return [notes.map(({ path }) => path), tasks.map(({ path }) => path).toSorted()];
}
