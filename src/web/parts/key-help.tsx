/** The list of keys, and the switch for single-character keys. */
import type { ComponentChildren, JSX } from "preact";
import { usePage } from "../state/page.js";
import { singleKeys } from "../state/stored.js";
import { WORDS } from "../words.js";
import { Switch } from "./controls.js";
import { Dialog } from "./dialog.js";

/** @param children further settings */
export function KeyHelp({ children }: { readonly children?: ComponentChildren }): JSX.Element {
  const page = usePage();
  return (
    <Dialog label={WORDS.keys} name="key-help" onClose={() => page.closeOverlay()}>
      <dl class="stack">
        {Object.entries(WORDS.keyHelp).map(([keys, meaning]) => (
          <div class="row wrap" key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <Switch
        label={WORDS.singleKeys}
        isOn={singleKeys.value === "on"}
        describedBy="single-keys-help"
        onSwitch={(isOn) => (singleKeys.value = isOn ? "on" : "off")}
      />
      <p class="hint" id="single-keys-help">
        {WORDS.singleKeysHelp}
      </p>
      {children}
    </Dialog>
  );
}
