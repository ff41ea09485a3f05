/** Lists the files of a vault by path, optionally by pattern (docs: notes-and-files, "get_workspace_files"). */
import type { VaultPath } from "../storage/path.js";
import type { VaultIndex } from "../index/vault-index.js";
import type { FileList, ListFilesOptions } from "./files.js";

export async function listFiles(
  index: VaultIndex,
  { pattern, signal, onProgress }: ListFilesOptions,
): Promise<FileList> {
  const view = await index.refresh({
    facts: [],
    files: true,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const paths = view.files({ hidden: true }).map(({ path }) => path);
  return { paths: (await fitting(paths, pattern, signal)).sort(), passedOver: view.passedOver.length };
}

async function fitting(paths: VaultPath[], pattern = "", signal?: AbortSignal): Promise<VaultPath[]> {
  if (pattern === "") return paths;
  const { pathsMatching } = await import("./pattern.js");
  return pathsMatching(paths, pattern, { signal });
}
