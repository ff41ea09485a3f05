/**
 * Draws a note from marked's tokens without parsing HTML: raw HTML shows as text, foreign pictures as their address,
 * and only harmless addresses become links (docs: web, "Stack").
 */
import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "./controls.js";
import { WORDS } from "../words.js";
import { LATER_WORDS } from "../later-words.js";

export interface NoteContext {
  readonly onLink: (target: string) => void;
  /** The address of a picture in the vault; undefined if unreadable. */
  readonly picture: (target: string) => Promise<string | undefined>;
  /** Absent if nothing can be changed. */
  readonly onTick?: (line: number, isDone: boolean) => void;
}

export interface DrawnNoteProps {
  readonly text: string;
  /** Lines of the note before this text. */
  readonly line: number;
  readonly context: NoteContext;
}

/** `[^1]` in the text, and `[^1]: what it says`. */
const FOOTNOTE_MARK = /^\[\^([^\]\s]+)\]/;
const FOOTNOTE = /^\[\^([^\]\s]+)\]:[ \t]*([^\n]*(?:\n[ \t]+\S[^\n]*)*)/;
const PICTURE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i;

/** `==highlighted==`. */
const HIGHLIGHT = /^==(?=\S)([^\n]*?\S)==/;
/** `%%comment%%`, hidden by Obsidian. */
const COMMENT = /^%%[\s\S]*?%%/;
/** `[!warning]- Title`, a callout's first line. */
const CALLOUT = /^\[!([\w-]+)\][+-]?[ \t]*(.*)$/;

/** In progress or cancelled, which Markdown does not know. */
const OTHER_BOX = /^\[([/-])\] /;

const WIKILINK = /^!?\[\[([^[\]|\n]+)(?:\|([^[\]\n]*))?\]\]/;

const read =
  (pattern: RegExp, tokenOf: (match: readonly (string | undefined)[]) => { readonly type: string }) =>
  (source: string) => {
    const match = pattern.exec(source);
    return match ? { raw: match[0], ...tokenOf(match) } : undefined;
  };
const hiddenComment = read(COMMENT, () => ({ type: "space" }));

/** Obsidian's extensions, read before Markdown's own marks. */
const LEXER = {
  gfm: true,
  breaks: true,
  extensions: {
    inline: [
      read(WIKILINK, ([, target, name]) => ({ type: "wikilink", target, text: name ?? target })),
      read(HIGHLIGHT, ([, text]) => ({ type: "highlight", text })),
      read(FOOTNOTE_MARK, ([, text]) => ({ type: "footnote-mark", text })),
      hiddenComment,
    ],
    block: [hiddenComment, read(FOOTNOTE, ([, name, text]) => ({ type: "footnote", name, text }))],
    startInline: [(source: string) => source.search(/!?\[\[|\[\^|==|%%/)],
    startBlock: [(source: string) => source.search(/%%|\n\[\^[^\]\s]+\]:/)],
    renderers: {},
    childTokens: {},
  },
};

export function DrawnNote({ text, line, context }: DrawnNoteProps): JSX.Element {
  const tokens = useMemo(() => inOrder(Lexer.lex(text, LEXER)), [text]);
  return (
    <div class="note-text" dir="auto">
      {drawAll(tokens, context, line)}
    </div>
  );
}

/** Removes gaps between heading levels: a note may begin with `##`. */
function inOrder(tokens: readonly Token[]): readonly Token[] {
  let last = 0;
  return tokens.map((token) => {
    if (token.type !== "heading") return token;
    last = Math.min((token as Tokens.Heading).depth, last + 1);
    return { ...token, depth: last };
  });
}

/** @param line of the first token */
function drawAll(tokens: readonly Token[] | undefined, context: NoteContext, line: number): ComponentChildren {
  let at = line;
  return tokens?.map((token) => {
    const drawn = draw(token, context, at);
    at += linesIn(token.raw);
    return drawn;
  });
}

const linesIn = (text: string): number => text.split("\n").length - 1;

/** Below the page's own headings. */
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

const PLAIN: Readonly<Record<string, "p" | "strong" | "em" | "del" | undefined>> = {
  paragraph: "p",
  strong: "strong",
  em: "em",
  del: "del",
};

function draw(token: Token, context: NoteContext, line: number): ComponentChildren {
  const inner = () => drawAll((token as Tokens.Paragraph).tokens, context, line);
  const Plain = PLAIN[token.type];
  if (Plain) return <Plain>{inner()}</Plain>;
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      // A list's item draws its own box.
      return null;
    case "heading": {
      const Heading = HEADINGS[(token as Tokens.Heading).depth - 1] ?? "h6";
      return <Heading>{inner()}</Heading>;
    }
    case "blockquote":
      return drawQuote(token as Tokens.Blockquote, context, line);
    case "highlight":
      return <mark>{token["text"]}</mark>;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "list":
      return drawList(token as Tokens.List, context, line);
    case "table":
      return drawTable(token as Tokens.Table, context);
    case "link":
      return drawLink(token as Tokens.Link, context);
    case "image":
      return <Picture target={decoded((token as Tokens.Image).href)} alt={token["text"]} context={context} />;
    case "footnote-mark":
      return (
        <sup>
          <Button class="link" onClick={({ currentTarget }) => showFootnote(currentTarget, token["text"])}>
            {token["text"]}
          </Button>
        </sup>
      );
    case "footnote":
      return (
        <p class="footnote hint" data-footnote={token["name"]} tabIndex={-1}>
          <sup>{token["name"]}</sup> {drawAll(Lexer.lexInline(token["text"], LEXER), context, line)}
        </p>
      );
    case "wikilink":
      return drawWikilink(token, context);
    case "text":
      return (token as Tokens.Text).tokens ? inner() : unescaped((token as Tokens.Text).text);
    default:
      // Raw HTML and unknown tokens show as written.
      return token.raw;
  }
}

function drawQuote({ tokens, text }: Tokens.Blockquote, context: NoteContext, line: number): JSX.Element {
  const [first = "", ...others] = text.split("\n");
  const [, kind, title] = CALLOUT.exec(first) ?? [];
  if (kind === undefined) return <blockquote>{drawAll(tokens, context, line)}</blockquote>;
  return (
    <blockquote class="callout" data-kind={kind.toLowerCase()}>
      <p>
        <strong>{title || WORDS.capital(kind.toLowerCase())}</strong>
      </p>
      {drawAll(Lexer.lex(others.join("\n"), LEXER), context, line + 1)}
    </blockquote>
  );
}

function drawList({ ordered, start, items }: Tokens.List, context: NoteContext, line: number): JSX.Element {
  let next = line;
  const drawn = items.map((item) => {
    const at = next;
    next += linesIn(item.raw);
    const [box = "", mark] = OTHER_BOX.exec(item.text) ?? [];
    const text = item.text.slice(box.length);
    const tokens = mark ? Lexer.lex(text, LEXER) : item.tokens;
    const isOver = item.checked === true || mark === "-";
    const { onTick } = context;
    return (
      <li class={item.task || mark ? "box" : undefined} data-cancelled={mark === "-" || undefined}>
        {(item.task || mark) && (
          <input
            type="checkbox"
            checked={isOver}
            indeterminate={mark === "/"}
            disabled={!onTick}
            aria-label={text.split("\n")[0]?.trim() || WORDS.isDone}
            onClick={(event) => {
              // Changes only after the server has written it.
              event.preventDefault();
              onTick?.(at, !isOver);
            }}
          />
        )}
        {drawAll(tokens, context, at)}
      </li>
    );
  });
  return ordered ? <ol start={start === "" ? 1 : start}>{drawn}</ol> : <ul>{drawn}</ul>;
}

function showFootnote(mark: Element, name: string): void {
  const note = mark.closest("dialog")?.querySelector<HTMLElement>(`[data-footnote="${CSS.escape(name)}"]`);
  note?.scrollIntoView({ block: "center" });
  note?.focus();
}

interface PictureProps {
  readonly target: string;
  readonly alt: string;
  readonly context: NoteContext;
}

/** Foreign pictures show their address: no request leaves this server. */
function Picture({ target, alt, context }: PictureProps): JSX.Element {
  const [source, setSource] = useState<string | undefined>(undefined);
  const isOwn = PICTURE.test(target) && !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target);
  useEffect(() => {
    if (isOwn) void context.picture(target).then(setSource);
  }, [isOwn, target, context]);
  if (source === undefined) return <span class="foreign">{LATER_WORDS.foreignPicture(target)}</span>;
  const width = /^\d{1,4}$/.test(alt) ? Number(alt) : undefined;
  return <img src={source} alt={width === undefined ? alt : target} width={width} />;
}

function drawTable({ header, rows }: Tokens.Table, context: NoteContext): JSX.Element {
  return (
    <div class="table" tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }) => (
              <th scope="col">{drawAll(tokens, context, 0)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map(({ tokens }) => (
                <td>{drawAll(tokens, context, 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function drawLink({ href, tokens, text }: Tokens.Link, context: NoteContext): JSX.Element {
  const children = tokens.length > 0 ? drawAll(tokens, context, 0) : text;
  if (/^(https?|mailto|obsidian):/i.test(href))
    return (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    );
  // Another scheme could be a script.
  if (/^\s*[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("//") || href.startsWith("#"))
    return <span class="foreign">{children}</span>;
  return (
    <Button class="link" onClick={() => context.onLink(decoded(href))}>
      {children}
    </Button>
  );
}

function drawWikilink({ target, text, raw }: Tokens.Generic, context: NoteContext): JSX.Element {
  if (raw.startsWith("!") && PICTURE.test(String(target)))
    return <Picture target={String(target)} alt={String(text)} context={context} />;
  return (
    <Button class="link" onClick={() => context.onLink(String(target))}>
      {text}
    </Button>
  );
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: "\u00a0",
};

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
