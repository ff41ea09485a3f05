/** Filters stored by name in this browser. */
import type { JSX } from "preact";
import { Button, Select } from "./controls.js";
import { routeText } from "../state/address.js";
import { savedViews, saveView } from "../state/stored.js";
import { usePage } from "../state/page.js";
import { PAGE_WORDS } from "../page-words.js";

export function SavedViews(): JSX.Element {
  const page = usePage();
  const params = page.address.filters.value;
  const address = routeText({ view: page.address.route.value.view, params });
  const current = savedViews.value.find((one) => one.address === address);
  const onAnswer = (name: string) => {
    const before = savedViews.value.find((one) => one.name === name);
    saveView(name, address);
    if (before) page.notices.tell(PAGE_WORDS.viewReplaced(name), async () => saveView(name, before.address));
  };
  const save = () =>
    (page.overlay.value = { kind: "ask", question: { kind: "text", label: PAGE_WORDS.nameOfView, onAnswer } });
  const isFiltered = Object.keys(params).length > 0;
  return (
    <>
      {savedViews.value.length > 0 && (
        <Select
          aria-label={PAGE_WORDS.savedViews}
          value={current?.name ?? ""}
          options={[["", PAGE_WORDS.savedViews], ...savedViews.value.map(({ name }) => [name, name] as const)]}
          onChoose={(chosen) => {
            const view = savedViews.value.find(({ name }) => name === chosen);
            if (view) page.address.follow(view.address);
          }}
        />
      )}
      {isFiltered && (
        <Button class="quiet" onClick={() => (current === undefined ? save() : saveView(current.name, undefined))}>
          {current === undefined ? PAGE_WORDS.saveView : PAGE_WORDS.forgetView}
        </Button>
      )}
    </>
  );
}
