/** The filters of a view, stored in its address. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button, type Options, Select } from "./controls.js";
import { routeText } from "../state/address.js";
import { savedViews, saveView } from "../state/stored.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

const PAUSE_MS = 200;

export function searchArguments(filters: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const { words = "", area, project, tag, due, priority, state } = filters;
  return {
    query: words.trim() === "" ? "*" : words,
    ...(area && { area }),
    ...(project && { project }),
    ...(tag && { tags: [tag] }),
    ...(due && { due }),
    ...(priority && { priority }),
    ...(state && { is: [state] }),
  };
}

interface FilterBarProps {
  readonly areas: readonly string[];
  readonly projects: readonly string[];
  readonly tags: readonly string[];
  /** Reports a pointer or the focus in it. */
  readonly onNear: () => void;
}

export function FilterBar({ areas, projects, tags, onNear }: FilterBarProps): JSX.Element {
  const { address } = usePage();
  const filters = address.filters.value;
  const named = (names: readonly string[]) => names.map((one) => [one, one] as const);
  const { dueDate, priority } = WORDS.fieldNames;
  const choices: readonly (readonly [name: string, label: string, options: Options])[] = [
    ["area", WORDS.area, named([...areas, WORDS.unassigned])],
    ["project", WORDS.project, named(projects)],
    ["tag", WORDS.tag, named(tags)],
    ["due", dueDate, Object.entries(WORDS.dueChoices)],
    ["priority", priority, Object.entries(WORDS.priorities)],
    ["state", WORDS.state, Object.entries(WORDS.stateChoices)],
    ["group", WORDS.group, Object.entries(WORDS.groupChoices)],
  ];
  return (
    <form
      class="filters row wrap"
      aria-label={WORDS.filters}
      onPointerEnter={onNear}
      onFocusIn={onNear}
      onSubmit={(event) => event.preventDefault()}
    >
      <WordsFilter />
      {choices.map(([name, label, options]) => {
        const value = filters[name] ?? "";
        const isKnown = value === "" || options.some(([one]) => one === value);
        const none = name === "group" ? WORDS.noGroups : WORDS.anyOf(label);
        return (
          <Select
            key={name}
            aria-label={label}
            class={value === "" ? undefined : "set"}
            value={value}
            options={[["", none], ...(isKnown ? [] : named([value])), ...options]}
            onChoose={(chosen) => address.filter({ [name]: chosen })}
          />
        );
      })}
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

function SavedViews(): JSX.Element {
  const page = usePage();
  const params = page.address.filters.value;
  const address = routeText({ view: page.address.route.value.view, params });
  const current = savedViews.value.find((one) => one.address === address);
  const onAnswer = (name: string) => {
    const before = savedViews.value.find((one) => one.name === name);
    saveView(name, address);
    if (before) page.notices.tell(WORDS.viewReplaced(name), async () => saveView(name, before.address));
  };
  const save = () =>
    (page.overlay.value = { kind: "ask", question: { kind: "text", label: WORDS.nameOfView, onAnswer } });
  const isFiltered = Object.keys(params).length > 0;
  return (
    <>
      {savedViews.value.length > 0 && (
        <Select
          aria-label={WORDS.savedViews}
          value={current?.name ?? ""}
          options={[["", WORDS.savedViews], ...savedViews.value.map(({ name }) => [name, name] as const)]}
          onChoose={(chosen) => {
            const view = savedViews.value.find(({ name }) => name === chosen);
            if (view) page.address.follow(view.address);
          }}
        />
      )}
      {isFiltered && (
        <Button class="quiet" onClick={() => (current === undefined ? save() : saveView(current.name, undefined))}>
          {current === undefined ? WORDS.saveView : WORDS.forgetView}
        </Button>
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
