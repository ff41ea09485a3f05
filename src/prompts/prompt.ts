/** What a prompt is: a ready request to the model, filled with what the vault says now. Each prompt is a file in this folder. */
import type { LocalDate } from "../clock.js";
import type { OpenVault } from "../tools/workspace.js";

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** Values the vault offers for it, best first; the caller keeps those that fit what was typed. */
  readonly values?: (vault: OpenVault) => Promise<readonly string[]>;
}

/** What a prompt may use to make its text. */
export interface PromptContext {
  /** Arguments by name; blank ones are left out. */
  readonly given: Readonly<Record<string, string>>;
  /** Undefined while no vault, and so no time zone, is known. */
  readonly today: LocalDate | undefined;
  /** The vault, or undefined while none is known. */
  readonly vault: OpenVault | undefined;
  /** What a tool answers now, marked as data; an empty text when the tool is switched off or fails. */
  readonly show: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
}

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Tools that the prompt cannot do without. */
  readonly needs: readonly string[];
  readonly arguments: readonly PromptArgument[];
  /** The request as the user would write it. */
  readonly text: (context: PromptContext) => Promise<string>;
}

/** Joins the parts of a request that are not empty, with a blank line between them. */
export function paragraphs(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

/** `Today is ...`, when it is known. */
export function todayIs({ today }: PromptContext): string {
  return today === undefined ? "" : ` Today is ${today}.`;
}
