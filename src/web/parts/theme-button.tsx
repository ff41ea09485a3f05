/** Switches between light, dark and the system's theme. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { keepChoice, keptChoice } from "../state/kept.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

const KEPT_AS = "theme";
const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const theme = signal<Theme>(THEMES.find((one) => one === keptChoice(KEPT_AS)) ?? "auto");

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

export function ThemeButton(): JSX.Element {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "auto";
  return (
    <button
      type="button"
      class="quiet"
      aria-label={WORDS.theme[theme.value]}
      title={WORDS.theme[theme.value]}
      onClick={() => {
        theme.value = next;
        keepChoice(KEPT_AS, next);
        applyTheme();
      }}
    >
      <Icon name={theme.value} />
    </button>
  );
}
