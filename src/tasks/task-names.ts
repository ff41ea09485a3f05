/** By what names tasks are known to each other: ids, the paths and names of their notes, links to these, the signs of lines. */
import { splitNote } from "../markdown/frontmatter/frontmatter.js";
import { scanLinks } from "../markdown/links/scan.js";
import { foldName, folderOf, ROOT, type VaultPath } from "../storage/path.js";
import type { Task } from "./task.js";

/** How a property names another note: by a link or by a path. */
export interface NoteReference {
  readonly form: "wikilink" | "markdown" | "path";
  /** A path or name, `.md` optional; empty for the note itself. */
  readonly target: string;
  /** Of a block in that note the id, `^` before it. */
  readonly block?: string;
}

/** Nearly all links, which need no scanner. */
const PLAIN_LINK = /^\[\[([^[\]|#^]+)(?:\|[^[\]]*)?\]\]$/;
/** A path has a folder or an extension, and is no address of the web. */
const PATH = /^(?![a-z][a-z\d+.-]*:)(?:[^[\]]*[\\/][^[\]]*|[^[\]]+\.md)$/i;

/** What a property's text says as a link or a path; undefined for any other text, such as an id or a bare name. */
export function readReference(text: string): NoteReference | undefined {
  const trimmed = text.trim();
  const plain = PLAIN_LINK.exec(trimmed)?.[1];
  if (plain !== undefined) return { form: "wikilink", target: plain.trim() };
  if (PATH.test(trimmed)) return { form: "path", target: trimmed };
  if (!/\]\]$|\)$/.test(trimmed)) return undefined;
  const [link] = scanLinks(trimmed, splitNote(trimmed));
  if (link === undefined || link.start !== 0 || link.end !== trimmed.length) return undefined;
  const { form, target, subpath } = link;
  const [block] = /\^[^#^]+$/.exec(subpath) ?? [];
  return { form, target: target.trim(), ...(block !== undefined && { block }) };
}

export class TaskNames {
  readonly #ids = new Map<string, Task[]>();
  /** Lines by their block ids, `^` before them. */
  readonly #blocks = new Map<string, Task[]>();
  readonly #signs = new Map<string, Task[]>();
  /** Notes by their whole paths and by their names, both folded and without `.md`. */
  readonly #paths = new Map<string, Task[]>();
  readonly #files = new Map<string, Task[]>();

  constructor(tasks: readonly Task[]) {
    for (const task of tasks) {
      add(this.#ids, task.id, task);
      if (task.sign !== undefined) add(this.#signs, task.sign, task);
      if (task.source === "note") {
        const path = noteKey(task.path);
        add(this.#paths, path, task);
        add(this.#files, lastPart(path), task);
      } else if (task.id.includes("#^")) add(this.#blocks, task.id.slice(task.id.lastIndexOf("#^") + 1), task);
    }
  }

  withId(id: string): readonly Task[] {
    return this.#ids.get(id) ?? [];
  }

  withSign(sign: string): readonly Task[] {
    return this.#signs.get(sign) ?? [];
  }

  /**
   * The note that a path or name means where it stands in the note `from`: a whole path, else the end of one; of several the nearest,
   * as a link means it. A path that begins with `./` or `../` counts from the folder of `from`.
   */
  notesNamed(name: string, from: VaultPath): readonly Task[] {
    const path = pathMeant(name, from);
    if (path === undefined) return [];
    const whole = this.#paths.get(path);
    if (whole !== undefined) return whole.slice(0, 1);
    const found = this.#files.get(lastPart(path)) ?? [];
    const fitting = path.includes("/") ? found.filter((task) => noteKey(task.path).endsWith(`/${path}`)) : found;
    return fitting.length < 2 ? fitting : fitting.toSorted(nearestTo(from)).slice(0, 1);
  }

  /** The tasks that a property of the note `from` names: by a link, a path or an id. */
  meantBy(reference: string, from: VaultPath): readonly Task[] {
    const named = readReference(reference);
    if (named === undefined) return orElse(this.withId(reference), () => this.notesNamed(reference, from));
    const { target, block } = named;
    if (block !== undefined) return this.#blockIn(target, block, from);
    if (named.form === "path") return orElse(this.withId(reference), () => this.notesNamed(target, from));
    return orElse(this.notesNamed(target, from), () => this.withId(target));
  }

  #blockIn(target: string, block: string, from: VaultPath): readonly Task[] {
    const path = target === "" ? noteKey(from) : pathMeant(target, from);
    return (this.#blocks.get(block) ?? []).filter((task) => {
      const key = noteKey(task.path);
      return key === path || (path !== undefined && key.endsWith(`/${path}`));
    });
  }
}

const orElse = (found: readonly Task[], otherwise: () => readonly Task[]): readonly Task[] =>
  found.length > 0 ? found : otherwise();

/** The key of the path that a text names; undefined where it leads out of the vault. */
function pathMeant(text: string, from: VaultPath): string | undefined {
  const name = text.replaceAll("\\", "/");
  if (!/^\.\.?\//.test(name)) return noteKey(name.replace(/^\/+/, ""));
  const folder = folderOf(from);
  const parts = folder === ROOT ? [] : folder.split("/");
  for (const part of name.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return noteKey(parts.join("/"));
}

const noteKey = (path: string): string => foldName(path.replace(/\.md$/i, ""));
const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** In or below the note's own folder first, then the shortest path. */
function nearestTo(from: VaultPath): (a: Task, b: Task) => number {
  const folder = folderOf(from);
  const isNear = ({ path }: Task): boolean => folder !== ROOT && path.startsWith(`${folder}/`);
  return (a, b) => Number(isNear(b)) - Number(isNear(a)) || a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}

function add(map: Map<string, Task[]>, key: string, task: Task): void {
  const known = map.get(key);
  if (known) known.push(task);
  else map.set(key, [task]);
}
