/** A field of the drawer: keeps what is typed until it is written, also over a refusal, a lost session or a reload. */
import { useSignal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import { type TypedText, keepDraft, keptDraft } from "../state/drafts.js";
import { WORDS } from "../words.js";

export interface EditFieldProps {
  readonly label: string;
  readonly value: string;
  /** Names what is typed while it is not written. */
  readonly draft: string;
  readonly isDisabled: boolean;
  readonly hint?: string | undefined;
  /** The title: it may take several lines, and has no line break. */
  readonly isTitle?: boolean;
  /** @param was what the field said when typing began, @returns whether it is written */
  readonly onSave: (text: string, was: string) => Promise<boolean>;
}

export function EditField({
  label,
  value,
  draft,
  isDisabled,
  hint,
  isTitle = false,
  onSave,
}: EditFieldProps): JSX.Element {
  const typed = useSignal(keptDraft(draft));
  const isOpen = typed.value !== undefined && typed.value.text !== value;
  const id = `field-${draft}`;

  const keep = (open: TypedText | undefined) => {
    typed.value = open;
    keepDraft(draft, open);
  };
  const save = async () => {
    const open = typed.value;
    if (open === undefined || isDisabled) return;
    // What was typed while it was on its way stays.
    if ((open.text === value || (await onSave(open.text, open.was))) && typed.value === open) keep(undefined);
  };
  const Control = isTitle ? "textarea" : "input";
  return (
    <div class={`field${isOpen ? " open" : ""}${isTitle ? " title" : ""}`}>
      <label for={id}>{label}</label>
      <Control
        id={id}
        value={typed.value?.text ?? value}
        placeholder={hint}
        readOnly={isDisabled}
        autocomplete="off"
        rows={isTitle ? 1 : undefined}
        onInput={(event: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) =>
          keep({ text: event.currentTarget.value, was: typed.value?.was ?? value })
        }
        onBlur={() => void save()}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            void save();
          }
          if (event.key !== "Escape" || typed.value === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          keep(undefined);
        }}
      />
      {isOpen && <span class="hint">{WORDS.unsaved}</span>}
    </div>
  );
}
