/** Asks for one value: a text with completion, or a day in words or from a month. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { dayAfter, mondayAfter } from "../state/days.js";
import { type Question, usePage, useQuery } from "../state/page.js";
import { WORDS } from "../words.js";
import { Dialog } from "./dialog.js";
import { MonthGrid } from "./month-grid.js";

export function AskDialog({ question }: { readonly question: Question }): JSX.Element {
  const page = usePage();
  const { label, value = "", kind, onAnswer } = question;
  const text = useSignal(value);
  const today = page.connection.today.value;
  const answer = (given: string) => {
    page.closeOverlay();
    onAnswer(given);
  };
  const isDay = kind === "day";
  const days = [
    [WORDS.capital(WORDS.dayToday), today],
    [WORDS.capital(WORDS.dayTomorrow), dayAfter(today, 1)],
    [WORDS.nextWeek, mondayAfter(today)],
    [WORDS.noDate, ""],
  ] as const;
  return (
    <Dialog label={label} name="ask" onClose={() => page.closeOverlay()}>
      <h2>{label}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          answer(text.value.trim());
        }}
      >
        <input
          data-first-focus
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
          <div class="buttons day-buttons">
            {days.map(([name, day]) => (
              <button type="button" key={name} onClick={() => answer(day)}>
                {name}
              </button>
            ))}
          </div>
          <MonthGrid
            today={today}
            day={/^\d{4}-\d\d-\d\d$/.test(value) ? value : today}
            label={label}
            onChoose={answer}
          />
        </>
      ) : (
        <NameList id="ask-names" kind={kind} />
      )}
    </Dialog>
  );
}

export type NameKind = "area" | "project" | "tag";

/** The names that a field completes. */
export function NameList({ id, kind }: { readonly id: string; readonly kind: NameKind }): JSX.Element {
  const names = useQuery(`names:${kind}`, async ({ connection }, signal) => {
    if (kind === "tag") {
      if (!connection.offers("obsidian_list_tags")) return [];
      const { tags } = await connection.call("obsidian_list_tags", {}, { signal });
      return tags.map(({ tag }) => tag);
    }
    const { projects = [] } = await connection.call("get_agenda", { view: "projects", kind, limit: 100 }, { signal });
    return projects.map(({ name }) => name);
  });
  return (
    <datalist id={id}>
      {names.data.value?.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
