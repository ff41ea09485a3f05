/** The long forms of the fault rigs; started by `scripts/faults.js`. */
import {
  buildShim,
  failEveryCall,
  killAtCalls,
  killAtRandom,
  outsideEditor,
  parallelAppends,
  Workers,
} from "./rigs.js";

const [, , worker = "", shimSource = "", folder = "", only, kills = "10000"] = process.argv;
const workers = new Workers(worker);
const shim = buildShim(shimSource, folder);

const RIGS: Readonly<Record<string, () => Promise<{ readonly failed: boolean; readonly found: unknown }>>> = {
  async calls() {
    if (shim === undefined) return { failed: true, found: "there is no C compiler to build the fault library with" };
    const failing = new Workers(worker, shim);
    const { wrong, tries, calls } = await failEveryCall(failing);
    const killed = await killAtCalls(failing, calls, 1);
    return { failed: wrong.length + killed.length > 0 || tries === 0, found: { tries, wrong, killed } };
  },
  async kills() {
    const found = await killAtRandom(workers, Number(kills));
    return { failed: found.torn + found.lost > 0, found };
  },
  async processes() {
    const found = await parallelAppends(workers, 8, 1000);
    return { failed: found.lost > 0 || found.acknowledged !== 8000, found };
  },
  async outside() {
    const [inPlace, rename] = [
      await outsideEditor(workers, "in place", 5000),
      await outsideEditor(workers, "rename", 5000),
    ];
    return { failed: inPlace.lost + rename.lost > 0, found: { inPlace, rename } };
  },
};

for (const [name, rig] of Object.entries(RIGS)) {
  if (only !== undefined && only !== name) continue;
  const started = performance.now();
  const { failed, found } = await rig();
  console.log(
    `${failed ? "FAILED" : "passed"} ${name} in ${Math.round((performance.now() - started) / 1000)} s: ${JSON.stringify(found)}`,
  );
  if (failed) process.exitCode = 1;
}
