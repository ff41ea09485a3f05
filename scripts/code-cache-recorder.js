/** Loaded before the program by `code-cache.js`: when the process ends, writes the code cache of each part it has loaded, and keeps the others. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import v8 from "node:v8";
import vm from "node:vm";

import { TABLE_BYTES } from "./code-cache.js";

const file = process.env.CODE_CACHE_FILE;
const program = dirname(process.argv[1]);
const caches = new Map();
if (existsSync(file)) {
  const bytes = readFileSync(file);
  let start = TABLE_BYTES;
  for (const [name, length] of JSON.parse(bytes.toString("utf8", 0, start))) {
    caches.set(name, bytes.subarray(start, start + length));
    start += length;
  }
} else {
  // Without a cache the entry leaves loading to Node: an empty one makes it load the parts itself.
  writeFileSync(file, table([["none", 0]]));
}

// A cache made under other flags than V8's own would be refused by every process that begins without them.
v8.setFlagsFromString = () => {};

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
  writeFileSync(file, Buffer.concat([table(lengths), ...caches.values()]));
});

function table(lengths) {
  const text = JSON.stringify(lengths).padEnd(TABLE_BYTES);
  if (text.length > TABLE_BYTES) throw new Error("the table of code caches has grown too long");
  return Buffer.from(text);
}
