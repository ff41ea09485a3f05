/** What to look away from in a vault, where its PARA folders are, and the vault settings Obsidian keeps. */
import type { VaultPath } from "../storage/path.js";

export type ParaBucket = "projects" | "areas" | "resources" | "archive" | "inbox";

/** The PARA folders as found: a vault may have several of a kind (`_projects`, `Work/1. Projects`). */
export type ParaFolders = Readonly<Record<ParaBucket, readonly VaultPath[]>>;
