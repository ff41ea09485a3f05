/** A note's headings, paragraphs and list items without markup, code blocks and tables. */
import { scanBlocks } from "./blocks.js";

export interface PlainBlock {
  /** 0 for text. */
  readonly level: number;
  /** On one line, never empty. */
  readonly text: string;
}

/** Up to about `limit` UTF-16 units. @param bodyStart from `splitNote` */
export function plainBlocks(text: string, bodyStart: number, limit = Infinity): PlainBlock[] {
  const blocks: PlainBlock[] = [];
  let room = limit;
  scanBlocks(text, bodyStart, {
    prose(start, end) {
      if (room <= 0) return;
      const block = blockOf(text.slice(start, Math.min(end, start + room)));
      room -= end - start;
      if (block.text !== "") blocks.push(block);
    },
  });
  return blocks;
}

const UNDERLINE = /\n[ \t>]*(=+|-+)[ \t\r]*$/;
const TABLE_RULE = /^[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*\|[ \t|:-]*\r?$/m;
/** Quote marks, a callout's kind and a task's box. */
const LINE_START = /^[ \t]*(?:>[ \t]?)*(?:\[![^\][]*\][+-]?)?(?:\[[^\][]\](?=[ \t]))?/gm;

function blockOf(source: string): PlainBlock {
  if (source.startsWith("|") || TABLE_RULE.test(source)) return { level: 0, text: "" };
  const markers = /^(#{1,6})(?:[ \t]+|$)/.exec(source);
  if (markers)
    return {
      level: markers[1]?.length ?? 1,
      text: plainLine(
        source
          .slice(markers[0].length)
          .trimEnd()
          .replace(/(?:^|[ \t])#+$/, ""),
      ),
    };
  const underline = UNDERLINE.exec(source);
  const words = plainLine((underline ? source.slice(0, underline.index) : source).replace(LINE_START, ""));
  return { level: underline ? (underline[1]?.startsWith("=") ? 1 : 2) : 0, text: words };
}

/** Links as shown text, no embeds or comments, inline code unchanged. */
export function plainLine(source: string): string {
  return source
    .split(/(`[^`]*`|\\[!-/:-@[-`{-~])/)
    .map((part, index) => (index % 2 === 0 ? withoutMarks(part) : part.slice(1, part.startsWith("`") ? -1 : 2)))
    .join("")
    .replace(/\s+/gu, " ")
    .trim();
}

export function linksAsText(title: string): string {
  return title.includes("](") || title.includes("[[") ? LINKS.reduce(replaced, title) : title;
}

type Mark = readonly [mark: RegExp, replacement: string];
const LINKS: readonly [wikilink: Mark, link: Mark] = [
  [/!?\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/g, "$1"],
  [/!?\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, "$1"],
];
const replaced = (text: string, [mark, replacement]: Mark): string => text.replace(mark, replacement);

/** Each in linear time. */
const MARKS: readonly Mark[] = [
  [/%%[^%]*%%|<!--[^<>]*-->/g, ""],
  [/!\[\[[^[\]]*\]\]|!\[[^[\]]*\]\((?:[^()]|\([^()]*\))*\)/g, ""],
  LINKS[0],
  [/\[\^[^\]\s[]*\]:?/g, ""],
  LINKS[1],
  [/<((?:https?|mailto):[^<>\s]*)>/g, "$1"],
  [/<\/?[A-Za-z][^<>]*>/g, ""],
  [/\*+(?=\S)|(?<=\S)\*+|~~|==(?=\S)|(?<=\S)==/g, ""],
  [/(?<![\p{L}\p{N}_])_+(?=\S)|(?<=[^\s_])_+(?![\p{L}\p{N}_])/gu, ""],
  [/(?<=^|\s)#(?=\p{L})/gu, ""],
  [/\s\^[\w-]+\s*$/, ""],
  [/^\s*(?:[-_]\s*){3,}$/, ""],
  [/&nbsp;/g, " "],
  [/&lt;/g, "<"],
  [/&gt;/g, ">"],
  [/&amp;/g, "&"],
];

function withoutMarks(part: string): string {
  return MARKS.reduce(replaced, part);
}
