/** A note's text with the rows of each saved view below it. */
import { isVaultError } from "../../errors.js";
import type { VaultPath } from "../../storage/path.js";
import type { RunContext } from "../tool.js";
import type { OpenVault } from "../workspace.js";
import { viewBody } from "./saved-view.js";

const MAX_BLOCKS = 10;
const ROWS = 20;

interface RenderedNote {
  readonly path: VaultPath;
  readonly text: string;
}

/** A refused view keeps its source, with the reason below it. */
export async function withViews(
  { path, text }: RenderedNote,
  { vault, notes }: OpenVault,
  context: RunContext,
): Promise<string> {
  const { runBlock } = await import("../../views/views.js");
  const { viewBlocks } = await import("../../views/sources.js");
  const services = { vault, locate: (reference: string) => notes.locate(reference, context) };
  const lines = text.split("\n");
  const blocks = viewBlocks(text);
  const below = new Map<number, string[]>();
  for (const block of blocks.slice(0, MAX_BLOCKS)) {
    const answer = await runBlock(services, { path, text }, block, { limit: ROWS }, context).catch((error: unknown) => {
      if (isVaultError(error)) return error.message;
      throw error;
    });
    const after = below.get(block.lastLine) ?? [];
    below.set(block.lastLine, [
      ...after,
      ...(typeof answer === "string" ? ["", `⚠️ ${answer}`] : shown(answer, path, block.number, context)),
    ]);
  }
  const rest = blocks.length > MAX_BLOCKS ? ["", `⚠️ ${blocks.length - MAX_BLOCKS} more views are not shown.`] : [];
  const rendered = lines.map((line, at) => [line].concat(below.get(at + 1) ?? []).join("\n"));
  return rendered.concat(rest).join("\n");
}

function shown(
  answer: Parameters<typeof viewBody>[0],
  source: VaultPath,
  number: number,
  { isOff }: RunContext,
): string[] {
  const { total, shown: rows, warnings } = answer;
  const call = isOff?.("run_view")
    ? "a person can read them in Obsidian, or add run_view with --toolsets all"
    : `run_view ${JSON.stringify({ source, view: String(number) })}`;
  const more = total > rows ? [`${total - rows} more: ${call}`] : [];
  const body = total === 0 ? "No rows." : viewBody(answer);
  return ["", body, ...more, ...warnings.map((warning) => `⚠️ ${warning}`)];
}
