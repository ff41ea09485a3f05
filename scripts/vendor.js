/** The heavy packages of the program: what goes into which file of `dist/vendor/`, and what is left out because loading it costs. */
import { join } from "node:path";
import { build } from "esbuild";

/**
 * File in `dist/vendor/` -> the packages (and subpaths) in it -> the exports we use, where naming them lets esbuild leave out the
 * rest; `*` is the whole package. Of the SDK that halves the bytes: no OAuth, none of zod's other 50 languages.
 * A package that is in several files is there for the module of that file's name, and for all others in the first: what serves HTTP
 * (another 80 KiB) is not loaded for a handshake on stdio.
 */
export const VENDOR = {
  "gray-matter": { "gray-matter": "*" },
  "mcp-server": { "@modelcontextprotocol/server": "Server", "@modelcontextprotocol/server/stdio": "serveStdio" },
  "sdk-http": {
    "@modelcontextprotocol/server":
      "Server, createMcpHandler, classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS, PROTOCOL_VERSION_META_KEY, SERVER_INFO_META_KEY",
    "@modelcontextprotocol/node": "toNodeHandler",
  },
  "jsonc-parser": { "jsonc-parser": "applyEdits, createScanner, findNodeAtLocation, getNodeValue, parseTree" },
  minisearch: { minisearch: "*" },
  "octagonal-wheels": { "octagonal-wheels/hash/purejs": "fallbackMixedHashEach, mixedHash" },
  "prom-client": { "prom-client": "Counter, Gauge, Histogram, Registry" },
  re2js: { re2js: "RE2JS" },
  "toml-eslint-parser": { "toml-eslint-parser": "getStaticTOMLValue, parseTOML" },
  "xxhash-wasm": { "xxhash-wasm": "*" },
  yaml: { yaml: "*" },
};

/**
 * What a vendor file begins with. zod writes a JavaScript function for each schema on first use, which pays after thousands of
 * messages; without it the first answer comes 3 ms sooner, and 12,000 messages take no longer.
 */
const BEFORE_VENDOR = { "mcp-server": "(globalThis.__zod_globalConfig ??= {}).jitless = true;" };

/** The usual entry of jsonc-parser is UMD, whose parts esbuild does not find. */
const ALIAS = { "jsonc-parser": "jsonc-parser/lib/esm/main.js" };

/** Writes the files into the folder: third-party code only, with the licences of what is in each file at its end. */
export async function bundleVendor(options, folder) {
  for (const [name, packages] of Object.entries(VENDOR)) {
    const contents = Object.entries(packages).map(([path, exports]) => {
      const from = JSON.stringify(path);
      return exports === "*" ? `module.exports = require(${from});` : `export { ${exports} } from ${from};`;
    });
    await build({
      ...options,
      legalComments: "eof",
      stdin: { contents: contents.join("\n"), resolveDir: options.absWorkingDir, sourcefile: `vendor-${name}.js` },
      outfile: join(folder, `${name}.js`),
      alias: ALIAS,
      plugins: [standIns],
      banner: { js: BEFORE_VENDOR[name] ?? "" },
    });
  }
}

/**
 * Modules of packages that are bundled with other contents, because what they carry is loaded at once and never used here:
 * - the SDK's own ajv, for answers to elicitation, which this server never asks for (13 of the 45 ms of loading the SDK);
 * - Hono's server, which the SDK's Node adapter needs for a transport that is not used here (29 ms, HTTP/2 among them);
 * - js-yaml, gray-matter's usual engine: ours is `yaml` (6 of 8 ms; it would also look for `esprima` on the user's disk).
 * Whoever does use one is refused.
 */
const STAND_INS = {
  "@modelcontextprotocol/server/_shims": `
    export { default as process } from "node:process";
    export class DefaultJsonSchemaValidator {
      getValidator() {
        throw new Error("This program is built without a validator for elicitation.");
      }
    }`,
  "@hono/node-server": `
    export function getRequestListener() {
      throw new Error("This program is built without Hono's server.");
    }`,
  "js-yaml": `
    export function safeLoad() {
      throw new Error("This program is built without js-yaml.");
    }
    export { safeLoad as safeDump };`,
};

const standIns = {
  name: "stand-ins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      Object.hasOwn(STAND_INS, path) ? { path, namespace: "stand-in" } : undefined,
    );
    onLoad({ filter: /./, namespace: "stand-in" }, ({ path }) => ({ contents: STAND_INS[path] }));
  },
};
