/** A note's text with checkboxes, pictures and links; a long one is shown in parts. */
import { signal, useSignal } from "@preact/signals";
import type { FunctionComponent, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Button, ShowMore } from "./controls.js";
import type { Connection } from "../state/connection.js";
import { bodyStart, noteName } from "../state/names.js";
import { type TasksPage, usePage } from "../state/page.js";
import { TaskTitle } from "./task-line.js";
import { RefusedQuery } from "./query-state.js";
import { useList } from "../state/queries.js";
import { canChange, setStatus } from "../state/task-actions.js";
import { WORDS } from "../words.js";
import type { DrawnNoteProps, NoteContext } from "./note-text.js";

/** Drawing a megabyte at once would block the page. */
const PAGE_LENGTH = 30_000;

/** Loaded with the first note; without it the text shows as written. */
const renderer = signal<{ readonly DrawnNote: FunctionComponent<DrawnNoteProps> } | undefined>(undefined);

interface NoteBodyProps {
  readonly path: string;
  readonly text: string;
  readonly isTickable: boolean;
}

export function NoteBody({ path, text, isTickable }: NoteBodyProps): JSX.Element {
  const page = usePage();
  const shown = useSignal(1);
  useEffect(() => {
    if (renderer.value === undefined)
      import("./note-text.js").then(
        ({ DrawnNote }) => (renderer.value = { DrawnNote }),
        () => {},
      );
  }, []);
  const pages = useMemo(() => cutAtLines(text), [text]);
  const mayTick = isTickable && canChange(page);
  const context = useMemo((): NoteContext => {
    const tick = (line: number, isDone: boolean) => void tickLine(page, { path, text, line, isDone });
    return {
      onLink: (target) => void openLinked(page, target),
      picture: pictures(page.connection, path),
      ...(mayTick && { onTick: tick }),
    };
  }, [page, path, text, mayTick]);
  const { DrawnNote } = renderer.value ?? {};
  return (
    <>
      {pages
        .slice(0, shown.value)
        .map((page) =>
          DrawnNote ? (
            <DrawnNote key={page.line} {...page} context={context} />
          ) : (
            <pre class="note-text plain">{page.text}</pre>
          ),
        )}
      {pages.length > shown.value && <Button onClick={() => shown.value++}>{WORDS.showMore}</Button>}
    </>
  );
}

/** `line`: the number of lines before the part. */
function cutAtLines(text: string): readonly { readonly text: string; readonly line: number }[] {
  const pieces = [];
  let line = 0;
  for (let at = 0; at < text.length;) {
    const end = text.length - at > PAGE_LENGTH ? cutBefore(text, at, at + PAGE_LENGTH) : text.length;
    const piece = text.slice(at, end);
    pieces.push({ text: piece, line });
    line += piece.split("\n").length - 1;
    at = end;
  }
  return pieces;
}

/** At an empty line in the second half, else a line's end, else `to`. */
function cutBefore(text: string, from: number, to: number): number {
  const blank = text.lastIndexOf("\n\n", to);
  if (blank > (from + to) / 2) return blank;
  const newline = text.lastIndexOf("\n", to);
  return newline > from ? newline : to;
}

/** @param target as in a link, or a path, whose name may have a `#` */
export async function openLinked(page: TasksPage, target: string): Promise<void> {
  const isPath = /#.*\.md$/is.test(target);
  const name = isPath ? target : target.replace(/(\.md)?(#.*)?$/is, "").trim();
  if (name === "") return;
  try {
    const { id } = await page.connection.call("get_task", { taskId: isPath ? name : `[[${name}]]` });
    page.address.open("task", id);
  } catch {
    page.address.open("note", name);
  }
}

interface Tick {
  readonly path: string;
  readonly text: string;
  /** From 0, in `text`. */
  readonly line: number;
  readonly isDone: boolean;
}

/** If its line is found in the current note. */
async function tickLine(page: TasksPage, { path, text, line, isDone }: Tick): Promise<void> {
  await page.notices.attempt(async () => {
    const lineNow = async () => lineIn((await page.connection.call("read_note", { path })).text, text, line);
    const number = await lineNow();
    const task = number && (await page.connection.call("get_task", { taskId: `${path}:${number}` }));
    // Another program may have inserted lines meanwhile.
    if (task && (await lineNow()) === number) return await setStatus(page, task, isDone ? "Done" : "To Do");
    page.notices.fail(WORDS.noteChanged);
    await page.reread();
  });
}

/** In a changed text only if exactly one line matches. */
function lineIn(note: string, shown: string, line: number): number | undefined {
  const at = note.indexOf(shown, bodyStart(note));
  if (at >= 0) return note.slice(0, at).split("\n").length + line;
  const wanted = shown.split("\n")[line];
  const same = note.split("\n").flatMap((one, index) => (one === wanted ? index + 1 : []));
  return same.length === 1 ? same[0] : undefined;
}

/** Object URLs, each picture read once. */
function pictures(connection: Connection, note: string): NoteContext["picture"] {
  let links: Promise<ReadonlyMap<string, string>> | undefined;
  const read = new Map<string, Promise<string | undefined>>();
  const linksOf = async () => {
    const answer = await connection.call("obsidian_get_outgoing_links", { note });
    return new Map(answer.links.flatMap(({ target, uri }) => (uri === undefined ? [] : [[target, uri] as const])));
  };
  const load = async (target: string) => {
    try {
      const uri = (await (links ??= linksOf())).get(target);
      const blob = uri === undefined ? undefined : await connection.read(uri);
      return blob?.type.startsWith("image/") ? URL.createObjectURL(blob) : undefined;
    } catch {
      return undefined;
    }
  };
  return (target) => {
    const known = read.get(target) ?? load(target);
    read.set(target, known);
    return known;
  };
}

/** Loaded per page. Each linking note has one row. */
const LINKS = 100;

export function Backlinks({ path }: { readonly path: string }): JSX.Element | null {
  const { connection } = usePage();
  return connection.offers("obsidian_get_backlinks") ? <LinkingNotes path={path} /> : null;
}

function LinkingNotes({ path }: { readonly path: string }): JSX.Element | null {
  const page = usePage();
  const list = useList("obsidian_get_backlinks", { note: path }, LINKS, ({ links, total }) => [links, total]);
  const { query, items: links, total, showMore } = list;
  if (total === 0) return <RefusedQuery query={query} name={WORDS.linkedFrom} />;
  const counts = new Map<string, number>();
  for (const { path: from } of links) counts.set(from, (counts.get(from) ?? 0) + 1);
  // The first link of each note.
  const notes = new Map(links.toReversed().map((link) => [link.path, link]));
  return (
    <section class="ties" aria-label={WORDS.linkedFrom}>
      <h3>
        {WORDS.linkedFrom} <span class="count">{WORDS.number(total)}</span>
      </h3>
      <ul class="stack">
        {[...counts].map(([from, count]) => (
          <li key={from}>
            <Button class="link" onClick={() => void openLinked(page, from)}>
              {noteName(from)}
            </Button>{" "}
            {count > 1 && <span class="count">{WORDS.times(count)}</span>}
            <p class="hint">
              <TaskTitle text={notes.get(from)?.context ?? ""} />
            </p>
          </li>
        ))}
      </ul>
      <ShowMore rest={total - links.length} onMore={showMore} />
    </section>
  );
}
