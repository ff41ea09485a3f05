/** The text around links, read for one answer. */
import { isVaultError } from "../../errors.js";
import type { VaultPath } from "../../storage/path.js";
import { excerpt } from "../text.js";
import type { OpenVault } from "../workspace.js";

const CONTEXT_LENGTH = 200;

/** Reads each file once. */
export class LineContext {
  readonly #vault: OpenVault["vault"];
  readonly #lines = new Map<VaultPath, readonly string[]>();

  constructor({ vault }: OpenVault) {
    this.#vault = vault;
  }

  /** The text around `words` on a line (from 1), as one line; empty when it cannot be read. */
  async of(path: VaultPath, line: number, words: string): Promise<string> {
    const text = (await this.#linesOf(path))[line - 1] ?? "";
    if (text.length <= CONTEXT_LENGTH) return excerpt(text, CONTEXT_LENGTH);
    const start = Math.max(0, text.indexOf(words) - CONTEXT_LENGTH / 2);
    return `${start > 0 ? "…" : ""}${excerpt(text.slice(start, start + 2 * CONTEXT_LENGTH), CONTEXT_LENGTH)}`;
  }

  async #linesOf(path: VaultPath): Promise<readonly string[]> {
    let lines = this.#lines.get(path);
    if (lines === undefined) this.#lines.set(path, (lines = await this.#read(path)));
    return lines;
  }

  /** A file that vanished or changed loses its context only. */
  async #read(path: VaultPath): Promise<readonly string[]> {
    try {
      return (await this.#vault.read(path)).text.split("\n");
    } catch (error) {
      if (isVaultError(error)) return [];
      throw error;
    }
  }
}
