/** The note operations on one vault (docs: notes-and-files); every change is a guarded edit. */
import { call, counted, said } from "../text/wording.js";
import { brokenProperties } from "../markdown/frontmatter/frontmatter.js";
import { Mutex } from "async-mutex";
import { VaultError } from "../errors.js";
import type { AskOptions } from "../index/refresh.js";
import type { ProgressOptions } from "../links/api.js";
import { type Links, linksTaken } from "../links/service.js";
import type { MergedNote } from "./merge.js";
import type { RenamedPart } from "./rename-part.js";
import { fileTitle, type VaultPath } from "../storage/path.js";
import { givenRevision } from "../storage/storage.js";
import type { Vault } from "../vault/vault.js";
import type { RenamedTag, TagCount } from "./tags.js";
import type { ChangedNotes } from "./bulk-edit.js";
import type { FoundAttachments } from "./find-attachments.js";
import type { FoundNotes, NoteSearch } from "./find.js";
import { appendToLane } from "../markdown/kanban/change.js";
import { isBoard } from "../markdown/kanban/board.js";
import { type Named, TEXT_NAMED } from "../markdown/nothing-dropped.js";
import { leftOpen } from "../markdown/outline.js";
import { appendsInside, appendText, prependText, withSection } from "./insertion.js";
import { assertNote, locateNote, newPeriodic, nothingToReplace, type VaultAndLinks, noteOrPeriod } from "./locate.js";
import type {
  AddedToNote,
  AddOptions,
  AppendOptions,
  ChangeOptions,
  CreatedNote,
  DeletedNote,
  DeleteNoteOptions,
  MergedNotes,
  NoteDraft,
  NoteText,
  PatchedNote,
  PlanOptions,
  Properties,
  TaskFields,
  SummarisedNote,
  WrittenNote,
} from "./api.js";

/** `reference` is a name, path (`.md` optional), `[[link]]`, `mcp-obsidian://` URI or the day of a daily note. Methods may throw FILE_NOT_FOUND, AMBIGUOUS_NAME with candidates, INVALID_ARGUMENT for other files, NOT_TEXT, TOO_LARGE, PERMISSION_DENIED; those that write also CONFLICT. */
export class Notes {
  readonly #vault: Vault;
  readonly #links: Links;
  readonly #parts: VaultAndLinks;
  readonly #taskFields: TaskFields | undefined;
  readonly #behind: VaultAndLinks | undefined;
  readonly #creating = new Mutex();

  /** @param unrestricted the same vault without access rules */
  constructor(vault: Vault, links: Links, taskFields?: TaskFields, unrestricted?: VaultAndLinks) {
    this.#vault = vault;
    this.#taskFields = taskFields;
    this.#links = links;
    this.#parts = { vault, links };
    this.#behind = unrestricted;
  }

  /**
   * @throws VaultError INVALID_ARGUMENT (a day, the folder), FILE_NOT_FOUND (the folder), PERMISSION_DENIED; the
   * signal's reason
   */
  async find(search: NoteSearch = {}): Promise<FoundNotes> {
    const { searchNotes } = await import("./find.js");
    return searchNotes(this.#vault, this.#links, search);
  }

  /** @throws VaultError as `find`, and for a filter of notes */
  async findAttachments(search: NoteSearch = {}): Promise<FoundAttachments> {
    const { findAttachments } = await import("./find-attachments.js");
    return findAttachments(this.#vault, this.#links, search);
  }

  /** Most frequent first. @param folder includes all below it */
  async tags(folder?: string, options: ProgressOptions = {}): Promise<TagCount[]> {
    const { tagCounts } = await import("./tags.js");
    return await tagCounts(this.#vault, folder, options);
  }

  async read(reference: string, options: ProgressOptions = {}): Promise<NoteText> {
    const { path, text, revision, stat } = await this.#vault.read(await this.#find(reference, options));
    return { path, text, revision, modified: stat.modified };
  }

  /** @throws VaultError ALREADY_EXISTS, INVALID_ARGUMENT for an invalid name */
  async create(draft: NoteDraft): Promise<CreatedNote> {
    const { noteExists, pathOfNew, textOfNew, writeNewNote } = await import("./new-note.js");
    const periodic = draft.folder === undefined ? await newPeriodic(this.#vault, draft.name) : undefined;
    if (periodic?.exists && draft.overwrite !== true) throw noteExists(periodic.path);
    const path = periodic?.path ?? (await pathOfNew(this.#vault, draft));
    const { text, unfilled, missing } = await textOfNew(this.#vault, draft, periodic ?? fileTitle(path));
    const isBare = periodic === undefined && draft.folder === undefined && !draft.name.includes("/");
    const find = (note: string): Promise<VaultPath> => this.#find(note, {});
    // One at a time: a name in other case must find the first file.
    const created = await this.#creating.runExclusive(() =>
      writeNewNote({ ...this.#parts, find }, { ...draft, path, text, isBare }),
    );
    const { templateRemarks } = await import("../templates/templates.js");
    return {
      ...created,
      unfilled,
      remarks: missing === undefined ? [] : templateRemarks({ unfilled: [], missing }),
      linksTaken: created.created ? await linksTaken(this.#vault, this.#links, path) : undefined,
    };
  }

  /** @throws VaultError INVALID_ARGUMENT for a missing or ambiguous heading */
  async append(reference: string, content: string, options: AppendOptions = {}): Promise<AddedToNote> {
    const { heading, ...others } = options;
    let isHidden = false;
    const added = await this.#add(reference, "obsidian_append_note", others, async (text, path) => {
      // A new periodic note may be empty.
      if (content === "") return text;
      isHidden = !isBoard(text) && appendsInside(text, heading);
      if (!isBoard(text)) return appendText(text, content, heading);
      const { kanban } = await this.#vault.settings();
      return appendToLane(fileTitle(path), text, content, heading, kanban);
    });
    return isHidden ? { ...added, remarks: [...(added.remarks ?? []), INSIDE_UNCLOSED] } : added;
  }

  /** Below the frontmatter. */
  prepend(reference: string, content: string, options: AddOptions = {}): Promise<AddedToNote> {
    return this.#add(reference, "obsidian_prepend_note", options, (text, path) => {
      if (isBoard(text) && content !== "") throw lanesHoldCards(path);
      return prependText(text, content);
    });
  }

  /** Up to the next heading of its level or above. @throws VaultError INVALID_ARGUMENT as `append`, and on a board */
  replaceSection(
    reference: string,
    heading: string,
    content: string,
    options: ChangeOptions = {},
  ): Promise<WrittenNote> {
    return this.#change(reference, "replace_section", { ...options, named: TEXT_NAMED }, (text, path) => {
      if (isBoard(text)) throw lanesHoldCards(path);
      return withSection(text, heading, content);
    });
  }

  /**
   * Reads values as `propertyChange`.
   * @throws VaultError INVALID_ARGUMENT, CONFLICT for an outdated plan
   */
  async setProperties(
    notes: readonly string[] | NoteSearch,
    properties: Properties,
    options: PlanOptions = {},
  ): Promise<ChangedNotes> {
    const { changeProperties } = await import("./set-properties.js");
    return changeProperties(this.#vault, await this.#selected(notes, options), properties, options, this.#taskFields);
  }

  /**
   * In all notes, with nested tags. Without `plan`, only reports changes.
   * @throws VaultError INVALID_ARGUMENT for an invalid or unchanged tag; FILE_NOT_FOUND when no note has it; CONFLICT
   */
  async renameTag(from: string, to: string, options: PlanOptions = {}): Promise<RenamedTag> {
    const { renameTag } = await import("./tags.js");
    return renameTag(this.#vault, from, to, options);
  }

  /**
   * @param subpath `Heading`, `Heading#Heading below` or `^id`
   * @param to the new name, alone or after the note's
   * @throws VaultError INVALID_ARGUMENT with the outline
   */
  async renamePart(
    reference: string,
    subpath: string,
    to: string,
    progress: ProgressOptions = {},
  ): Promise<RenamedPart> {
    const { newNameOf, renamePart } = await import("./rename-part.js");
    const path = await this.#find(reference, progress);
    const name = await newNameOf(to, path, (note) => this.#find(note, progress));
    if (!this.#behind) return renamePart(this.#parts, path, subpath, name, progress);
    this.#vault.assertMayWrite(path);
    const graph = await this.#links.graph(progress);
    const isNamed = (file: VaultPath): boolean => graph.has(file) && this.#vault.mayWrite(file);
    return renamePart(this.#behind, path, subpath, name, { ...progress, isNamed });
  }

  /** As `Links.merge`. @throws VaultError INVALID_ARGUMENT for a board, or one note twice */
  async merge(reference: string, into: string, progress: ProgressOptions = {}): Promise<MergedNotes> {
    const { mergedNote } = await import("./merge.js");
    const [from, to] = [await this.#toChange(reference, progress), await this.#toChange(into, progress)];
    if (from === to)
      throw new VaultError("INVALID_ARGUMENT", `'${from}' cannot be merged into itself; nothing was changed.`, {
        path: from,
        hint: "Name another note in new_path.",
      });
    for (const path of [from, to]) if (isBoard((await this.#vault.read(path)).text)) throw lanesHoldCards(path);
    let done: Omit<MergedNote, "text"> = { added: [], joined: [], kept: [], shared: [] };
    const keyOfField = await this.#taskFields?.keys(to);
    const merge = await this.#links.merge(
      from,
      to,
      (text, other) => {
        const { text: merged, ...report } = mergedNote(text, other, keyOfField);
        done = report;
        return merged;
      },
      progress,
    );
    return { ...merge, ...done };
  }

  async #selected(notes: readonly string[] | NoteSearch, { signal, onProgress }: PlanOptions) {
    const options = { signal, onProgress };
    if (isList(notes)) {
      const paths: VaultPath[] = [];
      for (const note of notes) paths.push(await this.#toChange(note, options));
      return { paths: [...new Set(paths)], isSelection: false };
    }
    const found = await this.find({ ...notes, ...options, limit: MAX_SELECTED, offset: 0, includeContent: false });
    if (found.total > MAX_SELECTED) throw tooMany(found.total);
    const [unread] = found.unread;
    const lacking = unread
      ? [`${counted(found.unread.length, "note")} left out. ${unread.path}: ${unread.message}`]
      : [];
    const remarks = [...found.remarks, ...lacking];
    return { paths: found.notes.map(({ path }) => path), isSelection: true, remarks };
  }

  /** @param patch unified diff. @throws VaultError INVALID_ARGUMENT with the hunk and line */
  async patch(reference: string, patch: string, options: ChangeOptions = {}): Promise<PatchedNote> {
    const { readPatch } = await import("./patch.js");
    const { hunks, apply } = readPatch(patch);
    let [added, removed] = [0, 0];
    const note = await this.#change(reference, "edit_note", { ...options, named: TEXT_NAMED }, (text, path) => {
      const patched = apply(path, text);
      ({ added, removed } = patched);
      return patched.text;
    });
    return { ...note, hunks, added, removed };
  }

  async delete(reference: string, { permanent, expected, ...progress }: DeleteNoteOptions = {}): Promise<DeletedNote> {
    const path = await this.#toChange(reference, progress);
    const linking = await this.#links.ask(progress, (graph) => graph.backlinks(path));
    const sources = linking.map(({ from }) => from).filter((from) => from !== path);
    const options = { permanent, expected: givenRevision(expected) };
    const { trashedTo, undoable, durable } = await this.#vault.writing.delete(path, "obsidian_delete_note", options);
    return { path, trashedTo, undoable, durable, links: sources.length, linkingFiles: new Set(sources).size };
  }

  async summarise(reference: string, maxWords: number, options: ProgressOptions = {}): Promise<SummarisedNote> {
    const { path, text } = await this.read(reference, options);
    const { summarise } = await import("./summary.js");
    return { path, ...summarise(text, maxWords) };
  }

  /**
   * As `Links.find`, else by title, alias or daily note (`2026-11-23`, `today`, `daily`, `last friday`).
   * @throws VaultError AMBIGUOUS_NAME, FILE_NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT
   */
  async locate(reference: string, options: AskOptions = {}): Promise<VaultPath> {
    return await locateNote(this.#parts, reference, options);
  }

  async #find(reference: string, options: ProgressOptions): Promise<VaultPath> {
    const path = await this.locate(reference, options);
    assertNote(path);
    return path;
  }

  /** @throws VaultError as `#find`, and INVALID_ARGUMENT for a link to a part of a note */
  async #toChange(reference: string, options: ProgressOptions): Promise<VaultPath> {
    (await import("../links/file-reference.js")).assertWhole(reference);
    return this.#find(reference, options);
  }

  async #add(
    reference: string,
    reason: string,
    { create = false, expected, ...progress }: AddOptions,
    change: (text: string, path: VaultPath) => string | Promise<string>,
  ): Promise<AddedToNote> {
    (await import("../links/file-reference.js")).assertWhole(reference);
    const meant = await noteOrPeriod(this.#parts, reference, progress);
    if (typeof meant === "string")
      return { ...(await this.#change(meant, reason, { expected, ...progress }, change)), created: false };
    const { newPeriodicText, noPeriodicNote } = await import("../templates/periodic-notes.js");
    const { templateRemarks } = await import("../templates/templates.js");
    if (!create) throw noPeriodicNote(meant, "The same call with create: true makes it from its template.");
    if (expected !== undefined) throw nothingToReplace(meant.path);
    const made = await newPeriodicText(this.#vault, meant);
    const text = await change(made.text, meant.path);
    const { revision, durable, undoable } = await this.#vault.writing.create(meant.path, text, reason);
    return {
      path: meant.path,
      created: true,
      revision,
      durable,
      undoable,
      lostProperties: brokenProperties("", text),
      remarks: templateRemarks(made),
      linksTaken: await linksTaken(this.#vault, this.#links, meant.path),
    };
  }

  /** @param change must change the text or throw */
  async #change(
    reference: string,
    reason: string,
    { expected, named, ...progress }: ChangeOptions & { readonly named?: Named },
    change: (text: string, path: VaultPath) => string | Promise<string>,
  ): Promise<WrittenNote> {
    const path = await this.#toChange(reference, progress);
    const options = { expected: givenRevision(expected), named };
    let before = "";
    const changed = (text: string) => change((before = text), path);
    const { text, file, undoable } = await this.#vault.writing.edit(path, changed, reason, options);
    if (!file) throw nothingChanged(path);
    const { revision, durable } = file;
    return {
      path,
      revision,
      durable,
      undoable,
      lostProperties: brokenProperties(before, text),
      leftOpen: leftOpen(before, text),
    };
  }
}

const INSIDE_UNCLOSED = "The note ended in a code block or comment that is not closed, and the text is inside it.";

function lanesHoldCards(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `'${path}' is a Kanban board: its headings are lanes, which hold cards.`, {
    path,
    hint: said`Add a card with ${call("obsidian_append_note")}, its lane as heading and "- [ ] Title" as content, or change one with ${call("update_task")}.`,
  });
}

const isList = (notes: readonly string[] | NoteSearch): notes is readonly string[] => Array.isArray(notes);

const MAX_SELECTED = 1000;

function tooMany(count: number): VaultError {
  return new VaultError(
    "INVALID_ARGUMENT",
    `These are ${count} notes; at most ${MAX_SELECTED} are changed in one call.`,
    {
      hint: "Narrow the filters.",
    },
  );
}

function nothingChanged(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `'${path}' would stay as it is; nothing was written.`, {
    path,
    hint: "The content is empty, or what the note says already.",
  });
}
