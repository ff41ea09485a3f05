/** All tools in a fixed order. */
import { create } from "./files/create.js";
import { createBase } from "./tasks/create_base.js";
import { deleteFile } from "./files/delete.js";
import { getWorkspaceFiles } from "./files/get_workspace_files.js";
import { insert } from "./files/insert.js";
import { rename } from "./files/rename.js";
import { search } from "./files/search.js";
import { strReplace } from "./files/str_replace.js";
import { getHistory } from "./files/get_history.js";
import { undoEdit } from "./files/undo_edit.js";
import { view } from "./files/view.js";
import { editNote } from "./notes/edit_note.js";
import { findNotes } from "./notes/find_notes.js";
import { appendNote } from "./notes/obsidian_append_note.js";
import { createNote } from "./notes/obsidian_create_note.js";
import { deleteNote } from "./notes/obsidian_delete_note.js";
import { getBacklinks } from "./notes/obsidian_get_backlinks.js";
import { getOutgoingLinks } from "./notes/obsidian_get_outgoing_links.js";
import { listAttachments } from "./notes/obsidian_list_attachments.js";
import { listConflicts } from "./notes/obsidian_list_conflicts.js";
import { listOrphans } from "./notes/obsidian_list_orphans.js";
import { listTags } from "./notes/obsidian_list_tags.js";
import { listUnresolvedLinks } from "./notes/obsidian_list_unresolved_links.js";
import { moveNote } from "./notes/obsidian_move_note.js";
import { prependNote } from "./notes/obsidian_prepend_note.js";
import { readNoteByName } from "./notes/obsidian_read_note.js";
import { readNote } from "./notes/read_note.js";
import { runSavedView } from "./notes/run_view.js";
import { replaceSection } from "./notes/replace_section.js";
import { renameTagTool } from "./notes/rename_tag.js";
import { setNoteProperties } from "./notes/set_properties.js";
import { summariseNote } from "./notes/summarise_note.js";
import { addTasks } from "./tasks/add_tasks.js";
import { createTask } from "./tasks/create_task.js";
import { getAgenda } from "./tasks/get_agenda.js";
import { getTask } from "./tasks/get_task.js";
import { scanVault } from "./tasks/scan_vault.js";
import { searchTasks } from "./tasks/search_tasks.js";
import { updateTask } from "./tasks/update_task.js";
import { updateTasks } from "./tasks/update_tasks.js";
import type { Tool } from "./tool.js";

export const TOOLS: readonly Tool[] = [
  scanVault,
  createTask,
  updateTask,
  searchTasks,
  getTask,
  getAgenda,
  addTasks,
  updateTasks,
  createBase,
  findNotes,
  summariseNote,
  createNote,
  readNoteByName,
  appendNote,
  prependNote,
  replaceSection,
  setNoteProperties,
  renameTagTool,
  moveNote,
  deleteNote,
  getBacklinks,
  getOutgoingLinks,
  listUnresolvedLinks,
  listOrphans,
  listTags,
  listAttachments,
  listConflicts,
  runSavedView,
  readNote,
  editNote,
  view,
  create,
  strReplace,
  insert,
  undoEdit,
  getHistory,
  getWorkspaceFiles,
  search,
  deleteFile,
  rename,
];
