/** The operations of a journal: a file each, begun with the plan, a line for every step, and a name that tells whether it ended. */
import type { Clock, Ids } from "../clock.js";
import type { VaultPath } from "../storage/path.js";
import type { OperationPlan } from "./journal.js";
import type { JournalPlace } from "./store.js";
import { isPath, parseLine } from "./record.js";

/** `open`: under way or interrupted. `undo`: it is being taken back, or that was interrupted. */
type OperationState = "open" | "undo" | "done";

export const OPERATIONS = "operations";

const NAME = /^(([0-9a-z]{1,10})-[0-9a-z]{1,12})\.(open|undo|done)$/;

/** When an operation began, in milliseconds since the epoch, by the name of its file. */
export function operationBegan(name: string): number | undefined {
  const time = NAME.exec(name)?.[2];
  return time === undefined ? undefined : Number.parseInt(time, 36);
}

export class OperationBook {
  readonly #place: JournalPlace;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(place: JournalPlace, clock: Clock, ids: Ids) {
    this.#place = place;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Writes the plan down and waits until it would survive a power cut. @throws what the driver throws */
  async begin(plan: OperationPlan): Promise<KeptOperation> {
    const began = this.#clock.now();
    const id = `${began.toString(36)}-${this.#ids.next()}`;
    const { reason, from, to, files } = plan;
    await this.#place.add(OPERATIONS, `${id}.open`, line({ maker: this.#place.maker, reason, from, to, files }));
    const content = { plan, began, maker: this.#place.maker, taken: began, steps: [], lost: [] };
    return new KeptOperation(this.#place, id, "open", content);
  }

  find(id: string): KeptOperation | undefined {
    for (const state of ["done", "open", "undo"] as const) {
      const bytes = NAME.test(`${id}.${state}`) ? this.#place.read(OPERATIONS, `${id}.${state}`) : undefined;
      const content = bytes && readOperation(bytes, operationBegan(`${id}.${state}`) ?? 0);
      if (content) return new KeptOperation(this.#place, id, state, content);
    }
    return undefined;
  }

  /** Those that were interrupted, the oldest first. Where all have ended, this looks at names only. */
  abandoned(): readonly KeptOperation[] {
    return this.#all((name) => !name.endsWith(".done")).filter((operation) => operation.isAbandoned);
  }

  /** Those that this process began to take back and could not finish, the oldest first; asked while it takes nothing back. */
  halfUndone(): readonly KeptOperation[] {
    return this.#all((name) => name.endsWith(".undo")).filter((operation) => operation.isOurs);
  }

  /** Those that ended, the oldest first. */
  ended(): readonly KeptOperation[] {
    return this.#all((name) => name.endsWith(".done"));
  }

  #all(isWanted: (name: string) => boolean): KeptOperation[] {
    return this.#place
      .list(OPERATIONS)
      .filter((name) => NAME.test(name) && isWanted(name))
      .flatMap((name) => this.find(name.slice(0, name.indexOf("."))) ?? [])
      .sort((a, b) => a.began - b.began);
  }
}

interface OperationContent {
  readonly plan: OperationPlan;
  readonly began: number;
  /** The process that works on it, or did last, and when it took over. */
  readonly maker: string;
  readonly taken: number;
  /** Ids in the order in which they were made. */
  readonly steps: readonly string[];
  /** Files whose step could not be kept. */
  readonly lost: readonly VaultPath[];
}

export class KeptOperation {
  readonly id: string;
  readonly plan: OperationPlan;
  readonly began: number;
  readonly #place: JournalPlace;
  readonly #steps: string[];
  readonly #lost: VaultPath[];
  #isBroken = false;
  readonly #maker: string;
  readonly #taken: number;
  #state: OperationState;

  constructor(place: JournalPlace, id: string, state: OperationState, content: OperationContent) {
    this.#place = place;
    this.id = id;
    this.#state = state;
    this.plan = content.plan;
    this.began = content.began;
    this.#maker = content.maker;
    this.#taken = content.taken;
    this.#steps = [...content.steps];
    this.#lost = [...content.lost];
  }

  /** Ids of its steps in the order in which they were made. */
  get steps(): readonly string[] {
    return this.#steps;
  }

  /** Files that it changed without a step of it: taking the operation back leaves them as they are. */
  get lost(): readonly VaultPath[] {
    return this.#lost;
  }

  /** Whether not even that could be written down, so that taking it back would be half an undo without a word. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether taking it back was begun and is not complete. */
  get isHalfUndone(): boolean {
    return this.#state === "undo";
  }

  /** Whether a process that runs is at it, or at taking it back. */
  get isUnderWay(): boolean {
    return this.#state === "open" && !this.isAbandoned;
  }

  /** Whether this process works on it, or did last. */
  get isOurs(): boolean {
    return this.#maker === this.#place.maker;
  }

  /** Whether it did not end, and whoever worked on it has. */
  get isAbandoned(): boolean {
    return this.#state !== "done" && this.#place.hasEnded(this.#maker, this.#taken);
  }

  /** Says that a step of it is about to happen. The promise: that would survive a power cut. */
  addStep(id: string): Promise<void> {
    this.#steps.push(id);
    return this.#append({ step: id });
  }

  /** A step of it cannot be kept. @param isEssential without it there is no taking back at all */
  async lose(path: VaultPath, isEssential: boolean): Promise<void> {
    this.#lost.push(path);
    this.#isBroken ||= isEssential;
    try {
      await this.#append({ lost: path });
    } catch {
      this.#isBroken = true;
    }
  }

  /** This process goes on with it. @param taken milliseconds since the epoch */
  async take(taken: number): Promise<void> {
    this.#become("open");
    await this.#append({ maker: this.#place.maker, taken });
  }

  /** This process takes it back. @param taken milliseconds since the epoch @returns takes the mark away again */
  async markUndoing(taken: number): Promise<() => void> {
    const state = this.#state;
    await this.#append({ maker: this.#place.maker, taken });
    this.#become("undo");
    return () => this.#become(state);
  }

  end(): void {
    if (this.#steps.length === 0) this.drop();
    else this.#become("done");
  }

  drop(): void {
    for (const state of ["open", "undo", "done"]) this.#place.remove(OPERATIONS, `${this.id}.${state}`);
  }

  #become(state: OperationState): void {
    if (this.#place.rename(OPERATIONS, `${this.id}.${this.#state}`, `${this.id}.${state}`)) this.#state = state;
  }

  #append(content: Readonly<Record<string, string | number>>): Promise<void> {
    // A crash may have left half a line at the end.
    const bytes = Buffer.concat([Buffer.from("\n"), line(content)]);
    return this.#place.append(OPERATIONS, `${this.id}.${this.#state}`, bytes).flush();
  }
}

function line(content: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(content)}\n`);
}

/** What a crash left of the last line is left out; without the first there is nothing to know. */
function readOperation(bytes: Uint8Array, began: number): OperationContent | undefined {
  const [first, ...rest] = Buffer.from(bytes).toString("utf8").split("\n").map(parseLine);
  if (typeof first?.["reason"] !== "string" || typeof first["maker"] !== "string") return undefined;
  const { reason, from, to, files } = first;
  const pathOf = (value: unknown): VaultPath | undefined => (isPath(value) ? value : undefined);
  const last = [first, ...rest].findLast((entry) => typeof entry?.["maker"] === "string");
  return {
    plan: { reason, from: pathOf(from), to: pathOf(to), files: Array.isArray(files) ? files.filter(isPath) : [] },
    began,
    maker: String(last?.["maker"]),
    taken: typeof last?.["taken"] === "number" ? last["taken"] : began,
    steps: rest.flatMap((entry) => (typeof entry?.["step"] === "string" ? [entry["step"]] : [])),
    lost: rest.flatMap((entry) => pathOf(entry?.["lost"]) ?? []),
  };
}
