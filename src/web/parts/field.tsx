/** A field of the drawer. Unsaved text survives a refusal, a lost session and a reload. */
import { useSignal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import { useRef } from "preact/hooks";
import { type TypedText, keepDraft, keptDraft } from "../state/drafts.js";
import type { ChangeResult } from "../state/task-changes.js";
import { WORDS } from "../words.js";
import { type NameKind, NameList } from "./ask-dialog.js";
import { Icon } from "./icon.js";

export interface EditFieldProps {
  readonly label: string;
  readonly value: string;
  /** The name under which unsaved text is stored. */
  readonly draft: string;
  readonly isDisabled: boolean;
  readonly hint?: string | undefined;
  /** Names that are completed. */
  readonly kind?: NameKind | undefined;
  readonly isList?: boolean;
  /** Offers a month to choose a day from. */
  readonly onPick?: (() => void) | undefined;
  /** The title: it may take several lines, and has no line break. */
  readonly isTitle?: boolean;
  /** @param was the value when typing began */
  readonly onSave: (text: string, was: string) => Promise<ChangeResult>;
}

export function EditField({
  label,
  value,
  draft,
  isDisabled,
  hint,
  kind,
  isList = false,
  onPick,
  isTitle = false,
  onSave,
}: EditFieldProps): JSX.Element {
  const typed = useSignal(keptDraft(draft));
  const isOpen = typed.value !== undefined && typed.value.text !== value;
  const isFocused = useSignal(false);
  const id = `field-${draft}`;

  const keep = (open: TypedText | undefined) => {
    typed.value = open;
    keepDraft(draft, open);
  };
  const isSaving = useRef(false);
  /** Whether Enter was pressed while a text was being saved: what is typed then is saved next. */
  const isAskedAgain = useRef(false);
  /** The text that the last try could not save: leaving the field does not send it again, Enter does. */
  const refused = useRef<string | undefined>(undefined);
  const save = async (isRepeated: boolean) => {
    const open = typed.value;
    if (open === undefined || isDisabled) return;
    if (isSaving.current) {
      isAskedAgain.current ||= isRepeated;
      return;
    }
    if (!isRepeated && open.text === refused.current) return;
    isSaving.current = true;
    const result = open.text === value ? "written" : await onSave(open.text, open.was);
    isSaving.current = false;
    refused.current = result === "failed" ? open.text : undefined;
    // Text typed while the change was being saved stays.
    if (result !== "failed" && typed.value === open) keep(undefined);
    if (isAskedAgain.current) {
      isAskedAgain.current = false;
      await save(true);
    }
  };
  const Control = isTitle ? "textarea" : "input";
  return (
    <div class={`field${isOpen ? " open" : ""}${isTitle ? " title" : ""}`}>
      <label for={id}>{label}</label>
      <Control
        id={id}
        value={typed.value?.text ?? value}
        placeholder={isDisabled ? undefined : hint}
        dir="auto"
        readOnly={isDisabled}
        autocomplete="off"
        rows={isTitle ? 1 : undefined}
        onInput={(event: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) =>
          keep({ text: event.currentTarget.value, was: typed.value?.was ?? value })
        }
        list={kind && isFocused.value ? `${id}-names` : undefined}
        onFocus={() => (isFocused.value = true)}
        onBlur={() => {
          isFocused.value = false;
          void save(false);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            void save(true);
          }
          if (event.key !== "Escape" || typed.value === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          keep(undefined);
        }}
      />
      {onPick && !isDisabled && (
        <button type="button" class="quiet pick" aria-label={WORDS.pickFor(label)} onClick={onPick}>
          <Icon name="today" />
        </button>
      )}
      {kind && isFocused.value && (
        <NameList id={`${id}-names`} kind={kind} typed={isList ? (typed.value?.text ?? value) : ""} />
      )}
      {isOpen && <span class="hint">{WORDS.unsaved}</span>}
    </div>
  );
}
