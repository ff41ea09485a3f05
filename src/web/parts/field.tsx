/** A field of the drawer: keeps what is typed until it is written, also over a refusal, a lost session or a reload. */
import { useSignal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import { keepDraft, keptDraft } from "../state/drafts.js";
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
  /** @returns whether it is written */
  readonly onSave: (text: string) => Promise<boolean>;
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
  const isOpen = typed.value !== undefined && typed.value !== value;
  const id = `field-${draft}`;

  const type = (text: string | undefined) => {
    typed.value = text;
    keepDraft(draft, text ?? "");
  };
  const save = async () => {
    const text = typed.value;
    if (text === undefined || isDisabled) return;
    if (text === value || (await onSave(text))) {
      // What was typed while it was on its way stays.
      if (typed.value === text) type(undefined);
    }
  };
  const Control = isTitle ? "textarea" : "input";
  return (
    <div class={`field${isOpen ? " open" : ""}${isTitle ? " title" : ""}`}>
      <label for={id}>{label}</label>
      <Control
        id={id}
        value={typed.value ?? value}
        placeholder={hint}
        readOnly={isDisabled}
        autocomplete="off"
        rows={isTitle ? 1 : undefined}
        onInput={(event: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => type(event.currentTarget.value)}
        onBlur={() => void save()}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            void save();
          }
          if (event.key !== "Escape" || typed.value === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          type(undefined);
        }}
      />
      {isOpen && <span class="hint">{WORDS.unsaved}</span>}
    </div>
  );
}
