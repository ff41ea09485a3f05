/** Links that open a file in Obsidian. */

/** `obsidian://open?vault=NAME&file=path%2Fto%2Fnote`; undefined for a vault that Obsidian does not know by a folder's name. */
export function deepLink(path: string, vaultName: string | undefined): string | undefined {
  if (vaultName === undefined) return undefined;
  const note = path.replace(/\.md$/i, "");
  return `obsidian://open?vault=${encodeURIComponent(vaultName)}&file=${encodeURIComponent(note)}`;
}
