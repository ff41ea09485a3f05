/** The tools of one server, narrowed by toolsets and read-only mode. */
import { VaultError } from "../errors.js";
import { TOOL_SPEECH } from "../text/wording.js";
import { failedOutcome, withoutTools } from "./outcome.js";
import type { Tool } from "./tool.js";
import { TOOLS } from "./all-tools.js";
import { isAdvertised, isOffered, type ToolsetChoice } from "./toolset.js";

interface Narrowing {
  /** All by default. */
  readonly toolsets?: readonly ToolsetChoice[] | undefined;
  readonly readOnly?: boolean | undefined;
  readonly denied?: readonly string[] | undefined;
  /** A default vault makes the vault optional in calls. */
  readonly hasDefaultVault?: boolean | undefined;
}

export interface ToolBox {
  /** The listed ones; `find` knows the others, too. */
  readonly tools: readonly Tool[];
  /** A disabled tool refuses calls with the reason. */
  find(name: string): Tool | undefined;
}

export function toolsFor({
  toolsets = ["all"],
  readOnly = false,
  hasDefaultVault = false,
  denied = [],
}: Narrowing = {}): ToolBox {
  const unknown = denied.find((name) => !TOOLS.some((tool) => tool.name === name));
  // A misspelt name would leave the intended tool available.
  if (unknown !== undefined)
    throw new VaultError("INVALID_ARGUMENT", `There is no tool '${unknown}' (--deny-tool).`, {
      hint: `Tools: ${TOOLS.map((tool) => tool.name).join(", ")}.`,
    });
  const tools = hasDefaultVault ? TOOLS : TOOLS.map(unconfigured);
  const all: ToolBox = { tools: tools.filter(isAdvertised), find: (name) => tools.find((tool) => tool.name === name) };
  return narrowedTools(all, (tool) =>
    denied.includes(tool.name) ? NOT_OFFERED : reasonAgainst(tool, toolsets, readOnly),
  );
}

const NOT_OFFERED: Reason = {
  message: "is not available: this server does not offer it (--deny-tool).",
  hint: "The tools that are listed may do what is needed.",
};

/** Refuses calls to the other tools with the reason. */
export function narrowedTools(box: ToolBox, reasonNotTo: (tool: Tool) => Reason | undefined): ToolBox {
  const off = new Set(box.tools.filter((tool) => reasonNotTo(tool) !== undefined).map(({ name }) => name));
  const isOff = (name: string): boolean => off.has(name);
  return {
    tools: box.tools.filter((tool) => reasonNotTo(tool) === undefined),
    find(name) {
      const tool = box.find(name);
      const reason = tool && reasonNotTo(tool);
      if (tool && reason) return refusing(tool, reason);
      return (
        tool && {
          ...tool,
          call: (args, context) =>
            tool.call(args, { ...context, isOff, speech: withoutTools(context.speech ?? TOOL_SPEECH, isOff) }),
        }
      );
    },
  };
}

const unconfigured = (tool: Tool): Tool => ({ ...tool, listing: tool.listingWithoutVault });

interface Reason {
  readonly message: string;
  readonly hint: string;
}

function reasonAgainst(tool: Tool, toolsets: readonly ToolsetChoice[], readOnly: boolean): Reason | undefined {
  if (!isOffered(tool, toolsets)) {
    if (toolsets.includes("core"))
      return {
        message: `is not served (--toolsets ${toolsets.join(",")}); a person can add it with --toolsets all.`,
        hint: "The tools that are listed can do most of what it does.",
      };
    return {
      message: `is not available: the toolset "${tool.toolset}" is switched off.`,
      hint: `The server must be started with --toolsets ${[...toolsets, tool.toolset].join(",")} to use it.`,
    };
  }
  if (readOnly && tool.effect !== "reads") {
    return {
      message: "is not available: this server is read-only.",
      hint: "The server must be started without --read-only to change the vault.",
    };
  }
  return undefined;
}

function refusing(tool: Tool, { message, hint }: Reason): Tool {
  const error = new VaultError("PERMISSION_DENIED", `${tool.name} ${message}`, { hint });
  return { ...tool, call: async () => failedOutcome(error, "❌ Error: ") };
}
