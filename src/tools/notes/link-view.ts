/** How the note tools show a link: schema, structured form and text. */
import type { Link } from "../../links/links.js";
import { boolean, optional, string } from "../schema.js";
import { excerpt } from "../text.js";

const SHOWN_LENGTH = 500;

/** A link apart from its own place and its target. */
export const LINK_PROPERTIES = {
  subpath: optional(string("#Heading or #^block, when it has one")),
  display: optional(string("The text it shows, when it has one")),
  embed: optional(boolean("True for an embed; otherwise absent")),
  property: optional(string("The property it is in; absent in the text")),
};

export function linkParts({ subpath, display, embed, property }: Link) {
  return {
    ...(subpath === "" ? {} : { subpath: shownLink(subpath) }),
    ...(display === undefined ? {} : { display: shownLink(display) }),
    ...(embed ? { embed } : {}),
    ...(property === undefined ? {} : { property: shownLink(property) }),
  };
}

/** Text of the vault on one line and of limited length. */
export function shownLink(text: string): string {
  return excerpt(text, SHOWN_LENGTH);
}

/** Without the slash that marks a whole path in a canvas's file node. */
export function targetOf({ target, line }: Link): string {
  return shownLink(line === undefined ? target.replace(/^\//, "") : target);
}

/** `folder/note.md:12`, or the path alone for a canvas. */
export function place({ path, line }: { readonly path: string; readonly line?: number | undefined }): string {
  return line === undefined ? shownLink(path) : `${shownLink(path)}:${line}`;
}
