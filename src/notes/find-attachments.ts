/** Finds files other than notes, with the notes that link to them. */
import { whatExcludes } from "../search/nothing-found.js";
import { type Wording } from "../text/wording.js";
import type { FileStat } from "../storage/storage.js";
import { meansAll } from "../search/words.js";
import type { EpochMilliseconds } from "../clock.js";
import { imageFacts, type ImageSize } from "../attachments/attachments.js";
import { VaultError } from "../errors.js";
import type { Links } from "../links/service.js";
import { mediaTypeOf } from "../links/uri.js";
import { foldName, type VaultPath } from "../storage/path.js";
import { fold } from "../text/fold.js";
import type { Vault } from "../vault/vault.js";
import type { NoteSearch } from "./find.js";
import { allOf } from "../index/subject.js";
import { conditionsOf, folderMeant } from "./find-filter.js";

interface FoundAttachment {
  readonly path: VaultPath;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  readonly dimensions: ImageSize | undefined;
  readonly modified: EpochMilliseconds;
  /** Some of the notes that link to it. */
  readonly linkedFrom: readonly VaultPath[];
  readonly linkCount: number;
}

export interface FoundAttachments {
  readonly total: number;
  /** How days were read. */
  readonly remarks: readonly Wording[];
  readonly attachments: readonly FoundAttachment[];
  readonly nextOffset: number | undefined;
}

const MAX_LINKING = 5;
/** In a JPEG the dimensions follow metadata and preview. */
const HEAD_BYTES = 256 * 1024;
const OF_NOTES = ["tags", "properties", "hasAttachments", "linksTo", "dateFrom", "dateTo"] as const;

/** @throws VaultError INVALID_ARGUMENT for a filter of notes, and as `searchNotes` */
export async function findAttachments(
  vault: Vault,
  links: Pick<Links, "graph">,
  search: NoteSearch,
): Promise<FoundAttachments> {
  const { query = "", limit = 10, offset = 0, sortBy = "mtime", sortOrder, signal, onProgress } = search;
  const wrong = OF_NOTES.find((name) => search[name] !== undefined);
  if (wrong !== undefined)
    throw new VaultError("INVALID_ARGUMENT", `${argumentName(wrong)} is for notes; attachments have none.`, {
      hint: `Leave ${argumentName(wrong)} out, or leave kind out.`,
    });
  const { sinceDays, modifiedAfter, modifiedBefore } = search;
  const folder = await folderMeant(vault, search.folder);
  const words = meansAll(query) ? [] : fold(query).trim().split(/\s+/);
  const progress = { signal, onProgress };
  const graph = await links.graph(progress);
  const view = await vault.index.refresh({ signal, rows: [] });
  const filters = { sinceDays, modifiedAfter, modifiedBefore, folder };
  const { conditions, remarks } = conditionsOf(filters, view, vault.clock);
  const isOrphan = ({ path }: FileStat) => (graph.backlinks(path).length === 0) === search.orphan;
  const tests = [
    ...(search.orphan === undefined ? [] : [{ filter: `orphan ${search.orphan}`, holds: isOrphan }]),
    ...words.map((word) => ({
      filter: JSON.stringify(word),
      holds: ({ path }: FileStat) => fold(path).includes(word),
    })),
  ];
  const matching = (isIn: (part: number) => boolean): readonly FileStat[] => {
    const wanted = allOf(conditions.filter((_, at) => isIn(at)));
    const held = tests.filter((_, at) => isIn(conditions.length + at));
    return view
      .paths(`note = 0 AND hidden = 0 AND ${wanted.sql}`, ...wanted.values)
      .flatMap((path) => (graph.isShown(path) ? (view.statOf(path) ?? []) : []))
      .filter((file) => held.every(({ holds }) => holds(file)));
  };
  const found = matching(() => true);
  const parts = [...conditions, ...tests].map(({ filter }) => filter);
  const why =
    found.length > 0
      ? []
      : await whatExcludes({ what: "attachment", parts, count: async (isIn) => matching(isIn).length });
  const direction = (sortOrder ?? (sortBy === "path" ? "asc" : "desc")) === "asc" ? 1 : -1;
  const by = { path: () => 0, mtime: modifiedFirst, ctime: createdFirst, relevance: modifiedFirst }[sortBy];
  const shown = found
    .toSorted((a, b) => direction * (by(a, b) || (sortBy === "path" ? byName(a, b) : 0)) || byName(a, b))
    .slice(offset, offset + limit);
  const linking = new Map(
    shown.map(({ path }) => [
      path,
      [...new Set(graph.backlinks(path).map(({ from }) => from))].filter((from) => graph.isShown(from)),
    ]),
  );
  const sizes = search.countOnly
    ? new Map<VaultPath, ImageSize>()
    : await imageSizes(
        vault,
        shown.map(({ path }) => path),
      );
  const end = offset + shown.length;
  return {
    total: found.length,
    remarks: [...remarks, ...why],
    attachments: shown.map(({ path, size, modified }) => {
      const from = linking.get(path) ?? [];
      const dimensions = sizes.get(path);
      return {
        path,
        type: mediaTypeOf(path),
        size,
        dimensions,
        modified,
        linkedFrom: from.slice(0, MAX_LINKING),
        linkCount: from.length,
      };
    }),
    nextOffset: shown.length > 0 && end < found.length ? end : undefined,
  };
}

interface Dated {
  readonly path: VaultPath;
  readonly modified: number;
  readonly created: number;
}

const modifiedFirst = (a: Dated, b: Dated): number => a.modified - b.modified;
const createdFirst = (a: Dated, b: Dated): number => a.created - b.created;
const byName = (a: Dated, b: Dated): number => (foldName(a.path) < foldName(b.path) ? -1 : 1);

const argumentName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

async function imageSizes(vault: Vault, paths: readonly VaultPath[]): Promise<ReadonlyMap<VaultPath, ImageSize>> {
  const sizes = new Map<VaultPath, ImageSize>();
  const images = paths.filter((path) => mediaTypeOf(path).startsWith("image/"));
  for await (const { path, bytes } of vault.heads(images, HEAD_BYTES)) {
    const size = imageFacts(bytes)?.size;
    if (size !== undefined) sizes.set(path, size);
  }
  return sizes;
}
