/** What a tool is, and `defineTool`, which makes one. */
import { sleep } from "../async/timers.js";
import { isVaultError, VaultError } from "../errors.js";
import { asCaller } from "../async/caller.js";
import type { Log } from "../log.js";
import { missingArgument, readArguments } from "./arguments/arguments.js";
import { explainDeleted, readReferences } from "./arguments/reference-arguments.js";
import { type AnswerImage, failedOutcome, traceOf, unforeseen, type ToolOutcome } from "./outcome.js";
import { publishedSchema, type Infer, type ObjectSchema } from "./schema.js";
import { oneLine } from "./safe-text.js";
import { call as callOf, inSpeech, joined, said, TOOL_SPEECH, type Wording } from "../text/wording.js";
import type { Toolset } from "./toolset.js";
import { validatorFor } from "./validator.js";
import type { ToolContext } from "./workspace.js";

export type { ToolOutcome } from "./outcome.js";

/** Docs: protocol, "Errors" (TIMEOUT). */
export type TimeLimit = "search" | "call";

/** What a call does to the vault; MCP's hints derive from it. */
export type Effect = "reads" | "adds" | "changes" | "deletes";

interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

/** In `tools/list` (MCP 2025-06-18 and later). */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

export interface Tool {
  readonly name: string;
  readonly toolset: Toolset;
  /** Other toolsets that offer it too. */
  readonly alsoIn: readonly Toolset[];
  readonly effect: Effect;
  /** A search has 5 s, any other call 30 s. */
  readonly limit: TimeLimit;
  /** Validates arguments; the build compiles the validator. */
  readonly input: ObjectSchema;
  readonly listing: ToolListing;
  /** Without a default vault the argument that names one is required. */
  readonly listingWithoutVault: ToolListing;
  /** Never throws. */
  call(args: unknown, context: ToolContext): Promise<ToolOutcome>;
}

export interface RunContext extends ToolContext {
  /** For texts among the data, in the caller's words. */
  readonly say: (words: readonly (Wording | undefined)[]) => string[];
  readonly attach: (image: AnswerImage) => void;
}

interface ToolDefinition<Input extends ObjectSchema, Output extends ObjectSchema> {
  readonly name: string;
  readonly title: string;
  readonly toolset: Toolset;
  readonly alsoIn?: readonly Toolset[] | undefined;
  /** For a model: when to use it, what it returns, what to do next. */
  readonly description: string;
  readonly effect: Effect;
  /** Default: `call`. */
  readonly limit?: TimeLimit | undefined;
  readonly input: Input;
  readonly output: Output;
  /** The beginning of an error's text; empty for the message alone. */
  readonly failure: string;
  /** Names a vault: required unless the server has a default vault. */
  readonly vaultArgument?: (keyof Input["properties"] & string) | undefined;
  /** Arguments whose limits are published, as the documents prescribe. */
  readonly documentedLimits?: readonly string[] | undefined;
  /** Access rules, which do not filter the journal, refuse the tool. */
  readonly showsFormerTexts?: true;
  run(input: Infer<Input>, context: RunContext): Promise<Infer<Output>>;
  /** Pure, so that text and structured content agree. */
  text(data: Infer<Output>): Wording;
  /** What the text omits, for the model; also pure. */
  details?(data: Infer<Output>): Wording | undefined;
}

const HINTS: Readonly<Record<Effect, Omit<ToolAnnotations, "title" | "openWorldHint">>> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  // "Destructive" is MCP's word for anything but adding.
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  deletes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
};

/** Only `call` catches errors. */
export function defineTool<const Input extends ObjectSchema, const Output extends ObjectSchema>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, toolset, alsoIn = [], effect, limit = "call", input, vaultArgument } = definition;
  const listing = listingOf(definition);
  const required = [...(vaultArgument === undefined ? [] : [vaultArgument]), ...(input.required ?? [])];
  return {
    name,
    toolset,
    alsoIn,
    effect,
    limit,
    input,
    listing,
    listingWithoutVault:
      vaultArgument === undefined ? listing : { ...listing, inputSchema: { ...listing.inputSchema, required } },
    call: (args, context) => call(definition, args, context),
  };
}

function listingOf(definition: ToolDefinition<ObjectSchema, ObjectSchema>): ToolListing {
  const { name, title, description, effect, input, output } = definition;
  return {
    name,
    title,
    description,
    inputSchema: publishedSchema(input, definition.documentedLimits),
    outputSchema: output,
    annotations: { title, ...HINTS[effect], openWorldHint: false },
  };
}

async function call<Input extends ObjectSchema, Output extends ObjectSchema>(
  definition: ToolDefinition<Input, Output>,
  args: unknown,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { speech = TOOL_SPEECH } = context;
  try {
    const { data, remarks, images } = await run(definition, args, context).catch((error: unknown) =>
      onceMore(error, context, () => run(definition, args, context)),
    );
    const inWords = (parts: readonly (Wording | undefined)[]): string =>
      joined(parts.filter((part) => String(part) !== "")).in(speech) ?? "";
    const ofCall = inWords([readLine(remarks), await conflictsLine(context)]);
    const details = inWords([definition.details?.(data), ofCall]);
    const shown = {
      ...(details !== "" && { details }),
      ...(ofCall !== "" && { remarks: ofCall }),
      ...(images.length > 0 && { images }),
    };
    return { ok: true, text: inSpeech(definition.text(data), speech) ?? "", ...shown, data: withoutUndefined(data) };
  } catch (thrown) {
    const error = await explainDeleted(errorFrom(thrown, context.signal), args, definition.input, context);
    report(definition.name, error, context.log);
    return failedOutcome(error.in(speech), definition.failure === "" ? "" : `${definition.failure} `);
  }
}

function withoutUndefined<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutUndefined) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined ? [] : [[key, withoutUndefined(inner)]],
  );
  return Object.fromEntries(entries) as Value;
}

async function run<Input extends ObjectSchema, Output extends ObjectSchema>(
  definition: ToolDefinition<Input, Output>,
  args: unknown,
  context: ToolContext,
) {
  if (definition.showsFormerTexts) await assertWhole(definition.name, context);
  const { input, remarks } = await inputOf(definition, args, context);
  const images: AnswerImage[] = [];
  const say: RunContext["say"] = (words) =>
    words.flatMap((one) => (one === undefined ? [] : (inSpeech(one, context.speech ?? TOOL_SPEECH) ?? [])));
  const running = { ...context, say, attach: (image: AnswerImage) => void images.push(image) };
  return { data: await asCaller({ tool: definition.name }, () => definition.run(input, running)), remarks, images };
}

async function assertWhole(name: string, { workspace }: ToolContext): Promise<void> {
  if (!(await workspace.current()).vault.isRestricted) return;
  throw new VaultError(
    "PERMISSION_DENIED",
    `${name} is not available under access rules: it would show former texts.`,
    {
      hint: said`${callOf("undo_edit")} takes back the last change of a note.`,
    },
  );
}

/** Time until the nodes of a cluster know of a new file. */
const LAG_MS = 200;

/**
 * In a cluster, another node may just have created a missing file.
 * @throws what the first attempt threw
 */
async function onceMore<Result>(
  thrown: unknown,
  { workspace, signal }: ToolContext,
  again: () => Promise<Result>,
): Promise<Result> {
  if (!isVaultError(thrown, "FILE_NOT_FOUND")) throw thrown;
  const open = await workspace.current().catch(() => undefined);
  if (open?.vault.mayLag !== true) throw thrown;
  await sleep(LAG_MS);
  signal.throwIfAborted();
  return again();
}

async function inputOf<Input extends ObjectSchema, Output extends ObjectSchema>(
  { name, input, effect, vaultArgument }: ToolDefinition<Input, Output>,
  args: unknown,
  context: ToolContext,
) {
  const validate = await validatorFor(name, input);
  const { value, remarks } = readArguments(args === undefined ? {} : args, input, validate);
  const lacksVault = vaultArgument !== undefined && !Object.hasOwn(value, vaultArgument);
  if (lacksVault && !context.workspace.hasDefault) throw missingArgument(vaultArgument, input);
  const references = await readReferences(value, { schema: input, changes: effect !== "reads" }, context);
  // The validator has checked it; references were only respelled.
  return { input: references.input as Infer<Input>, remarks: [...remarks, ...references.remarks] };
}

/** Names files with new conflicting versions since the last answer. */
async function conflictsLine({ workspace }: ToolContext): Promise<Wording | undefined> {
  const open = await workspace.current().catch(() => undefined);
  const paths = open?.vault.takeNewConflicts() ?? [];
  const versions = (path: string): string => `Two versions of '${oneLine(path)}' are in conflict`;
  if (paths.length === 0) return undefined;
  const both = said`${callOf("obsidian_list_conflicts")} shows both.`;
  return joined([`${paths.map(versions).join("; ")}: another server changed the same lines.`, both], " ");
}

function readLine(remarks: readonly Wording[]): Wording | undefined {
  return remarks.length === 0 ? undefined : said`Read ${joined(remarks, ", ")}.`;
}

function errorFrom(thrown: unknown, signal: AbortSignal): VaultError {
  if (isVaultError(thrown)) return thrown;
  const stopped =
    signal.aborted && (thrown === signal.reason || (thrown instanceof Error && thrown.name === "AbortError"));
  return stopped ? new VaultError("SERVER_ERROR", "The call was cancelled.") : unforeseen(thrown);
}

function report(tool: string, error: VaultError, log: Log): void {
  const fields = { tool, code: error.code, ...(error.cause === undefined ? {} : { cause: traceOf(error.cause) }) };
  if (error.code === "SERVER_ERROR" && error.cause !== undefined) log.error("A tool call failed unexpectedly", fields);
  else log.debug("A tool call was refused", fields);
}
