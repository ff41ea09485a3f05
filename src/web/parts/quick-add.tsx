/** A field that adds tasks and shows how each was understood, with undo (docs: web, "Views"). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ToolAnswers } from "../carrier/carrier.js";
import { keepDraft, keptDraft } from "../state/drafts.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

const DRAFT = "quick-add";
type Added = ToolAnswers["add_tasks"];

export interface QuickAddProps {
  /** Distinguishes the field of the dialog from that of a view. */
  readonly name: string;
  readonly takesFocus?: boolean;
  /** The area of tasks that name none. */
  readonly area?: string | undefined;
}

export function QuickAdd({ name, takesFocus = false, area }: QuickAddProps): JSX.Element {
  const page = usePage();
  const text = useSignal(keptDraft(DRAFT)?.text ?? "");
  const isBusy = useSignal(false);
  const added = useSignal<Added | undefined>(undefined);
  const failure = useSignal("");

  const type = (typed: string) => {
    text.value = typed;
    keepDraft(DRAFT, typed === "" ? undefined : { text: typed, was: "" });
  };
  const send = async () => {
    if (text.value.trim() === "" || isBusy.value || !page.connection.canWrite.value) return;
    isBusy.value = true;
    failure.value = "";
    try {
      const answer = await page.connection.call("add_tasks", { text: text.value, ...(area && { area }) });
      added.value = answer;
      type("");
      tell(answer);
      await page.reread();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : "";
    } finally {
      isBusy.value = false;
    }
  };
  const tell = (answer: Added) => {
    const [first, ...others] = answer.added;
    const words = others.length === 0 ? WORDS.added(first?.title ?? "") : WORDS.addedMany(answer.added.length);
    page.notices.tell(words, undoOf(answer));
  };
  const undoOf = ({ operation, undoable }: Added) => {
    if (operation === undefined || !undoable || !page.connection.offers("undo_edit")) return undefined;
    return async () => {
      try {
        await page.connection.call("undo_edit", { path: operation });
        if (added.value?.operation === operation) added.value = undefined;
        page.notices.tell(WORDS.addingTakenBack);
      } catch (error) {
        page.notices.fail(WORDS.notTakenBack(error instanceof Error ? error.message : ""));
      }
      await page.reread();
    };
  };

  return (
    <form
      class="quick-add"
      aria-label={WORDS.quickAdd}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="quick-add-row">
        <Icon name="add" />
        <textarea
          id={name}
          data-first-focus={takesFocus || undefined}
          rows={1}
          maxLength={20_000}
          value={text.value}
          placeholder={WORDS.quickAddHint}
          aria-label={WORDS.quickAdd}
          aria-describedby={`${name}-help`}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <button type="submit" class="primary" disabled={isBusy.value || !page.connection.canWrite.value}>
          {WORDS.addButton}
        </button>
      </div>
      <p class="hint" id={`${name}-help`}>
        {WORDS.quickAddHelp}
      </p>
      {!page.connection.isOnline.value && <p class="problem">{WORDS.offlineNoChange}</p>}
      {failure.value !== "" && (
        <p class="problem" role="alert">
          {failure.value}
        </p>
      )}
      {added.value && <Understood added={added.value} />}
    </form>
  );
}

/** How each line was understood. */
function Understood({ added: { added, adjustments } }: { readonly added: Added }): JSX.Element {
  const page = usePage();
  return (
    <div class="understood">
      <ul>
        {added.map(({ title, id, place, understood }) => (
          <li key={place}>
            {id === undefined ? (
              <strong>{title}</strong>
            ) : (
              <button type="button" class="link" onClick={() => page.address.open("task", id)}>
                {title}
              </button>
            )}
            {understood
              .split("; ")
              .filter((fact) => !fact.startsWith("id "))
              .map((fact) => (
                <span class="chip" key={fact}>
                  {fact}
                </span>
              ))}
          </li>
        ))}
      </ul>
      {adjustments.map((sentence) => (
        <p class="hint" key={sentence}>
          {sentence}
        </p>
      ))}
    </div>
  );
}
