/** Notifies pages of changes, with one watch for all (docs: web, "Calls, changes, conflicts"). */
import type { Log } from "../../../log.js";
import { traceOf } from "../../../tools/outcome.js";
import type { Workspace } from "../../../tools/workspace.js";
import type { Vault } from "../../../vault/vault.js";

const NEWS_PACE = {
  /** Without further changes. */
  settleMs: 150,
  longestSettleMs: 600,
  /** For the date, and vaults that announce no changes. */
  tickMs: 2000,
  /** For changes that no system announces. */
  fullCheckMs: 30_000,
};
export type ChangePace = Readonly<typeof NEWS_PACE>;

/** An unreadable vault's generation. */
const FAILING = -1;

export class VaultChanges {
  readonly #workspace: Pick<Workspace, "current">;
  readonly #log: Log;
  readonly #pace: ChangePace;
  readonly #listeners = new Set<() => void>();
  #begun: Promise<void> | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #settling: NodeJS.Timeout | undefined;
  #firstChange: number | undefined;
  #vault: Vault | undefined;
  #unfollow: (() => void) | undefined;
  /** Known to pages. */
  #seen: number | undefined;
  #today: string | undefined;
  #isRefreshing = false;
  #isRefreshDue = false;
  #refreshedAt = 0;

  constructor(workspace: Pick<Workspace, "current">, log: Log, pace: Partial<ChangePace> = {}) {
    this.#workspace = workspace;
    this.#log = log;
    this.#pace = { ...NEWS_PACE, ...pace };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Reports later changes until the returned function is called. */
  async listen(notify: () => void): Promise<() => void> {
    this.#listeners.add(notify);
    await (this.#begun ??= this.#begin());
    return () => {
      this.#listeners.delete(notify);
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
      // The last answers' generation; the next refresh checks it.
      this.#seen ??= vault.index.latest?.generation;
      this.#refreshedAt = performance.now();
      this.#follow(vault);
    } catch (error) {
      this.#log.debug("Pages cannot be notified of changes yet", traceOf(error));
      this.#take(FAILING);
    }
  }

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
      this.#notify();
    }
    const isHeard = this.#unfollow !== undefined && this.#vault?.announcesLate === false;
    if (!isHeard || performance.now() - this.#refreshedAt > this.#pace.fullCheckMs) void this.#refresh();
  }

  /** A save causes several events. */
  #settle(): void {
    const now = performance.now();
    this.#firstChange ??= now;
    clearTimeout(this.#settling);
    const { settleMs, longestSettleMs } = this.#pace;
    const longest = Math.max(0, this.#firstChange + longestSettleMs - now);
    this.#settling = setTimeout(() => void this.#refresh(), Math.min(settleMs, longest)).unref();
  }

  /** One at a time; repeats after further changes. */
  async #refresh(): Promise<void> {
    this.#firstChange = undefined;
    this.#isRefreshDue = true;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    while (this.#isRefreshDue && this.#vault) {
      this.#isRefreshDue = false;
      this.#refreshedAt = performance.now();
      const vault = this.#vault;
      const generation = await vault.index.refresh().then(
        (view) => view.generation,
        () => FAILING,
      );
      if (vault === this.#vault) this.#found(vault, generation);
    }
    this.#isRefreshing = false;
  }

  /** A removed folder's watch does not cover its replacement. */
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
    this.#notify();
  }

  #notify(): void {
    for (const notify of this.#listeners) notify();
  }
}
