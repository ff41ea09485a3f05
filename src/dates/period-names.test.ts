import { expect, it } from "vitest";
import type { LocalDate } from "../clock.js";
import { likelyPeriodName } from "./period-names.js";

it.each([
  ["Q3", "2026-Q3"],
  ["3rd quarter", undefined],
  ["Q3 2025", "2025-Q3"],
  ["2025 q1", "2025-Q1"],
  ["week 44", "2026-W44"],
  ["KW 5", "2026-W05"],
  ["W7/2027", "2027-W07"],
  ["november", "2026-11"],
  ["Nov of 2025", "2025-11"],
  ["week", undefined],
  ["Roof", undefined],
])("likely means by %j the period %s", (text, name) =>
  expect(likelyPeriodName(text, "2026-11-29" as LocalDate)).toBe(name),
);
