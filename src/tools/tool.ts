/** What a tool is, and `defineTool`, which makes one from its row of facts. */
import { isVaultError, VaultError } from "../errors.js";
import type { Log } from "../log.js";
import type { Progress } from "../vault/catalog.js";
import { missingArgument, readArguments } from "./arguments.js";
import { asVaultError, failed, traceOf, type ToolOutcome } from "./outcome.js";
import type { Infer, ObjectSchema } from "./schema.js";
import { validatorFor } from "./validator.js";
import type { Workspace } from "./workspace.js";

export type { ToolOutcome } from "./outcome.js";

export const TOOLSETS = ["tasks", "notes", "files"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** What a call does to the vault; every MCP hint derives from it. */
export type Effect = "reads" | "adds" | "changes" | "deletes";

export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

/** What `tools/list` says of a tool (MCP 2025-06-18 and later). */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

/** What a call is given besides its arguments. */
export interface ToolContext {
  readonly workspace: Workspace;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Tool {
  readonly name: string;
  readonly toolset: Toolset;
  readonly effect: Effect;
  /** What arguments are validated against; `listing.inputSchema` may ask for more (see `listingIn`). */
  readonly input: ObjectSchema;
  /** As published by a server without a default vault. */
  readonly listing: ToolListing;
  /** As published by a server with or without a default vault: with one, the argument that names the vault is optional. */
  listingIn(server: { readonly hasDefaultVault: boolean }): ToolListing;
  /** Checks the arguments and runs the tool; never throws. */
  call(args: unknown, context: ToolContext): Promise<ToolOutcome>;
}

export interface ToolDefinition<Input extends ObjectSchema, Output extends ObjectSchema> {
  readonly name: string;
  readonly title: string;
  readonly toolset: Toolset;
  /** For a model: when to use it, what it gives, what to do next. */
  readonly description: string;
  readonly effect: Effect;
  readonly input: Input;
  readonly output: Output;
  /** What an error's text begins with, up to the blank before the message. */
  readonly failure: string;
  /** The argument that names a vault: published as required, except by a server with a default vault. */
  readonly vaultArgument?: (keyof Input["properties"] & string) | undefined;
  /** Arguments (`updates.dueDate`) for which null means `""`; elsewhere null means "not given". */
  readonly emptyForNull?: readonly string[] | undefined;
  /** Longest time a call may take, in milliseconds; default 30,000 (spec: protocol, section 5). */
  readonly limit?: number | undefined;
  run(input: Infer<Input>, context: ToolContext): Promise<Infer<Output>>;
  /** The words for the data; pure, so that text and structured content cannot drift apart. */
  text(data: Infer<Output>): string;
}

const DEFAULT_LIMIT = 30_000;

const HINTS: Readonly<Record<Effect, Omit<ToolAnnotations, "title" | "openWorldHint">>> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  // "Destructive" is MCP's word for anything but adding. Some changes (an insertion) are not the same when made twice.
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  deletes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
};

/** Makes a tool. Its `call` is the only place where errors are caught. */
export function defineTool<const Input extends ObjectSchema, const Output extends ObjectSchema>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, toolset, effect, input } = definition;
  const listing = listingOf(definition, true);
  return {
    name,
    toolset,
    effect,
    input,
    listing,
    listingIn: ({ hasDefaultVault }) => (hasDefaultVault ? listingOf(definition, false) : listing),
    call: (args, context) => call(definition, args, context),
  };
}

function listingOf(definition: ToolDefinition<ObjectSchema, ObjectSchema>, vaultRequired: boolean): ToolListing {
  const { name, title, description, effect, input, output, vaultArgument } = definition;
  const required =
    vaultArgument !== undefined && vaultRequired ? [vaultArgument, ...(input.required ?? [])] : undefined;
  return {
    name,
    title,
    description,
    inputSchema: required === undefined ? input : { ...input, required },
    outputSchema: output,
    annotations: { title, ...HINTS[effect], openWorldHint: false },
  };
}

async function call<Input extends ObjectSchema, Output extends ObjectSchema>(
  definition: ToolDefinition<Input, Output>,
  args: unknown,
  context: ToolContext,
): Promise<ToolOutcome> {
  const deadline = startDeadline(context.signal, definition.limit ?? DEFAULT_LIMIT);
  try {
    const input = await inputOf(definition, args, context.workspace);
    const data = await definition.run(input, { ...context, signal: deadline.signal });
    return { ok: true, text: definition.text(data), data: { ...data } };
  } catch (thrown) {
    const error = deadline.passed() && !isVaultError(thrown) ? tookTooLong() : asVaultError(thrown);
    report(definition.name, error, context.log);
    return failed(error, `${definition.failure} `);
  } finally {
    deadline.clear();
  }
}

async function inputOf<Input extends ObjectSchema, Output extends ObjectSchema>(
  { name, input, vaultArgument, emptyForNull }: ToolDefinition<Input, Output>,
  args: unknown,
  workspace: Workspace,
): Promise<Infer<Input>> {
  const validate = await validatorFor(name, "input", input);
  const read = readArguments(args === undefined ? {} : args, input, validate, emptyForNull);
  const lacksVault =
    vaultArgument !== undefined && typeof read === "object" && read !== null && !Object.hasOwn(read, vaultArgument);
  if (lacksVault && !workspace.hasDefault) throw missingArgument(vaultArgument, input);
  // What the validator let through is what the schema says it is.
  return read as Infer<Input>;
}

function report(tool: string, error: VaultError, log: Log): void {
  const fields = { tool, code: error.code, ...(error.cause === undefined ? {} : { cause: traceOf(error.cause) }) };
  if (error.code === "SERVER_ERROR") log.error("A tool call failed unexpectedly", fields);
  else log.debug("A tool call was refused", fields);
}

function tookTooLong(): VaultError {
  return new VaultError("TIMEOUT", "This took too long and was given up.", {
    hint: "Try again; if it keeps happening, narrow the request.",
  });
}

interface Deadline {
  readonly signal: AbortSignal;
  passed(): boolean;
  clear(): void;
}

/** A signal that aborts with the caller's or when the time is up. */
function startDeadline(caller: AbortSignal, milliseconds: number): Deadline {
  const controller = new AbortController();
  let passed = false;
  const timer = setTimeout(() => {
    passed = true;
    controller.abort();
  }, milliseconds);
  const follow = () => controller.abort(caller.reason);
  if (caller.aborted) follow();
  else caller.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    passed: () => passed,
    clear: () => {
      clearTimeout(timer);
      caller.removeEventListener("abort", follow);
    },
  };
}
