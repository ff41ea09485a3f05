/** The commands that documents show run as they are written, one after the other, on a small vault. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { builtProgram, ROOT } from "./kit/built-program.js";
import { TemporaryVault } from "./kit/temporary-vault.js";

let program: string;
beforeAll(async () => {
  program = await builtProgram();
});

/** These serve until they are stopped, or ask at a terminal. */
const GOES_ON = /\bboard\b|--http\b|\bsetup\b/;
const NAME = "obsidian-vault-mcp-server";

/** The shell blocks of a document that call the program by its name. */
function blocksOf(document: string): string[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  const blocks = [...text.matchAll(/^```(?:sh|bash)\n([^]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks
    .map((block) => block.split("\n").filter((line) => !GOES_ON.test(line)))
    .filter((lines) => lines.some((line) => line.includes(NAME)))
    .map((lines) => lines.join("\n"));
}

describe.runIf(process.platform !== "win32").each(["README.md", "docs/command-line.md", "docs/calendar.md"])(
  "%s",
  (document) => {
    const blocks = blocksOf(document);

    it("shows commands", () => expect(blocks).not.toEqual([]));

    it.each(blocks)("%s", (block) => {
      const vault = new TemporaryVault({
        "_projects/Paint.md": "---\ntype: task\nstatus: To Do\narea: Home\ndue: 2030-01-02\n---\n# Paint the kitchen\n",
        "_resources/Roof repair.md": "# Roof repair\n\nThe roof leaks.\n",
      });
      try {
        const [home, bin] = ["home", "bin"].map((name) => join(vault.base, name)) as [string, string];
        for (const folder of [home, bin]) mkdirSync(folder);
        writeFileSync(join(bin, NAME), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
        chmodSync(join(bin, NAME), 0o755);
        const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: home, OBSIDIAN_VAULT_PATH: vault.folder };
        const script = block.replaceAll("/path/to/My Vault", vault.folder);
        const ended = spawnSync("bash", ["-e", "-c", script], { encoding: "utf8", env, cwd: vault.base });
        expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: "" });
      } finally {
        vault.remove();
      }
    });
  },
);
