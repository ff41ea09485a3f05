/**
 * A note's text as elements: marked's lexer makes tokens, and each token becomes an element here. No HTML is parsed: raw HTML
 * shows as text, pictures as their address, and only harmless addresses become links (docs: web, "Stack").
 */
import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { WORDS } from "../words.js";

export interface DrawnNoteProps {
  readonly text: string;
  /** Opens the target of a wikilink or a link to another note. */
  readonly onLink: (target: string) => void;
}

/** `==highlighted==`. */
const HIGHLIGHT = /^==(?=\S)([^\n]*?\S)==/;
/** `%%comment%%`, which Obsidian hides. */
const COMMENT = /^%%[\s\S]*?%%/;
/** The first line of a callout: `[!warning]- Title`. */
const CALLOUT = /^\[!([\w-]+)\][+-]?[ \t]*(.*)$/;

const WIKILINK = /^!?\[\[([^[\]|\n]+)(?:\|([^[\]\n]*))?\]\]/;

/** Obsidian's additions to Markdown, read before Markdown's own marks. */
const LEXER = {
  gfm: true,
  breaks: true,
  extensions: {
    inline: [
      (source: string) => {
        const [raw, target, name] = WIKILINK.exec(source) ?? [];
        return raw === undefined || target === undefined
          ? undefined
          : { type: "wikilink", raw, target, text: name ?? target };
      },
      (source: string) => {
        const [raw, text] = HIGHLIGHT.exec(source) ?? [];
        return raw === undefined || text === undefined ? undefined : { type: "highlight", raw, text };
      },
      hiddenComment,
    ],
    block: [hiddenComment],
    startInline: [(source: string) => source.search(/!?\[\[|==|%%/)],
    startBlock: [(source: string) => source.search(/%%/)],
    renderers: {},
    childTokens: {},
  },
};

function hiddenComment(source: string) {
  const raw = COMMENT.exec(source)?.[0];
  return raw === undefined ? undefined : { type: "space", raw };
}

export function DrawnNote({ text, onLink }: DrawnNoteProps): JSX.Element {
  const tokens = Lexer.lex(text, LEXER);
  return <div class="note-text">{drawAll(tokens, onLink)}</div>;
}

type OnLink = DrawnNoteProps["onLink"];

function drawAll(tokens: readonly Token[] | undefined, onLink: OnLink): ComponentChildren {
  return tokens?.map((token) => draw(token, onLink));
}

/** Headings begin below those of the page. */
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

function draw(token: Token, onLink: OnLink): ComponentChildren {
  const inner = () => drawAll((token as Tokens.Paragraph).tokens, onLink);
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const Heading = HEADINGS[(token as Tokens.Heading).depth - 1] ?? "h6";
      return <Heading>{inner()}</Heading>;
    }
    case "paragraph":
      return <p>{inner()}</p>;
    case "blockquote":
      return drawQuote(token as Tokens.Blockquote, onLink);
    case "highlight":
      return <mark>{token["text"]}</mark>;
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
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
      return drawList(token as Tokens.List, onLink);
    case "table":
      return drawTable(token as Tokens.Table, onLink);
    case "link":
      return drawLink(token as Tokens.Link, onLink);
    case "image":
      return <span class="foreign">{WORDS.foreignPicture((token as Tokens.Image).href)}</span>;
    case "wikilink":
      return drawWikilink(token, onLink);
    case "text":
      return (token as Tokens.Text).tokens ? inner() : unescaped((token as Tokens.Text).text);
    default:
      // Raw HTML and unknown tokens show as written.
      return token.raw;
  }
}

function drawQuote({ tokens, text }: Tokens.Blockquote, onLink: OnLink): JSX.Element {
  const [first = "", ...others] = text.split("\n");
  const [, kind, title] = CALLOUT.exec(first) ?? [];
  if (kind === undefined) return <blockquote>{drawAll(tokens, onLink)}</blockquote>;
  return (
    <blockquote class="callout" data-kind={kind.toLowerCase()}>
      <p>
        <strong>{title || WORDS.capital(kind.toLowerCase())}</strong>
      </p>
      {drawAll(Lexer.lex(others.join("\n"), LEXER), onLink)}
    </blockquote>
  );
}

function drawList({ ordered, start, items }: Tokens.List, onLink: OnLink): JSX.Element {
  const drawn = items.map((item) => (
    <li class={item.task ? "box" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label={WORDS.isDone} />}
      {drawAll(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        onLink,
      )}
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{drawn}</ol> : <ul>{drawn}</ul>;
}

function drawTable({ header, rows }: Tokens.Table, onLink: OnLink): JSX.Element {
  return (
    <div class="table" tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }) => (
              <th scope="col">{drawAll(tokens, onLink)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map(({ tokens }) => (
                <td>{drawAll(tokens, onLink)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function drawLink({ href, tokens, text }: Tokens.Link, onLink: OnLink): JSX.Element {
  const children = tokens.length > 0 ? drawAll(tokens, onLink) : text;
  if (/^(https?|mailto|obsidian):/i.test(href))
    return (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    );
  // Another scheme could be a script, so such addresses are not links.
  if (/^\s*[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("//") || href.startsWith("#"))
    return <span class="foreign">{children}</span>;
  return (
    <button type="button" class="link" onClick={() => onLink(decoded(href))}>
      {children}
    </button>
  );
}

function drawWikilink({ target, text }: Tokens.Generic, onLink: OnLink): JSX.Element {
  return (
    <button type="button" class="link" onClick={() => onLink(String(target))}>
      {text}
    </button>
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
