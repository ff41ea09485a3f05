/** Notes and attachments as MCP resources (docs: notes-and-files, "Resources"). */
import { isVaultError } from "../errors.js";
import type { NoteSource } from "../index/subject.js";
import { mediaTypeOf, noteUri, parseNoteUri } from "../links/uri.js";
import { titleAndDescription } from "../markdown/outline.js";
import { baseName, fileTitle, type VaultPath } from "../storage/path.js";
import type { FileStat } from "../storage/storage.js";
import type { OpenVault, Workspace } from "../tools/workspace.js";
import type { Vault } from "../vault/vault.js";
import { type RequestContext, type RpcResultBody, knownVault, resourceNotFound } from "./dispatch.js";
import { invalidParams, refuseCursor, type RpcParams } from "./rpc.js";

/** One page: `find_notes` is for discovery. */
const LISTED = 10;

export async function listResources(
  workspace: Workspace,
  params: RpcParams,
  { signal }: RequestContext,
): Promise<RpcResultBody> {
  refuseCursor(params, "The list has one page; find_notes finds more.");
  const open = await knownVault(workspace);
  if (open === undefined) return { resources: [] };
  const { vault } = open;
  const notes = await latestNotes(vault, LISTED, signal);
  return {
    resources: notes.map(({ stat, title }) => ({
      uri: noteUri(vault.id, stat.path),
      name: baseName(stat.path),
      title,
      description: `Path: ${stat.path}`,
      mimeType: mediaTypeOf(stat.path),
      size: stat.size,
      annotations: { lastModified: new Date(stat.modified).toISOString() },
    })),
  };
}

export async function listTemplates(workspace: Workspace): Promise<RpcResultBody> {
  const open = await knownVault(workspace);
  const template = open && {
    uriTemplate: templateOf(open),
    name: "note",
    title: "Note or attachment",
    description: "Any file of the vault by its path, such as _projects/project-a.md",
  };
  return { resourceTemplates: template ? [template] : [] };
}

export async function readResource(
  workspace: Workspace,
  params: RpcParams,
  { era }: RequestContext,
): Promise<RpcResultBody> {
  return withFile(workspace, params, era, async (uri, path, vault) => {
    const mimeType = mediaTypeOf(path);
    const { bytes, text } = await vault.readFile(path);
    const content = text === undefined ? { blob: Buffer.from(bytes).toString("base64") } : { text };
    return { contents: [{ uri, mimeType, ...content }] };
  });
}

export async function findResource(workspace: Workspace, params: RpcParams, { era }: RequestContext) {
  return withFile(workspace, params, era, async (uri, path, vault) => {
    await vault.stat(path);
    return { uri, path, vault };
  });
}

export async function resourcePaths(workspace: Workspace, template: unknown): Promise<readonly string[]> {
  const open = await knownVault(workspace);
  if (open === undefined) return [];
  if (template !== templateOf(open)) throw invalidParams("there is no such resource template.");
  const view = await open.vault.index.refresh({ rows: [] });
  return view.paths("hidden = 0 ORDER BY modified DESC, path");
}

function templateOf({ vault }: OpenVault): string {
  return `${noteUri(vault.id, "" as VaultPath)}{+path}`;
}

/** Invalid paths and URIs of other vaults count as absent. */
const ABSENT: ReadonlySet<string> = new Set(["FILE_NOT_FOUND", "INVALID_ARGUMENT", "PERMISSION_DENIED"]);

async function withFile<T>(
  workspace: Workspace,
  { uri }: RpcParams,
  era: RequestContext["era"],
  work: (uri: string, path: VaultPath, vault: Vault) => Promise<T>,
): Promise<T> {
  if (typeof uri !== "string" || uri === "") throw invalidParams('"uri" must be the URI of a resource.');
  try {
    const { vault } = await workspace.current();
    return await work(uri, parseNoteUri(uri, vault.id), vault);
  } catch (error) {
    throw isVaultError(error) && ABSENT.has(error.code) ? resourceNotFound(uri, error, era) : error;
  }
}

interface LatestNote {
  readonly stat: FileStat;
  /** Of frontmatter, the first level-1 heading, or the file. */
  readonly title: string;
}

/** Without templates. Costs a stat of all files. */
async function latestNotes(vault: Vault, count: number, signal?: AbortSignal): Promise<readonly LatestNote[]> {
  const view = await vault.index.refresh({ signal, rows: [] });
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
  return { stat, title: title ?? fileTitle(stat.path) };
}
