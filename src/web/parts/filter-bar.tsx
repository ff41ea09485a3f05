/** A view's filters in one field, stored in its address: words, and chips in the syntax for adding tasks. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button, Select } from "./controls.js";
import { type NameKind, useNames } from "../state/names.js";
import { usePage } from "../state/page.js";
import { useLater } from "../state/queries.js";
import { WORDS } from "../words.js";
import { offered, SIGNS, useCompletions } from "./completions.js";
import { Icon } from "./icon.js";
import { SavedViews } from "./saved-filters.js";

const PAUSE_MS = 200;

export function searchArguments(filters: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const { words = "", area, project, tag, context, due, priority, state } = filters;
  return {
    query: words.trim() === "" ? "*" : words,
    ...(area && { area }),
    ...(project && { project }),
    ...(tag && { tags: [tag] }),
    ...(context && { context }),
    // A planned task has a day, as in every other list.
    ...(due && { due, ...(due === "none" && { scheduled: due }) }),
    ...(priority && { priority }),
    ...(state && { is: [state] }),
  };
}

/** By name in the address. */
const CHIP_TEXTS: Readonly<Record<string, (value: string) => string>> = {
  area: (value) => `${WORDS.area}: ${value}`,
  ...Object.fromEntries(Object.entries(SIGNS).map(([sign, kind]) => [kind, (value: string) => sign + value])),
  due: (value) => WORDS.dueChoices[value as "today"] ?? `due:${value}`,
  priority: (value) => `!${value.toLowerCase()}`,
  state: (value) => WORDS.stateChoices[value as "ready"] ?? value,
};

interface Choice {
  readonly text: string;
  readonly name: string;
  /** Undefined: a sign before a name. */
  readonly value?: string;
}

const choicesOf = (name: string, values: readonly string[] = []): readonly Choice[] =>
  values.map((value) => ({ name, value, text: CHIP_TEXTS[name]?.(value) ?? value }));

const FIXED = [
  ...choicesOf("due", Object.keys(WORDS.dueChoices)),
  ...choicesOf("state", Object.keys(WORDS.stateChoices)),
  ...choicesOf("priority", Object.keys(WORDS.priorities)),
  ...choicesOf("area", [WORDS.unassigned]),
];
const HINTS: readonly Choice[] = Object.entries(SIGNS).map(([name, kind]) => ({ name, text: `${name} ${kind}` }));

const NAME_KINDS = ["area", ...Object.values(SIGNS)] as readonly NameKind[];

/** Before each sign. */
const BETWEEN = /\s+(?=[+#@!]|due:)/;
/** Names may have blanks. */
const SIGNED = /(?:^|\s)([+#@!]|due:)([^+#@!]*)$/;

export function FilterBar(): JSX.Element {
  const { address } = usePage();
  const filters = address.filters.value;
  const { words = "", group = "" } = filters;
  const typed = useSignal(words);
  const isOpen = useSignal(false);
  const sent = useRef(words);
  useEffect(() => {
    // Something else changed the address.
    if (words !== sent.current) typed.value = sent.current = words;
  }, [words]);
  const [signed = "", sign = "", part = ""] = SIGNED.exec(typed.value) ?? [];
  const text = typed.value.trim();
  const beforeSign = typed.value.slice(0, typed.value.length - signed.length);
  const send = () => {
    const wanted = beforeSign.trim();
    if (wanted !== sent.current) address.filter({ words: (sent.current = wanted) });
  };
  useLater(PAUSE_MS, send, [typed.value]);

  const isWanted = (kind: NameKind) => isOpen.value && text !== "" && [kind, undefined].includes(SIGNS[sign]);
  const named = NAME_KINDS.flatMap((kind) => choicesOf(kind, useNames(isWanted(kind) ? kind : undefined).data.value));
  const fitting = () => {
    if (text === "") return [...FIXED, ...HINTS];
    if (sign === "due:") return choicesOf("due", part === "" ? [] : [part.trim()]);
    const all = [...FIXED, ...named].filter((one) => one.text.startsWith(sign));
    return offered(all, sign === "" ? text : part.trim(), (one) => one.text);
  };
  const options = isOpen.value ? fitting() : [];

  const input = useRef<HTMLInputElement>(null);
  const set = (name: string, value: string, rest: string) => {
    typed.value = rest === "" ? "" : `${rest} `;
    address.filter({ [name]: value, words: (sent.current = rest) });
    input.current?.focus();
  };
  const choose = (index: number) => {
    const { name, value } = options[index] ?? { name: "" };
    if (value === undefined) typed.value = name;
    else set(name, value, sign === "" ? "" : beforeSign.trim());
  };
  const onEscape = () => void (isOpen.value = false);
  const names = useCompletions({
    id: "filter",
    options: options.map((one) => one.text),
    isByTab: sign !== "",
    onChoose: choose,
    onEscape,
  });
  const chips = Object.entries(filters).filter(([name]) => name in CHIP_TEXTS);
  /** Makes a piece with a sign a chip: the name that fits, else what is typed. @returns whether it has a sign */
  const take = (piece: string, rest: string): boolean => {
    const [, mark = "", typedName = ""] = SIGNED.exec(piece) ?? [];
    const fitting = piece === signed.trim() ? options[0] : undefined;
    const { name = mark === "due:" ? "due" : SIGNS[mark], value = typedName.trim() } = fitting ?? {};
    if (mark === "" || name === undefined || value === "") return false;
    set(name, value, rest);
    return true;
  };
  const onInput = (value: string) => {
    typed.value = value;
    const pieces = value.split(BETWEEN);
    const last = pieces.pop() ?? "";
    // Another sign ends a name.
    const [first = ""] = pieces;
    for (const piece of pieces) if (take(piece, SIGNED.test(first) ? "" : first)) typed.value += last;
    isOpen.value = true;
    names.reset();
    // A name ends at a blank, unless longer ones begin with it; a day may have several words.
    const [only] = options;
    const isWhole = /\s$/.test(value) && options.length === 1 && sign !== "due:";
    if (isWhole && only?.text.toLocaleLowerCase() === (sign + part).toLocaleLowerCase()) choose(0);
  };
  const press = ({ key }: KeyboardEvent): boolean => {
    if (key === "Backspace" && typed.value === "") {
      const [last] = chips.at(-1) ?? [];
      if (last !== undefined) address.filter({ [last]: "" });
      return false;
    }
    if (key !== "Enter") return false;
    if (!take(signed.trim(), beforeSign.trim())) isOpen.value = false;
    return true;
  };
  return (
    <form class="filters row wrap" aria-label={WORDS.filters} onSubmit={(event) => event.preventDefault()}>
      <div class="filter-field panel row wrap">
        <Icon name="filter" />
        {chips.map(([name, value]) => {
          const chip = CHIP_TEXTS[name]?.(value) ?? value;
          return (
            <Button key={name} class="filter-chip" aria-label={WORDS.remove(chip)} onClick={() => set(name, "", words)}>
              <span dir="auto">{chip}</span>
              <Icon name="close" />
            </Button>
          );
        })}
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={WORDS.filterWords}
          aria-expanded={options.length > 0}
          {...names.field}
          value={typed.value}
          placeholder={chips.length === 0 ? WORDS.filterWords : ""}
          dir="auto"
          autocomplete="off"
          onFocus={() => (isOpen.value = true)}
          onClick={() => (isOpen.value = true)}
          onBlur={onEscape}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.isComposing || !(names.press(event) || press(event))) return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        {names.list}
      </div>
      <Select
        aria-label={WORDS.group}
        class={group === "" ? undefined : "set"}
        value={group}
        options={[["", WORDS.noGroups], ...Object.entries(WORDS.groupChoices)]}
        onChoose={(chosen) => address.filter({ group: chosen })}
      />
      <SavedViews />
      {Object.keys(filters).length > 0 && (
        <Button
          class="quiet"
          onClick={() => address.filter(Object.fromEntries(Object.keys(filters).map((name) => [name, ""])))}
        >
          {WORDS.clearFilters}
        </Button>
      )}
    </form>
  );
}
