/** All files of a vault by path, or those that match a pattern (spec: file-tools, "get_workspace_files"). */
import type { VaultPath } from "../storage/path.js";
import type { Catalog } from "../catalog/catalog.js";
import type { FileList, ListFilesOptions } from "./files.js";

export async function listFiles(
  catalog: Catalog,
  { pattern, signal, onProgress }: ListFilesOptions,
): Promise<FileList> {
  const view = await catalog.refresh({
    facts: [],
    files: true,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const paths = view.files({ hidden: true }).map(({ path }) => path);
  return { paths: (await fitting(paths, pattern, signal)).sort(), passedOver: view.passedOver.length };
}

/** An empty pattern matches everything. */
async function fitting(paths: VaultPath[], pattern = "", signal?: AbortSignal): Promise<VaultPath[]> {
  if (pattern === "") return paths;
  const { pathsMatching } = await import("./pattern.js");
  return pathsMatching(paths, pattern, { signal });
}
