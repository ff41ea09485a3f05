/** Icons: lines on a grid of 16 in the text's colour. */
import type { JSX } from "preact";

const PATHS = {
  today: "M3 4.5h10v9H3zM3 7h10M5.5 2.5v3M10.5 2.5v3",
  back: "M9.5 4L5.5 8l4 4",
  forward: "M6.5 4l4 4-4 4",
  board: "M2.5 3h3.2v10H2.5zM6.9 3h3.2v6.5H6.9zM11.3 3h2.2v8h-2.2z",
  projects: "M2.5 4.5v8h11V6H8L6.5 4.5z",
  views: "M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5l3 3",
  add: "M8 3v10M3 8h10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M4.5 8.3l2.4 2.4 4.6-5",
  keys: "M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5 9.5h6",
  obsidian: "M9 2.5h4.5V7M13.5 2.5L7.5 8.5M11.5 9.5v4h-9v-9h4",
  note: "M4 2.5h5.5L12.5 5.5v8H4zM6 7h4.5M6 9.5h4.5",
  flag: "M4 14V2.5h7.5L9.5 5.3l2 2.7H4",
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
};
/** The App does without. */
const PAGE_PATHS = {
  week: "M2.5 3.5h11v9h-11zM2.5 6h11M6.2 6v6.5M9.8 6v6.5",
  history: "M3 8a5 5 0 1 0 1.6-3.7M3 3v2.5h2.5M8 5v3.2l2 1.2",
  review: "M3 13V8.5M6.3 13V4M9.7 13V6.5M13 13V3",
  auto: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  light:
    "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  dark: "M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z",
  offline: "M2.5 6.5a8 8 0 0 1 11 0M5 9.2a4.3 4.3 0 0 1 6 0M8 12.3h.01M3 2.5l10 11",
};

export const addPageIcons = () => void Object.assign(PATHS, PAGE_PATHS);

export type IconName = keyof typeof PATHS | keyof typeof PAGE_PATHS;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name as keyof typeof PATHS]} />
    </svg>
  );
}
