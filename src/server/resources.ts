/** Notes and attachments as MCP resources: lists the latest, reads all (docs: notes-and-files, "Resources"). */
import { isVaultError, type VaultError } from "../errors.js";
import { mediaTypeOf } from "../links/media-type.js";
import { noteUri, parseNoteUri } from "../links/uri.js";
import { latestNotes } from "../notes/latest.js";
import { baseName, type VaultPath } from "../storage/path.js";
import type { OpenVault, Workspace } from "../tools/workspace.js";
import { type RequestContext, type RpcResultBody, failureOf, knownVault, resourceNotFound } from "./feature.js";
import { INVALID_PARAMS, RpcFailure, type RpcParams } from "./rpc.js";

/** No second page: `find_notes` is for discovery. */
const LISTED = 10;

export class Resources {
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  async list(params: RpcParams, { signal }: RequestContext): Promise<RpcResultBody> {
    if (typeof params["cursor"] === "string" && params["cursor"] !== "")
      throw new RpcFailure(
        INVALID_PARAMS,
        "Invalid params: unknown cursor. The list has one page; find_notes finds more.",
      );
    try {
      const open = await knownVault(this.#workspace);
      return { resources: open === undefined ? [] : await latest(open, signal) };
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** None before a vault is known. */
  async templates(): Promise<RpcResultBody> {
    try {
      const open = await knownVault(this.#workspace);
      if (open === undefined) return { resourceTemplates: [] };
      return {
        resourceTemplates: [
          {
            uriTemplate: templateOf(open),
            name: "note",
            title: "Note or attachment",
            description: "Any file of the vault by its path, such as _projects/project-a.md",
          },
        ],
      };
    } catch (error) {
      throw failureOf(error);
    }
  }

  async read(params: RpcParams, { era }: RequestContext): Promise<RpcResultBody> {
    const uri = uriOf(params);
    try {
      const { vault } = await this.#workspace.current();
      const path = parseNoteUri(uri, vault.id);
      const mimeType = mediaTypeOf(path);
      const { bytes, text } = await vault.readFile(path);
      const content = text === undefined ? { blob: Buffer.from(bytes).toString("base64") } : { text };
      return { contents: [{ uri, mimeType, ...content }] };
    } catch (error) {
      if (isVaultError(error) && isAbsent(error)) throw resourceNotFound(uri, error, era);
      throw failureOf(error);
    }
  }

  async pathOf(
    params: RpcParams,
    { era }: RequestContext,
  ): Promise<{ readonly uri: string; readonly path: VaultPath }> {
    const uri = uriOf(params);
    try {
      const { vault } = await this.#workspace.current();
      const path = parseNoteUri(uri, vault.id);
      await vault.stat(path);
      return { uri, path };
    } catch (error) {
      if (isVaultError(error) && isAbsent(error)) throw resourceNotFound(uri, error, era);
      throw failureOf(error);
    }
  }

  /** Latest first. */
  async paths(template: unknown): Promise<readonly string[]> {
    const open = await knownVault(this.#workspace);
    if (open === undefined) return [];
    if (template !== templateOf(open))
      throw new RpcFailure(INVALID_PARAMS, "Invalid params: there is no such resource template.");
    const view = await open.vault.index.refresh({ facts: [], files: true });
    return view
      .files()
      .toSorted((a, b) => b.modified - a.modified)
      .map(({ path }) => path);
  }
}

function templateOf({ vault }: OpenVault): string {
  return `${noteUri(vault.id, "" as VaultPath)}{+path}`;
}

function uriOf({ uri }: RpcParams): string {
  if (typeof uri !== "string" || uri === "")
    throw new RpcFailure(INVALID_PARAMS, 'Invalid params: "uri" must be the URI of a resource.');
  return uri;
}

/** Invalid paths and URIs of other vaults count as absent. */
function isAbsent({ code }: VaultError): boolean {
  return code === "FILE_NOT_FOUND" || code === "INVALID_ARGUMENT" || code === "PERMISSION_DENIED";
}

async function latest({ vault }: OpenVault, signal: AbortSignal): Promise<Record<string, unknown>[]> {
  const notes = await latestNotes(vault, LISTED, signal);
  return notes.map(({ stat, title }) => ({
    uri: noteUri(vault.id, stat.path),
    name: baseName(stat.path),
    title,
    description: `Path: ${stat.path}`,
    mimeType: mediaTypeOf(stat.path),
    size: stat.size,
    annotations: { lastModified: new Date(stat.modified).toISOString() },
  }));
}
