/** Compiles the tools' argument schemas when the program is built: with ajv at run time, each process that calls a tool would load and run a compiler. */
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const GENERATED = "generated:argument-validators";
const require = createRequire(import.meta.url);

/** What stands in for `src/tools/validator.ts`: the same answers, from the one module that ajv has written. */
const VALIDATOR_MODULE = `
const compiled = new Map();
export async function validatorFor(tool) {
  const { functions } = await import(${JSON.stringify(GENERATED)});
  if (!compiled.has(tool)) compiled.set(tool, functions[tool]({}));
  const validate = compiled.get(tool);
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
`;

/** An esbuild plugin. @param scratch a folder for what is needed on the way */
export async function argumentValidators(scratch) {
  const contents = await generate(scratch);
  return {
    name: "argument-validators",
    setup({ onResolve, onLoad }) {
      onLoad({ filter: /[\\/]src[\\/]tools[\\/]validator\.ts$/ }, () => ({
        contents: VALIDATOR_MODULE,
        resolveDir: ROOT,
        loader: "js",
      }));
      onResolve({ filter: /^generated:/ }, ({ path }) => ({
        path: path.slice("generated:".length),
        namespace: "generated",
      }));
      onLoad({ filter: /./, namespace: "generated" }, () => ({ contents, resolveDir: ROOT, loader: "js" }));
    },
  };
}

/** Source of a module that holds a validator for each tool, by the tool's name. Each in a function: the names ajv gives come again. */
async function generate(scratch) {
  const { TOOLS } = await load("tools", scratch);
  const { VALIDATOR_OPTIONS } = await load("validator", scratch);
  const { Ajv2020 } = require("ajv/dist/2020.js");
  const standalone = require("ajv/dist/standalone/index.js").default;
  const functions = TOOLS.map(({ name, input }) => {
    const ajv = new Ajv2020({ ...VALIDATOR_OPTIONS, code: { source: true, lines: true } });
    return `${name}(module) {\n${standalone(ajv, ajv.compile(input))}\nreturn module.exports;\n},`;
  });
  return `export const functions = {\n${functions.join("\n")}\n};\n`;
}

/** A module of ours, by its name in `src/tools`. */
async function load(name, scratch) {
  const outfile = join(scratch, `${name}.mjs`);
  await build({
    entryPoints: [join(ROOT, "src", "tools", `${name}.ts`)],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    absWorkingDir: ROOT,
    outfile,
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}
