/** Asks for a text with completion, or for a day. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./controls.js";
import { datedText, isDay, nearDays } from "../state/days.js";
import { type Question, usePage } from "../state/page.js";
import { type NameKind, useNames } from "../state/names.js";
import { useQuery } from "../state/queries.js";
import { WORDS } from "../words.js";
import { Dialog } from "./dialog.js";
import { MonthGrid } from "./month-grid.js";

export function AskDialog({ question }: { readonly question: Question }): JSX.Element {
  const page = usePage();
  const { label, value = "", kind, isList = false, path = "", onAnswer } = question;
  const asksDay = kind === "day";
  const shown = asksDay ? datedText(value) : value;
  const text = useSignal(shown);
  const answer = async (given: string) => {
    page.closeOverlay();
    const result = await onAnswer(given);
    const askAgain = () => (page.overlay.value = { kind: "ask", question: { ...question, value: given } });
    if (result === "kept") page.notices.tell(WORDS.kept, askAgain, WORDS.getMineBack);
    else if ((result === false || result === "failed" || result === "away") && page.overlay.peek().kind === "none")
      askAgain();
  };
  return (
    <Dialog label={label} name="ask" anchor={question.anchor} onClose={() => page.closeOverlay()}>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void answer(text.value === shown ? value : text.value.trim());
        }}
      >
        <input
          data-first-focus
          onFocus={(event) => isList || event.currentTarget.select()}
          aria-label={label}
          value={text.value}
          dir="auto"
          placeholder={asksDay ? WORDS.dayHint : undefined}
          list={asksDay ? undefined : "ask-names"}
          autocomplete="off"
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          {WORDS.apply}
        </button>
      </form>
      {asksDay ? (
        <DayChoice value={value} label={label} onChoose={(day) => void answer(day)} />
      ) : kind === "text" ? null : (
        <NameList id="ask-names" kind={kind} path={path} typed={isList ? text.value : ""} />
      )}
    </Dialog>
  );
}

interface DayChoiceProps {
  readonly value: string;
  readonly label: string;
  readonly onChoose: (day: string) => void;
}

const MONTH_DAYS = 42;

/** A month whose days show their number of tasks. */
function DayChoice({ value, label, onChoose }: DayChoiceProps): JSX.Element {
  const today = usePage().connection.today.value;
  const first = useSignal<string | undefined>(undefined);
  const { value: date } = first;
  const counts = useQuery(`counts:${date}`, async (call) => {
    if (date === undefined) return [];
    const { sections = [] } = await call("get_agenda", { view: "day", date, days: MONTH_DAYS, limit: 1 });
    return sections.map(({ day = "", total }): [string, number] => [day, total]);
  });
  return (
    <>
      <div class="buttons">
        {nearDays(today).map(([name, day]) => (
          <Button key={name} onClick={() => onChoose(day)}>
            {name}
          </Button>
        ))}
      </div>
      <MonthGrid
        day={isDay(value) ? value : today}
        label={label}
        countsFrom={first}
        counts={new Map(counts.data.value)}
        onChoose={onChoose}
      />
    </>
  );
}

interface NameListProps {
  readonly id: string;
  readonly kind: NameKind;
  readonly path?: string;
  /** The last of these names is completed. */
  readonly typed: string;
}

export function NameList({ id, kind, path, typed }: NameListProps): JSX.Element {
  const before = typed.replace(kind === "tag" ? /[^\s,#]*$/ : /[^,]*$/, "").replace(/,$/, ", ");
  const names = useNames(kind, path);
  return (
    <datalist id={id}>
      {names.data.value?.map((name) => (
        <option key={name} value={before + name} />
      ))}
    </datalist>
  );
}
