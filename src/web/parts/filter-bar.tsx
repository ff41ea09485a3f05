/** The filters of a view, stored in its address. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

const PAUSE_MS = 200;

/** From a filter's name in the address to the argument of `search_tasks`. */
export function searchArguments(filters: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const { words = "", area, project, tag, due } = filters;
  return {
    query: words.trim() === "" ? "*" : words,
    ...(area && { area }),
    ...(project && { project }),
    ...(tag && { tags: [tag] }),
    ...(due && { due }),
  };
}

export interface FilterBarProps {
  readonly areas: readonly string[];
  readonly projects: readonly string[];
  readonly tags: readonly string[];
}

export function FilterBar({ areas, projects, tags }: FilterBarProps): JSX.Element {
  const { address } = usePage();
  const filters = address.filters.value;
  const choices = {
    area: { any: WORDS.anyArea, label: WORDS.area, options: [...areas, WORDS.unassigned] },
    project: { any: WORDS.anyProject, label: WORDS.project, options: projects },
    tag: { any: WORDS.anyTag, label: WORDS.tag, options: tags },
  };
  return (
    <form class="filters" aria-label={WORDS.filters} onSubmit={(event) => event.preventDefault()}>
      <WordsFilter />
      {Object.entries(choices).map(([name, { any, label, options }]) => (
        <FilterSelect key={name} name={name} label={label} any={any} options={options.map((one) => [one, one])} />
      ))}
      <FilterSelect name="due" label={WORDS.due} any={WORDS.anyDue} options={Object.entries(WORDS.dueChoices)} />
      <label class="switch">
        <input
          type="checkbox"
          checked={filters["cancelled"] !== undefined}
          onChange={(event) => address.filter({ cancelled: event.currentTarget.checked ? "shown" : "" })}
        />
        {WORDS.cancelledToo}
      </label>
      {Object.keys(filters).length > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() => address.filter(Object.fromEntries(Object.keys(filters).map((name) => [name, ""])))}
        >
          {WORDS.clearFilters}
        </button>
      )}
    </form>
  );
}

function WordsFilter(): JSX.Element {
  const { address } = usePage();
  const { words = "" } = address.filters.value;
  const typed = useSignal(words);
  useEffect(() => {
    // Others change the address too, such as "Clear filters".
    if (typed.value.trim() !== words) typed.value = words;
  }, [words]);
  useEffect(() => {
    const timer = setTimeout(
      () => typed.value.trim() === words || address.filter({ words: typed.value.trim() }),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <label class="words-filter">
      <Icon name="filter" />
      <span class="unseen">{WORDS.filterWords}</span>
      <input
        type="search"
        value={typed.value}
        placeholder={WORDS.filterWords}
        onInput={(event) => (typed.value = event.currentTarget.value)}
      />
    </label>
  );
}

interface FilterSelectProps {
  readonly name: string;
  readonly label: string;
  readonly any: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

function FilterSelect({ name, label, any, options }: FilterSelectProps): JSX.Element {
  const { address } = usePage();
  const value = address.filters.value[name] ?? "";
  const isKnown = value === "" || options.some(([one]) => one === value);
  return (
    <select
      aria-label={label}
      class={value === "" ? undefined : "set"}
      value={value}
      onChange={(event) => address.filter({ [name]: event.currentTarget.value })}
    >
      <option value="">{any}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}
