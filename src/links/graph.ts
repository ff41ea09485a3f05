/** The links of a vault, updated by what changed. */
import { baseName, isMarkdown, stemOf, type VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { NoteRecord } from "../index/facts.js";
import { type IndexView, listDifference } from "../index/view.js";
import type { Link, LinkGraph, LinkList, UnresolvedLink } from "./api.js";
import { linkAt, linkReader, visitTargets, type LinkFacts, type WrittenLink } from "./link-facts.js";
import { resolverOf, type Resolve, filesMeant, linkText, resolveLink, stemsOf, type FileNames } from "./resolver.js";

interface BrokenLink {
  readonly target: string;
  readonly at: number;
}

/** The text of links stays in the index. `update` changes the graph in place, so answers are valid only until then. */
export class VaultGraph implements LinkGraph {
  readonly #names = new VaultFileNames();
  /** Only files with links. */
  readonly #written = new Map<VaultPath, NoteRecord<LinkFacts>>();
  /** Files with links, by the names in the links. Created at first use. */
  #askers: PathsByStem | undefined;
  /** The files to which each file's links lead, except itself. */
  readonly #targets = new Map<VaultPath, readonly VaultPath[]>();
  readonly #inbound = new Map<VaultPath, number>();
  readonly #broken = new Map<VaultPath, readonly BrokenLink[]>();
  #hidden: ReadonlySet<VaultPath> = new Set();
  #generation = -1;
  #arrangement = -1;
  #files: readonly FileStat[] = [];
  #records: readonly NoteRecord<LinkFacts>[] = [];
  /** During an update: files whose links may now lead elsewhere. */
  #doubted = new Set<VaultPath>();

  get names(): Pick<VaultFileNames, "has" | "named" | "paths"> {
    return this.#names;
  }

  /** @param view with `linkReader`'s facts and files */
  update(view: IndexView): void {
    // Of two concurrent calls, the older view may come last.
    if (view.generation <= this.#generation) return;
    const records = view.records(linkReader, { hidden: true });
    const { before, after } = listDifference(this.#records, records);
    this.#forget(before, after);
    if (view.arrangement !== this.#arrangement) this.#rearrange(view);
    for (const record of after) this.#replace(record.stat.path, record);
    const resolve = resolverOf(this.#names);
    const targets = new Map<string, string>();
    for (const path of this.#doubted) this.#resolveAll(path, resolve, targets);
    this.#doubted = new Set();
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
    return this.#linksTo(path, this.#sourcesOf(path));
  }

  shownBacklinks(path: VaultPath): LinkList {
    const sources = this.#sourcesOf(path).filter((source) => this.isShown(source));
    let length = 0;
    this.#visitLinksTo(path, sources, () => length++);
    return { length, slice: (start, end) => this.#linksTo(path, sources, start, end) };
  }

  listOutgoing(path: VaultPath): LinkList & { readonly unresolved: number } {
    let length = 0;
    if (this.#names.has(path)) visitTargets(this.#factsOf(path), () => length++);
    const unresolved = length === 0 ? 0 : (this.#broken.get(path)?.length ?? 0);
    return { length, unresolved, slice: (start, end) => this.outgoing(path, start, end) };
  }

  linkedFiles(path: VaultPath): readonly VaultPath[] {
    return this.#targets.get(path) ?? [];
  }

  *unresolved(): Generator<UnresolvedLink> {
    for (const from of [...this.#broken.keys()].sort()) {
      if (this.#hidden.has(from)) continue;
      // Links are parsed later from these facts.
      const record = this.#written.get(from);
      let facts: LinkFacts | undefined;
      const linkOf = (at: number): Link => ({ from, ...linkAt((facts ??= record?.facts ?? ""), at), to: undefined });
      for (const { target, at } of this.#broken.get(from) ?? []) yield { from, target, link: () => linkOf(at) };
    }
  }

  orphans(): readonly VaultPath[] {
    const orphans: VaultPath[] = [];
    for (const path of this.shown()) if (!this.#inbound.has(path) && isMarkdown(path)) orphans.push(path);
    return orphans.sort();
  }

  /** The files that link to `path`, in order of paths, possibly including itself. */
  #sourcesOf(path: VaultPath): readonly VaultPath[] {
    const askers = this.#askersFor(path);
    return askers.filter((source) => source === path || this.#targets.get(source)?.includes(path)).toSorted();
  }

  #linksTo(path: VaultPath, sources: readonly VaultPath[], start = 0, end = Infinity): readonly Link[] {
    const links: Link[] = [];
    let number = 0;
    this.#visitLinksTo(path, sources, (from, rest) => {
      if (number >= start && number < end) links.push({ from, ...rest(), to: path });
      number++;
    });
    return links;
  }

  #visitLinksTo(
    path: VaultPath,
    sources: readonly VaultPath[],
    visit: (from: VaultPath, rest: () => WrittenLink) => void,
  ): void {
    const resolve = resolverOf(this.#names);
    for (const from of sources)
      visitTargets(this.#factsOf(from), (target, rest) => {
        if (target !== "" && resolve(target, from) === path) visit(from, rest);
      });
  }

  outgoing(from: VaultPath, start = 0, end = Infinity): readonly Link[] {
    if (!this.#names.has(from)) return [];
    const resolve = resolverOf(this.#names);
    const links: Link[] = [];
    let number = 0;
    visitTargets(this.#factsOf(from), (target, rest) => {
      if (number >= start && number < end) links.push({ from, ...rest(), to: resolve(target, from) });
      number++;
    });
    return links;
  }

  #factsOf(path: VaultPath): LinkFacts {
    return this.#written.get(path)?.facts ?? "";
  }

  /** Drops files without facts; they may be gone. */
  #forget(before: readonly NoteRecord<LinkFacts>[], after: readonly NoteRecord<LinkFacts>[]): void {
    if (before.length === 0) return;
    const kept = new Set(after.map(({ stat }) => stat.path));
    for (const { stat } of before) if (!kept.has(stat.path)) this.#replace(stat.path, undefined);
  }

  #rearrange(view: IndexView): void {
    const files = view.files({ hidden: true });
    const { before, after } = listDifference(this.#files, files);
    const left = new Set(before.map(({ path }) => path));
    for (const { path } of after)
      if (!left.delete(path)) {
        this.#names.add(path);
        this.#doubtAskersFor(path);
      }
    for (const path of left) {
      this.#names.remove(path);
      this.#doubtAskersFor(path);
    }
    this.#files = files;
    this.#hidden = leftOut(files, view.files());
  }

  #doubtAskersFor(path: VaultPath): void {
    for (const asker of this.#askersFor(path)) this.#doubted.add(asker);
  }

  /** Files with links to that name, each once. */
  #askersFor(path: VaultPath): readonly VaultPath[] {
    if (this.#written.size === 0) return [];
    if (!this.#askers) {
      this.#askers = new PathsByStem();
      for (const [asker, { facts }] of this.#written) for (const stem of stemsIn(facts)) this.#askers.add(stem, asker);
    }
    return this.#askers.of(stemOf(baseName(path)));
  }

  /** @param record undefined: the file has no links */
  #replace(path: VaultPath, record: NoteRecord<LinkFacts> | undefined): void {
    const before = this.#written.get(path);
    if (record) this.#written.set(path, record);
    else this.#written.delete(path);
    if (before && before.facts === record?.facts) return;
    this.#doubted.add(path);
    if (!this.#askers) return;
    const [stemsBefore, stemsNow] = [stemsIn(before?.facts ?? ""), stemsIn(record?.facts ?? "")];
    for (const stem of stemsBefore) if (!stemsNow.has(stem)) this.#askers.delete(stem, path);
    for (const stem of stemsNow) if (!stemsBefore.has(stem)) this.#askers.add(stem, path);
  }

  /** @param known lets links to one missing file share a string */
  #resolveAll(path: VaultPath, resolve: Resolve, known: Map<string, string>): void {
    for (const target of this.#targets.get(path) ?? []) this.#count(target, -1);
    const targets = new Set<VaultPath>();
    const broken: BrokenLink[] = [];
    visitTargets(this.#factsOf(path), (target, _, at) => {
      const to = resolve(target, path);
      if (to === undefined) broken.push({ target: shared(target, known), at });
      else if (to !== path) targets.add(to);
    });
    for (const target of targets) this.#count(target, 1);
    if (targets.size > 0) this.#targets.set(path, [...targets]);
    else this.#targets.delete(path);
    // `slice` drops the array's spare capacity.
    if (broken.length > 0) this.#broken.set(path, broken.slice());
    else this.#broken.delete(path);
  }

  #count(target: VaultPath, change: 1 | -1): void {
    const inbound = (this.#inbound.get(target) ?? 0) + change;
    if (inbound > 0) this.#inbound.set(target, inbound);
    else this.#inbound.delete(target);
  }
}

function leftOut(files: readonly FileStat[], shown: readonly FileStat[]): ReadonlySet<VaultPath> {
  const hidden = new Set<VaultPath>();
  let place = 0;
  for (const file of files)
    if (file === shown[place]) place += 1;
    else hidden.add(file.path);
  // Usually in the same order; if not, every path is compared.
  if (place < shown.length) for (const { path } of shown) hidden.delete(path);
  return hidden;
}

/** A substring of a file's facts would keep all of them in memory. */
function shared(text: string, known: Map<string, string>): string {
  const same = known.get(text);
  if (same === undefined) known.set(text, text);
  return same ?? text;
}

function stemsIn(facts: LinkFacts): ReadonlySet<string> {
  const stems = new Set<string>();
  visitTargets(facts, (target) => stemsOf(target).forEach((stem) => stems.add(stem)));
  return stems;
}

class VaultFileNames implements FileNames {
  readonly #paths = new Set<VaultPath>();
  readonly #bearers = new PathsByStem();

  has(path: VaultPath): boolean {
    return this.#paths.has(path);
  }

  named(stem: string): readonly VaultPath[] {
    return this.#bearers.of(stem);
  }

  paths(): Iterable<VaultPath> {
    return this.#paths;
  }

  add(path: VaultPath): void {
    this.#paths.add(path);
    this.#bearers.add(stemOf(baseName(path)), path);
  }

  remove(path: VaultPath): void {
    this.#paths.delete(path);
    this.#bearers.delete(stemOf(baseName(path)), path);
  }
}

/** Saves memory: nearly all stems have one path. */
class PathsByStem {
  readonly #paths = new Map<string, VaultPath[]>();

  of(stem: string): readonly VaultPath[] {
    return this.#paths.get(stem) ?? [];
  }

  add(stem: string, path: VaultPath): void {
    const known = this.#paths.get(stem);
    if (known === undefined) this.#paths.set(stem, [path]);
    else known.push(path);
  }

  delete(stem: string, path: VaultPath): void {
    const known = this.#paths.get(stem);
    if (known === undefined) return;
    const at = known.indexOf(path);
    if (at >= 0) known.splice(at, 1);
    if (known.length === 0) this.#paths.delete(stem);
  }
}
