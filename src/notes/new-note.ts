/** Chooses a new note's folder and name (docs: obsidian, "Links"). */
import { VaultError } from "../errors.js";
import { call, said } from "../text/said.js";
import { isDeviceName, safeFileName } from "../storage/file-name.js";
import {
  baseName,
  folderOf,
  folderPath,
  foldName,
  isMarkdown,
  joinPath,
  ROOT,
  vaultPath,
  type VaultPath,
} from "../storage/path.js";
import type { Vault } from "../vault/vault.js";
import type { NoteDraft } from "./api.js";

/** Characters that break links or file systems. Words and emoji need joiners. */
const FORBIDDEN = /[\\:*?"<>|#^[\]]|%%|\p{Cc}|(?![\u200C\u200D])\p{Cf}/u;

/**
 * @throws VaultError INVALID_ARGUMENT with a name that works, or when name and folder contradict; PERMISSION_DENIED
 * when the path leaves the vault or is hidden
 */
export async function pathOfNew(vault: Vault, { name, folder }: NoteDraft): Promise<VaultPath> {
  const text = name.trim().normalize("NFC");
  const stem = text.replace(/\.md$/i, "");
  const path = vaultPath(text.endsWith("/") ? text : `${stem}.md`, vault.pathRules);
  assertName(baseName(path).slice(0, -".md".length));
  const named = text.includes("/") ? folderOf(path) : undefined;
  const wanted = folder === undefined ? undefined : folderPath(folder.trim().normalize("NFC"), vault.pathRules);
  if (named !== undefined && wanted !== undefined && foldName(named) !== foldName(wanted))
    throw new VaultError("INVALID_ARGUMENT", "The name is a path already, in another folder than `path`.", {
      hint: "Give a bare name with `path`, or the whole path as the name.",
    });
  const target = wanted ?? named ?? (await defaultFolder(vault));
  return joinPath(await existingSpelling(vault, target), baseName(path));
}

export function assertNote(path: VaultPath): void {
  if (isMarkdown(path)) return;
  throw new VaultError("INVALID_ARGUMENT", `'${path}' is no note: its name does not end in .md.`, {
    path,
    hint: said`${call("view", { path }, "view")} shows other files, ${call("delete", { path }, "delete")} removes them; both are of the toolset files.`.or(
      "Open it with another program.",
    ),
  });
}

function assertName(name: string): void {
  const isBad = FORBIDDEN.test(name) || /^[.\s]|[.\s]$/u.test(name) || isDeviceName(name) || name === "";
  if (!isBad) return;
  const safe = safeFileName(name);
  throw new VaultError(
    "INVALID_ARGUMENT",
    'A name cannot hold \\ : * ? " < > | # ^ [ ] or invisible characters, begin with a dot, end with a dot or blank, or be a device of Windows.',
    { hint: safe === "" ? "Choose another name." : `"${safe}" would do.` },
  );
}

/** "Same folder as current file" means the root, because no note is open. */
async function defaultFolder(vault: Vault): Promise<VaultPath> {
  const { newFileLocation, newFileFolder } = await vault.settings();
  return newFileLocation === "folder" ? newFileFolder : ROOT;
}

/** The folder in the vault's spelling: `work` means an existing `Work`. New parts must be valid names. */
async function existingSpelling(vault: Vault, folder: VaultPath): Promise<VaultPath> {
  if (folder === ROOT || (await vault.children(folder)) !== undefined) return folder;
  let path = ROOT;
  for (const part of folder.split("/")) {
    const entries = (await vault.children(path)) ?? [];
    const same = entries.filter(({ name, kind }) => kind === "folder" && foldName(name) === foldName(part));
    const found = same.find(({ name }) => name === part) ?? same[0];
    if (!found) assertName(part);
    path = found?.path ?? joinPath(path, part);
  }
  return path;
}
