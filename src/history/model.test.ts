/** A script of edits, creations, renames, deletions and undos against a model that keeps a whole copy of the vault for every step. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { append, at, contents, journalVault, putByHand } from "../../test/kit/journal-vault.js";
import { isVaultError } from "../errors.js";
import type { Vault } from "../vault/vault.js";
import { FUZZ_FACTOR } from "../../test/kit/fuzz.js";

const PATHS = ["a.md", "b.md", "sub/c.md", "sub/d.md"] as const;
type Path = (typeof PATHS)[number];

type Action =
  | { readonly do: "edit" | "create" | "delete" | "remove" | "undo" | "by hand"; readonly path: Path }
  | { readonly do: "move"; readonly path: Path; readonly to: Path };

const path = fc.constantFrom(...PATHS);
const actions = fc.array(
  fc.oneof<fc.WeightedArbitrary<Action>[]>(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom("edit" as const, "create" as const, "delete" as const, "remove" as const, "undo" as const),
        path,
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("undo" as const), path }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), path, to: path }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("by hand" as const), path }) },
  ),
  { maxLength: 40 },
);

/** What one step did to the files it touched. */
interface ModelStep {
  readonly path: Path;
  readonly before: Readonly<Partial<Record<Path, string | undefined>>>;
  readonly after: Readonly<Partial<Record<Path, string | undefined>>>;
}

/** The files, and for each path the steps that ended there. */
class Model {
  readonly files = new Map<Path, string>();
  readonly #steps: ModelStep[] = [];

  change(path: Path, after: ModelStep["after"]): void {
    const before = Object.fromEntries(Object.keys(after).map((key) => [key, this.files.get(key as Path)]));
    this.#put(after);
    this.#steps.push({ path, before, after });
  }

  /** @returns false when it must be refused */
  undo(path: Path): boolean {
    const index = this.#steps.findLastIndex((step) => step.path === path);
    const step = this.#steps[index];
    if (!step || this.files.get(path) !== step.after[path]) return false;
    const isFree = Object.entries(step.before).every(
      ([key, text]) => text === undefined || key === path || !this.files.has(key as Path),
    );
    if (!isFree) return false;
    this.#put(step.before);
    this.#steps.splice(index, 1);
    return true;
  }

  #put(texts: ModelStep["after"]): void {
    for (const [key, text] of Object.entries(texts)) {
      if (text === undefined) this.files.delete(key as Path);
      else this.files.set(key as Path, text);
    }
  }
}

/** The same with the vault and with the model; both refuse, or neither does. */
async function perform(action: Action, count: number, vault: Vault, model: Model): Promise<void> {
  const { path } = action;
  const text = model.files.get(path);
  const refused = await run(action, count, vault).then(
    () => false,
    (error: unknown) => {
      if (isVaultError(error)) return true;
      throw error;
    },
  );
  const isExpected = ((): boolean => {
    switch (action.do) {
      case "edit":
        if (text !== undefined) model.change(path, { [path]: `${text}${count};` });
        return text === undefined;
      case "create":
        if (text === undefined) model.change(path, { [path]: `${count}:` });
        return text !== undefined;
      case "delete":
      case "remove":
        if (text !== undefined) model.change(path, { [path]: undefined });
        return text === undefined;
      case "move":
        if (text === undefined || model.files.has(action.to)) return true;
        model.change(action.to, { [path]: undefined, [action.to]: text });
        return false;
      case "undo":
        return !model.undo(path);
      case "by hand":
      default:
        return false;
    }
  })();
  expect(refused, `${count}: ${JSON.stringify(action)}`).toBe(isExpected);
}

async function run(action: Action, count: number, vault: Vault): Promise<unknown> {
  const path = at(action.path);
  switch (action.do) {
    case "edit":
      return await vault.writing.edit(path, append(`${count};`), "edit");
    case "create":
      return await vault.writing.create(path, `${count}:`, "create");
    case "delete":
    case "remove":
      return await vault.writing.delete(path, action.do, { permanent: action.do === "remove" });
    case "move":
      return await vault.writing.move(path, at(action.to), "move");
    case "undo":
      return await vault.history.undo(path);
    case "by hand":
    default:
      return undefined;
  }
}

it("undoes what the model undoes, and refuses what it refuses", async () => {
  await fc.assert(
    fc.asyncProperty(actions, async (script) => {
      const { vault, storage } = journalVault();
      const model = new Model();
      for (const [count, action] of script.entries()) {
        if (action.do === "by hand") {
          await putByHand(storage, action.path, `by hand ${count}`);
          model.files.set(action.path, `by hand ${count}`);
        } else await perform(action, count, vault, model);
        const now = Object.entries(await contents(storage)).filter(([key]) => !key.startsWith(".trash/"));
        expect(new Map(now)).toEqual(new Map(model.files));
      }
    }),
    { numRuns: 100 * FUZZ_FACTOR },
  );
});
