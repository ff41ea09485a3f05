/**
 * Prepares the tools when the program is built. What is said of each is written down, so that a process that lists them runs none of their code,
 * and one that calls a tool loads that tool alone; their arguments' schemas are compiled, so that no process loads a compiler.
 */
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TOOLS_FOLDER = join(ROOT, "src", "tools");
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

/** What stands in for `src/tools/all-tools.ts`: the same tools, whose files bear their names. */
const tableModule = (tools) => `
const rows = JSON.parse(${JSON.stringify(JSON.stringify(tools.map(rowOf)))});
const files = {
${tools.map(({ name, toolset }) => `  ${name}: () => import("./${toolset}/${name}.js"),`).join("\n")}
};
async function call(name, args, context) {
  const tool = Object.values(await files[name]()).find((one) => one.name === name);
  return tool.call(args, context);
}
export const TOOLS = rows.map(({ required, listing, ...row }) => ({
  ...row,
  listing,
  listingWithoutVault: { ...listing, inputSchema: { ...listing.inputSchema, ...(required && { required }) } },
  call: (args, context) => call(row.name, args, context),
}));
`;

/** All that is said of a tool but its input with what is not published, which the validators have. */
function rowOf({ name, toolset, alsoIn, effect, limit, listing, listingWithoutVault }) {
  return { name, toolset, alsoIn, effect, limit, listing, required: listingWithoutVault.inputSchema.required };
}

/** An esbuild plugin. @param scratch a folder for what is needed on the way */
export async function preparedTools(scratch) {
  const { TOOLS } = await load("all-tools", scratch);
  const { VALIDATOR_OPTIONS } = await load("validator", scratch);
  const modules = { "all-tools": tableModule(TOOLS), validator: VALIDATOR_MODULE };
  return {
    name: "prepared-tools",
    setup({ onResolve, onLoad }) {
      for (const [name, contents] of Object.entries(modules))
        onLoad({ filter: new RegExp(`[\\\\/]src[\\\\/]tools[\\\\/]${name}\\.ts$`) }, () => ({
          contents,
          resolveDir: TOOLS_FOLDER,
          loader: "js",
        }));
      onResolve({ filter: /^generated:/ }, ({ path }) => ({
        path: path.slice("generated:".length),
        namespace: "generated",
      }));
      const contents = validators(TOOLS, VALIDATOR_OPTIONS);
      onLoad({ filter: /./, namespace: "generated" }, () => ({ contents, resolveDir: ROOT, loader: "js" }));
    },
  };
}

/** Source of a module that holds a validator for each tool, by the tool's name. Each in a function: the names ajv gives come again. */
function validators(tools, options) {
  const { Ajv2020 } = require("ajv/dist/2020.js");
  const standalone = require("ajv/dist/standalone/index.js").default;
  const functions = tools.map(({ name, input }) => {
    // The tests hold that the schemas are valid; a compiler of its own for each tool would compile the schema of schemas each time.
    const ajv = new Ajv2020({ ...options, validateSchema: false, code: { source: true, lines: true } });
    return `${name}(module) {\n${standalone(ajv, ajv.compile(input))}\nreturn module.exports;\n},`;
  });
  return `export const functions = {\n${functions.join("\n")}\n};\n`;
}

/** A module of ours, by its name in `src/tools`. */
async function load(name, scratch) {
  const outfile = join(scratch, `${name}.mjs`);
  await build({
    entryPoints: [join(TOOLS_FOLDER, `${name}.ts`)],
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
