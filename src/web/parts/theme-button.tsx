/** Switches between light, dark and the system's theme. */
import type { JSX } from "preact";
import { Button } from "./controls.js";
import { theme } from "../state/stored.js";
import { PAGE_WORDS } from "../page-words.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" } as const;

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

export function ThemeButton(): JSX.Element {
  return (
    <Button
      icon={theme.value}
      class="quiet"
      aria-label={PAGE_WORDS.theme[theme.value]}
      title={PAGE_WORDS.theme[theme.value]}
      onClick={() => {
        theme.value = NEXT[theme.value];
        applyTheme();
      }}
    />
  );
}
