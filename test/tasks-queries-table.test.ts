/** Queries of the Tasks plugin as its own code answers them: the same groups, lines and order. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixedClock, sequentialIds } from "../src/clock.js";
import { readFrontmatter, splitNote } from "../src/markdown/frontmatter/frontmatter.js";
import { assembleVault } from "../src/open.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import { vaultPath } from "../src/storage/path.js";
import type { Vault } from "../src/vault/vault.js";
import { RefusedView } from "../src/views/answer.js";
import { runTasksQuery } from "../src/views/tasks-queries/run.js";

interface Answered {
  readonly total: number;
  readonly groups: readonly { readonly group?: readonly string[]; readonly lines: readonly string[] }[];
}
interface Case {
  readonly id: string;
  readonly vault: string;
  readonly today: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly note: string;
  readonly noteText?: string;
  readonly query: string;
  readonly expect?: Answered;
  readonly clause?: string;
}

const table = JSON.parse(readFileSync(new URL("corpus/tables/tasks-queries.json", import.meta.url), "utf8")) as {
  readonly vaults: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly cases: readonly Case[];
};

const CORE = [
  { symbol: " ", name: "Todo", nextStatusSymbol: "x", type: "TODO" },
  { symbol: "x", name: "Done", nextStatusSymbol: " ", type: "DONE" },
];
const known = new Map<string, Vault>();

/** One vault for all cases with the same notes, settings and day. */
function vaultOf({ vault, today, settings = {} }: Case): Vault {
  const key = JSON.stringify([vault, today, settings]);
  const found = known.get(key);
  if (found) return found;
  const { customStatuses, ...others } = settings;
  const statusSettings = customStatuses === undefined ? {} : { statusSettings: { coreStatuses: CORE, customStatuses } };
  const clock = fixedClock(`${today}T10:00:00+01:00`, "Europe/Berlin");
  const files = {
    ...table.vaults[vault],
    ".obsidian/plugins/obsidian-tasks-plugin/data.json": JSON.stringify({ ...others, ...statusSettings }),
  };
  const opened = assembleVault({
    storage: new MemoryStorage({ files, clock }),
    name: "Table",
    clock,
    ids: sequentialIds(),
  });
  known.set(key, opened.vault);
  return opened.vault;
}

function propertiesOf(text: string): Readonly<Record<string, unknown>> {
  const { properties } = readFrontmatter(text, splitNote(text));
  return Object.fromEntries(properties.map(({ key, value }) => [key, value]));
}

describe("a query of the Tasks plugin", () => {
  it.each(table.cases)("$id: $query", async (one) => {
    const source = {
      text: one.query,
      firstLine: 1,
      path: vaultPath(one.note),
      properties: propertiesOf(one.noteText ?? table.vaults[one.vault]?.[one.note] ?? ""),
    };
    const run = runTasksQuery(source, vaultOf(one));
    if (one.clause !== undefined) {
      const error: unknown = await run.catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(RefusedView);
      expect((error as RefusedView).faults.map(({ clause }) => clause)).toContain(one.clause);
      return;
    }
    const { groups, total } = await run;
    const got = groups.map(({ labels, rows }) => {
      const lines = rows.map(({ path, line }) => `${path}:${line}`);
      return labels.length > 0 ? { group: labels, lines } : { lines };
    });
    expect({ total, groups: got.length === 0 ? [{ lines: [] }] : got }).toEqual(one.expect);
  });
});
