/**
 * Checks the built program end to end: `node test-vault-integration.js [vault]`.
 * Without a vault it works on a temporary copy of test-vault and also creates and updates a task; a vault of yours is only read.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("dist/index.js", import.meta.url));
const SAMPLE = fileURLToPath(new URL("test-vault", import.meta.url));
const TITLE = "Integration test: check the greenhouse";
let failures = 0;

/** Runs one check and prints what came of it. */
function check(name, run) {
  try {
    const detail = run();
    console.log(`✅ ${name}${detail === undefined ? "" : `: ${detail}`}`);
  } catch (error) {
    failures++;
    console.log(`❌ ${name}: ${error.message}`);
  }
}

function expect(condition, message) {
  if (!condition) throw new Error(message);
}

/** One request in one process, as a script would send it. */
function request(method, params, options = []) {
  const input = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...options], { input, encoding: "utf8" });
  expect(status === 0, `exit code ${status}: ${stderr}`);
  const answer = JSON.parse(stdout);
  expect(answer.result !== undefined, JSON.stringify(answer.error));
  return answer.result;
}

function main(given) {
  if (!existsSync(PROGRAM)) {
    console.log("❌ dist/index.js is missing: run `npm run build` first.");
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), "vault-integration-"));
  const vault = given === undefined ? join(folder, "vault") : resolve(given);
  if (given === undefined) cpSync(SAMPLE, vault, { recursive: true });
  const options = [
    "--vault",
    vault,
    "--cache-folder",
    join(folder, "cache"),
    ...(given === undefined ? [] : ["--read-only"]),
  ];
  const call = (name, args) => {
    const result = request("tools/call", { name, arguments: args }, options);
    expect(!result.isError, result.content[0].text);
    return result;
  };
  try {
    check("tools/list", () =>
      request("tools/list", {}, options)
        .tools.map((tool) => tool.name)
        .join(", "),
    );
    check("scan_vault", () => {
      const result = call("scan_vault", {});
      expect(/🔍 Vault|🎉 No outstanding/.test(result.content[0].text), "unexpected text");
      return /Total outstanding tasks: \d+/.exec(result.content[0].text)?.[0] ?? "no outstanding tasks";
    });
    if (given === undefined) checkWriting(vault, call);
    check("search_tasks", () => {
      const text = call("search_tasks", { query: given === undefined ? TITLE : "project" }).content[0].text;
      if (given === undefined) expect(text.includes(`**${TITLE}** (In Progress)`), text);
      return text.split("\n").at(-1);
    });
    check("a wrong call is refused with words", () => {
      const result = request(
        "tools/call",
        { name: "update_task", arguments: { taskId: "no such task", updates: { status: "Done" } } },
        options,
      );
      expect(result.isError === true, "it was accepted");
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(failures === 0 ? "\nAll checks passed." : `\n${failures} checks failed.`);
  return failures === 0 ? 0 : 1;
}

function checkWriting(vault, call) {
  let id = "";
  let path = "";
  check("create_task", () => {
    const result = call("create_task", { title: TITLE, area: "Home", dueDate: "2030-01-02", tags: ["test"] });
    ({ id, path } = result.structuredContent);
    expect(result.content[0].text.includes(`Task ID: ${id}`), result.content[0].text);
    return id;
  });
  check("update_task", () => {
    const text = call("update_task", { taskId: id, updates: { status: "In Progress" } }).content[0].text;
    expect(text.includes("Current status: In Progress"), text);
  });
  check("the note on disk", () => {
    const text = readFileSync(join(vault, path), "utf8");
    expect(text.includes(id) && text.includes("2030-01-02"), `${path} does not hold the task`);
    return path;
  });
}

process.exitCode = main(process.argv[2]);
