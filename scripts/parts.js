/**
 * The files the program comes in. esbuild splits our code into parts, ES modules that import each other; here each becomes a function
 * of one `require` and is put on a shelf: `program.js`, what every start runs; `handshake.js`, what a session runs besides; `vault.js`,
 * what opening a vault and the task tools run; any other part has a file of its own. One file with its code cache is read sooner than
 * thirty: over 1,000 notes that takes 5 ms off a spawned `create_task`, 4 off a scan.
 */
import { basename } from "node:path";

const PROGRAM = "program.js";

/**
 * The shelves that hold more than one part: which entry points, with all that these import outright, are on each.
 * @type {readonly (readonly [shelf: string, entryPoints: readonly RegExp[]])[]}
 */
const SHELVES = [
  [PROGRAM, [/^src\/index\.ts$/, /^src\/cli\/serve\.ts$/]],
  ["handshake.js", [/^src\/server\/(stdio\/sdk-stdio|vault-features)\.ts$/]],
  [
    "vault.js",
    [
      /^src\/open\.ts$/,
      /^src\/cli\/places\.ts$/,
      /^src\/history\/(keeping|folder-store)\.ts$/,
      /^src\/tools\/tasks\/\w+\.ts$/,
      /^generated:arguments-of-(scan_vault|search_tasks|get_task|create_task|update_task)$/,
    ],
  ],
];

/** The files that most calls read, whose text V8 is to keep at a byte a letter: one letter beyond ASCII doubles what is read, a millisecond. */
export const isShelf = (name) => SHELVES.some(([shelf]) => shelf === name);

/**
 * @param {import("esbuild").BuildResult<{ metafile: true, write: false }>} built
 * @returns {Map<string, string>} file name -> its text
 */
export function shelve({ metafile, outputFiles }) {
  refuseCircles(metafile.outputs);
  const shelfOf = shelvesOf(metafile.outputs);
  const onShelf = new Map(SHELVES.map(([shelf]) => [shelf, []]));
  const files = new Map();
  for (const { path, text } of outputFiles.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const name = basename(path);
    const part = `${JSON.stringify(`./${name}`)}: (function (require, module) {\n${asFunctionBody(text, name)}}),\n`;
    const shelf = shelfOf.get(name);
    if (shelf === undefined) files.set(name, exporting(part));
    else onShelf.get(shelf).push(part);
  }
  for (const [shelf, parts] of onShelf) files.set(shelf, exporting(parts.join("")));
  const elsewhere = [...shelfOf]
    .filter(([, shelf]) => shelf !== PROGRAM)
    .map(([name, shelf]) => [`./${name}`, `./${shelf}`]);
  const program = LOADER.replace("/* shelves */", () => JSON.stringify(Object.fromEntries(elsewhere), undefined, 2));
  return files.set(
    PROGRAM,
    program.replace("/* parts */", () => onShelf.get(PROGRAM).join("")),
  );
}

const exporting = (parts) => `"use strict";\nmodule.exports = {\n${parts}};\n`;

/** `dist/program.js`: a `require` that finds parts on their shelves, runs each once, and leaves everything else to Node. */
const LOADER = `"use strict";
const parts = {
/* parts */};
const shelves = /* shelves */;
const modules = new Map();
function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  if (!name.startsWith("./") || name.startsWith("./vendor/")) return require(name);
  if (!Object.hasOwn(parts, name)) Object.assign(parts, require(shelves[name] ?? name));
  const module = { exports: {} };
  modules.set(name, module);
  parts[name](load, module);
  return module.exports;
}
load.resolve = require.resolve;
load("./index.js");
`;

/**
 * An ES module as esbuild writes it, as the body of a function: names imported become constants, which are called faster than
 * properties of a module with a getter each. That takes for granted that nothing exported is assigned later (no source has `export let`).
 */
function asFunctionBody(text, name) {
  const body = text
    .replaceAll(/^import (\w+) from ("node:\w+");$/gm, "const $1 = require($2);")
    .replaceAll(/^import ("[^"\n]+");$/gm, "require($1);")
    .replaceAll(
      /^import \{([^}]*)\} from ("[^"\n]+");$/gm,
      (_, names, from) => `const {${renamed(names, "$1: $2")}} = require(${from});`,
    )
    .replace(/^export \{([^}]*)\};$/m, (_, names) => `module.exports = {${renamed(names, "$2: $1")}};`);
  if (/^(import|export)\b/m.test(body)) throw new Error(`${name}: this import or export is not understood`);
  return body;
}

/** `a as b` in the notation of an object. */
const renamed = (names, notation) => names.replaceAll(/(\w+) as (\w+)/g, notation);

/** Shelf of each part that is on one; what two shelves want is on the first, so that neither is read for the other's sake. */
function shelvesOf(outputs) {
  const found = new Map();
  for (const [shelf, entryPoints] of SHELVES) {
    for (const path of partsFrom(outputs, entryPoints))
      found.set(basename(path), found.has(basename(path)) ? PROGRAM : shelf);
  }
  return found;
}

/** Entry points with all that they import outright. */
function partsFrom(outputs, entryPoints) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const imported of importedOutright(outputs, path)) add(imported);
  };
  for (const pattern of entryPoints) {
    const paths = Object.keys(outputs).filter((path) => pattern.test(outputs[path].entryPoint ?? ""));
    if (paths.length === 0) throw new Error(`No part begins at ${pattern.source}`);
    for (const path of paths) add(path);
  }
  return found;
}

function importedOutright(outputs, path) {
  return outputs[path].imports.flatMap((imported) =>
    imported.kind === "import-statement" && !imported.external ? [imported.path] : [],
  );
}

/** In a circle of imports, a part would take constants from another that has not run yet. */
function refuseCircles(outputs) {
  const done = new Set();
  const visit = (path, above) => {
    if (above.includes(path)) throw new Error(`These parts import each other: ${[...above, path].join(", ")}`);
    if (done.has(path)) return;
    for (const imported of importedOutright(outputs, path)) visit(imported, [...above, path]);
    done.add(path);
  };
  for (const path of Object.keys(outputs)) visit(path, []);
}
