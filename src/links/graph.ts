/** The links of a vault, kept true by what changed: a changed note costs its own links, a new name those that ask for it. */
import { baseName, isMarkdown, type VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { CatalogView, NoteRecord } from "../catalog/catalog.js";
import { difference } from "./difference.js";
import type { Link, LinkGraph } from "./links.js";
import { NameTable } from "./name-table.js";
import { NumberPairs } from "./number-pairs.js";
import { linkReader, linksIn, visitTargets, type LinkFacts } from "./reader.js";
import { filesMeant, linkText, resolveLink, stemOf, stemsOf } from "./resolver.js";
import { TargetMemo } from "./target-memo.js";

/**
 * Links stay where the catalog keeps them: of each file, which files it links to, and how many link to it.
 * `update` changes it in place: what is asked of it holds for the view it was given last.
 */
export class VaultGraph implements LinkGraph {
  readonly #names = new NameTable();
  /** By a file's number: what is known of its links, and the other files they lead to. */
  readonly #written: (NoteRecord<LinkFacts> | undefined)[] = [];
  readonly #targets = new NumberPairs();
  /** By a file's number: how many others link to it. */
  readonly #inbound: number[] = [];
  /** Files with links that lead nowhere. */
  readonly #broken = new Set<number>();
  #hidden: ReadonlySet<VaultPath> = new Set();
  #generation = -1;
  #arrangement = -1;
  #files: readonly FileStat[] = [];
  #records: readonly NoteRecord<LinkFacts>[] = [];
  /** While an update runs: files whose links may lead elsewhere now. */
  #doubted = new Set<number>();

  /** The files by name, for resolving links as they would be elsewhere. */
  get names(): Pick<NameTable, "has" | "named" | "paths"> {
    return this.#names;
  }

  /** Takes over what changed since the view before. @param view of a refresh with `linkReader`'s facts and files */
  update(view: CatalogView): void {
    // Of two calls the one that looked first may come last.
    if (view.generation <= this.#generation) return;
    const records = view.records(linkReader, { hidden: true });
    const { before, after } = difference(this.#records, records);
    this.#forget(before, after);
    if (view.arrangement !== this.#arrangement) this.#rearrange(view);
    for (const record of after) this.#take(record);
    const memo = new TargetMemo(this.#names);
    for (const id of this.#doubted) this.#resolveAll(id, memo);
    this.#doubted = new Set();
    this.#names.recycle();
    this.#records = records;
    this.#generation = view.generation;
    this.#arrangement = view.arrangement;
  }

  resolve(target: string, from: VaultPath): VaultPath | undefined {
    return resolveLink(target, from, this.#names);
  }

  candidates(name: string): readonly VaultPath[] {
    return filesMeant(name, this.#names);
  }

  has(path: VaultPath): boolean {
    return this.#names.has(path);
  }

  isShown(path: VaultPath): boolean {
    return this.#names.has(path) && !this.#hidden.has(path);
  }

  *shown(): Generator<VaultPath> {
    for (const path of this.#names.paths()) if (!this.#hidden.has(path)) yield path;
  }

  linkText(to: VaultPath, from: VaultPath): string {
    return linkText(to, from, this.#names);
  }

  backlinks(path: VaultPath): readonly Link[] {
    const id = this.#names.id(path);
    if (id === undefined) return [];
    const askers = this.#names.askers(stemOf(baseName(path)));
    const sources = askers.filter((source) => source === id || this.#targets.has(source, id));
    return this.#inOrder(sources).flatMap((from) =>
      this.#linksOf(from).filter(({ target, to }) => to === path && target !== ""),
    );
  }

  outgoing(path: VaultPath): readonly Link[] {
    return this.#linksOf(path);
  }

  unresolved(): readonly Link[] {
    const memo = new TargetMemo(this.#names);
    const links: Link[] = [];
    for (const from of this.#inOrder([...this.#broken])) {
      const id = this.#names.id(from);
      if (id === undefined || this.#hidden.has(from)) continue;
      visitTargets(this.#factsOf(id), (target, rest) => {
        if (memo.resolve(target, id) === undefined) links.push({ from, ...rest(), to: undefined });
      });
    }
    return links;
  }

  orphans(): readonly VaultPath[] {
    const orphans: VaultPath[] = [];
    this.#names.each((path, id) => {
      if (!this.#inbound[id] && isMarkdown(path) && !this.#hidden.has(path)) orphans.push(path);
    });
    return orphans.sort();
  }

  #inOrder(ids: readonly number[]): VaultPath[] {
    return ids.map((id) => this.#names.path(id)).sort();
  }

  #linksOf(from: VaultPath): Link[] {
    const links: Link[] = [];
    const facts = this.#written[this.#names.id(from) ?? -1]?.facts;
    if (facts === undefined) return links;
    for (const link of linksIn(facts)) links.push({ from, ...link, to: this.resolve(link.target, from) });
    return links;
  }

  #factsOf(id: number): LinkFacts {
    return this.#written[id]?.facts ?? "";
  }

  /** Lets go of the facts of files that have none any more; such a file may be gone itself. */
  #forget(before: readonly NoteRecord<LinkFacts>[], after: readonly NoteRecord<LinkFacts>[]): void {
    if (before.length === 0) return;
    const kept = new Set(after.map(({ stat }) => stat.path));
    for (const { stat } of before) {
      const id = kept.has(stat.path) ? undefined : this.#names.id(stat.path);
      if (id !== undefined) this.#replace(id, undefined);
    }
  }

  #rearrange(view: CatalogView): void {
    const files = view.files({ hidden: true });
    const { before, after } = difference(this.#files, files);
    const left = new Set(before.map(({ path }) => path));
    for (const { path } of after) if (!left.delete(path)) this.#doubt(this.#names.add(path));
    for (const path of left) this.#doubt(this.#names.remove(path));
    this.#files = files;
    this.#hidden = leftOut(files, view.files());
  }

  #doubt(askers: readonly number[]): void {
    for (const id of askers) this.#doubted.add(id);
  }

  #take(record: NoteRecord<LinkFacts>): void {
    const id = this.#names.id(record.stat.path);
    if (id !== undefined) this.#replace(id, record);
  }

  #replace(id: number, record: NoteRecord<LinkFacts> | undefined): void {
    const [factsBefore, facts] = [this.#factsOf(id), record?.facts ?? ""];
    this.#written[id] = record;
    if (factsBefore === facts) return;
    const [before, after] = [stemsIn(factsBefore), stemsIn(facts)];
    for (const stem of before) if (!after.has(stem)) this.#names.askNoMore(stem, id);
    for (const stem of after) if (!before.has(stem)) this.#names.ask(stem, id);
    this.#doubted.add(id);
  }

  #resolveAll(id: number, memo: TargetMemo): void {
    for (const target of this.#targets.of(id)) {
      this.#targets.delete(id, target);
      this.#inbound[target] = (this.#inbound[target] ?? 0) - 1;
    }
    const targets = new Set<number>();
    let isBroken = false;
    visitTargets(this.#factsOf(id), (target) => {
      const to = memo.resolve(target, id);
      if (to === undefined) isBroken = true;
      else if (to !== id) targets.add(to);
    });
    for (const target of targets) {
      this.#targets.add(id, target);
      this.#inbound[target] = (this.#inbound[target] ?? 0) + 1;
    }
    if (isBroken) this.#broken.add(id);
    else this.#broken.delete(id);
  }
}

/** The paths of the files that are not among those shown. */
function leftOut(files: readonly FileStat[], shown: readonly FileStat[]): ReadonlySet<VaultPath> {
  const hidden = new Set<VaultPath>();
  let place = 0;
  for (const file of files)
    if (file === shown[place]) place += 1;
    else hidden.add(file.path);
  // Both lists are in the order of the catalog's rows; where they are not, every path is looked for.
  if (place < shown.length) for (const { path } of shown) hidden.delete(path);
  return hidden;
}

function stemsIn(facts: LinkFacts): ReadonlySet<string> {
  const stems = new Set<string>();
  visitTargets(facts, (target) => stemsOf(target).forEach((stem) => stems.add(stem)));
  return stems;
}
