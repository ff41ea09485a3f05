/**
 * Writes the licences of the packages the program is bundled with into one file, for an image or a bundle that has no node_modules.
 * `node scripts/licences.js <file>`. Those of the program stand in package-lock.json: all that are no development dependencies. Those of
 * the page in the browser are development dependencies; which they are the bundler knows.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { packagesOfPage } from "./web-page.js";

const ROOT = join(import.meta.dirname, "..");

/** Folders below the root of all packages that the program or the library may hold, by name; of the optional ones that which images and bundles carry. */
function productionPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(([path, { dev, devOptional, optional }]) => path !== "" && !dev && !devOptional && !optional)
    .map(([path]) => path)
    .concat("node_modules/unpdf")
    .toSorted();
}

/** What a package has inside without a licence file of its own; the text of Apache-2.0 is in this file already. */
const CONTAINED = {
  unpdf:
    "It contains PDF.js, Copyright Mozilla Foundation, under the Apache License 2.0 (see eslint-visitor-keys for its text).",
};

/** A package's name, version and licence, and the text of its licence file where it ships one. */
function licenceOf(path) {
  const folder = join(ROOT, path);
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string" || license === "") throw new Error(`${path} names no licence`);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)\b/i.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
  const inside = CONTAINED[name] === undefined ? [] : [CONTAINED[name]];
  return [`${name} ${version} (${license})`, ...inside, ...texts].join("\n\n");
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: node scripts/licences.js <file>");
const packages = new Set([...productionPackages(), ...(await packagesOfPage())]);
const sections = [...packages].map(licenceOf);
mkdirSync(dirname(resolve(file)), { recursive: true });
writeFileSync(file, `${sections.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
console.log(`${sections.length} licences in ${file}`);
