/** Hours of mixed calls by several callers, each with notes of its own that an outside editor saves too: every answer is checked, and memory and open files come to rest. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { waysToCall, type LoadedServer } from "./loaded-server.js";
import type { Found } from "./scenarios.js";

/** Memory counts from here on: the first calls read the vault and fill what is kept. */
const WARM_UP = 0.25;
const MOST_GROWTH = 1.05;
const MOST_FAULTS = 20;
/** So often in all the heap is looked at right after a collection; at any other moment garbage would count. */
const COLLECTIONS = 24;

interface Reply {
  readonly isError: boolean;
  readonly text: string;
}

type Call = (name: string, args: object) => Promise<Reply>;

interface Sample {
  readonly memory: number;
  readonly files: number;
}

/**
 * Goes on for so many minutes, and at least until every caller has taken each of its steps once.
 * @param pauseMs between two steps of one caller, so that a long run leaves the machine to others
 */
export async function soak(
  server: LoadedServer,
  { minutes, callers = 4, pauseMs = 0 }: { minutes: number; callers?: number; pauseMs?: number },
): Promise<Found> {
  const wrong: string[] = [];
  const isLong = minutes >= 30;
  const samples: Sample[] = [];
  const heaps: number[] = [];
  const times: number[] = [];
  let calls = 0;
  const call: Call = async (name, args) => {
    const ways = waysToCall(name, args);
    const way = ways[calls++ % ways.length];
    if (way === undefined) throw new Error("There is no way to call.");
    const start = performance.now();
    const { status, text } = await server.post(way);
    times.push(performance.now() - start);
    return { isError: status !== 200 || /"isError": ?true|"success": ?false/.test(text), text };
  };
  const end = performance.now() + minutes * 60_000;
  const all = Array.from({ length: callers }, (_, at) => new Caller(server.vault, at, call, wrong));
  const hasFailed = () => wrong.length > MOST_FAULTS;
  const isOver = () => performance.now() > end || hasFailed();
  await Promise.all([
    ...all.map(async (caller) => {
      await caller.begin();
      do await caller.round(hasFailed, pauseMs);
      while (!isOver());
      caller.compareFiles();
    }),
    (async () => {
      while (!isOver()) {
        samples.push(await sample(server));
        const isDue = isLong && performance.now() > end - (1 - heaps.length / COLLECTIONS) * minutes * 60_000;
        if (isDue) heaps.push(await heapHeld(server));
        await sleep(Math.min(4_000, minutes * 15_000));
      }
    })(),
  ]);
  const hidden = server.notes().filter((path) => /(^|\/)\.(?!obsidian|trash)/.test(path));
  if (hidden.length > 0) wrong.push(`left in the vault: ${hidden.slice(0, 5).join(", ")}`);
  const memory = growth(samples.map((one) => one.memory));
  const files = growth(samples.map((one) => one.files));
  const heap = growth(heaps);
  if (isLong) {
    if (heap.late > heap.early * MOST_GROWTH) wrong.push(`the heap grew from ${heap.early} to ${heap.late} MB`);
    if (memory.late > memory.early * MOST_GROWTH) wrong.push(`memory grew from ${memory.early} to ${memory.late} MB`);
    if (files.late > files.early + 2) wrong.push(`open files grew from ${files.early} to ${files.late}`);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  const figures = {
    minutes,
    calls,
    outside: all.reduce((sum, caller) => sum + caller.outside, 0),
    median: at(0.5),
    p99: at(0.99),
    memory,
    heap,
    heaps,
    files,
    most: server.memory().most,
  };
  return { wrong, figures };
}

async function sample(server: LoadedServer): Promise<Sample> {
  return { memory: server.memory().now, files: await server.figure("process_open_fds") };
}

/** Megabytes of the heap that a collection leaves. */
async function heapHeld(server: LoadedServer): Promise<number> {
  await server.collect();
  return Math.round((await server.figure("nodejs_heap_size_used_bytes")) / 1024 / 102.4) / 10;
}

/** The median of the first and of the last third, once warm. */
function growth(values: readonly number[]): { readonly early: number; readonly late: number } {
  const warm = values.slice(Math.floor(values.length * WARM_UP));
  const third = Math.ceil(warm.length / 3);
  return { early: median(warm.slice(0, third)), late: median(warm.slice(-third)) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** One caller: it alone changes its notes, so it knows what each must hold, byte for byte. */
class Caller {
  readonly #vault: string;
  readonly #folder: string;
  readonly #word: string;
  readonly #call: Call;
  readonly #wrong: string[];
  readonly #texts = new Map<string, string>();
  #count = 0;
  /** How often the outside editor saved. */
  outside = 0;

  constructor(vault: string, at: number, call: Call, wrong: string[]) {
    this.#vault = vault;
    this.#folder = `Soak ${at}`;
    this.#word = `soakword${at}x`;
    this.#call = call;
    this.#wrong = wrong;
  }

  async begin(): Promise<void> {
    await this.#create("hub", `# Hub\n\n${this.#word} [[${this.#path("linked")}|linked]]\nmark: 0\n`);
    await this.#create("linked", "# Linked\n\nmark: 0\n");
    for (let at = 0; at < 5; at++) await this.#create(`plain ${at}`, `# Plain ${at}\n\nmark: 0\n`);
  }

  /** Every kind of step once, in any order; stops early when there were too many faults. */
  async round(hasFailed: () => boolean, pauseMs: number): Promise<void> {
    const steps = [
      () => this.#readOne(),
      () => this.#edit(),
      () => this.#edit(),
      () => this.#undoEdit(),
      () => this.#saveOutside(),
      () => this.#moveLinked(),
      () => this.#search(),
      () => this.#findNotes(),
      () => this.#backlinks(),
      () => this.#task(),
      () => this.#deleteAndCreate(),
      () => this.#refused(),
      () => this.#ask(),
    ];
    while (steps.length > 0 && !hasFailed()) {
      const [step] = steps.splice(Math.floor(Math.random() * steps.length), 1);
      await step?.();
      await sleep(pauseMs);
    }
  }

  /** All notes as they lie on the disk. */
  compareFiles(): void {
    for (const [path, text] of this.#texts) {
      const found = readFileSync(join(this.#vault, path), "utf8");
      if (found !== text) this.#wrong.push(`${path} holds ${JSON.stringify(found)}, not ${JSON.stringify(text)}`);
    }
  }

  #path(name: string): string {
    return `${this.#folder}/${name}.md`;
  }

  #any(): string {
    const paths = [...this.#texts.keys()];
    return paths[Math.floor(Math.random() * paths.length)] ?? "";
  }

  /** Calls and checks that the answer is a success and holds the words. */
  async #expect(name: string, args: object, ...words: readonly string[]): Promise<string> {
    const { isError, text } = await this.#call(name, args);
    const missing = words.find((word) => !text.includes(JSON.stringify(word).slice(1, -1)));
    if (isError || missing !== undefined)
      this.#wrong.push(`${name} ${JSON.stringify(args)}: ${missing ?? "refused"}: ${text.slice(0, 300)}`);
    return text;
  }

  async #create(name: string, text: string): Promise<void> {
    await this.#expect("create", { path: this.#path(name), file_text: text });
    this.#texts.set(this.#path(name), text);
  }

  async #readOne(): Promise<void> {
    const path = this.#any();
    await this.#expect("read_note", { path }, /mark: \d+/.exec(this.#texts.get(path) ?? "")?.[0] ?? "");
  }

  async #edit(path = this.#any()): Promise<void> {
    const before = this.#texts.get(path) ?? "";
    const old_str = /mark: \d+/.exec(before)?.[0] ?? "";
    const new_str = `mark: ${++this.#count}`;
    await this.#expect("str_replace", { path, old_str, new_str });
    this.#texts.set(path, before.replace(old_str, new_str));
  }

  async #undoEdit(): Promise<void> {
    const path = this.#any();
    const before = this.#texts.get(path) ?? "";
    await this.#edit(path);
    await this.#expect("undo_edit", { path }, /mark: \d+/.exec(before)?.[0] ?? "");
    this.#texts.set(path, before);
  }

  /** An editor that knows nothing of us saves, in place or by rename; the very next answer must know of it. */
  async #saveOutside(): Promise<void> {
    const path = this.#any();
    const file = join(this.#vault, path);
    const text = (this.#texts.get(path) ?? "").replace(/mark: \d+/, `mark: ${++this.#count}`);
    if (this.#count % 2 === 0) writeFileSync(file, text);
    else {
      const beside = join(this.#vault, `${this.#folder}.saving`);
      writeFileSync(beside, text);
      renameSync(beside, file);
    }
    this.outside++;
    this.#texts.set(path, text);
    await this.#expect("read_note", { path }, `mark: ${this.#count}`);
  }

  /** Renames the note that the hub links to; the link follows. */
  async #moveLinked(): Promise<void> {
    const old_path = [...this.#texts.keys()].find((path) => path.includes("linked")) ?? "";
    const new_path = this.#path(`linked ${++this.#count}`);
    await this.#expect("rename", { old_path, new_path }, "Rewrote 1 link");
    this.#texts.set(new_path, this.#texts.get(old_path) ?? "");
    this.#texts.delete(old_path);
    const hub = readFileSync(join(this.#vault, this.#path("hub")), "utf8");
    if (!hub.includes(new_path.replace(/\.md$/, "")))
      this.#wrong.push(`after renaming to ${new_path} the hub holds ${hub}`);
    this.#texts.set(this.#path("hub"), hub);
  }

  async #search(): Promise<void> {
    await this.#expect("search", { query: this.#word }, `=== ${this.#path("hub")} ===`);
  }

  async #findNotes(): Promise<void> {
    await this.#expect("find_notes", { query: this.#word }, this.#path("hub"));
  }

  async #backlinks(): Promise<void> {
    const path = [...this.#texts.keys()].find((one) => one.includes("linked")) ?? "";
    await this.#expect("obsidian_get_backlinks", { note: path }, this.#path("hub"));
  }

  /** Makes a task, finishes it, finds it so, and deletes it. */
  async #task(): Promise<void> {
    const title = `${this.#folder} task ${++this.#count}`;
    const made = await this.#expect("create_task", { title, area: "Work" }, title);
    const taskId = /task-soak-[\w-]+/.exec(made)?.[0] ?? "";
    await this.#expect("update_task", { taskId, status: "Done" }, title);
    await this.#expect("get_task", { taskId }, "Status: Done");
    await this.#expect("delete", { path: `_projects/${title}.md` });
    const { isError } = await this.#call("get_task", { taskId });
    if (!isError) this.#wrong.push(`${taskId} is still told after it was deleted`);
  }

  async #deleteAndCreate(): Promise<void> {
    const name = `plain ${Math.floor(Math.random() * 5)}`;
    await this.#expect("delete", { path: this.#path(name) });
    const { isError } = await this.#call("read_note", { path: this.#path(name) });
    if (!isError) this.#wrong.push(`${this.#path(name)} is still read after it was deleted`);
    await this.#create(name, `# Plain\n\nmark: ${++this.#count}\n`);
  }

  async #refused(): Promise<void> {
    const [name, args] = [
      ["read_note", { path: "../out.md" }],
      ["str_replace", { path: this.#path("hub"), old_str: "stands nowhere", new_str: "x" }],
      ["get_task", { taskId: "no such task" }],
    ][Math.floor(Math.random() * 3)] as [string, object];
    const { isError } = await this.#call(name, args);
    if (!isError) this.#wrong.push(`${name} ${JSON.stringify(args)} was not refused`);
  }

  /** Questions over the whole vault, whose answers depend on what the others do. */
  async #ask(): Promise<void> {
    const [name, args] = [
      ["search_tasks", { query: "report" }],
      ["get_agenda", {}],
      ["obsidian_list_tags", {}],
      ["obsidian_list_unresolved_links", {}],
      ["search", { query: "m[aeiou]rk: [0-9]+$", regex: true }],
      ["get_workspace_files", {}],
    ][Math.floor(Math.random() * 6)] as [string, object];
    await this.#expect(name, args);
  }
}
