/** Completion as a shell does it. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { COMMAND_NAMES } from "./command-names.js";
import { completionScript } from "./completion.js";
import { optionRows } from "./options/options.js";

const PROGRAM = "obsidian-vault-mcp-server";

/** What bash offers when the last word is completed. */
function offered(...words: readonly string[]): string[] {
  const list = [PROGRAM, ...words].map((word) => `'${word}'`).join(" ");
  const script = `${completionScript("bash")}
COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _obsidian_vault_mcp_server; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
    encoding: "utf8",
    cwd: import.meta.dirname,
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe("bash", () => {
  it("offers commands and folders first", () => {
    expect(offered("se")).toEqual(expect.arrayContaining(["search", "setup"]));
    expect(offered("")).toEqual(expect.arrayContaining([...COMMAND_NAMES, "doctor"]));
  });

  it("offers the options of a command, and no others", () => {
    expect(offered("setup", "--r")).toEqual(["--read-only", "--remove"]);
    expect(offered("add", "--pri")).toEqual(["--priority"]);
    expect(offered("--hea")).toEqual(["--health-check"]);
  });

  it("offers the values of an option, quoted for the shell", () => {
    expect(offered("add", "--priority", "")).toEqual(["High", "Medium", "Low"]);
    expect(offered("add", "--status", "To")).toEqual(["To\\ Do"]);
    expect(offered("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
    expect(offered("tokens", "rev")).toEqual(["revoke"]);
  });

  it("offers files where a file is wanted", () => {
    expect(offered("doctor", "--token-file", "completion.t").sort()).toEqual(["completion.test.ts", "completion.ts"]);
  });
});

it.each(["bash", "zsh", "fish"])("%s knows every command and option", (shell) => {
  const script = completionScript(shell);
  for (const name of COMMAND_NAMES) expect(script).toContain(name);
  for (const [, { flag }] of optionRows()) expect(script).toContain(shell === "fish" ? ` -l ${flag.slice(2)} ` : flag);
});

it("reads a shell's name in any case", () => expect(completionScript("Zsh")).toBe(completionScript("zsh")));

it("names the shells there are", () => expect(() => completionScript("tcsh")).toThrow("no completion"));
