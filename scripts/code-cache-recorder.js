/** Loaded before the program by `code-cache.js`: when the process ends, writes the code cache of each script the program compiled. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import v8 from "node:v8";
import vm from "node:vm";

const folder = process.env.CODE_CACHE_FOLDER;
const program = dirname(process.argv[1]);
const recorded = new Map();

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    recorded.set(relative(program, options.filename), this);
  }
};

// Flags are a part of what V8 compares, so a cache made after a change of them would never be taken.
v8.setFlagsFromString = () => {};

process.on("exit", () => {
  for (const [name, script] of recorded) {
    const path = join(folder, `${name}.v8`);
    if (process.env.CODE_CACHE_ONLY_NEW && existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, script.createCachedData());
  }
});
