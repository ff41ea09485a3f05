/** The sets that tools come in, and which tools a server offers by them. */

export const TOOLSETS = ["tasks", "notes", "files"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** Whether a tool is offered where these toolsets are. */
export function isOffered(
  { toolset, alsoIn }: { readonly toolset: Toolset; readonly alsoIn: readonly Toolset[] },
  toolsets: readonly Toolset[],
): boolean {
  return [toolset, ...alsoIn].some((one) => toolsets.includes(one));
}
