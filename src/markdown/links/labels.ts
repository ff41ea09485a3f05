/** Footnotes and link labels (`[^1]`, `[label]`): where they are used and defined. */
import { counted } from "../../text/wording.js";
import { scanBlocks } from "../blocks.js";
import { splitNote } from "../frontmatter/frontmatter.js";

/** By label in small letters. */
interface Labels {
  readonly used: ReadonlyMap<string, string>;
  readonly defined: ReadonlyMap<string, string>;
}

const CODE = /(`+)(?!`)[^`]*\1(?!`)/g;
const LABEL = /(?<=^[ \t>]*)\[(?<definition>[^[\]\n]+)\]:|(?<![\\[])\[(?<use>[^[\]\n]+)\]/gm;

export function labelsIn(text: string): Labels {
  const [used, defined] = [new Map<string, string>(), new Map<string, string>()];
  scanBlocks(text, splitNote(text).bodyStart, {
    prose(start, end) {
      const lines = text.slice(text.lastIndexOf("\n", start - 1) + 1, end).replace(CODE, "");
      for (const { groups: { definition, use = "" } = {} } of lines.matchAll(LABEL))
        if (definition === undefined) used.set(use.toLowerCase(), `[${use}]`);
        else defined.set(definition.toLowerCase(), `[${definition}]`);
    },
  });
  return { used, defined };
}

/**
 * Says which labels are used in one note and defined in another, after a part of a note has moved.
 * @param named the notes' names, for the words
 */
export function labelsApart(
  { moved, rest }: { readonly moved: string; readonly rest: string },
  named: { readonly from: string; readonly to: string },
): readonly string[] {
  const [there, here] = [labelsIn(moved), labelsIn(rest)];
  return [
    ...apart(there, here, `'${named.to}'`, `'${named.from}'`),
    ...apart(here, there, `'${named.from}'`, `'${named.to}'`),
  ];
}

function apart(user: Labels, definer: Labels, by: string, where: string): string[] {
  const labels = [...user.used].filter(([key]) => !user.defined.has(key) && definer.defined.has(key));
  if (labels.length === 0) return [];
  const names = labels.map(([, label]) => label).join(", ");
  const are = labels.length === 1 ? "is" : "are";
  const noun = labels.every(([key]) => key.startsWith("^")) ? "footnote" : "label";
  return [`${counted(labels.length, noun)} of ${by} ${are} defined in ${where}: ${names}.`];
}
