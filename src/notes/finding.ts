/** The way to finding notes: what it takes is loaded when it is first asked for. */
import type { Vault } from "../vault/vault.js";
import type { FoundNotes, NoteFinder, NoteSearch } from "./find.js";

export class NoteFinding {
  readonly #vault: Vault;
  readonly #indexFrom: number | undefined;
  #finder: Promise<NoteFinder> | undefined;

  /**
   * @param vault its readers must include `noteReader`
   * @param indexFrom from how many notes on searches remember words; left out, never: right for a process that answers once
   */
  constructor(vault: Vault, { indexFrom }: { readonly indexFrom?: number | undefined } = {}) {
    this.#vault = vault;
    this.#indexFrom = indexFrom;
  }

  /** @throws VaultError INVALID_ARGUMENT (a day, the folder), FILE_NOT_FOUND (the folder), PERMISSION_DENIED; the signal's reason */
  async find(search: NoteSearch): Promise<FoundNotes> {
    this.#finder ??= import("./find.js").then(({ NoteFinder }) => new NoteFinder(this.#vault, this.#indexFrom));
    return (await this.#finder).find(search);
  }
}
