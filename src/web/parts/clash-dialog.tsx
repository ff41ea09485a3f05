/** Shows both texts of a conflict to choose from. */
import type { JSX } from "preact";
import { Button } from "./controls.js";
import type { Clash } from "../state/task-changes.js";
import type { RowUpdates } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { Dialog } from "./dialog.js";

export function ClashDialog({ clash }: { readonly clash: Clash }): JSX.Element {
  const { task, fields, settle } = clash;
  return (
    <Dialog label={WORDS.clashTitle} name="clash" onClose={() => settle("later")}>
      <p>{WORDS.clashHelp(task.title)}</p>
      {fields.map(({ name, mine, theirs }) => (
        <section class="clash-field" key={name}>
          <h3>{WORDS.fieldNames[name as keyof RowUpdates]}</h3>
          <div>
            <h4 class="label">{WORDS.mine}</h4>
            <p>{mine || WORDS.nothingThere}</p>
          </div>
          <div>
            <h4 class="label">{WORDS.theirs}</h4>
            <p>{theirs || WORDS.nothingThere}</p>
          </div>
        </section>
      ))}
      <div class="buttons">
        <Button onClick={() => settle("theirs")}>{WORDS.keepTheirs}</Button>
        <Button class="primary" onClick={() => settle("mine")}>
          {WORDS.keepMine}
        </Button>
      </div>
    </Dialog>
  );
}
