/**
 * Builds what is published: `lib/`, the library (ESM with declarations), and `dist/`, the program (`node dist/index.js`).
 *
 * A spawned `tools/list` should cost little more than Node itself, so the program is CommonJS (which starts several milliseconds
 * sooner than ESM) and comes in few files (`parts.js` here): `dist/program.js` holds what serving on stdio needs before the first tool runs, the others
 * what the source loads by `import()`, and `dist/vendor/` (`vendor.js` here) the heavy packages. Each is read from disk when first used.
 * ajv runs here and not in the program: its validators for the tools' input schemas are generated into a part of their own.
 * The same source gives the same bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build as esbuild, transform } from "esbuild";
import { makeCodeCaches, requireBuilt } from "./code-cache.js";
import { isShelf, shelve } from "./parts.js";
import { VENDOR, bundleVendor } from "./vendor.js";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, "dist");
/** Built aside and moved into place last, so that a program that starts meanwhile finds a whole build. */
const STAGE = join(ROOT, "node_modules", ".cache", `build-${process.pid}`);
const require = createRequire(import.meta.url);

/** What of packages may be among our own code; anything else found there stops the build. */
const INLINED = [/^(@date-fns\/utc|date-fns|nanoid)\//, /^ajv\/dist\/runtime\//];

const SHARED = /** @type {const} */ ({
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
  absWorkingDir: ROOT,
  // `import()` becomes a `require` of the same file: it keeps Node's ESM loader, which costs milliseconds, out of the program.
  supported: { "dynamic-import": false },
});

/** Runs TypeScript over a project file; its messages go straight to the terminal. */
function typescript(project) {
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", project], { cwd: ROOT, stdio: "inherit" });
}

/** What stands in for `src/tools/validator.ts`: a part with the validator of each tool's input, read when the tool is called. */
const validatorModule = (names) => `
const loaders = new Map([
${names.map((name) => `  [${JSON.stringify(name)}, () => import("generated:arguments-of/${name}")],`).join("\n")}
]);
export async function validatorFor(tool) {
  const { validate } = await loaders.get(tool)();
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
`;

/**
 * What stands in for `src/tools/tools.ts`: of each tool what every call asks, and its code as a part of its own, read when the tool is
 * called. A tool's file bears its name. What is said of the tools is one JSON text, which is read when they are listed.
 */
const toolsModule = (tools) => `
const load = {
${tools.map(({ name, toolset }) => `  ${name}: () => import("./${toolset}/${name}.js"),`).join("\n")}
};
async function find(name) {
  return Object.values(await load[name]()).find((tool) => tool.name === name);
}
let said;
const saidOf = (name) => (said ??= JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(tools.map(saidOf))))}))[name];
const withInput = (name, inputSchema) => {
  const { title, description, ...rest } = saidOf(name).listing;
  return { name, title, description, inputSchema, ...rest };
};
function described(facts) {
  let listing, listingWithoutVault;
  return {
    ...facts,
    get input() {
      return saidOf(facts.name).input;
    },
    get listing() {
      return (listing ??= withInput(facts.name, this.input));
    },
    get listingWithoutVault() {
      const { input, required } = saidOf(facts.name);
      return (listingWithoutVault ??= required ? withInput(facts.name, { ...input, required }) : this.listing);
    },
    call: async (args, context) => (await find(facts.name)).call(args, context),
  };
}
export const TOOLS = ${JSON.stringify(tools.map(factsOf))}.map(described);
`;

/** What is asked of a tool at every call. (JSON leaves out what is undefined.) */
const factsOf = (tool) => ({ ...tool, input: undefined, listing: undefined, listingWithoutVault: undefined });

/** What is said of a tool, by its name; without what is there twice: the schema is its input, and few listings need a vault named. */
function saidOf({ name, input, listing, listingWithoutVault }) {
  const { required } = listingWithoutVault.inputSchema;
  return [
    name,
    {
      input,
      listing: { ...listing, name: undefined, inputSchema: undefined },
      required: required === input.required ? undefined : required,
    },
  ];
}

/** The modules of ours that read differently in the bundle than in the source. */
function bundleRewrites({ tools, validators }) {
  const vendorOf = (path, importer = "") => {
    const names = Object.keys(VENDOR).filter((name) => Object.hasOwn(VENDOR[name], path));
    return names.find((name) => name === basename(importer, ".ts")) ?? names[0];
  };
  return {
    name: "bundle-rewrites",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
        const name = vendorOf(path, importer);
        return name === undefined ? undefined : { path: `./vendor/${name}.js`, external: true };
      });
      onLoad({ filter: /[\\/]src[\\/]tools[\\/]validator\.ts$/ }, () => ({
        contents: validatorModule([...validators.keys()]),
        resolveDir: ROOT,
        loader: "js",
      }));
      onLoad({ filter: /[\\/]src[\\/]tools[\\/]tools\.ts$/ }, () => ({
        contents: toolsModule(tools),
        resolveDir: join(ROOT, "src", "tools"),
        loader: "js",
      }));
      onResolve({ filter: /^generated:arguments-of\// }, ({ path }) => ({
        path: `arguments-of-${basename(path)}`,
        namespace: "generated",
      }));
      onLoad({ filter: /./, namespace: "generated" }, ({ path }) => ({
        contents: validators.get(path.slice("arguments-of-".length)),
        resolveDir: ROOT,
        loader: "js",
      }));
      onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const source = readFileSync(path, "utf8");
        if (!source.includes("createRequire")) return undefined;
        return { contents: locatingVendors(withoutCreateRequire(source, path), vendorOf), loader: "ts" };
      });
    },
  };
}

/** In CommonJS `require` is already there, and esbuild must see it to follow it. */
function withoutCreateRequire(source, path) {
  const rewritten = source
    .replace(/^import \{ createRequire \} from "node:module";\n/m, "")
    .replace(/^const require = createRequire\(import\.meta\.url\);\n/m, "");
  if (/createRequire|import\.meta/.test(rewritten))
    throw new Error(`${path}: this use of createRequire is not understood`);
  return rewritten;
}

/** What a worker thread is told to load is found by `require.resolve`, which esbuild leaves as it is. */
function locatingVendors(source, vendorOf) {
  return source.replace(
    /require\.resolve\("([^"]+)"\)/g,
    (_, name) => `require.resolve("./vendor/${vendorOf(name)}.js")`,
  );
}

/** What the program is told of the tools beforehand: their facts, and for each the source of its input's validator. */
async function generateTools() {
  const modules = {};
  for (const name of ["tools", "validator"]) {
    const outfile = join(STAGE, `${name}.mjs`);
    const entryPoints = [`src/tools/${name}.ts`];
    await esbuild({ ...SHARED, format: "esm", packages: "external", entryPoints, outfile });
    Object.assign(modules, await import(pathToFileURL(outfile).href));
    rmSync(outfile);
  }
  const { TOOLS, VALIDATOR_OPTIONS } = modules;
  const { Ajv2020 } = require("ajv/dist/2020.js");
  const standalone = require("ajv/dist/standalone/index.js").default;
  const validators = new Map();
  for (const { name, input } of TOOLS) {
    const ajv = new Ajv2020({ ...VALIDATOR_OPTIONS, code: { source: true, esm: true, lines: true } });
    validators.set(name, standalone(ajv, ajv.compile(input)));
  }
  return { tools: TOOLS, validators };
}

/** Reading a third less takes a millisecond off a call that opens a vault; names stay, and lines enough to find a place by. */
const SHORTENED = { minifyWhitespace: true, lineLimit: 500, target: SHARED.target, charset: SHARED.charset };

async function bundleProgram() {
  const built = await esbuild({
    ...SHARED,
    format: "esm",
    splitting: true,
    write: false,
    outbase: "src",
    entryPoints: ["src/index.ts"],
    outdir: STAGE,
    chunkNames: "[name]-[hash]",
    plugins: [bundleRewrites(await generateTools())],
    metafile: true,
  });
  checkContents(built.metafile);
  for (const [name, text] of shelve(built)) {
    const { code } = await transform(text, { ...SHORTENED, sourcefile: name });
    // esbuild leaves regular expressions as they are written.
    const foreign = isShelf(name) && /.{0,40}[^\0-\x7f].{0,20}/.exec(code)?.[0];
    if (foreign) throw new Error(`${name}: write what is not ASCII as \\u in ${JSON.stringify(foreign)}`);
    writeFileSync(join(STAGE, name), code);
  }
  writeFileSync(join(STAGE, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
  const build = hashOf(STAGE);
  writeFileSync(join(STAGE, "index.js"), entry(build), { mode: 0o755 });
  makeCodeCaches(STAGE, build, join(ROOT, "test-vault"));
}

/** Tells one build from another: a hash over all that it wrote. */
function hashOf(folder) {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).toSorted()) {
    hash.update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 12);
}

/**
 * `dist/index.js`: from Node 22 on compiled code is kept in the system's temporary folder (or NODE_COMPILE_CACHE), which takes 3 of
 * 13 ms off `tools/list` and 10 of 65 off `initialize`. It holds for files required afterwards, hence a file of its own; and only
 * a `require` of node:module shows the function, `module.constructor` does not. Node 20 has the caches of `code-cache.js` instead,
 * and is spared the loading of node:module; the variable that turns Node's own caches off turns these off as well.
 */
const entry = (build) => `#!/usr/bin/env node
"use strict";
${requireBuilt(build)}
if (Number.parseInt(process.versions.node) >= 22) require("node:module").enableCompileCache?.();
(caches !== undefined && !process.env.NODE_DISABLE_COMPILE_CACHE ? requireBuilt : require)("./program.js");
`;

/** Nothing but our code and the small packages may be in the entry, and nothing may be left to be found in node_modules. */
function checkContents(metafile) {
  for (const [file, output] of Object.entries(metafile.outputs)) {
    for (const input of Object.keys(output.inputs)) {
      const inside = /node_modules\/(.+)/.exec(input)?.[1];
      if (inside !== undefined && !INLINED.some((pattern) => pattern.test(inside)))
        throw new Error(`${file} holds ${input}; vendor it or load it lazily`);
    }
    for (const { path, external } of output.imports) {
      const known = path.startsWith("node:") || path.startsWith("./vendor/");
      if (external && !known) throw new Error(`${file} needs the package ${path} at run time`);
    }
  }
}

/** `--bundle-only` leaves types and library out; `--out` puts the program elsewhere. */
async function main() {
  const { values } = parseArgs({ options: { "bundle-only": { type: "boolean" }, out: { type: "string" } } });
  const dist = values.out === undefined ? DIST : resolve(values.out);
  const quick = values["bundle-only"] ?? false;
  rmSync(STAGE, { recursive: true, force: true });
  mkdirSync(STAGE, { recursive: true });
  try {
    if (!quick) {
      typescript("tsconfig.json");
      rmSync(join(ROOT, "lib"), { recursive: true, force: true });
      typescript("tsconfig.lib.json");
    }
    await bundleVendor(SHARED, join(STAGE, "vendor"));
    await bundleProgram();
    rmSync(dist, { recursive: true, force: true });
    if (dist === DIST) renameSync(STAGE, dist);
    else cpSync(STAGE, dist, { recursive: true });
  } finally {
    rmSync(STAGE, { recursive: true, force: true });
  }
  console.log(`built ${quick ? "" : `lib${sep} and `}${relative(ROOT, dist)}${sep}`);
}

await main();
