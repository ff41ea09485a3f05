/** All tools in their fixed order, and the narrowing that listings and lookups share. */
import { VaultError } from "../errors.js";
import { create } from "./files/create.js";
import { deleteFile } from "./files/delete.js";
import { getWorkspaceFiles } from "./files/get_workspace_files.js";
import { insert } from "./files/insert.js";
import { rename } from "./files/rename.js";
import { search } from "./files/search.js";
import { strReplace } from "./files/str_replace.js";
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
import { listOrphans } from "./notes/obsidian_list_orphans.js";
import { listTags } from "./notes/obsidian_list_tags.js";
import { listUnresolvedLinks } from "./notes/obsidian_list_unresolved_links.js";
import { moveNote } from "./notes/obsidian_move_note.js";
import { prependNote } from "./notes/obsidian_prepend_note.js";
import { readNoteByName } from "./notes/obsidian_read_note.js";
import { readNote } from "./notes/read_note.js";
import { summariseNote } from "./notes/summarise_note.js";
import { failed } from "./outcome.js";
import { createTask } from "./tasks/create_task.js";
import { getTask } from "./tasks/get_task.js";
import { scanVault } from "./tasks/scan_vault.js";
import { searchTasks } from "./tasks/search_tasks.js";
import { updateTask } from "./tasks/update_task.js";
import { TOOLSETS, type Tool, type Toolset } from "./tool.js";

const TASK_TOOLS = [scanVault, createTask, updateTask, searchTasks, getTask];
const NOTE_TOOLS = [
  findNotes,
  summariseNote,
  createNote,
  readNoteByName,
  appendNote,
  prependNote,
  moveNote,
  deleteNote,
  getBacklinks,
  getOutgoingLinks,
  listUnresolvedLinks,
  listOrphans,
  listTags,
  listAttachments,
  readNote,
  editNote,
];
const FILE_TOOLS = [view, create, strReplace, insert, undoEdit, getWorkspaceFiles, search, deleteFile, rename];

/** Every tool there is. A new tool is one word above and one file beside the others. */
export const TOOLS: readonly Tool[] = [...TASK_TOOLS, ...NOTE_TOOLS, ...FILE_TOOLS];

export interface Narrowing {
  /** The toolsets that are on; default all. */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Hide tools that write, and refuse calls to them. */
  readonly readOnly?: boolean | undefined;
  /** Whether the server was started with a vault, so that the vault need not be named. */
  readonly hasDefaultVault?: boolean | undefined;
}

/** The tools of one server. */
export interface ToolBox {
  /** What may be called, in order; `tools/list` answers their listings. */
  readonly tools: readonly Tool[];
  /**
   * The tool of that name. A tool that is switched off comes as one whose every call is refused with PERMISSION_DENIED
   * saying why; undefined when there is no such tool.
   */
  find(name: string): Tool | undefined;
}

/** The tools left when a server is narrowed by toolsets and read-only mode. */
export function toolsFor({ toolsets = TOOLSETS, readOnly = false, hasDefaultVault = false }: Narrowing = {}): ToolBox {
  const reasons = new Map(TOOLS.map((tool) => [tool.name, reasonAgainst(tool, toolsets, readOnly)]));
  const known = hasDefaultVault ? TOOLS : TOOLS.map(unconfigured);
  return {
    tools: known.filter((tool) => reasons.get(tool.name) === undefined),
    find(name) {
      const tool = known.find((candidate) => candidate.name === name);
      const reason = reasons.get(name);
      return tool === undefined || reason === undefined ? tool : refusing(tool, reason);
    },
  };
}

function unconfigured(tool: Tool): Tool {
  return { ...tool, listing: tool.listingWithoutVault };
}

interface Reason {
  readonly message: string;
  readonly hint: string;
}

function reasonAgainst(tool: Tool, toolsets: readonly Toolset[], readOnly: boolean): Reason | undefined {
  if (!toolsets.includes(tool.toolset)) {
    return {
      message: `${tool.name} is not available: the toolset "${tool.toolset}" is switched off.`,
      hint: `The server must be started with --toolsets ${[...toolsets, tool.toolset].join(",")} to use it.`,
    };
  }
  if (readOnly && tool.effect !== "reads") {
    return {
      message: `${tool.name} is not available: this server is read-only.`,
      hint: "The server must be started without --read-only to change the vault.",
    };
  }
  return undefined;
}

function refusing(tool: Tool, { message, hint }: Reason): Tool {
  const error = new VaultError("PERMISSION_DENIED", message, { hint });
  return { ...tool, call: async () => failed(error, "❌ Error: ") };
}
