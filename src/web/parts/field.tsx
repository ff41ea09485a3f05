/** A field of the drawer: keeps what is typed until it is written, also over a refusal, a lost session or a reload. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { keepDraft, keptDraft } from "../state/drafts.js";
import { WORDS } from "../words.js";

export interface EditFieldProps {
  readonly label: string;
  readonly value: string;
  /** Names what is typed while it is not written. */
  readonly draft: string;
  readonly isDisabled: boolean;
  readonly hint?: string | undefined;
  readonly list?: readonly string[] | undefined;
  /** @returns whether it is written */
  readonly onSave: (text: string) => Promise<boolean>;
}

export function EditField({ label, value, draft, isDisabled, hint, list, onSave }: EditFieldProps): JSX.Element {
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
  return (
    <div class={isOpen ? "field open" : "field"}>
      <label for={id}>{label}</label>
      <input
        id={id}
        value={typed.value ?? value}
        placeholder={hint}
        readOnly={isDisabled}
        autocomplete="off"
        list={list ? `${id}-list` : undefined}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) void save();
          if (event.key !== "Escape" || typed.value === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          type(undefined);
        }}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {isOpen && <span class="hint">{WORDS.unsaved}</span>}
    </div>
  );
}
