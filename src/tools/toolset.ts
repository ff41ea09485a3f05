/** Toolsets, and which tools a server offers by them. */

/** Also the names in a token's scopes. */
export const TOOLSETS = ["tasks", "notes", "files"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** The values of `--toolsets`; they combine. */
export const TOOLSET_CHOICES = ["core", "all", ...TOOLSETS] as const;
export type ToolsetChoice = (typeof TOOLSET_CHOICES)[number];

/** For everyday work, at most 3,600 tokens together. */
const CORE: ReadonlySet<string> = new Set([
  "get_agenda",
  "search_tasks",
  "get_task",
  "create_task",
  "add_tasks",
  "update_task",
  "update_tasks",
  "find_notes",
  "obsidian_read_note",
  "obsidian_create_note",
  "obsidian_append_note",
  "replace_section",
  "set_properties",
  "rename",
  "rename_tag",
  "obsidian_delete_note",
  "str_replace",
  "search",
  "obsidian_list_unresolved_links",
  "undo_edit",
  "get_history",
]);

/** Called by name, at no token's cost to a model. */
const UNLISTED: ReadonlySet<string> = new Set(["create_base"]);

export const isAdvertised = ({ name }: { readonly name: string }): boolean => !UNLISTED.has(name);

interface ToolPlace {
  readonly name: string;
  readonly toolset: Toolset;
  readonly alsoIn: readonly Toolset[];
}

export function isOffered({ name, toolset, alsoIn }: ToolPlace, choices: readonly ToolsetChoice[]): boolean {
  return (
    choices.includes("all") ||
    (choices.includes("core") && CORE.has(name)) ||
    [toolset, ...alsoIn].some((one) => choices.includes(one))
  );
}
