/**
 * The tasks app in the protocol (docs: mcp-app, "The App"): who is offered it, its `ui://` resource, and the mark on
 * its tools.
 */
import { VaultError } from "../errors.js";
import { sha256 } from "../text/hash.js";
import type { ToolBox } from "../tools/registry.js";
import type { ToolListing } from "../tools/tool.js";
import { type Feature, type Method, type Peer, type RpcResultBody, resourceNotFound } from "./dispatch.js";
import { invalidParams, refuseCursor } from "./rpc.js";

export interface AppOffer {
  /** `on`: every peer that introduces itself. */
  readonly mode: "auto" | "on";
  readonly transport: "stdio" | "streamable-http";
  readonly read: () => Promise<string | undefined>;
}

export const APP_EXTENSION = "io.modelcontextprotocol/ui";
export const APP_MEDIA_TYPE = "text/html;profile=mcp-app";

/** Hosts that declare the extension but show an empty frame. */
export const EMPTY_FRAMES = [
  {
    client: "claude-ai",
    transport: "stdio",
    evidence: "Claude Desktop with local servers: https://github.com/anthropics/claude-ai-mcp/issues/165 and /729",
    seen: "2026-08",
  },
] as const;

export function isAppOfferedTo({ mode, transport }: AppOffer, peer: Peer | undefined): boolean {
  if (peer === undefined) return false;
  if (mode === "on") return true;
  const isEmpty = EMPTY_FRAMES.some((row) => row.client === peer.name && row.transport === transport);
  return declaresApps(peer) && !isEmpty;
}

function declaresApps({ extensions }: Peer): boolean {
  const declared = extensions[APP_EXTENSION];
  if (typeof declared !== "object" || declared === null) return false;
  const types: unknown = "mimeTypes" in declared ? declared.mimeTypes : undefined;
  return Array.isArray(types) && types.includes(APP_MEDIA_TYPE);
}

const DRAWN: ReadonlySet<string> = new Set(["scan_vault", "search_tasks", "get_agenda"]);

/** Any hash: a host with an older list gets the current document. */
const APP_URI = /^ui:\/\/obsidian-vault\/tasks-[0-9a-f]+\.html$/;
const HASH_DIGITS = 12;

/** Hosts may cache by URI. */
const uriOf = (document: string): string => `ui://obsidian-vault/tasks-${sha256(document).slice(0, HASH_DIGITS)}.html`;

export async function markedListings(listings: readonly ToolListing[], { read }: AppOffer): Promise<readonly object[]> {
  const document = await read();
  if (document === undefined) return listings;
  const resourceUri = uriOf(document);
  // For hosts older than the final specification.
  const meta = { ui: { resourceUri }, "ui/resourceUri": resourceUri };
  return listings.map((listing) => (DRAWN.has(listing.name) ? Object.assign({}, listing, { _meta: meta }) : listing));
}

/** The app shows no control for missing tools. */
const OFFERED_META_KEY = "obsidian-vault-mcp-server/tools";

export function resultForApp(tool: string, result: RpcResultBody, { tools }: ToolBox): RpcResultBody {
  if (!DRAWN.has(tool) || result["isError"] === true) return result;
  return { ...result, _meta: { [OFFERED_META_KEY]: tools.map(({ name }) => name) } };
}

/** Creates missing resources: a server narrowed to tasks has none. */
export async function withTasksApp(features: readonly Feature[], app: AppOffer): Promise<readonly Feature[]> {
  const notes = features.find(({ methods }) => Object.hasOwn(methods, "resources/read"));
  if (notes === undefined && (await app.read()) === undefined) return features;
  const { capabilities, methods } = notes ?? NO_RESOURCES;
  const [list, read] = [methods["resources/list"] ?? listNothing, methods["resources/read"] ?? readNothing];
  const feature: Feature = {
    capabilities,
    methods: {
      ...methods,
      "resources/list": async (params, context) => {
        const listed = await list(params, context);
        const document = isAppOfferedTo(app, context.peer) ? await app.read() : undefined;
        return document === undefined ? listed : withResource(listed, uriOf(document));
      },
      "resources/read": async (params, context) => {
        const { uri } = params;
        if (typeof uri !== "string" || !APP_URI.test(uri)) return read(params, context);
        const document = await app.read();
        if (document === undefined) throw resourceNotFound(uri, notBuilt(), context.era);
        return { contents: [{ uri, mimeType: APP_MEDIA_TYPE, text: document }] };
      },
    },
  };
  return notes ? features.map((other) => (other === notes ? feature : other)) : [...features, feature];
}

function withResource(listed: RpcResultBody, uri: string): RpcResultBody {
  const { resources } = listed;
  const app = {
    uri,
    name: "tasks-app",
    title: "Tasks",
    description: "Draws the results of scan_vault, search_tasks and get_agenda",
    mimeType: APP_MEDIA_TYPE,
  };
  return { ...listed, resources: [...(Array.isArray(resources) ? (resources as unknown[]) : []), app] };
}

const listNothing: Method = async (params) => {
  refuseCursor(params, "The list has one page.");
  return { resources: [] };
};

const readNothing: Method = async ({ uri }, { era }) => {
  if (typeof uri !== "string" || uri === "") throw invalidParams('"uri" must be the URI of a resource.');
  throw resourceNotFound(uri, new VaultError("FILE_NOT_FOUND", "This server offers no notes as resources."), era);
};

const NO_RESOURCES: Feature = {
  capabilities: { resources: {} },
  methods: {
    "resources/list": listNothing,
    "resources/templates/list": async () => ({ resourceTemplates: [] }),
    "resources/read": readNothing,
  },
};

const notBuilt = (): VaultError =>
  new VaultError("FILE_NOT_FOUND", "This copy of the program was built without its app.");
