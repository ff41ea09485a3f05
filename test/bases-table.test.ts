/** The worked examples of Bases: each case's base runs over the table's files through the tool. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { VaultPath } from "../src/storage/path.js";
import type { RunViewAnswer } from "../src/tools/notes/run_view.js";
import { basesVault, type TimedFile } from "./kit/bases-vault.js";

interface Expected {
  readonly set?: readonly string[];
  readonly paths?: readonly string[];
  readonly rows?: readonly (readonly unknown[])[];
  readonly value?: unknown;
  readonly groups?: readonly { readonly group: unknown; readonly paths: readonly string[] }[];
  readonly summaries?: Readonly<Record<string, unknown>>;
}

interface Case {
  readonly id: string;
  readonly base: string;
  readonly view: string;
  readonly this?: string;
  readonly expect?: Expected;
  readonly refused?: true;
  readonly clause?: string;
  readonly rule: string;
}

const table = JSON.parse(readFileSync(new URL("corpus/tables/bases.json", import.meta.url), "utf8")) as {
  readonly now: string;
  readonly files: Readonly<Record<string, TimedFile>>;
  readonly cases: readonly Case[];
};

const BASE = "Case.base";

describe("the table of bases", () => {
  let vault: Awaited<ReturnType<typeof basesVault>>;
  beforeAll(async () => {
    vault = await basesVault(table.files, table.now);
  });

  it.each(table.cases)("$id: $rule", async ({ base, view, this: context, expect: expected, clause }) => {
    await vault.storage.write(BASE as VaultPath, new TextEncoder().encode(base), { kind: "any" });
    const outcome = await vault.call("run_view", {
      source: BASE,
      ...(view && { view }),
      ...(context && { this: context }),
    });
    if (!expected) {
      expect(outcome).toMatchObject({ ok: false, error: { code: "INVALID_ARGUMENT" } });
      expect(!outcome.ok && outcome.error.details?.map((fault) => fault.clause)).toContain(clause);
      return;
    }
    if (!outcome.ok) throw outcome.error;
    const { groups = [], summaries = {} } = outcome.data as RunViewAnswer;
    // The base is a file of the vault, too.
    const rowsOf = (rows: NonNullable<RunViewAnswer["groups"]>[number]["rows"]) =>
      rows.filter(({ path }) => path !== BASE);
    const rows = groups.flatMap((group) => rowsOf(group.rows));
    const paths = rows.map(({ path }) => path);
    if (expected.set) expect(paths.toSorted()).toEqual(expected.set.toSorted());
    if (expected.paths) expect(paths).toEqual(expected.paths);
    if (expected.rows) expect(rows.map(({ cells }) => cells)).toEqual(expected.rows);
    if ("value" in expected) expect(rows[0]?.cells?.at(-1)).toEqual(expected.value);
    if (expected.groups) {
      const found = groups.map(({ labels, rows: own }) => ({
        group: labels[0],
        paths: rowsOf(own).map(({ path }) => path),
      }));
      expect(found).toEqual(expected.groups.map(({ group, paths: own }) => ({ group: String(group), paths: own })));
    }
    if (expected.summaries) expect(summaries).toEqual(expected.summaries);
  });
});
