/** What a prompt is: a ready request to the model with current data of the vault. */
import type { LocalDate } from "../clock.js";
import type { OpenVault } from "../tools/workspace.js";

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** Best first; the caller filters them. */
  readonly values?: (vault: OpenVault) => Promise<readonly string[]>;
}

export interface PromptContext {
  readonly given: Readonly<Record<string, string>>;
  /** Undefined while no vault, and so no time zone, is known. */
  readonly today: LocalDate | undefined;
  /** Undefined while none is known. */
  readonly vault: OpenVault | undefined;
  /** The current answer of a tool, marked as data; empty when the tool is switched off or fails. */
  readonly show: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
}

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly needs: readonly string[];
  readonly arguments: readonly PromptArgument[];
  readonly text: (context: PromptContext) => Promise<string>;
}

/** Joins non-empty parts with blank lines. */
export function paragraphs(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

/** Empty while today is not known. */
export function todayIs({ today }: PromptContext): string {
  return today === undefined ? "" : ` Today is ${today}.`;
}
