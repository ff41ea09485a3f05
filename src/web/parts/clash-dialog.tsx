/** Shows both texts of a conflict with marked differences. */
import type { JSX } from "preact";
import { Button } from "./controls.js";
import { dayText } from "../state/days.js";
import { usePage } from "../state/page.js";
import { ASKED_FIELDS, type AskedField } from "../state/task-actions.js";
import { type Clash, changedRange } from "../state/task-changes.js";
import type { RowField } from "../state/task-row.js";
import { plainTitle } from "../state/title.js";
import { WORDS } from "../words.js";
import { Dialog } from "./dialog.js";

export function ClashDialog({ clash }: { readonly clash: Clash }): JSX.Element {
  const { task, fields, settle } = clash;
  const today = usePage().connection.today.value;
  const shown = (name: string, text: string) => {
    if (name === "estimate" && /^\d+$/.test(text)) return WORDS.duration(Number(text));
    return ASKED_FIELDS[name as AskedField]?.kind === "day" ? WORDS.capital(dayText(text, today)) : text;
  };
  return (
    <Dialog label={WORDS.clashTitle} name="clash" onClose={() => settle("later")}>
      <p>{WORDS.clashHelp(plainTitle(task.title))}</p>
      {fields.map(({ name, mine, theirs }) => (
        <section class="clash-field" key={name}>
          <h3>{WORDS.fieldNames[name as RowField]}</h3>
          <Side name={WORDS.mine} text={shown(name, mine)} other={shown(name, theirs)} />
          <Side name={WORDS.theirs} text={shown(name, theirs)} other={shown(name, mine)} />
        </section>
      ))}
      <div class="buttons">
        <Button onClick={() => settle("mine")}>{WORDS.keepMine}</Button>
        <Button class="primary" onClick={() => settle("theirs")}>
          {WORDS.keepTheirs}
        </Button>
      </div>
    </Dialog>
  );
}

function Side({ name, text, other }: Readonly<Record<"name" | "text" | "other", string>>): JSX.Element {
  const { from, to } = changedRange(other, text);
  return (
    <div>
      <h4 class="label">{name}</h4>
      <p dir="auto">
        {text.slice(0, from)}
        {to > from && <mark>{text.slice(from, to)}</mark>}
        {text.slice(to) || (text === "" && WORDS.nothingThere)}
      </p>
    </div>
  );
}
