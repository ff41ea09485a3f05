/** Public bug reports of comparable programs, each as calls on a small vault and what must hold afterwards. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TaskCalendar } from "../src/calendar/task-calendar.js";
import { fixedClock, sequentialIds } from "../src/clock.js";
import { silentLog } from "../src/log.js";
import { assembleVault } from "../src/open.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import { ROOT, type VaultPath } from "../src/storage/path.js";
import { TRASH } from "../src/storage/trash.js";
import { wordsOf } from "../src/tools/outcome.js";
import { toolsFor } from "../src/tools/registry.js";
import { createWorkspace } from "../src/tools/workspace.js";
import { StdioSession } from "./kit/stdio-session.js";

interface Text {
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
  /** A pattern; in the feed also `unique` and `stable`, each the name of a property. */
  readonly match?: string;
  readonly ok?: boolean;
  readonly unique?: string;
  readonly stable?: string;
}
type Files<T> = Readonly<Record<string, T>>;
interface Expectation {
  /** Whole texts. */
  readonly files?: Files<string>;
  readonly has?: Files<readonly string[]>;
  readonly lacks?: Files<readonly string[]>;
  readonly match?: Files<string>;
  readonly notMatch?: Files<string>;
  /** No file changes. */
  readonly same?: boolean;
  /** Patterns, and the paths that match. */
  readonly tree?: Files<readonly string[]>;
  readonly calls?: Files<Text>;
  readonly wire?: Files<Text>;
  readonly feed?: Text;
  readonly tools?: {
    readonly namesUpTo: number;
    readonly keysAbsent: readonly string[];
  };
  readonly anyOf?: readonly Expectation[];
}
interface Report {
  readonly id: string;
  readonly vault: Files<string>;
  readonly calls: readonly { readonly tool: string; readonly arguments: object }[];
  /** Messages over stdio, whose ids are numbers from 1. */
  readonly wire?: readonly string[];
  readonly feed?: boolean;
  readonly zone?: string;
  readonly expect: Expectation;
}
interface Observed {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
  readonly answers: readonly { readonly ok: boolean; readonly text: string }[];
  readonly wire: readonly string[];
  readonly feeds: readonly string[];
}

const reports = JSON.parse(
  readFileSync(new URL("corpus/tables/reports.json", import.meta.url), "utf8"),
) as readonly Report[];
const NOW = "2026-11-28T12:00:00Z";
const tools = toolsFor({ hasDefaultVault: true });

/** `{{+3}}` is the day in three days; with a `c` without hyphens. */
function withDays(text: string): string {
  return text.replaceAll(/\{\{([+-]\d+)(c?)\}\}/g, (_, days: string, compact: string) => {
    const day = new Date(Date.parse(NOW) + Number(days) * 86_400_000).toISOString().slice(0, 10);
    return compact === "" ? day : day.replaceAll("-", "");
  });
}

async function filesIn(storage: MemoryStorage, folder: VaultPath): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const { path, kind } of (await storage.children(folder)) ?? []) {
    if (kind === "folder") found.push(...(await filesIn(storage, path)));
    else found.push([path, Buffer.from((await storage.read(path))?.bytes ?? []).toString("utf8")]);
  }
  return found;
}

async function observe(report: Report): Promise<Observed> {
  const clock = fixedClock(NOW, report.zone ?? "UTC");
  const name = "/vaults/Study";
  const files = Object.fromEntries(Object.entries(report.vault).map(([path, text]) => [path, withDays(text)]));
  const storage = new MemoryStorage({ name, files, clock });
  const open = assembleVault({ storage, name, linkName: "Study", clock, ids: sequentialIds() });
  const workspace = createWorkspace({
    opener: { resolve: async () => name, open: async () => open },
    default: name,
    switches: true,
  });
  const state = async () => new Map([...(await filesIn(storage, ROOT)), ...(await filesIn(storage, TRASH))]);
  const before = await state();
  const answers: { ok: boolean; text: string }[] = [];
  for (const { tool, arguments: args } of report.calls) {
    const filled = JSON.stringify(args).replaceAll(
      /\{\{(\d+):(.+?)\}\}/g,
      (_, call: string, pattern: string) =>
        new RegExp(JSON.parse(`"${pattern}"`) as string).exec(answers[Number(call)]!.text)?.[1] ?? "",
    );
    const outcome = await tools
      .find(tool)!
      .call(JSON.parse(filled), { workspace, log: silentLog, signal: new AbortController().signal });
    answers.push({ ok: outcome.ok, text: `${wordsOf(outcome)}\n` });
  }
  const wire: string[] = [];
  if (report.wire) {
    const session = new StdioSession({ tools, workspace });
    for (const line of report.wire) session.stdin.write(`${line}\n`);
    for (const [at] of report.wire.entries()) wire.push(JSON.stringify(await session.answer(at + 1)));
    await session.end();
  }
  const feeds: string[] = [];
  if (report.feed === true) {
    const calendar = new TaskCalendar({ tasks: open.tasks, vaultId: "Study", linkTo: ({ path }) => path });
    for (let read = 0; read < 2; read++) feeds.push((await calendar.read("Tasks", {})).bytes.toString());
  }
  const after = await state();
  await open.vault.close();
  return { before, after, answers, wire, feeds };
}

const patternOf = (source: string): RegExp => new RegExp(source, "m");

function checkText(text: string, { has = [], lacks = [], match }: Text): void {
  for (const part of has) expect(text).toContain(withDays(part));
  for (const part of lacks) expect(text).not.toContain(withDays(part));
  if (match !== undefined) expect(text).toMatch(patternOf(withDays(match)));
}

function checkFeed(feeds: readonly string[], wanted: Text): void {
  const [first = "", second = ""] = feeds;
  checkText(first, wanted);
  const valuesOf = (feed: string, key: string) => feed.split("\r\n").filter((line) => line.startsWith(`${key}:`));
  if (wanted.unique !== undefined) {
    const values = valuesOf(first, wanted.unique);
    expect(values.length).toBeGreaterThan(1);
    expect(new Set(values).size).toBe(values.length);
  }
  if (wanted.stable !== undefined) expect(valuesOf(second, wanted.stable)).toEqual(valuesOf(first, wanted.stable));
}

function checkTools({ namesUpTo, keysAbsent }: NonNullable<Expectation["tools"]>): void {
  for (const { listing } of tools.tools) {
    expect(listing.name.length).toBeLessThanOrEqual(namesUpTo);
    expect(listing.outputSchema.type).toBe("object");
    JSON.stringify([listing.inputSchema, listing.outputSchema], (key, value: unknown) => {
      expect(keysAbsent).not.toContain(key);
      if (typeof value === "object" && value !== null && "type" in value) {
        expect(Array.isArray(value.type)).toBe(false);
        if (value.type === "array") expect(value).toHaveProperty("items");
      }
      return value;
    });
  }
}

function check(seen: Observed, wanted: Expectation): void {
  const textOf = (path: string) => seen.after.get(path) ?? "";
  for (const [path, text] of Object.entries(wanted.files ?? {})) expect(textOf(path)).toBe(text);
  for (const [path, parts] of Object.entries(wanted.has ?? {})) {
    expect([...seen.after.keys()]).toContain(path);
    checkText(textOf(path), { has: parts });
  }
  for (const [path, parts] of Object.entries(wanted.lacks ?? {})) {
    expect([...seen.after.keys()]).toContain(path);
    checkText(textOf(path), { lacks: parts });
  }
  for (const [path, match] of Object.entries(wanted.match ?? {})) checkText(textOf(path), { match });
  for (const [path, source] of Object.entries(wanted.notMatch ?? {})) {
    expect([...seen.after.keys()]).toContain(path);
    expect(textOf(path)).not.toMatch(patternOf(source));
  }
  if (wanted.same === true) expect(Object.fromEntries(seen.after)).toEqual(Object.fromEntries(seen.before));
  for (const [source, paths] of Object.entries(wanted.tree ?? {}))
    expect([...seen.after.keys()].filter((path) => new RegExp(source).test(path)).sort()).toEqual([...paths].sort());
  for (const [call, text] of Object.entries(wanted.calls ?? {})) {
    const answer = seen.answers[Number(call)]!;
    if (text.ok !== undefined) expect(answer, answer.text).toMatchObject({ ok: text.ok });
    checkText(answer.text, text);
  }
  for (const [id, text] of Object.entries(wanted.wire ?? {})) checkText(seen.wire[Number(id) - 1]!, text);
  if (wanted.feed) checkFeed(seen.feeds, wanted.feed);
  if (wanted.tools) checkTools(wanted.tools);
  if (wanted.anyOf) checkAny(seen, wanted.anyOf);
}

function checkAny(seen: Observed, choices: readonly Expectation[]): void {
  const failures: string[] = [];
  for (const choice of choices) {
    try {
      check(seen, choice);
      return;
    } catch (error) {
      failures.push(String(error));
    }
  }
  expect.fail(failures.join("\n\n"));
}

describe("a bug report of a comparable program", () => {
  it.each(reports)("$id", async (report) => {
    check(await observe(report), report.expect);
  });
});
