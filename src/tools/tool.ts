/** What a tool is, and `defineTool`, which makes one from its row of facts. */
import type { Log } from "../log.js";
import type { VaultError } from "../errors.js";
import type { Progress } from "../vault/catalog.js";
import type { ObjectSchema } from "./schema.js";
import type { Workspace } from "./workspace.js";

export const TOOLSETS = ["tasks", "notes", "files"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** What a call does to the vault; every MCP hint derives from it. */
export type Effect = "reads" | "adds" | "changes" | "deletes";

/** What `tools/list` says of a tool (MCP 2025-06-18 and later). */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

/** What a call is given besides its arguments. */
export interface ToolContext {
  readonly workspace: Workspace;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** `text` says the same as `data` in words; a failure's text suffices on its own (what failed, why, what to do next). */
export type ToolOutcome =
  | { readonly ok: true; readonly text: string; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly text: string; readonly error: VaultError };

export interface Tool {
  readonly name: string;
  readonly toolset: Toolset;
  readonly effect: Effect;
  readonly listing: ToolListing;
  /** Checks the arguments and runs the tool; never throws. */
  call(args: unknown, context: ToolContext): Promise<ToolOutcome>;
}
