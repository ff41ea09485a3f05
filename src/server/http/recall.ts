/** Answers that were given, for as long as the catalog they were made of is unchanged: whoever asks the same again gets the same. */
import { lasts } from "../../tools/lasting.js";
import type { ToolOutcome } from "../../tools/outcome.js";
import type { Tool } from "../../tools/tool.js";
import type { Workspace } from "../../tools/workspace.js";
import type { Catalog, CatalogView } from "../../catalog/catalog.js";
import { unlessLate } from "../../async/timers.js";

/** Characters of the answers remembered of one state of a catalog; with what is made of them they take about ten times as many bytes. */
const MOST_CHARACTERS = 256 * 1024;

/** The answers made of one state of a catalog. */
class Answers {
  /** By tool, so that one whose calls are refused has none; the one given longest ago first. */
  readonly #known = new Map<string, { readonly tool: Tool; readonly outcome: ToolOutcome }>();
  #characters = 0;

  find(tool: Tool, args: string): ToolOutcome | undefined {
    const known = this.#known.get(keyOf(tool, args));
    return known?.tool === tool ? known.outcome : undefined;
  }

  add(tool: Tool, args: string, outcome: ToolOutcome): void {
    const key = keyOf(tool, args);
    this.#forget(key);
    this.#known.set(key, { tool, outcome });
    this.#characters += sizeOf(key, outcome);
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= MOST_CHARACTERS) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#known.get(key);
    if (!known) return;
    this.#known.delete(key);
    this.#characters -= sizeOf(key, known.outcome);
  }
}

const keyOf = ({ name }: Tool, args: string): string => `${name} ${args}`;
const sizeOf = (key: string, { text }: ToolOutcome): number => key.length + text.length;

/** Milliseconds a known answer waits for the catalog to say that it still holds; after that the call goes the way of all calls, with their time limit. */
const PATIENCE_MS = 1_000;

export class Recall {
  readonly #answers = new WeakMap<CatalogView, Answers>();

  /**
   * The answer that was given to the same call before if the catalog, asked now, says that nothing has changed; otherwise what
   * `run` answers, which is then remembered. A recalled answer takes no call's place, since nothing is worked out for it.
   */
  async answer(tool: Tool, args: unknown, workspace: Workspace, run: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
    const catalog = tool.fromCatalog ? await catalogOf(workspace) : undefined;
    if (!catalog) return run();
    const text = JSON.stringify(args);
    const known = this.#known(catalog.latest, tool, text);
    if (known && (await nowOf(catalog)) === known.view) return known.outcome;
    const view = catalog.latest;
    const outcome = await run();
    // Views do not come back: one that is the latest before and after was the latest all the while.
    if (outcome.ok && view && catalog.latest === view) this.#remember(view, tool, text, outcome);
    return outcome;
  }

  #known(view: CatalogView | undefined, tool: Tool, args: string) {
    const outcome = view && this.#answers.get(view)?.find(tool, args);
    return outcome && { view, outcome };
  }

  #remember(view: CatalogView, tool: Tool, args: string, outcome: ToolOutcome): void {
    const answers = this.#answers.get(view) ?? new Answers();
    this.#answers.set(view, answers);
    lasts(outcome);
    answers.add(tool, args, outcome);
  }
}

/** Undefined for a vault that cannot be opened: the call itself says why. */
async function catalogOf(workspace: Workspace): Promise<Catalog | undefined> {
  try {
    return (await workspace.current()).vault.catalog;
  } catch {
    return undefined;
  }
}

async function nowOf(catalog: Catalog): Promise<CatalogView | undefined> {
  try {
    return await unlessLate(catalog.refresh(), PATIENCE_MS);
  } catch {
    return undefined;
  }
}
