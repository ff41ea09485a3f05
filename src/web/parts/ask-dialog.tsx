/** Asks for a text with completion, or for a day. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./controls.js";
import { nearDays } from "../state/days.js";
import { type Question, usePage } from "../state/page.js";
import { type CallTool, type LiveQuery, useQuery } from "../state/queries.js";
import { WORDS } from "../words.js";
import { Dialog } from "./dialog.js";
import { MonthGrid } from "./month-grid.js";

export function AskDialog({ question }: { readonly question: Question }): JSX.Element {
  const page = usePage();
  const { label, value = "", kind, isList = false, path = "", onAnswer } = question;
  const text = useSignal(value);
  const today = page.connection.today.value;
  const answer = async (given: string) => {
    page.closeOverlay();
    const result = await onAnswer(given);
    const askAgain = () => (page.overlay.value = { kind: "ask", question: { ...question, value: given } });
    if (result === "kept") page.notices.tell(WORDS.kept, askAgain, WORDS.getMineBack);
    else if ((result === false || result === "failed") && page.overlay.peek().kind === "none") askAgain();
  };
  const isDay = kind === "day";
  return (
    <Dialog label={label} name="ask" onClose={() => page.closeOverlay()}>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void answer(text.value.trim());
        }}
      >
        <input
          data-first-focus
          onFocus={(event) => isList || event.currentTarget.select()}
          aria-label={label}
          value={text.value}
          dir="auto"
          placeholder={isDay ? WORDS.dayHint : undefined}
          list={isDay ? undefined : "ask-names"}
          autocomplete="off"
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          {WORDS.apply}
        </button>
      </form>
      {isDay ? (
        <>
          <div class="buttons">
            {nearDays(today).map(([name, day]) => (
              <Button key={name} onClick={() => void answer(day)}>
                {name}
              </Button>
            ))}
          </div>
          <MonthGrid
            today={today}
            day={/^\d{4}-\d\d-\d\d$/.test(value) ? value : today}
            label={label}
            onChoose={(day) => void answer(day)}
          />
        </>
      ) : kind === "text" ? null : (
        <NameList id="ask-names" kind={kind} path={path} typed={isList ? text.value : ""} />
      )}
    </Dialog>
  );
}

/** `update_task`'s name for any board's archive. */
const ARCHIVE = "Archive";

export type NameKind = "area" | "project" | "tag" | "context" | "lane";

interface NameListProps {
  readonly id: string;
  readonly kind: NameKind;
  readonly path?: string;
  /** The names typed so far; the last one is completed. */
  readonly typed: string;
}

export function NameList({ id, kind, path, typed }: NameListProps): JSX.Element {
  const before = typed.replace(kind === "tag" ? /[^\s,#]*$/ : /[^,]*$/, "").replace(/,$/, ", ");
  const names = useNameList(kind, path);
  return (
    <datalist id={id}>
      {names.data.value?.map((name) => (
        <option key={name} value={before + name} />
      ))}
    </datalist>
  );
}

/** @param path the note with the lanes */
export function useNameList(kind: NameKind | undefined, path = ""): LiveQuery<readonly string[]> {
  const hasTags = usePage().connection.offers("obsidian_list_tags");
  return useQuery(`names:${kind}:${hasTags}:${path}`, async (call) =>
    kind === undefined || (kind === "tag" && !hasTags) ? [] : await readNames(call, kind, path),
  );
}

async function readNames(call: CallTool, kind: NameKind, path: string): Promise<readonly string[]> {
  if (kind === "tag") return (await call("obsidian_list_tags", {})).tags.map(({ tag }) => tag);
  if (kind === "context") {
    const { tasks } = await call("search_tasks", { query: "*", context: "any", limit: 100 });
    return [...new Set(tasks.flatMap(({ contexts = [] }) => contexts))];
  }
  if (kind === "lane") {
    const { lanes = [] } = await call("read_note", { path });
    return [...lanes.map(({ title }) => title), ARCHIVE];
  }
  const { projects = [] } = await call("get_agenda", { view: "projects", kind, limit: 100 });
  return projects.map(({ name }) => name);
}
