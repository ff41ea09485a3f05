/** Tells all pages when something in the vault changed: one follower for all of them, and only while one listens (spec: web, section 3). */
import type { Log } from "../../../log.js";
import { traceOf } from "../../../tools/outcome.js";
import type { Workspace } from "../../../tools/workspace.js";
import type { Vault } from "../../../vault/vault.js";

/** In milliseconds. */
export interface NewsPace {
  /** Without a further change pages are told after so long, */
  readonly settleMs: number;
  /** and after so long at the latest. */
  readonly longestSettleMs: number;
  /** Between looks where nothing announces changes at once, and between looks at the clock. */
  readonly tickMs: number;
  /** Some changes no system announces: so often the vault is looked at all the same. */
  readonly anywayMs: number;
}

const NEWS_PACE: NewsPace = { settleMs: 150, longestSettleMs: 600, tickMs: 2000, anywayMs: 30_000 };

/** Stands for the generation of a vault that cannot be looked at. */
const FAILING = -1;

export class VaultNews {
  readonly #workspace: Pick<Workspace, "current">;
  readonly #log: Log;
  readonly #pace: NewsPace;
  readonly #listeners = new Set<() => void>();
  #begun: Promise<void> | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #settling: NodeJS.Timeout | undefined;
  /** When the first change came that pages were not told of. */
  #firstChange: number | undefined;
  #vault: Vault | undefined;
  #unfollow: (() => void) | undefined;
  /** The catalog's generation and the day that pages know. */
  #seen: number | undefined;
  #today: string | undefined;
  #isLooking = false;
  #isLookDue = false;
  #lookedAt = 0;

  constructor(workspace: Pick<Workspace, "current">, log: Log, pace: Partial<NewsPace> = {}) {
    this.#workspace = workspace;
    this.#log = log;
    this.#pace = { ...NEWS_PACE, ...pace };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /**
   * Whatever changes after this has resolved is told.
   * @returns what ends it
   */
  async listen(tell: () => void): Promise<() => void> {
    this.#listeners.add(tell);
    await (this.#begun ??= this.#begin());
    return () => {
      this.#listeners.delete(tell);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#unfollow?.();
    clearInterval(this.#ticking);
    clearTimeout(this.#settling);
    this.#begun = this.#ticking = this.#settling = this.#firstChange = undefined;
    this.#vault = this.#unfollow = this.#seen = this.#today = undefined;
  }

  async #begin(): Promise<void> {
    this.#ticking = setInterval(() => void this.#tick(), this.#pace.tickMs).unref();
    await this.#openVault();
  }

  async #openVault(): Promise<void> {
    try {
      const { vault } = await this.#workspace.current();
      if (this.#ticking === undefined || this.#vault) return;
      this.#vault = vault;
      this.#today = vault.clock.today();
      // What callers were answered last; the look that follows finds out whether that still holds.
      this.#seen ??= vault.catalog.latest?.generation;
      this.#lookedAt = performance.now();
      this.#follow(vault);
    } catch (error) {
      this.#log.debug("Pages cannot be told of changes yet", traceOf(error));
      this.#take(FAILING);
    }
  }

  /** Where nothing is announced, or no longer, looks at every tick do. */
  #follow(vault: Vault): void {
    this.#unfollow = vault.follow(
      () => this.#settle(),
      () => (this.#unfollow = undefined),
    );
  }

  async #tick(): Promise<void> {
    if (!this.#vault) await this.#openVault();
    const today = this.#vault?.clock.today();
    if (today !== this.#today) {
      this.#today = today;
      this.#tell();
    }
    const isHeard = this.#unfollow !== undefined && this.#vault?.announcesLate === false;
    if (!isHeard || performance.now() - this.#lookedAt > this.#pace.anywayMs) void this.#look();
  }

  /** Saving a file makes several announcements: pages are told when it has become quiet, or when that takes long. */
  #settle(): void {
    const now = performance.now();
    this.#firstChange ??= now;
    clearTimeout(this.#settling);
    const { settleMs, longestSettleMs } = this.#pace;
    const patience = Math.max(0, this.#firstChange + longestSettleMs - now);
    this.#settling = setTimeout(() => void this.#look(), Math.min(settleMs, patience)).unref();
  }

  /** Brings the catalog up to date; one look at a time, and another after it when something changed meanwhile. */
  async #look(): Promise<void> {
    this.#firstChange = undefined;
    this.#isLookDue = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#isLookDue && this.#vault) {
      this.#isLookDue = false;
      this.#lookedAt = performance.now();
      const vault = this.#vault;
      const generation = await vault.catalog.refresh().then(
        (view) => view.generation,
        () => FAILING,
      );
      if (vault === this.#vault) this.#found(vault, generation);
    }
    this.#isLooking = false;
  }

  /** What watched a folder that is gone may hear nothing of the one that comes in its place, so it is watched anew. */
  #found(vault: Vault, generation: number): void {
    if (generation === FAILING) {
      this.#unfollow?.();
      this.#unfollow = undefined;
    } else if (this.#seen === FAILING && !this.#unfollow) this.#follow(vault);
    this.#take(generation);
  }

  #take(generation: number): void {
    if (generation === this.#seen) return;
    this.#seen = generation;
    this.#tell();
  }

  #tell(): void {
    for (const tell of this.#listeners) tell();
  }
}
