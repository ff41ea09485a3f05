import { expect, it } from "vitest";
import { checklistIn } from "./outline.js";

it("counts checkboxes that a reader sees, cancelled ones left out", () => {
  const text = [
    "# Title",
    "- [x] done",
    "- [ ] open",
    "  * [X] done below",
    "1. [/] half",
    "2) [-] cancelled",
    "> - [ ] quoted",
    "- no box",
    "- [a](link)",
    "",
    "```",
    "- [ ] code",
    "```",
    "<!--",
    "- [ ] hidden",
    "-->",
    "- [ ]",
  ].join("\n");
  expect(checklistIn(text, 0)).toEqual({ done: 2, total: 6 });
});

it("looks at the body alone", () => {
  const text = "---\nx:\n- [ ] no\n---\n- [x] yes\n";
  expect(checklistIn(text, text.indexOf("- [x]"))).toEqual({ done: 1, total: 1 });
});
