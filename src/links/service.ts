/** The link operations of one vault. */
import { isVaultError, orIfFailed, VaultError } from "../errors.js";
import { counted } from "../text/wording.js";
import { type CompanionsOf, inFoldersThere, namesakes } from "../vault/new-path.js";
import type { VaultPath } from "../storage/path.js";
import type { AskOptions } from "../index/refresh.js";
import type { IndexView } from "../index/view.js";
import { isTemplate } from "../obsidian/ignore.js";
import { leftOut } from "../obsidian/unlisted.js";
import type { Vault } from "../vault/vault.js";
import type { IndexedLinks } from "./graph.js";
import type { FileNames } from "./resolver.js";
import type { JoinTexts, LinkGraph, Merge, ProgressOptions, MoveOptions, Relocation, Unseen } from "./api.js";
import type { VaultPlace } from "./file-reference.js";
import type { Mover } from "./move.js";

type PathWithin = (absolute: string) => Promise<string | undefined>;

export interface LinksOptions {
  readonly linkName?: string | undefined;
  /** Of an absolute path of this machine; undefined outside the vault. */
  readonly pathWithin?: PathWithin | undefined;
  /** Without access rules: its renames update links in hidden notes. */
  readonly unrestricted?: Links | undefined;
  readonly companionsOf?: CompanionsOf | undefined;
}

/** Loads its parts at first use. */
export class Links {
  readonly #vault: Vault;
  readonly #behind: Links | undefined;
  readonly #place: VaultPlace;
  readonly #pathWithin: PathWithin;
  readonly #mover: Mover;

  /** @param vault with `linkSubject` */
  constructor(
    vault: Vault,
    {
      linkName,
      pathWithin = async () => undefined,
      unrestricted,
      companionsOf = async () => undefined,
    }: LinksOptions = {},
  ) {
    this.#vault = vault;
    this.#behind = unrestricted;
    this.#place = { id: vault.id, linkName, rules: vault.pathRules };
    this.#pathWithin = pathWithin;
    const ask: Mover["ask"] = (options, work) => this.#ask(options, (graph, view) => work(graph, unseenIn(view)));
    this.#mover = { vault, ask, companionsOf };
  }

  /** As of this call, until another call refreshes the index. */
  async graph(options: ProgressOptions = {}): Promise<LinkGraph> {
    const { IndexedLinks } = await import("./graph.js");
    const { index } = this.#vault;
    return this.#ask(options, () => new IndexedLinks(() => index.latest ?? outdated()));
  }

  /** Runs `work` again when the index proves damaged, so it must only read. @throws what `work` throws */
  async ask<Result>(
    options: ProgressOptions,
    work: (graph: LinkGraph & FileNames, unseen: () => Unseen) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.#ask(options, (graph, view) => work(graph, () => unseenIn(view)));
  }

  async #ask<Result>(
    options: AskOptions,
    work: (graph: IndexedLinks, view: IndexView) => Result | Promise<Result>,
  ): Promise<Result> {
    const { IndexedLinks } = await import("./graph.js");
    const { index } = this.#vault;
    return index.ask({ ...options, rows: ["links"] }, (view) =>
      work(new IndexedLinks(() => index.latest ?? view), view),
    );
  }

  /**
   * By path (`.md` optional; of the vault, or of the machine inside it), URI, link or bare name.
   * @throws VaultError FILE_NOT_FOUND with the nearest names, AMBIGUOUS_NAME with candidates, INVALID_ARGUMENT (another
   *   vault's URI)
   */
  async find(reference: string, options: AskOptions = {}): Promise<VaultPath> {
    const { decodedPath, fileNamed, mayBeAbsolute, pathFromRoot, pathText } = await import("./file-reference.js");
    const { rules } = this.#place;
    const text = pathText(reference, this.#place);
    const kind = mayBeAbsolute(text);
    const path = pathFromRoot(kind === "drive" ? ((await this.#pathWithin(text)) ?? text) : text, rules);
    const found = await this.#fileAt(path);
    if (found !== undefined) return found;
    // The vault's root first, then the machine's.
    const inside = kind === "slash" ? await this.#pathWithin(text) : undefined;
    const local = inside === undefined ? path : pathFromRoot(inside, rules);
    const decoded = decodedPath(text, rules);
    const meant = (await this.#fileAt(local)) ?? (decoded && (await this.#fileAt(decoded)));
    if (meant !== undefined) return meant;
    const settings = await this.#vault.settings();
    const known = { isTemplate: (file: VaultPath) => isTemplate(file, settings), suggests: options.suggests };
    return this.#ask(options, (graph) => fileNamed(local, { graph, ...known }));
  }

  /** Converts a machine path inside the vault; returns other texts unchanged. */
  async fromRoot(text: string): Promise<string> {
    const { mayBeAbsolute } = await import("./file-reference.js");
    const kind = mayBeAbsolute(text);
    if (kind === undefined) return text;
    return (await this.#pathWithin(text)) ?? text;
  }

  async #fileAt(path: VaultPath): Promise<VaultPath | undefined> {
    const { spellings } = await import("./file-reference.js");
    for (const spelling of spellings(path)) if (await this.#isFile(spelling)) return spelling;
    return undefined;
  }

  /**
   * Rewrites links that would break (docs: obsidian, "Links").
   * @throws VaultError FILE_NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, INVALID_ARGUMENT
   */
  async move(from: VaultPath, wanted: VaultPath, options: MoveOptions = {}): Promise<Relocation> {
    const to = await inFoldersThere(this.#vault, wanted);
    if (this.#behind) return this.#behind.move(from, to, await this.#seen(from, to, options));
    const { moveLinked } = await import("./move.js");
    return moveLinked(this.#mover, from, to, options);
  }

  /**
   * Joins the texts, redirects links, and moves `from` to the trash.
   * @throws VaultError FILE_NOT_FOUND, PERMISSION_DENIED, CONFLICT, and what `join` throws
   */
  async merge(from: VaultPath, to: VaultPath, join: JoinTexts, options: MoveOptions = {}): Promise<Merge> {
    if (this.#behind) return this.#behind.merge(from, to, join, await this.#seen(from, to, options));
    const { mergeNotes } = await import("./move.js");
    return mergeNotes(this.#mover, from, to, join, options);
  }

  /** Hidden and unwritable files are neither moved nor named, but their links are updated. */
  async #seen(from: VaultPath, to: VaultPath, options: ProgressOptions): Promise<MoveOptions> {
    for (const path of [from, to]) this.#vault.assertMayWrite(path);
    if ((await this.#vault.children(from)) === undefined) await this.#vault.stat(from);
    const view = await this.#vault.index.refresh({ ...options, rows: [] });
    const visible = new Set(view.everyPath());
    return { ...options, isNamed: (path) => visible.has(path) && this.#vault.mayWrite(path) };
  }

  async #isFile(path: VaultPath): Promise<boolean> {
    try {
      await this.#vault.stat(path);
      return true;
    } catch (error) {
      if (isVaultError(error, "FILE_NOT_FOUND") || isVaultError(error, "INVALID_ARGUMENT")) return false;
      throw error;
    }
  }
}

const unseenIn = (view: IndexView): Unseen => ({ unread: view.unread(), unlisted: leftOut(view.unlisted) });

/** On links that now lead to a new file, because others have its name (docs: notes-and-files, "New notes"). Never throws. */
export async function linksTaken(
  vault: Vault,
  links: Pick<Links, "ask">,
  path: VaultPath,
): Promise<string | undefined> {
  const others = await orIfFailed(namesakes(vault, path), []);
  if (others.length === 0) return undefined;
  const asking = links.ask({}, (graph) => graph.backlinks(path));
  const linking = await orIfFailed(asking, undefined);
  if (!linking) return `Links to its name may lead to '${path}' now; ${sameName(others)}.`;
  const count = linking.filter(({ from }) => from !== path).length;
  if (count === 0) return undefined;
  return `${counted(count, "link")} ${count === 1 ? "leads" : "lead"} to '${path}' now; ${sameName(others)}.`;
}

const MAX_NAMED = 3;

function sameName(paths: readonly VaultPath[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => `'${path}'`);
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${named.join(", ")}${more} ${paths.length === 1 ? "has" : "have"} the same name`;
}

function outdated(): never {
  throw new VaultError("SERVER_ERROR", "The index that this graph asks is closed.", {
    hint: "Ask for the graph again; a vault that was closed must be opened again.",
  });
}
