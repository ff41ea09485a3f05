/**
 * Builds what is published: `lib/`, the library (ESM with declarations), and `dist/`, the program (`node dist/index.js`) with the page it
 * serves (`dist/web/`).
 *
 * esbuild bundles the program and splits it at each `import()` of the source, so that what a call does not need is not read. The parts
 * are then turned into CommonJS, which starts 8 ms sooner than ESM. No names are shortened. The same source gives the same bytes.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { build as esbuild, transform } from "esbuild";
import { preparedTools } from "./prepared-tools.js";
import { entryWithCodeCache, makeCodeCache } from "./code-cache.js";
import { buildApp, buildPage } from "./web-page.js";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, "dist");
/** Built aside and moved into place last, so that a program that starts meanwhile finds a whole build. */
const STAGE = join(ROOT, "node_modules", ".cache", `build-${process.pid}`);
/** Where esbuild says of what each part is made. */
const PARTS = join(ROOT, "node_modules", ".cache", "program-parts.json");
const require = createRequire(import.meta.url);

async function typescript([project, ...options]) {
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  try {
    // Several checkers would each infer the types that they share, which takes a fifth more processor time.
    await promisify(execFile)(process.execPath, [tsc, "-p", project, "--checkers", "1", ...options], { cwd: ROOT });
  } catch (error) {
    console.error(error.stdout);
    throw new Error(`tsc -p ${project} fails`, { cause: error });
  }
}

/** Projects of TypeScript. The first checks the library's sources too. */
const PROJECTS = [
  ["tsconfig.json"],
  [join("src", "web")],
  ["tsconfig.scripts.json"],
  ["tsconfig.lib.json", "--noCheck"],
];

/** Packages that the source requires at first use, because it needs them rarely and synchronously; each becomes one file. */
const REQUIRED = ["yaml", "gray-matter"];

/** Packages that are found in node_modules at run time, or not. */
const OPTIONAL = ["unpdf"];

const SHARED = /** @type {const} */ ({
  bundle: true,
  platform: "node",
  target: "node20",
  legalComments: "eof",
  logLevel: "warning",
  // Else esbuild makes patterns with properties of Unicode anew wherever they are met, as it does not know which version of it an engine has.
  supported: { "regexp-unicode-property-escapes": true, "regexp-lookbehind-assertions": true },
  absWorkingDir: ROOT,
  preserveSymlinks: true,
  // Its usual entry is UMD, whose parts esbuild does not find.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
});

/**
 * Writes the program's parts.
 * @returns what tells this build from any other
 */
async function bundleProgram() {
  const built = await esbuild({
    ...SHARED,
    entryPoints: {
      program: "src/index.ts",
      "pattern-worker": "src/files/pattern-worker.js",
      "pdf-worker": "src/attachments/pdf-worker.js",
    },
    external: OPTIONAL,
    splitting: true,
    format: "esm",
    outdir: STAGE,
    write: false,
    metafile: true,
    // What the source calls its place are names of CommonJS's, which it becomes.
    define: { "import.meta.dirname": "__dirname", "import.meta.url": "__filename" },
    plugins: [await preparedTools(STAGE)],
  });
  refusePackagesAtRunTime(built.metafile);
  writeFileSync(PARTS, JSON.stringify(built.metafile));
  for (const { path, text } of built.outputFiles) {
    const { code } = await transform(text, {
      format: "cjs",
      platform: SHARED.platform,
      target: SHARED.target,
      legalComments: "inline",
      // `import()` becomes a `require`: it keeps Node's ESM loader out of the program.
      supported: { ...SHARED.supported, "dynamic-import": false },
    });
    writeFileSync(path, code);
  }
  for (const name of REQUIRED)
    await esbuild({
      ...SHARED,
      entryPoints: [name],
      format: "cjs",
      outfile: join(STAGE, "node_modules", name, "index.js"),
    });
  writeFileSync(join(STAGE, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
  return hashOf(STAGE);
}

function hashOf(folder) {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).toSorted())
    hash.update(relative(folder, path)).update(readFileSync(path));
  return hash.digest("hex").slice(0, 12);
}

function refusePackagesAtRunTime({ outputs }) {
  for (const [file, { imports }] of Object.entries(outputs)) {
    const missing = imports.find(
      ({ path, external }) => external && !path.startsWith("./") && !isBuiltin(path) && !OPTIONAL.includes(path),
    );
    if (missing) throw new Error(`${file} needs the package ${missing.path} at run time`);
  }
}

/** `--bundle-only` leaves types and library out; `--out` puts the program elsewhere. */
async function main() {
  const { values } = parseArgs({
    options: { "bundle-only": { type: "boolean" }, out: { type: "string" } },
  });
  const dist = values.out === undefined ? DIST : resolve(values.out);
  const quick = values["bundle-only"] ?? false;
  rmSync(STAGE, { recursive: true, force: true });
  mkdirSync(STAGE, { recursive: true });
  if (!quick) rmSync(join(ROOT, "lib"), { recursive: true, force: true });
  // The types are checked next to the bundling.
  const types = Promise.all(quick ? [] : PROJECTS.map(typescript));
  types.catch(() => undefined);
  try {
    const build = await bundleProgram();
    writeFileSync(join(STAGE, "index.js"), entryWithCodeCache(build), { mode: 0o755 });
    makeCodeCache(STAGE, build, join(ROOT, "test-vault"));
    await buildPage(join(STAGE, "web"));
    await buildApp(join(STAGE, "web"));
    await types;
    rmSync(dist, { recursive: true, force: true });
    if (dist === DIST) renameSync(STAGE, dist);
    else cpSync(STAGE, dist, { recursive: true });
  } finally {
    rmSync(STAGE, { recursive: true, force: true });
  }
  console.log(`built ${quick ? "" : `lib${sep} and `}${relative(ROOT, dist)}${sep}`);
}

await main();
