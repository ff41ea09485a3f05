/** The tools of one server: all of them, narrowed by toolsets and read-only mode for listings and lookups alike. */
import { VaultError } from "../errors.js";
import { failed } from "./outcome.js";
import type { Tool } from "./tool.js";
import { TOOLS } from "./tools.js";
import { isOffered, TOOLSETS, type Toolset } from "./toolset.js";

export interface Narrowing {
  /** The toolsets that are on; default all. */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Hide tools that write, and refuse calls to them. */
  readonly readOnly?: boolean | undefined;
  /** Whether the server was started with a vault, so that the vault need not be named. */
  readonly hasDefaultVault?: boolean | undefined;
}

/** The tools of one server. */
export interface ToolBox {
  /** What may be called, in order; `tools/list` answers their listings. */
  readonly tools: readonly Tool[];
  /**
   * The tool of that name. For a tool that is switched off, one that refuses every call with PERMISSION_DENIED and says why; undefined when
   * there is no such tool.
   */
  find(name: string): Tool | undefined;
}

/** The tools left when a server is narrowed by toolsets and read-only mode. */
export function toolsFor({ toolsets = TOOLSETS, readOnly = false, hasDefaultVault = false }: Narrowing = {}): ToolBox {
  const reasons = new Map(TOOLS.map((tool) => [tool.name, reasonAgainst(tool, toolsets, readOnly)]));
  const known = hasDefaultVault ? TOOLS : TOOLS.map(unconfigured);
  return {
    tools: known.filter((tool) => reasons.get(tool.name) === undefined),
    find(name) {
      const tool = known.find((candidate) => candidate.name === name);
      const reason = reasons.get(name);
      return tool === undefined || reason === undefined ? tool : refusing(tool, reason);
    },
  };
}

/** The tool as a server without a default vault offers it. */
function unconfigured(tool: Tool): Tool {
  return { ...tool, listing: tool.listingWithoutVault };
}

interface Reason {
  readonly message: string;
  readonly hint: string;
}

function reasonAgainst(tool: Tool, toolsets: readonly Toolset[], readOnly: boolean): Reason | undefined {
  if (!isOffered(tool, toolsets)) {
    return {
      message: `${tool.name} is not available: the toolset "${tool.toolset}" is switched off.`,
      hint: `The server must be started with --toolsets ${[...toolsets, tool.toolset].join(",")} to use it.`,
    };
  }
  if (readOnly && tool.effect !== "reads") {
    return {
      message: `${tool.name} is not available: this server is read-only.`,
      hint: "The server must be started without --read-only to change the vault.",
    };
  }
  return undefined;
}

function refusing(tool: Tool, { message, hint }: Reason): Tool {
  const error = new VaultError("PERMISSION_DENIED", message, { hint });
  return { ...tool, call: async () => failed(error, "❌ Error: ") };
}
