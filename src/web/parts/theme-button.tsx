/** Switches between light, dark and the system's theme. */
import type { JSX } from "preact";
import { theme } from "../state/stored.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" } as const;

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

export function ThemeButton(): JSX.Element {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={WORDS.theme[theme.value]}
      title={WORDS.theme[theme.value]}
      onClick={() => {
        theme.value = NEXT[theme.value];
        applyTheme();
      }}
    >
      <Icon name={theme.value} />
    </button>
  );
}
