import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { at, journalVault } from "../../../test/kit/journal-vault.js";
import { MemoryStorage } from "../../storage/memory.js";
import { MemoryPlace } from "../../history/memory-store.js";
import { checkInterrupted, checkUndo } from "./undo-check.js";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "undo-"));
});
afterEach(() => rmSync(base, { recursive: true }));

it("tells how much is kept, and that nothing is lost with it but undoing", () => {
  mkdirSync(join(base, "undo", "vault", "ab"), { recursive: true });
  writeFileSync(join(base, "undo", "vault", "ab", "step"), "x".repeat(1500));
  writeFileSync(join(base, "of somebody else"), "x".repeat(90_000));
  expect(checkUndo(base)).toMatchObject([{ level: "ok", message: expect.stringMatching(/undo: 2 KiB; .*undo$/) }]);
});

it("says that a folder that is not there yet will be made, and what it costs to keep none", () => {
  expect(checkUndo(join(base, "a"))).toMatchObject([{ level: "ok", message: expect.stringContaining("will be made") }]);
  expect(checkUndo(undefined)).toMatchObject([{ level: "note", advice: expect.stringContaining("--no-undo") }]);
});

it.runIf(process.platform === "linux")("names a part that cannot be read, and goes on", () => {
  mkdirSync(join(base, "undo", "vault", "ab"), { recursive: true });
  writeFileSync(join(base, "undo", "vault", "ab", "step"), "x".repeat(1500));
  // Deeper than a path may be long, which stops the system's administrator too.
  const deepen = 'cd "$1"; d=$(printf "d%.0s" $(seq 200)); for i in $(seq 25); do mkdir $d; cd $d; done';
  execFileSync("bash", ["-c", deepen, "-", join(base, "undo")]);
  const [found] = checkUndo(base);
  execFileSync("rm", ["-rf", join(base, "undo")]);
  expect(found).toMatchObject({ level: "warning", message: expect.stringMatching(/cannot be read.*: 2 KiB;/) });
});

it("warns of a file in its place", () => {
  const file = join(base, "file");
  writeFileSync(file, "");
  chmodSync(file, 0o777);
  expect(checkUndo(file)).toMatchObject([
    {
      level: "warning",
      message: expect.stringContaining("cannot be undone"),
      advice: expect.stringContaining("--state-folder"),
    },
  ]);
});

it("names a change that a crash interrupted, and both ways out", async () => {
  const storage = new MemoryStorage({ files: { "a.md": "a", "n.md": "[[a]]" } });
  const dead = new MemoryPlace({ maker: "dead" });
  const { vault } = journalVault({}, { storage, place: dead });
  const files = [at("a.md"), at("n.md")];
  const operation = await vault.begin({ reason: "rename 'a.md'", from: at("a.md"), to: at("b.md"), files });
  await vault.move(at("a.md"), at("b.md"), "rename", { operation });
  const place = new MemoryPlace({ ended: new Set(["dead"]), sharedWith: dead });
  const findings = await checkInterrupted(journalVault({}, { storage, place }).vault);
  expect(findings).toEqual([
    {
      level: "warning",
      subject: "undo",
      path: "b.md",
      message: "interrupted: rename 'a.md'; 1 changes were made, 1 files are missing",
      advice: "The same call again finishes it; undo_edit of 'b.md' takes it back.",
    },
  ]);
});
