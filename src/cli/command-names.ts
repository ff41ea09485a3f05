/** In the order of the help. */
export const COMMAND_NAMES = [
  "scan",
  "today",
  "week",
  "list",
  "search",
  "add",
  "done",
  "set",
  "show",
  "find",
  "read",
  "undo",
  "history",
  "base",
  "view",
  "board",
  "calendar",
  "sign-in",
  "tokens",
  "doctor",
  "setup",
  "completion",
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];
