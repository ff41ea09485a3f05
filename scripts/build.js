/**
 * Builds what is published: `lib/`, the library (ESM with declarations), and `dist/`, the program (`node dist/index.js`) with the page it
 * serves (`dist/web/`).
 *
 * esbuild bundles the program and splits it at each `import()` of the source, so that what a call does not need is not read. The parts
 * are then turned into CommonJS, which starts sooner than ESM. They are plain: no names are shortened, and comments say which file each piece
 * of them comes from. The same source gives the same bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build as esbuild, transform } from "esbuild";
import { preparedTools } from "./prepared-tools.js";
import { entryWithCodeCache, makeCodeCache } from "./code-cache.js";
import { buildApp, buildPage } from "./web-page.js";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, "dist");
/** Built aside and moved into place last, so that a program that starts meanwhile finds a whole build. */
const STAGE = join(ROOT, "node_modules", ".cache", `build-${process.pid}`);
const require = createRequire(import.meta.url);

/** Runs TypeScript over a project file; its messages go straight to the terminal. */
function typescript(project) {
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", project], { cwd: ROOT, stdio: "inherit" });
}

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
 * In CommonJS `require` is already there, and esbuild must see it to follow it. A package that the source requires becomes a file of its own.
 * @param {Set<string>} required takes the names of these packages
 */
const requireAsGiven = (required) => ({
  name: "require-as-given",
  setup({ onLoad, onResolve }) {
    const fileOf = (name) => {
      required.add(name);
      return `./${name}.js`;
    };
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (!source.includes("createRequire")) return undefined;
      const contents = source
        .replace(/^import \{ createRequire \} from "node:module";\n/m, "")
        .replace(/^const require = createRequire\(import\.meta\.url\);\n/m, "")
        .replaceAll(/(?<=require\.resolve\()"([^"]+)"/g, (_, name) => JSON.stringify(fileOf(name)));
      if (/createRequire|import\.meta/.test(contents))
        throw new Error(`${path}: this use of createRequire is not understood`);
      return { contents, loader: "ts" };
    });
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) =>
      kind === "require-call" && relative(ROOT, importer).startsWith("src") && !isBuiltin(path)
        ? { path: fileOf(path), external: true }
        : undefined,
    );
  },
});

/** Writes the program's parts. @returns what tells this build from any other */
async function bundleProgram() {
  const required = new Set();
  const built = await esbuild({
    ...SHARED,
    entryPoints: { program: "src/index.ts" },
    splitting: true,
    format: "esm",
    outdir: STAGE,
    write: false,
    metafile: true,
    // What the source calls its folder is a name of CommonJS's, which it becomes.
    define: { "import.meta.dirname": "__dirname" },
    plugins: [requireAsGiven(required), await preparedTools(STAGE)],
  });
  refusePackagesAtRunTime(built.metafile);
  for (const { path, text } of built.outputFiles) {
    // Of comments esbuild keeps the legal ones alone, which begin with an exclamation mark: those that say where a piece comes from stay so.
    const { code } = await transform(text.replaceAll(/^\/\/ (?=(src|node_modules|generated:))/gm, "//! "), {
      format: "cjs",
      platform: SHARED.platform,
      target: SHARED.target,
      legalComments: "inline",
      // `import()` becomes a `require`: it keeps Node's ESM loader out of the program.
      supported: { ...SHARED.supported, "dynamic-import": false },
    });
    writeFileSync(path, code);
  }
  for (const name of required)
    await esbuild({ ...SHARED, entryPoints: [name], format: "cjs", outfile: join(STAGE, `${name}.js`) });
  writeFileSync(join(STAGE, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
  return hashOf(STAGE);
}

function hashOf(folder) {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).toSorted()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 12);
}

/** Nothing may be left to be found in node_modules. */
function refusePackagesAtRunTime({ outputs }) {
  for (const [file, { imports }] of Object.entries(outputs)) {
    const missing = imports.find(({ path, external }) => external && !path.startsWith("./") && !isBuiltin(path));
    if (missing) throw new Error(`${file} needs the package ${missing.path} at run time`);
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
      typescript(join("src", "web"));
      rmSync(join(ROOT, "lib"), { recursive: true, force: true });
      typescript("tsconfig.lib.json");
    }
    const build = await bundleProgram();
    writeFileSync(join(STAGE, "index.js"), entryWithCodeCache(build), { mode: 0o755 });
    makeCodeCache(STAGE, build, join(ROOT, "test-vault"));
    await buildPage(join(STAGE, "web"));
    await buildApp(join(STAGE, "web"));
    rmSync(dist, { recursive: true, force: true });
    if (dist === DIST) renameSync(STAGE, dist);
    else cpSync(STAGE, dist, { recursive: true });
  } finally {
    rmSync(STAGE, { recursive: true, force: true });
  }
  console.log(`built ${quick ? "" : `lib${sep} and `}${relative(ROOT, dist)}${sep}`);
}

await main();
