/** A task's note, and a field that never loses typed text. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./controls.js";
import type { ToolAnswers } from "../transport/transport.js";
import { usePage } from "../state/page.js";
import { canChange } from "../state/task-actions.js";
import { asShown } from "../state/task-row.js";
import { WORDS } from "../words.js";
import { takeFocus, useDraft } from "./field.js";
import { NoteBody } from "./note-body.js";

export function NoteEditor({ task }: { readonly task: ToolAnswers["get_task"] }): JSX.Element {
  const page = usePage();
  const { id, description, line, nextOffset } = task;
  const isWhole = nextOffset === undefined;
  const { typed, end, getBack } = useDraft(`${id}:description`, description);
  const isBusy = useSignal(false);

  const save = async () => {
    const open = typed.value;
    if (open === undefined) return;
    isBusy.value = true;
    const shown = asShown(task, "description", open.was);
    const result = await page.changes.update(shown, { description: open.text });
    isBusy.value = false;
    end(result, open);
  };

  if (typed.value !== undefined)
    return (
      <section class="note stack editing" aria-label={WORDS.note}>
        <textarea
          ref={takeFocus}
          aria-label={WORDS.editNote}
          value={typed.value.text}
          rows={12}
          onInput={(event) => (typed.value = { text: event.currentTarget.value, was: typed.value?.was ?? description })}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
          }}
        />
        <div class="buttons">
          <Button onClick={() => (typed.value = undefined)}>{WORDS.cancel}</Button>
          <Button class="primary" disabled={isBusy.value || !canChange(page)} onClick={() => void save()}>
            {WORDS.save}
          </Button>
        </div>
      </section>
    );
  return (
    <section class="note stack" aria-label={WORDS.note}>
      {description === "" ? (
        <p class="hint">{WORDS.noText}</p>
      ) : (
        <NoteBody path={task.path} text={description} isTickable={line === undefined} />
      )}
      {getBack}
      {!isWhole && <p class="hint">{WORDS.tooLongToEdit}</p>}
      {isWhole && line === undefined && canChange(page) && (
        <Button onClick={() => (typed.value = { text: description, was: description })}>{WORDS.editNote}</Button>
      )}
    </section>
  );
}
