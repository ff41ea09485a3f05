/** The library as a user gets it: packed, unpacked into a project of its own, compiled strictly against its types, and run. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildLibrary, ROOT, TSC } from "./kit/built-program.js";
import { TemporaryVault } from "./kit/temporary-vault.js";

/** Inside the repository, so that the package's dependencies are found from there as from an installation. */
const PROJECTS = join(ROOT, "node_modules", ".cache", "consumers");

const CONSUMER = `
import {
  openVault, isVaultError, fixedClock, sequentialIds,
  type FoundNote, type Link, type LinkGraph, type NoteSearch, type OpenOptions, type Relocation, type Task, type ToolOutcome,
  type BulkOutcome, type ChangedNotes, type ChangeList, type QuickDraft, type UpdateOptions, type VaultRules,
} from "obsidian-vault-mcp-server";

const folder = process.argv[2] ?? "";
const options: OpenOptions = { clock: fixedClock("2025-08-30T12:00:00Z"), ids: sequentialIds() };
const vault = await openVault(folder, options);
const created = await vault.tasks.create({ title: "Buy milk", area: "Home", dueDate: "2025-09-01" });
await vault.tasks.update(created.task.id, { status: "In Progress" });
const { outstanding, dueThisWeek } = await vault.tasks.agenda();
const titles: readonly string[] = outstanding.map((task: Task) => task.title);
await vault.notes.create({ name: "Shopping", content: "# List\\n\\n[[Buy milk]]\\n" });
await vault.notes.append("Shopping", "- bread", { heading: "List" });
const search: NoteSearch = { query: "bread", sortBy: "path" };
const { total, notes } = await vault.notes.find(search);
const names: readonly string[] = notes.map((note: FoundNote) => note.title);
const graph: LinkGraph = await vault.links.graph();
const from = graph.backlinks(await vault.links.find("Buy milk")).map((link: Link) => link.from + ":" + link.line);
const moved: Relocation = await vault.files.rename("Shopping.md", "Lists/Shopping.md");
const undone = await vault.files.undo(moved.to);
const { text } = await vault.notes.read("[[Shopping]]");
const outcome: ToolOutcome = await vault.call("search_tasks", { query: "milk" });
const refused = await vault.call("serach_tasks");
const failure = await openVault("/nowhere/at/all").catch((error: unknown) => (isVaultError(error) ? error.code : "other"));
const rules: VaultRules = { denyTags: ["private"] };
const draft: QuickDraft = { text: "Call Anna tomorrow" };
const guard: UpdateOptions = { expectedRevision: "x" };
const later = async (): Promise<[ChangeList, BulkOutcome, ChangedNotes]> => [
  await vault.files.history(),
  await vault.tasks.updateMany(["x"], { status: "Done" }),
  await vault.notes.setProperties(["x"], { ai: "no" }),
];
// @ts-expect-error a status that no tool may set
const wrong = () => vault.tasks.update("x", { status: "Someday" });
await vault.close();
console.log(JSON.stringify({
  id: created.task.id, titles, due: dueThisWeek.length, tools: vault.tools.map((tool) => tool.name),
  total, names, from, moved: moved.to, undone: undone.path, text,
  found: outcome.ok && outcome.text, refused: refused.ok ? "" : refused.text, failure, wrong: typeof wrong, unused: [typeof later, rules, draft, guard].length,
}));
`;

let project: string;
beforeAll(() => {
  buildLibrary();
  mkdirSync(PROJECTS, { recursive: true });
  project = mkdtempSync(join(PROJECTS, "consumer-"));
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], {
    cwd: ROOT,
  });
  const [{ filename }] = JSON.parse(packed.toString()) as [{ filename: string }];
  const installed = join(project, "node_modules", "obsidian-vault-mcp-server");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(project, filename), "-C", installed, "--strip-components=1"]);
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(project, "consumer.ts"), CONSUMER);
  const compilerOptions = {
    target: "es2023",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    types: ["node"],
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("the packed library", () => {
  it("compiles under strict settings and works", () => {
    execFileSync(process.execPath, [TSC, "-p", project], { cwd: project, stdio: "inherit" });
    const vault = new TemporaryVault({ "_projects/Old.md": "---\ntype: task\ntitle: Old one\nstatus: To Do\n---\n" });
    const printed = execFileSync(process.execPath, [join(project, "consumer.js"), vault.folder], { encoding: "utf8" });
    expect(JSON.parse(printed)).toMatchObject({
      id: "task-buy-milk-000001",
      titles: ["Buy milk", "Old one"],
      due: 1,
      total: 1,
      names: ["Shopping"],
      from: ["Shopping.md:3"],
      moved: "Lists/Shopping.md",
      undone: "Shopping.md",
      text: "# List\n\n[[Buy milk]]\n- bread\n",
      tools: expect.arrayContaining(["scan_vault", "get_task"]),
      found: expect.stringContaining("**Buy milk** (In Progress)"),
      refused: expect.stringContaining("Unknown tool"),
      failure: "VAULT_NOT_FOUND",
    });
    expect(readFileSync(vault.at("_projects/Buy milk.md"), "utf8")).toContain("id: task-buy-milk-000001");
    vault.remove();
  });

  it("has declarations that older compilers read: their typed arrays take no arguments", () => {
    const lib = join(project, "node_modules", "obsidian-vault-mcp-server", "lib");
    const declarations = readdirSync(lib, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".d.ts"),
    );
    expect(declarations.length).toBeGreaterThan(100);
    expect(
      declarations.filter((path) => /\b(?:Uint8Array|Buffer)</.test(readFileSync(join(lib, path), "utf8"))),
    ).toEqual([]);
  });

  it("loads no heavy package before it is used", () => {
    const script = `import("obsidian-vault-mcp-server").then(() => console.log(Object.keys(require.cache).length))`;
    const loaded = execFileSync(process.execPath, ["-e", script], { cwd: project, encoding: "utf8" });
    expect(Number(loaded)).toBe(0);
  });
});
