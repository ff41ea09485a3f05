/** Loaded before the program by `code-cache.js`: when the process ends, writes the code cache of each part it has loaded, and keeps the others. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import vm from "node:vm";

const file = process.env.CODE_CACHE_FILE;
const program = dirname(process.argv[1]);
const caches = new Map();
if (existsSync(file)) {
  const bytes = readFileSync(file);
  let start = bytes.indexOf("\n") + 1;
  for (const [name, length] of JSON.parse(bytes.toString("utf8", 0, start))) {
    caches.set(name, bytes.subarray(start, start + length));
    start += length;
  }
} else {
  // Without a cache the entry leaves loading to Node: an empty one makes it load the parts itself.
  writeFileSync(file, '[["none",0]]\n');
}

const scripts = new Map();
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (dirname(options.filename) === program) scripts.set(`./${basename(options.filename)}`, this);
  }
};

process.on("exit", () => {
  for (const [name, script] of scripts) caches.set(name, script.createCachedData());
  const lengths = [...caches].map(([name, bytes]) => [name, bytes.length]);
  writeFileSync(file, Buffer.concat([Buffer.from(`${JSON.stringify(lengths)}\n`), ...caches.values()]));
});
