/** Makes a new note: its folder, name and text (docs: obsidian, "Links"). */
import { isVaultError, VaultError } from "../errors.js";
import type { Links } from "../links/service.js";
import { call, said } from "../text/wording.js";
import { brokenProperties } from "../markdown/frontmatter/frontmatter.js";
import { leftOpen } from "../markdown/outline.js";
import { TEXT_NAMED } from "../markdown/nothing-dropped.js";
import { isTemplate } from "../obsidian/ignore.js";
import { givenRevision } from "../storage/storage.js";
import {
  isDeviceName,
  safeFileName,
  baseName,
  fileTitle,
  folderOf,
  folderPath,
  foldName,
  joinPath,
  ROOT,
  vaultPath,
  type VaultPath,
} from "../storage/path.js";
import type { PeriodicNote } from "../templates/periodic-notes.js";
import type { FilledTemplate } from "../templates/templates.js";
import { asSpelled, namesakes, sameNamed } from "../vault/new-path.js";
import type { Vault } from "../vault/vault.js";
import type { CreatedNote, NoteDraft } from "./api.js";
import { appendText } from "./insertion.js";
import { nothingToReplace } from "./locate.js";

/** Break links or file systems. Words and emoji need joiners. */
const FORBIDDEN = /[\\:*?"<>|#^[\]]|%%|\p{Cc}|(?![\u200C\u200D])\p{Cf}/u;

/** @throws VaultError INVALID_ARGUMENT with a valid name, or when name and folder contradict; PERMISSION_DENIED outside the vault or hidden */
export async function pathOfNew(vault: Vault, { name, folder }: NoteDraft): Promise<VaultPath> {
  const text = name.trim().normalize("NFC");
  const stem = text.replace(/\.md$/i, "");
  const path = vaultPath(text.endsWith("/") ? text : `${stem}.md`, vault.pathRules);
  assertName(fileTitle(path));
  const named = text.includes("/") ? folderOf(path) : undefined;
  const wanted = folder === undefined ? undefined : folderPath(folder.trim().normalize("NFC"), vault.pathRules);
  if (named !== undefined && wanted !== undefined && foldName(named) !== foldName(wanted))
    throw new VaultError("INVALID_ARGUMENT", "The name is a path already, in another folder than `path`.", {
      hint: "Give a bare name with `path`, or the whole path as the name.",
    });
  const target = wanted ?? named ?? (await defaultFolder(vault));
  return joinPath(await existingSpelling(vault, target), baseName(path));
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

/** "Same folder as current file" means the root: no note is open. */
async function defaultFolder(vault: Vault): Promise<VaultPath> {
  const { newFileLocation, newFileFolder } = await vault.settings();
  return newFileLocation === "folder" ? newFileFolder : ROOT;
}

/** `work` means an existing `Work`. New parts must be valid names. */
async function existingSpelling(vault: Vault, folder: VaultPath): Promise<VaultPath> {
  if (folder === ROOT || (await vault.children(folder)) !== undefined) return folder;
  return await asSpelled(vault, folder, { isFolder: true, ifNew: assertName });
}

/** @param place the new note's name or period */
export async function textOfNew(
  vault: Vault,
  { content = "", template }: NoteDraft,
  place: string | PeriodicNote,
): Promise<FilledTemplate> {
  if (template === undefined && typeof place === "string") return { text: content, unfilled: [] };
  const { fillTemplate, findTemplate } = await import("../templates/templates.js");
  const form = template === undefined ? undefined : (await vault.read(await findTemplate(vault, template))).text;
  const { newPeriodicText } = await import("../templates/periodic-notes.js");
  const filled =
    typeof place === "string"
      ? await fillTemplate(form ?? "", place, vault)
      : await newPeriodicText(vault, place, form);
  return content === "" ? filled : { ...filled, text: appendText(filled.text, content) };
}

interface NewNote extends Pick<NoteDraft, "section" | "overwrite" | "expected"> {
  readonly path: VaultPath;
  readonly text: string;
  readonly isBare: boolean;
}

interface NotePlaces {
  readonly vault: Vault;
  readonly links: Links;
  readonly find: (reference: string) => Promise<VaultPath>;
}

type MadeNote = Omit<CreatedNote, "unfilled" | "remarks">;

export async function writeNewNote(places: NotePlaces, note: NewNote): Promise<MadeNote> {
  if (note.section !== undefined) return await extracted(places, note.section, note);
  const { vault } = places;
  const { path, text } = note;
  const existing = await sameNamed(vault, path);
  if (existing !== undefined) return await overwritten(vault, existing, note);
  await assertNew(vault, note);
  try {
    const { revision, durable, undoable } = await vault.writing.create(path, text, "obsidian_create_note");
    const faults = { lostProperties: brokenProperties("", text), leftOpen: leftOpen("", text) };
    return { path, created: true, unchanged: false, revision, durable, undoable, ...faults };
  } catch (error) {
    // Another program created it meanwhile.
    if (isVaultError(error, "ALREADY_EXISTS") && (await sameNamed(vault, path)) === path)
      return await overwritten(vault, path, note);
    throw error;
  }
}

async function extracted({ vault, links, find }: NotePlaces, section: string, note: NewNote): Promise<MadeNote> {
  const hash = section.indexOf("#");
  if (hash <= 0)
    throw new VaultError("INVALID_ARGUMENT", `section "${section.slice(0, 80)}" names no note and heading.`, {
      hint: "Give it as Note#Heading.",
    });
  await assertNew(vault, note);
  const { path: to, text } = note;
  const from = await find(section.slice(0, hash));
  const { extractSection } = await import("./extract.js");
  const before = text === "" ? "" : `${text.trimEnd()}\n\n`;
  const wanted = { from, heading: section.slice(hash + 1), to, before };
  const { remark, ...made } = await extractSection(vault, links, wanted);
  return { ...made, created: true, unchanged: false, linksLost: remark };
}

async function assertNew(vault: Vault, { path, expected, isBare }: NewNote): Promise<void> {
  const existing = await sameNamed(vault, path);
  if (existing !== undefined) throw noteExists(existing);
  if (expected !== undefined) throw nothingToReplace(path);
  if (!isBare) return;
  const settings = await vault.settings();
  const other = (await namesakes(vault, path)).find((one) => !isTemplate(one, settings));
  if (other !== undefined) throw nameTaken(path, other);
}

async function overwritten(
  vault: Vault,
  path: VaultPath,
  { text, overwrite = false, expected }: NewNote,
): Promise<MadeNote> {
  if (!overwrite) throw noteExists(path);
  const options = { expected: givenRevision(expected), named: TEXT_NAMED };
  let before = "";
  const replaced = (old: string) => ((before = old), text);
  const { file, undoable } = await vault.writing.edit(path, replaced, "obsidian_create_note", options);
  const faults = { lostProperties: brokenProperties(before, text), leftOpen: leftOpen(before, text) };
  if (file) {
    const { revision, durable } = file;
    return { path, created: false, unchanged: false, revision, durable, undoable, ...faults };
  }
  const { revision } = await vault.read(path);
  return { path, created: false, unchanged: true, revision, durable: true, undoable: false };
}

export function noteExists(path: VaultPath): VaultError {
  return new VaultError("ALREADY_EXISTS", `There is a note '${path}' already; nothing was written.`, {
    path,
    hint: said`Choose another name, add to it with ${call("obsidian_append_note")}, or pass overwrite: true to replace its text.`.or(
      "Choose another name, or pass overwrite: true to replace its text.",
    ),
  });
}

function nameTaken(path: VaultPath, other: VaultPath): VaultError {
  const name = path.replace(/\.md$/i, "");
  return new VaultError("ALREADY_EXISTS", `Another note has this name: '${other}'; nothing was written.`, {
    path: other,
    hint: `Change that note, or give a path as the name to make another: "${name.includes("/") ? "" : "/"}${name}". Links to the bare name may then lead to the new note.`,
  });
}
