/** The note operations on one vault: resolves references to notes, and makes every change as a guarded edit. */
import { isVaultError, VaultError } from "../errors.js";
import type { Links, LookOptions } from "../links/links.js";
import { baseName, type VaultPath } from "../storage/path.js";
import { givenRevision } from "../storage/content-revision.js";
import type { Vault } from "../vault/vault.js";
import type { DailyNote } from "./daily.js";
import type { FoundNotes, NoteFinder, NoteSearch } from "./find.js";
import { appendToLane } from "../markdown/kanban/change.js";
import { isBoard } from "../markdown/kanban/footer.js";
import { appendText, prependText } from "./insertion.js";
import { noteReader } from "./reader.js";
import type { TagCount, TagCounts } from "./tag-counts.js";
import { assertNote, pathOfNew, sameNamed } from "./new-note.js";
import type {
  AddedToNote,
  AddOptions,
  AppendOptions,
  ChangeOptions,
  CreatedNote,
  DeletedNote,
  DeleteNoteOptions,
  NoteDraft,
  Notes,
  NoteText,
  PatchedNote,
  SummarisedNote,
  WrittenNote,
} from "./notes.js";
import type { FilledTemplate } from "../templates/templates.js";

export class NoteService implements Notes {
  readonly #vault: Vault;
  readonly #links: Pick<Links, "find" | "graph">;
  #finder: NoteFinder | undefined;
  #tags: TagCounts | undefined;
  #creating: Promise<unknown> = Promise.resolve();

  /** @param vault its readers must include `noteReader` */
  constructor(vault: Vault, links: Pick<Links, "find" | "graph">) {
    this.#vault = vault;
    this.#links = links;
  }

  async find(search: NoteSearch = {}): Promise<FoundNotes> {
    const { NoteFinder } = await import("./find.js");
    this.#finder ??= new NoteFinder(this.#vault);
    return this.#finder.find(search);
  }

  async tags(inFolder?: (path: VaultPath) => boolean, options: LookOptions = {}): Promise<TagCount[]> {
    const { TagCounts } = await import("./tag-counts.js");
    const { signal, onProgress } = options;
    const look = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    const view = await this.#vault.index.refresh({ ...look, facts: [noteReader] });
    const records = view.records(noteReader);
    if (inFolder) return new TagCounts().of(records.filter(({ stat }) => inFolder(stat.path)));
    return (this.#tags ??= new TagCounts()).of(records);
  }

  async read(reference: string, options: LookOptions = {}): Promise<NoteText> {
    const { path, text, revision, stat } = await this.#vault.read(await this.#find(reference, options));
    return { path, text, revision, modified: stat.modified };
  }

  async create(draft: NoteDraft): Promise<CreatedNote> {
    const { dailyNoteNamed } = await import("./daily.js");
    const daily = draft.folder === undefined ? await dailyNoteNamed(this.#vault, draft.name) : undefined;
    const path = daily?.path ?? (await pathOfNew(this.#vault, draft));
    const { text, unfilled } =
      daily !== undefined && draft.template === undefined
        ? await this.#dailyText(daily, draft.content)
        : await this.#textOf(draft, baseName(path).slice(0, -".md".length));
    // One at a time: the second of two names that differ only in case must find the first one's file.
    const turn = this.#creating.then(() => this.#put(path, text, draft));
    this.#creating = turn.catch(() => undefined);
    return { ...(await turn), unfilled };
  }

  append(reference: string, content: string, { heading, ...options }: AppendOptions = {}): Promise<AddedToNote> {
    return this.#add(reference, "obsidian_append_note", options, async (text, path) => {
      if (!isBoard(text)) return appendText(text, content, heading);
      const { kanban } = await this.#vault.settings();
      return appendToLane(baseName(path).replace(/\.md$/i, ""), text, content, heading, kanban);
    });
  }

  prepend(reference: string, content: string, options: AddOptions = {}): Promise<AddedToNote> {
    return this.#add(reference, "obsidian_prepend_note", options, (text) => prependText(text, content));
  }

  async patch(reference: string, patch: string, options: ChangeOptions = {}): Promise<PatchedNote> {
    const { readPatch } = await import("./patch.js");
    const { hunks, apply } = readPatch(patch);
    let [added, removed] = [0, 0];
    const note = await this.#change(reference, "edit_note", options, (text, path) => {
      const patched = apply(path, text);
      ({ added, removed } = patched);
      return patched.text;
    });
    return { ...note, hunks, added, removed };
  }

  async delete(reference: string, { permanent, expected, ...look }: DeleteNoteOptions = {}): Promise<DeletedNote> {
    const path = await this.#find(reference, look);
    const graph = await this.#links.graph(look);
    const sources = graph
      .backlinks(path)
      .map(({ from }) => from)
      .filter((from) => from !== path);
    const options = { permanent, expected: givenRevision(expected) };
    const { trashedTo, undoable, durable } = await this.#vault.delete(path, "obsidian_delete_note", options);
    return { path, trashedTo, undoable, durable, links: sources.length, linkingFiles: new Set(sources).size };
  }

  async summarise(reference: string, maxWords: number, options: LookOptions = {}): Promise<SummarisedNote> {
    const { path, text } = await this.read(reference, options);
    const { summarise } = await import("./summary.js");
    return { path, ...summarise(text, maxWords) };
  }

  async locate(reference: string, options: LookOptions = {}): Promise<VaultPath> {
    const meant = await this.#meant(reference, options);
    if (typeof meant !== "string") throw noDailyNote(meant, "obsidian_append_note with");
    return meant;
  }

  /** The file a reference means, or a daily note that does not exist yet. */
  async #meant(reference: string, options: LookOptions): Promise<VaultPath | DailyNote> {
    try {
      return await this.#links.find(reference, options);
    } catch (error) {
      if (!isVaultError(error, "FILE_NOT_FOUND")) throw error;
      const { noteTitled } = await import("./titled.js");
      const titled = await noteTitled(this.#vault, reference, options);
      if (titled !== undefined) return titled;
      const { dailyNoteMeant } = await import("./daily.js");
      const daily = await dailyNoteMeant(this.#vault, reference);
      if (daily === undefined) throw error;
      return (await sameNamed(this.#vault, daily.path)) ?? daily;
    }
  }

  async #find(reference: string, options: LookOptions): Promise<VaultPath> {
    const path = await this.locate(reference, options);
    assertNote(path);
    return path;
  }

  /** Adds text to a note; with `create` also to a new daily note. */
  async #add(
    reference: string,
    reason: string,
    { create = false, expected, ...look }: AddOptions,
    change: (text: string, path: VaultPath) => string | Promise<string>,
  ): Promise<AddedToNote> {
    const meant = await this.#meant(reference, look);
    if (typeof meant === "string")
      return { ...(await this.#change(meant, reason, { expected, ...look }, change)), created: false };
    if (!create) throw noDailyNote(meant, "The same call with");
    if (expected !== undefined) throw nothingToReplace(meant.path);
    const { newDailyNote } = await import("../templates/daily-note.js");
    const text = await change((await newDailyNote(this.#vault, meant.path)).text, meant.path);
    const { revision, durable, undoable } = await this.#vault.create(meant.path, text, reason);
    return { path: meant.path, created: true, revision, durable, undoable };
  }

  /** @param change must change the text or throw */
  async #change(
    reference: string,
    reason: string,
    { expected, ...look }: ChangeOptions,
    change: (text: string, path: VaultPath) => string | Promise<string>,
  ): Promise<WrittenNote> {
    const path = await this.#find(reference, look);
    const options = { expected: givenRevision(expected) };
    const { file, undoable } = await this.#vault.edit(path, (text) => change(text, path), reason, options);
    if (!file) throw nothingChanged(path);
    return { path, revision: file.revision, durable: file.durable, undoable };
  }

  async #textOf({ content = "", template }: NoteDraft, title: string): Promise<FilledTemplate> {
    if (template === undefined) return { text: content, unfilled: [] };
    const { fillTemplate, findTemplate } = await import("../templates/templates.js");
    const { text } = await this.#vault.read(await findTemplate(this.#vault, template));
    const filled = await fillTemplate(text, title, this.#vault);
    return content === "" ? filled : { ...filled, text: appendText(filled.text, content) };
  }

  async #dailyText({ path }: DailyNote, content = ""): Promise<FilledTemplate> {
    const { newDailyNote } = await import("../templates/daily-note.js");
    const filled = await newDailyNote(this.#vault, path);
    return content === "" ? filled : { ...filled, text: appendText(filled.text, content) };
  }

  async #put(path: VaultPath, text: string, draft: NoteDraft): Promise<Omit<CreatedNote, "unfilled">> {
    const existing = await sameNamed(this.#vault, path);
    if (existing !== undefined) return this.#overwrite(existing, text, draft);
    if (draft.expected !== undefined) throw nothingToReplace(path);
    try {
      const { revision, durable, undoable } = await this.#vault.create(path, text, "obsidian_create_note");
      return { path, created: true, unchanged: false, revision, durable, undoable };
    } catch (error) {
      // Another program created it meanwhile.
      if (isVaultError(error, "ALREADY_EXISTS") && (await sameNamed(this.#vault, path)) === path)
        return this.#overwrite(path, text, draft);
      throw error;
    }
  }

  async #overwrite(
    path: VaultPath,
    text: string,
    { overwrite = false, expected }: NoteDraft,
  ): Promise<Omit<CreatedNote, "unfilled">> {
    if (!overwrite) throw alreadyExists(path);
    const options = { expected: givenRevision(expected) };
    const { file, undoable } = await this.#vault.edit(path, () => text, "obsidian_create_note", options);
    if (file)
      return { path, created: false, unchanged: false, revision: file.revision, durable: file.durable, undoable };
    const { revision } = await this.#vault.read(path);
    return { path, created: false, unchanged: true, revision, durable: true, undoable: false };
  }
}

function alreadyExists(path: VaultPath): VaultError {
  return new VaultError("ALREADY_EXISTS", `There is a note '${path}' already; nothing was written.`, {
    path,
    hint: "Choose another name, add to it with obsidian_append_note, or pass overwrite: true to replace its text.",
  });
}

function nothingToReplace(path: VaultPath): VaultError {
  return new VaultError("CONFLICT", `There is no note '${path}' (any more) that has this hash; nothing was written.`, {
    path,
    hint: "Leave expected_hash out to make a new note.",
  });
}

/** @param how begins the sentence that ends `create: true makes it` */
function noDailyNote({ day, path }: DailyNote, how: string): VaultError {
  return new VaultError("FILE_NOT_FOUND", `There is no daily note for ${day} yet.`, {
    path,
    hint: `${how} create: true makes '${path}' from the daily-note template.`,
  });
}

function nothingChanged(path: VaultPath): VaultError {
  return new VaultError("INVALID_ARGUMENT", `'${path}' would stay as it is; nothing was written.`, {
    path,
    hint: "Give some text to add.",
  });
}
