/** The notes changed last. Costs a stat of all files and reading those few. */
import { titleAndDescription } from "../markdown/outline.js";
import { baseName, isMarkdown } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { FactReader, NoteSource } from "../index/facts.js";
import type { Vault } from "../vault/vault.js";

interface LatestNote {
  readonly stat: FileStat;
  /** From frontmatter, else the first level-1 heading, else the file's name. */
  readonly title: string;
}

/** Only a template or unreadable note has no facts. */
const titleReader: FactReader<LatestNote> = { name: "latest", version: 1, read: readTitle };

/** Without templates and unreadable notes. */
export async function latestNotes(vault: Vault, count: number, signal?: AbortSignal): Promise<readonly LatestNote[]> {
  const view = await vault.index.refresh({ facts: [], signal });
  const stats = view.files().filter(({ path }) => isMarkdown(path));
  const newest = stats.toSorted((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1));
  const latest: LatestNote[] = [];
  for (let at = 0; at < newest.length && latest.length < count; at += count) {
    const paths = newest.slice(at, at + count).map(({ path }) => path);
    latest.push(...(await vault.factsIn(paths, titleReader)));
  }
  return latest.slice(0, count);
}

function readTitle({ stat, text, parts, frontmatter }: NoteSource): LatestNote {
  const property = frontmatter.properties.find(({ key }) => key.toLowerCase() === "title");
  const written = property?.text?.trim();
  const heading = titleAndDescription(text, parts.bodyStart).title?.text.trim();
  const title = [written, heading].find((candidate) => candidate !== undefined && candidate !== "");
  return { stat, title: title ?? baseName(stat.path).replace(/\.md$/i, "") };
}
