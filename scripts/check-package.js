/** Checks what would be published: the files in the tarball, its manifest (publint) and its types (attw). Needs a build. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Everything that may be in the tarball: what runs, and what explains it. */
const EXPECTED =
  /^(package\.json|README\.md|LICENSE|API_REFERENCE\.md|CHANGELOG\.md|THIRD_PARTY_LICENCES|dist\/[\w-]+\.js|dist\/package\.json|dist\/node_modules\/(yaml|gray-matter)\/index\.js|dist\/code-[\w.-]+\.v8|dist\/web\/(index\.html|consent\.html|tasks-app\.html|[\w-]+-[A-Z0-9]{8}\.(js|css|svg|webmanifest))|lib\/.+\.(js|d\.ts|json))$/;

const folder = mkdtempSync(join(tmpdir(), "package-"));
try {
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [{ filename, files }] = JSON.parse(packed);
  const unexpected = files.map(({ path }) => path).filter((path) => !EXPECTED.test(path) || /\.test\./.test(path));
  if (unexpected.length > 0) throw new Error(`not to be published: ${unexpected.join(", ")}`);
  const tarball = join(folder, filename);
  const run = (name, ...args) => {
    execFileSync(process.execPath, [join(ROOT, "node_modules", ...name), ...args], { cwd: ROOT, stdio: "inherit" });
  };
  run(["publint", "src", "cli.js"], "--strict", tarball);
  run(["@arethetypeswrong", "cli", "dist", "index.js"], "--profile", "esm-only", tarball);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
