/** A field of the drawer that keeps unsaved text. */
import { useSignal } from "@preact/signals";
import type { JSX, TargetedEvent } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { Button } from "./controls.js";
import { usePage } from "../state/page.js";
import { useLater } from "../state/queries.js";
import { storedDraft, type TypedText } from "../state/stored.js";
import { canChange } from "../state/task-actions.js";
import type { ChangeResult } from "../state/task-changes.js";
import { WORDS } from "../words.js";
import type { NameKind } from "../state/names.js";
import { NameList } from "./ask-dialog.js";

export interface EditFieldProps {
  readonly label: string;
  readonly value: string;
  /** Storage key of unsaved text. */
  readonly draft: string;
  readonly hint?: string | undefined;
  readonly kind?: NameKind | undefined;
  readonly isList?: boolean | undefined;
  /** While it is not edited. */
  readonly shown?: string | undefined;
  /** While it is edited; default: as saved. */
  readonly edited?: string | undefined;
  /** Opens a month of days. */
  readonly onPick?: (() => void) | undefined;
  /** Wraps, but has no line breaks. */
  readonly isTitle?: boolean;
  /** Why the text may be a mistake; repeating the same text saves it. */
  readonly problemOf?: ((text: string) => string | undefined | Promise<string | undefined>) | undefined;
  readonly takesFocus?: boolean;
  /** @param was the value when typing began */
  readonly onSave: (text: string, was: string) => Promise<ChangeResult>;
}

/**
 * A field's unsaved text, and the text given up for the vault's.
 * @param value as saved
 */
export function useDraft(name: string, value: string) {
  const { notices } = usePage();
  const [typed, mine] = useMemo(() => [storedDraft(name), storedDraft(`${name}:mine`)] as const, [name]);
  const latest = useRef(value);
  latest.current = value;
  const getBack = () => {
    const { text } = mine.value ?? {};
    mine.value = typed.value;
    typed.value = text === undefined ? undefined : { text, was: latest.current };
  };
  /** After an attempt to save. Text typed meanwhile stays. */
  const end = (result: ChangeResult, saved: TypedText) => {
    if ((result !== "written" && result !== "kept") || typed.value !== saved) return;
    typed.value = undefined;
    mine.value = result === "kept" ? saved : undefined;
    if (result === "kept") notices.tell(WORDS.kept, getBack, WORDS.getMineBack);
  };
  return { typed, end, getBack: mine.value && <Button onClick={getBack}>{WORDS.getMineBack}</Button> };
}

/** As a `ref`: at the first drawing. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();

const RETRY_MS = 1_000;

export function EditField(props: EditFieldProps): JSX.Element {
  const { label, value, draft, hint, edited = value, shown = edited, kind, isList = false, onPick, onSave } = props;
  const { isTitle = false, problemOf = () => undefined, takesFocus = false } = props;
  const page = usePage();
  const isDisabled = !canChange(page);
  const { typed, end, getBack } = useDraft(draft, value);
  const isOpen = typed.value !== undefined && typed.value.text !== value;
  const isFocused = useSignal(false);
  const id = `field-${draft}`;

  const problem = useSignal("");
  const isSaving = useRef(false);
  /** Enter was pressed during a save: save again after it. */
  const isAskedAgain = useRef(false);
  /** Text of a failed save: only Enter retries it. */
  const refused = useRef<string | undefined>(undefined);
  /** Not saved for lack of a connection: saved once there is one. */
  const isWaiting = useSignal(false);
  const save = async (isRepeated: boolean) => {
    const open = typed.value;
    isWaiting.value = open !== undefined && !page.connection.isOnline.peek();
    if (open === undefined || isDisabled) return;
    if (isSaving.current) {
      isAskedAgain.current ||= isRepeated;
      return;
    }
    if (!isRepeated && open.text === refused.current) return;
    isSaving.current = true;
    const isSame = open.text === value;
    const doubt = isSame || open.text === refused.current ? undefined : await problemOf(open.text);
    problem.value = doubt ?? "";
    const result = doubt !== undefined ? "failed" : isSame ? "written" : await onSave(open.text, open.was);
    isSaving.current = false;
    isWaiting.value = result === "away";
    refused.current = result === "failed" ? open.text : undefined;
    end(result, open);
    // An Enter before the question does not answer it.
    const isAgain = isAskedAgain.current && doubt === undefined;
    isAskedAgain.current = false;
    if (isAgain) await save(true);
  };
  useLater(RETRY_MS, () => isWaiting.value && save(false), [isWaiting.value, isDisabled]);
  const Control = isTitle ? "textarea" : "input";
  return (
    <div class={`field stack${isOpen ? " open" : ""}${isTitle ? " title" : ""}`}>
      <label class={isTitle ? "unseen" : "label"} for={id}>
        {label}
      </label>
      <Control
        id={id}
        ref={takesFocus ? takeFocus : null}
        value={typed.value?.text ?? (isFocused.value ? edited : shown)}
        placeholder={isDisabled ? undefined : hint}
        dir="auto"
        readOnly={isDisabled}
        autocomplete="off"
        rows={isTitle ? 1 : undefined}
        onInput={({ currentTarget: { value: text } }: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => {
          isWaiting.value = false;
          typed.value = text === edited ? undefined : { text, was: typed.value?.was ?? value };
        }}
        list={kind && isFocused.value ? `${id}-names` : undefined}
        onFocus={({ currentTarget }) => {
          isFocused.value = true;
          if (typed.value !== undefined || edited === shown) return;
          // What is drawn after the focus would not be selected.
          currentTarget.value = edited;
          currentTarget.select();
        }}
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
          typed.value = undefined;
        }}
      />
      {onPick && !isDisabled && (
        <Button icon="today" class="quiet pick" aria-label={WORDS.pickFor(label)} onClick={onPick} />
      )}
      {kind && isFocused.value && (
        <NameList id={`${id}-names`} kind={kind} typed={isList ? (typed.value?.text ?? value) : ""} />
      )}
      {isOpen && <span class="hint">{WORDS.unsaved}</span>}
      {problem.value !== "" && (
        <p class="problem" role="alert">
          {problem.value} {WORDS.enterAgain}
        </p>
      )}
      {getBack}
    </div>
  );
}
