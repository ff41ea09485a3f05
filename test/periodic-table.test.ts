/** Periodic notes as the plugin Periodic Notes and Moment have them: where each is, and what a new one holds. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../src/clock.js";
import { assembleVault } from "../src/open.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import { vaultPath } from "../src/storage/path.js";
import { isVaultError } from "../src/errors.js";
import { PERIODICITY, type Period } from "../src/dates/calendar-terms.js";

interface Case {
  readonly id: string;
  readonly input: {
    readonly settings: string;
    readonly locale?: string;
    readonly today: string;
    readonly time?: string;
    readonly template?: string;
  };
  readonly call: { readonly note: string; readonly create?: boolean };
  readonly expected: {
    readonly period?: Period;
    readonly path?: string | null;
    readonly text?: string;
    readonly error?: unknown;
  };
}

const table = JSON.parse(readFileSync(new URL("corpus/tables/periodic-notes.json", import.meta.url), "utf8")) as {
  readonly settings: Record<string, Record<string, unknown>>;
  readonly cases: readonly Case[];
};

/** Every template of the settings' is this one. */
function withTemplate(settings: unknown): unknown {
  if (typeof settings !== "object" || settings === null) return settings;
  if (Array.isArray(settings)) return settings.map(withTemplate);
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) =>
      key === "template" || key === "templatePath" ? [key, "Forms/Form"] : [key, withTemplate(value)],
    ),
  );
}

function vaultOf({ settings, locale, today, time = "12:00:00", template }: Case["input"]) {
  const files: Record<string, string> = template === undefined ? {} : { "Forms/Form.md": template };
  for (const [name, value] of Object.entries(table.settings[settings]!))
    files[`.obsidian/${name}`] = JSON.stringify(template === undefined ? value : withTemplate(value));
  const clock = fixedClock(`${today}T${time}Z`);
  const storage = new MemoryStorage({ files, clock });
  return assembleVault({ storage, name: "Study", clock, ids: sequentialIds(), locale });
}

describe("a periodic note of the plugin's", () => {
  it.each(table.cases)("$id", async ({ input, call, expected }) => {
    const { notes, vault } = vaultOf(input);
    const made = notes.create({ name: call.note });
    if (expected.path === null || expected.error !== undefined) {
      const error: unknown = await made.catch((cause: unknown) => cause);
      expect(isVaultError(error, "INVALID_ARGUMENT")).toBe(true);
      if (expected.path === null)
        expect(String(error).toLowerCase()).toContain(`${PERIODICITY[expected.period!]} notes are not set up`);
      return;
    }
    expect((await made).path).toBe(expected.path);
    if (expected.text !== undefined) expect((await vault.read(vaultPath(expected.path!))).text).toBe(expected.text);
    expect(await notes.locate(call.note)).toBe(expected.path);
  });
});
