/** The hostile paths of test/hostile-inputs.md (P01 to P28), and a vault with links and pipes for them to lead into. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { HostileVault, type Files } from "./hostile-vault.js";

/** `PARENT` stands for the folder that the vault lies in. */
export const EVIL_PATHS: readonly (readonly [id: string, paths: readonly string[]])[] = [
  ["P01", ["../out.md", "../out", "..", "../", "../../etc/passwd"]],
  ["P02", ["notes/../../out.md", "a/b/../../../out.md", "_projects/../../out.md", "/../out.md"]],
  ["P03", ["_projects/../_projects/a.md", "_areas/Work/../Work/ok.md", "_projects/./a.md"]],
  ["P04", ["..\\out.md", "notes\\..\\..\\out.md", "/..\\out.md"]],
  ["P05", ["/etc/passwd", "/etc/passwd.md", "etc/passwd"]],
  ["P06", ["C:\\Windows\\win.ini", "C:x.md", "C:/x.md", "\\\\host\\share\\x.md", "//host/share/x.md", "//etc/passwd"]],
  ["P07", ["....//out.md", "..;/out.md", ".../out.md", ". ./out.md", ".. /out.md", "../out.md\u200b"]],
  ["P08", ["%2e%2e%2fout.md", "..%2fout.md", "%252e%252e%252fout.md", "..%c0%afout.md", "\uff0e\uff0e/out.md"]],
  ["P09", ["_projects/a.md\0.png", "\0", "../out.md\0", "_projects/a\n.md"]],
  ["P10", ["../vault-evil/s.md", "PARENT/vault-evil/s.md", "PARENT/out.md"]],
  ["P11", ["ln.md", "ln", "abs.md"]],
  ["P12", ["up/out.md", "up/vault/_projects/a.md", "_projects/up/out.md"]],
  ["P13", ["dl.md"]],
  ["P14", ["cfg/c.md", "cfg/app.json", "conf.md"]],
  ["P15", [".obsidian/app.json", ".obsidian/c.md", ".obsidian/plugins/p/data.json", ".OBSIDIAN/c.md", ".obsidian"]],
  ["P16", [".obsidian/plugins/evil/main.js", ".obsidian/community-plugins.json"]],
  ["P17", [".git/config", ".git/hooks/post-commit"]],
  ["P18", [".trash/old.md", "sub/.hidden/x.md", ".env", ".ssh/id_rsa", "\u200c.obsidian/c.md"]],
  ["P19", ["", ".", "./", "/", "   ", "[[]]", "#", "^"]],
  ["P20", ["_projects/a.md/", "_projects/a.md/child.md", "_projects", "_projects/", "_projects.md"]],
  ["P21", ["x/".repeat(2500), "x".repeat(300), `_projects/${"日".repeat(100)}.md`, "x".repeat(100_000)]],
  ["P28", ["fifo.md", "_projects/fifo", "socketless/fifo.md"]],
];

/** Spellings of one file that lead nowhere else (docs: tools, "Arguments"): read, and refused where something new is to go. */
export const HARMLESS_PATHS = ["./_projects/a.md", "_projects\\a.md", "PARENT/vault/_projects/a.md"];

export function evilVault(files: Files = {}): HostileVault {
  const vault = new HostileVault(files);
  const link = (target: string, at: string): void => fs.symlinkSync(target, vault.at(at));
  link("../out.md", "ln.md");
  link(`${vault.parent}/out.md`, "abs.md");
  link("..", "up");
  link("../..", "_projects/up");
  link("../new.md", "dl.md");
  link(".obsidian", "cfg");
  link("../.obsidian", "_projects/Settings");
  link(".obsidian/c.md", "conf.md");
  execFileSync("mkfifo", [vault.at("fifo.md"), vault.at("_projects/fifo.md")]);
  return vault;
}
