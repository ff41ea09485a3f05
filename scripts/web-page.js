/**
 * Bundles the page that `--http` serves into `web/`: `index.html`, and the files it names, each with a hash of its bytes in its name
 * (`main-1A2B3C4D.js`), so that a browser may keep them for good. The same source gives the same bytes.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, "src", "web");
/** What esbuild does not bundle; in this order, because one may name those before it. */
const ASSETS = ["icon.svg", "app.webmanifest"];

/** Scripts and style, the note renderer apart from what a first look needs; nothing is written. */
async function bundle() {
  return await esbuild({
    entryPoints: [join(SOURCE, "main.tsx"), join(SOURCE, "style", "page.css")],
    outdir: join(ROOT, "web"),
    absWorkingDir: ROOT,
    preserveSymlinks: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: ["chrome125", "firefox128", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
    write: false,
    logLevel: "warning",
  });
}

/** Writes the page into `folder`. */
export async function buildPage(folder) {
  const { outputFiles } = await bundle();
  mkdirSync(folder, { recursive: true });
  /** From the name a file has in the source to the one it is served under. */
  const served = new Map();
  for (const { path, contents } of outputFiles) {
    const file = basename(path);
    served.set(file.replace(/-[A-Z0-9]{8}(?=\.[a-z]+$)/, ""), file);
    writeFileSync(join(folder, file), contents);
  }
  for (const asset of ASSETS) {
    const text = named(readFileSync(join(SOURCE, asset), "utf8"), served);
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
    const file = `${basename(asset, extname(asset))}-${hash}${extname(asset)}`;
    served.set(asset, file);
    writeFileSync(join(folder, file), text);
  }
  writeFileSync(join(folder, "index.html"), named(readFileSync(join(SOURCE, "index.html"), "utf8"), served));
}

/** A text whose `/web/<file>` are those that are served. */
function named(text, served) {
  return text.replaceAll(/\/web\/([\w.-]+)/g, (_, name) => {
    const file = served.get(name);
    if (file === undefined) throw new Error(`the page has no file ${name}`);
    return `/web/${file}`;
  });
}

/** The folders of the packages that are part of the page, below the root of all packages. */
export async function packagesOfPage() {
  const { metafile } = await bundle();
  const folders = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      const [folder] = /^node_modules\/(@[^/]+\/)?[^/]+/.exec(path.replaceAll(sep, "/")) ?? [];
      return folder === undefined || bytesInOutput === 0 ? [] : [folder];
    }),
  );
  return [...new Set(folders)].toSorted();
}
