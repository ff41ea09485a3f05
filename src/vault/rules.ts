/** What to look away from in a vault, where its PARA folders are, and the vault settings Obsidian keeps. */
export type { ParaBucket, ParaFolders } from "./para.js";
