/** Completes text in a field, by keys or pointer. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { NameKind } from "../state/names.js";
import { WORDS } from "../words.js";

/** Prefixes of names, when adding tasks and filtering. */
export const SIGNS: Readonly<Record<string, NameKind>> = { "+": "project", "#": "tag", "@": "context" };

const MAX_OFFERED = 6;

/** Names that contain the text; prefixes first. */
export function offered<Name>(names: readonly Name[], typed: string, textOf: (name: Name) => string): readonly Name[] {
  const place = (name: Name) => textOf(name).toLocaleLowerCase().indexOf(typed.toLocaleLowerCase());
  const found = names.filter((name) => place(name) >= 0);
  return found.toSorted((a, b) => Number(place(a) > 0) - Number(place(b) > 0)).slice(0, MAX_OFFERED);
}

interface CompletionsProps {
  readonly id: string;
  readonly options: readonly string[];
  /** Whether Tab takes the first one. */
  readonly isByTab: boolean;
  readonly onChoose: (index: number) => void;
  readonly onEscape: () => void;
}

/** @returns the list, the field's attributes, and `press`, which reports whether a key was for the list */
export function useCompletions({ id, options, isByTab, onChoose, onEscape }: CompletionsProps) {
  const active = useSignal(-1);
  const last = options.length - 1;
  const at = Math.min(active.value, last);
  const press = ({ key }: KeyboardEvent): boolean => {
    if (last < 0) return false;
    if (key === "ArrowDown") active.value = Math.min(at + 1, last);
    else if (key === "ArrowUp") active.value = Math.max(at - 1, -1);
    else if (key === "Escape") onEscape();
    else if ((key === "Tab" && (isByTab || at >= 0)) || (key === "Enter" && at >= 0)) onChoose(Math.max(at, 0));
    else return false;
    return true;
  };
  const field = {
    "aria-autocomplete": "list",
    "aria-controls": last < 0 ? undefined : `${id}-names`,
    "aria-activedescendant": at < 0 ? undefined : `${id}-name-${at}`,
  } as const;
  const list: JSX.Element | false = last >= 0 && (
    <ul class="names-offered row wrap" role="listbox" id={`${id}-names`} aria-label={WORDS.completions}>
      {options.map((one, index) => (
        <li
          key={one}
          id={`${id}-name-${index}`}
          role="option"
          aria-selected={index === at}
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(index);
          }}
        >
          {one}
        </li>
      ))}
    </ul>
  );
  return { field, list, press, reset: () => (active.value = -1) };
}
