/** What is remembered of notes where a vault's own settings decide how they are read: the frontmatter as it stands, so that facts never depend on settings. */
import type { FactReader } from "../../index/facts.js";
import { readFrontmatter, splitNote } from "../../markdown/frontmatter/frontmatter.js";
import type { Customs } from "./customs.js";
import { bodyFacts, type BodyFacts, factsFrom, type TaskFacts } from "./facts.js";

export interface RawNote extends BodyFacts {
  /** With its fences. */
  readonly frontmatter: string;
}

/** Asked for only in vaults with keys or marks of their own. */
export const rawReader: FactReader<RawNote> = {
  name: "raw-notes",
  version: 1,
  read(note) {
    const { start, parts, frontmatter } = note;
    if (parts.frontmatter === undefined || frontmatter.properties.length === 0) return undefined;
    return { frontmatter: start.slice(0, parts.bodyStart), ...bodyFacts(note) };
  },
};

/** The facts of a note as the vault reads it; undefined when it is no task. */
export function factsOfRaw(raw: RawNote, customs: Customs): TaskFacts | undefined {
  const { frontmatter: start } = raw;
  const parts = splitNote(start);
  return factsFrom({ start, parts, frontmatter: readFrontmatter(start, parts) }, () => raw, customs);
}
