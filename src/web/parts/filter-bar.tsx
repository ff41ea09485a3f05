/** The filters of a view, stored in its address. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { routeText } from "../state/address.js";
import { compact, savedViews, saveView } from "../state/stored.js";
import { usePage } from "../state/page.js";
import { saveBase } from "../state/task-actions.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

const PAUSE_MS = 200;

export function searchArguments(filters: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const { words = "", area, project, tag, due, priority, state, kind } = filters;
  const is = [state, kind].filter((one) => one !== undefined);
  return {
    query: words.trim() === "" ? "*" : words,
    ...(area && { area }),
    ...(project && { project }),
    ...(tag && { tags: [tag] }),
    ...(due && { due }),
    ...(priority && { priority }),
    ...(is.length > 0 && { is }),
  };
}

interface FilterBarProps {
  readonly areas: readonly string[];
  readonly projects: readonly string[];
  readonly tags: readonly string[];
}

export function FilterBar({ areas, projects, tags }: FilterBarProps): JSX.Element {
  const { address } = usePage();
  const filters = address.filters.value;
  const named = (names: readonly string[]) => names.map((one) => [one, one] as const);
  const choices = {
    area: { any: WORDS.anyArea, label: WORDS.area, options: named([...areas, WORDS.unassigned]) },
    project: { any: WORDS.anyProject, label: WORDS.project, options: named(projects) },
    tag: { any: WORDS.anyTag, label: WORDS.tag, options: named(tags) },
    due: { any: WORDS.anyDue, label: WORDS.due, options: Object.entries(WORDS.dueChoices) },
    priority: { any: WORDS.anyPriority, label: WORDS.fieldNames.priority, options: Object.entries(WORDS.priorities) },
    state: { any: WORDS.anyState, label: WORDS.state, options: Object.entries(WORDS.stateChoices) },
    kind: { any: WORDS.anyKind, label: WORDS.kind, options: Object.entries(WORDS.kindChoices) },
    group: { any: WORDS.noGroups, label: WORDS.group, options: Object.entries(WORDS.groupChoices) },
  };
  return (
    <form class="filters row wrap" aria-label={WORDS.filters} onSubmit={(event) => event.preventDefault()}>
      <WordsFilter />
      {Object.entries(choices).map(([name, { any, label, options }]) => (
        <FilterSelect key={name} name={name} label={label} any={any} options={options} />
      ))}
      <label class="switch">
        <input
          type="checkbox"
          checked={filters["cancelled"] !== undefined}
          onChange={(event) => address.filter({ cancelled: event.currentTarget.checked ? "shown" : "" })}
        />
        {WORDS.cancelledToo}
      </label>
      <label class="switch">
        <input
          type="checkbox"
          checked={compact.value === "on"}
          onChange={(event) => (compact.value = event.currentTarget.checked ? "on" : "off")}
        />
        {WORDS.compact}
      </label>
      <SavedViews />
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

function SavedViews(): JSX.Element {
  const page = usePage();
  const params = page.address.filters.value;
  const address = routeText({ view: page.address.route.value.view, params });
  const current = savedViews.value.find((one) => one.address === address);
  const askName = (onAnswer: (name: string) => void | Promise<boolean>) =>
    (page.overlay.value = { kind: "ask", question: { kind: "text", label: WORDS.nameOfView, onAnswer } });
  const save = () =>
    askName((name) => {
      const before = savedViews.value.find((one) => one.name === name);
      saveView(name, address);
      if (before) page.notices.tell(WORDS.viewReplaced(name), async () => saveView(name, before.address));
    });
  const isFiltered = Object.keys(params).length > 0;
  return (
    <>
      {savedViews.value.length > 0 && (
        <select
          aria-label={WORDS.savedViews}
          value={current?.name ?? ""}
          onChange={(event) => {
            const chosen = savedViews.value.find(({ name }) => name === event.currentTarget.value);
            if (chosen) page.address.follow(chosen.address);
          }}
        >
          <option value="">{WORDS.savedViews}</option>
          {savedViews.value.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {isFiltered && (
        <button
          type="button"
          class="quiet"
          onClick={() => (current === undefined ? save() : saveView(current.name, undefined))}
        >
          {current === undefined ? WORDS.saveView : WORDS.forgetView}
        </button>
      )}
      {isFiltered && page.connection.offers("create_base") && (
        <button
          type="button"
          class="quiet"
          onClick={() => askName((name) => saveBase(page, name, searchArguments(params), params["group"]))}
        >
          {WORDS.saveBase}
        </button>
      )}
    </>
  );
}

function WordsFilter(): JSX.Element {
  const { address } = usePage();
  const { words = "" } = address.filters.value;
  const typed = useSignal(words);
  const sent = useRef(words);
  useEffect(() => {
    // Other controls change the address too.
    const now = address.filters.value["words"] ?? "";
    if (now !== sent.current) typed.value = sent.current = now;
  }, [words]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = typed.value.trim();
      if (wanted === sent.current) return;
      sent.current = wanted;
      address.filter({ words: wanted });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <label class="words-filter row">
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
