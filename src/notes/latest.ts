/** The notes changed last. Costs a stat of all files and reading those few. */
import { titleAndDescription } from "../markdown/outline.js";
import { baseName } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { NoteSource } from "../index/subject.js";
import type { Vault } from "../vault/vault.js";

interface LatestNote {
  readonly stat: FileStat;
  /** From frontmatter, else the first level-1 heading, else the file's name. */
  readonly title: string;
}

/** Without templates and unreadable notes. */
export async function latestNotes(vault: Vault, count: number, signal?: AbortSignal): Promise<readonly LatestNote[]> {
  const view = await vault.index.refresh({ signal });
  const latest: LatestNote[] = [];
  for (let at = 0; latest.length < count; at += count) {
    const paths = view.paths("note = 1 AND hidden = 0 ORDER BY modified DESC, path LIMIT ? OFFSET ?", count, at);
    if (paths.length === 0) break;
    latest.push(...(await vault.factsIn(paths, readTitle)));
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
