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

/** @satisfies {import("esbuild").BuildOptions} */
const BUNDLE = {
  absWorkingDir: ROOT,
  preserveSymlinks: true,
  bundle: true,
  target: ["chrome125", "firefox128", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  write: false,
  logLevel: "warning",
};

/**
 * What is fetched later names all that the first load is made of: else esbuild makes a file of every part that some of them share, and
 * many small files compress worse than one. No bytes are added, since it is loaded already.
 */
const oneFirstLoad = {
  name: "one-first-load",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === "dynamic-import"
        ? { path: join(resolveDir, path.replace(/\.js$/, ".tsx")), pluginData: { isLater: true } }
        : undefined,
    );
    onLoad({ filter: /\.tsx$/ }, ({ path, pluginData }) =>
      pluginData?.isLater === true
        ? { contents: `${readFileSync(path, "utf8")}\nimport "../views/app.js";\n`, loader: "tsx" }
        : undefined,
    );
  },
};

/** Scripts and style, the note renderer apart from what a first look needs; nothing is written. */
async function bundle() {
  return await esbuild({
    ...BUNDLE,
    entryPoints: [join(SOURCE, "main.tsx"), join(SOURCE, "style", "page.css")],
    outdir: join(ROOT, "web"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    splitting: true,
    format: "esm",
    metafile: true,
    plugins: [oneFirstLoad],
  });
}

/** The page that asks for consent, apart from the other: whoever signs in loads nothing else. */
async function bundleConsent() {
  return await esbuild({
    ...BUNDLE,
    entryPoints: [join(SOURCE, "consent", "consent.tsx"), join(SOURCE, "consent", "consent.css")],
    outdir: join(ROOT, "web"),
    entryNames: "[name]-[hash]",
    format: "esm",
  });
}

/** Writes the page into `folder`. */
export async function buildPage(folder) {
  const { outputFiles: ofPage, metafile } = await bundle();
  const { outputFiles: ofConsent } = await bundleConsent();
  const outputFiles = [...ofPage, ...ofConsent];
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
  const consent = named(readFileSync(join(SOURCE, "consent", "consent.html"), "utf8"), served);
  writeFileSync(join(folder, "consent.html"), consent);
  const shell = named(readFileSync(join(SOURCE, "index.html"), "utf8"), served);
  writeFileSync(
    join(folder, "index.html"),
    shell.replace(/^.*<script type="module"/m, (line) => preloads(metafile, served) + line),
  );
}

/** Links to what the first script imports, so that a browser asks for all of it at once. */
function preloads({ outputs }, served) {
  const [, main] = Object.entries(outputs).find(([path]) => basename(path) === served.get("main.js"));
  const imported = main.imports.filter(({ kind }) => kind === "import-statement");
  return imported.map(({ path }) => `    <link rel="modulepreload" href="/web/${basename(path)}" />\n`).join("");
}

/** What the App does without, to stay small: a note stands as it is written, and cards move by menu and keys, not by dragging. */
const LEFT_OUT = {
  "note-text.js": "export const DrawnNote = undefined;",
  // The App offers no saved views, and a host's frame stores nothing.
  "saved-filters.js": "export const SavedViews = () => null;",
  "stored.js": `import { signal } from "@preact/signals";
    const drafts = new Map();
    export const storedDraft = (name) => drafts.get(name) ?? drafts.set(name, signal()).get(name);
    export const [collapsed, savedViews, singleKeys] = [signal([]), signal([]), signal("on")];`,
  "view-names.js": "export const useViewSources = () => ({ data: {} }); export const viewTitles = () => [];",
  "dragging.js":
    "const none = () => [{}, false]; export { none as useDayDrop, none as useDrop }; export const dragHandlers = () => ({});",
};

const leaveOut = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path }) => {
      const left = Object.keys(LEFT_OUT).find((name) => path.endsWith(`/${name}`));
      return left === undefined ? undefined : { path: left, namespace: "left-out" };
    });
    onLoad({ filter: /./, namespace: "left-out" }, ({ path }) => ({ contents: LEFT_OUT[path], resolveDir: ROOT }));
  },
};

/** Writes `tasks-app.html`, the one document that assistants show in a frame: it loads nothing, so script and style stand in it. */
export async function buildApp(folder) {
  const { outputFiles } = await esbuild({
    ...BUNDLE,
    entryPoints: [join(SOURCE, "app", "tasks-app.tsx"), join(SOURCE, "style", "app.css")],
    format: "iife",
    outdir: join(ROOT, "web"),
    charset: "utf8",
    plugins: [leaveOut],
  });
  const [script = "", style = ""] = [".js", ".css"].map(
    (end) => outputFiles.find(({ path }) => path.endsWith(end))?.text,
  );
  const page = readFileSync(join(SOURCE, "app", "tasks-app.html"), "utf8")
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style.trim()}</style>`)
    .replace(/<script src=[^>]*>/, () => `<script>${script.replaceAll("</script", "<\\/script").trim()}`);
  writeFileSync(join(folder, "tasks-app.html"), page);
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
