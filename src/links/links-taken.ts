/** Says which links lead to a new file because other files have its name (docs: notes-and-files, "New notes"). */
import { orIfFailed } from "../errors.js";
import type { VaultPath } from "../storage/path.js";
import { counted } from "../text/plural.js";
import { namesakes } from "../vault/new-path.js";
import type { Vault } from "../vault/vault.js";
import type { Links } from "./service.js";

const MAX_NAMED = 3;

/** A sentence; undefined when no link leads to it. No note is read for a name that is unique. */
export async function linksTaken(
  vault: Vault,
  links: Pick<Links, "ask">,
  path: VaultPath,
): Promise<string | undefined> {
  const others = await orIfFailed(namesakes(vault, path), []);
  if (others.length === 0) return undefined;
  const linking = await orIfFailed(
    links.ask({}, (graph) => graph.backlinks(path)),
    undefined,
  );
  if (!linking) return `Links to its name may lead to '${path}' now; ${sameName(others)}.`;
  const count = linking.filter(({ from }) => from !== path).length;
  if (count === 0) return undefined;
  return `${counted(count, "link")} ${count === 1 ? "leads" : "lead"} to '${path}' now; ${sameName(others)}.`;
}

function sameName(paths: readonly VaultPath[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => `'${path}'`);
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${named.join(", ")}${more} ${paths.length === 1 ? "has" : "have"} the same name`;
}
