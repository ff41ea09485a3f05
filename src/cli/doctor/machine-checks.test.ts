/** What `doctor` reports of the program's own folders and of the settings of `--http`. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkCache, checkHttp, checkUndo } from "./machine-checks.js";
import { execFileSync } from "node:child_process";
import { append, at, journalVault, putByHand } from "../../../test/kit/journal-vault.js";
import { MemoryStorage } from "../../../test/kit/memory-storage.js";
import { MemoryJournalStorage } from "../../history/connection.js";
import { checkInterrupted, checkJournal } from "./vault-checks.js";
import { readCommandLine } from "../options/arguments.js";

describe("the cache folder", () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "cache-"));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  it("counts the indexes that are kept, and nothing else that lies there", () => {
    writeFileSync(join(base, "0123456789abcdef-0abc.index"), "x".repeat(1500));
    writeFileSync(join(base, "of somebody else"), "x".repeat(90_000));
    expect(checkCache(base)).toEqual([
      { level: "ok", subject: "cache", message: `${base}: 1 index, 2 KiB; deleting it costs only time` },
    ]);
  });

  it("says that a folder that is not there yet will be made", () => {
    const folder = join(base, "a", "b");
    expect(checkCache(folder)).toMatchObject([{ level: "ok", message: `${folder} will be made when first needed` }]);
  });

  it("warns of a file in its place, and of one above it", () => {
    const file = join(base, "file");
    writeFileSync(file, "");
    chmodSync(file, 0o777);
    expect(checkCache(file)).toMatchObject([{ level: "warning", message: `${file} cannot be written` }]);
    const below = join(file, "cache");
    const [finding] = checkCache(below);
    expect(finding?.level).toBe("warning");
    expect(finding?.message).toContain(below);
  });

  it("says what it costs to keep none", () => {
    expect(checkCache(undefined)).toMatchObject([{ level: "note", advice: expect.stringContaining("--no-cache") }]);
  });
});

describe("the undo journal", () => {
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
    expect(checkUndo(join(base, "a"))).toMatchObject([
      { level: "ok", message: expect.stringContaining("will be made") },
    ]);
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
    const dead = new MemoryJournalStorage({ maker: "dead" });
    const { vault } = journalVault({}, { storage, place: dead });
    const files = [at("a.md"), at("n.md")];
    const operation = await vault.history.begin({ reason: "rename 'a.md'", from: at("a.md"), to: at("b.md"), files });
    await vault.writing.move(at("a.md"), at("b.md"), "rename", { operation });
    const place = new MemoryJournalStorage({ ended: new Set(["dead"]), sharedWith: dead });
    const findings = await checkInterrupted(journalVault({}, { storage, place }).vault);
    expect(findings).toEqual([
      {
        level: "warning",
        subject: "undo",
        path: "b.md",
        message: "interrupted: rename 'a.md'; made: 1 change, missing: 1 file",
        advice: "What to do: the same call again finishes it; undo b.md takes it back.",
      },
    ]);
    await putByHand(storage, "b.md", "by hand");
    const [changed] = await checkInterrupted(journalVault({}, { storage, place }).vault);
    expect(changed?.advice).toMatch(/^What to do: the same call again finishes it; its files were changed since/);
    await expect(journalVault({}, { storage, place }).vault.history.undo(at("b.md"))).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  it("is opened: what is damaged in it is counted", async () => {
    const { vault, place } = journalVault({ "a.md": "a", "b.md": "b" });
    for (const path of ["a.md", "b.md"]) await vault.writing.edit(at(path), append("1"), "test");
    const sound = { level: "ok", message: "the journal of this vault holds 2 changes" };
    expect(await checkJournal(vault)).toMatchObject([sound]);
    (await place.open())?.exec(
      "UPDATE steps SET image = x'00' WHERE path = 'a.md'; UPDATE steps SET at = 5 WHERE path = 'b.md'",
    );
    expect(await checkJournal(vault)).toMatchObject([
      sound,
      { level: "warning", message: expect.stringMatching(/^2 records/) },
    ]);
  });

  it("that may be another vault's is named, with the command that confirms it", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "a" } });
    const place = Object.assign(new MemoryJournalStorage(), { born: () => undefined });
    const { vault } = journalVault({}, { storage, place });
    await vault.writing.delete(at("a.md"), "test", { permanent: true });
    const other = Object.assign(new MemoryJournalStorage({ sharedWith: place }), { born: () => undefined });
    const next = journalVault({}, { storage, place: other }).vault;
    const [, doubt] = await checkJournal(next);
    expect(doubt).toMatchObject({ level: "warning", advice: expect.stringContaining("--accept-journal") });
    expect(await checkJournal(next, true)).toMatchObject([
      { level: "ok" },
      { level: "ok", message: expect.stringContaining("confirmed") },
    ]);
    await next.history.undo(at("a.md"));
  });

  it("names a change of several notes by what undo_edit takes back, and never advises to do it twice", async () => {
    const storage = new MemoryStorage({ files: { "a.md": "a", "n.md": "n" } });
    const dead = new MemoryJournalStorage({ maker: "dead" });
    const { vault } = journalVault({}, { storage, place: dead });
    const operation = await vault.history.begin({ reason: "add 2 tasks", files: [at("a.md"), at("n.md")] });
    await vault.writing.edit(at("a.md"), append("1"), "add", { operation });
    const place = new MemoryJournalStorage({ ended: new Set(["dead"]), sharedWith: dead });
    const next = journalVault({}, { storage, place }).vault;
    const [{ advice = "" } = {}] = await checkInterrupted(next);
    const [, id = ""] = /^What to do: undo op-(\S+) takes it back\.$/.exec(advice) ?? [];
    expect(await next.history.undoOperation(id)).toMatchObject({ reverted: ["a.md"], kept: [] });
  });
});

const folder = mkdtempSync(join(tmpdir(), "http-check-"));
afterAll(() => rmSync(folder, { recursive: true }));
const TOKEN = "correct-horse-battery";
const found = (argv: string[], environment: Record<string, string> = {}) =>
  checkHttp(readCommandLine(["doctor", ...argv], environment, () => false).settings);

describe("doctor on HTTP", () => {
  it("says nothing while nothing is set", () => expect(found([], { PORT: "tcp://10.0.0.1:80" })).toEqual([]));

  it("says where it would listen and who may call", () => {
    expect(found(["--http"])).toEqual([
      expect.objectContaining({
        level: "ok",
        message: expect.stringMatching(/127\.0\.0\.1:3000; every program of this machine/) as string,
      }),
    ]);
    const [ok] = found([], { BIND_ADDR: "0.0.0.0:8080", AUTH_TOKEN: TOKEN });
    expect(ok).toMatchObject({
      level: "ok",
      message: "--http listens on 0.0.0.0:8080; tokens: token (reads and writes)",
    });
    expect(found(["--http", "0.0.0.0:1", "--insecure-no-auth"])).toMatchObject([{ level: "warning" }]);
  });

  it("says what would keep the server from starting", () => {
    expect(found([], { BIND_ADDR: "0.0.0.0:8080" })).toMatchObject([
      { level: "error", message: expect.stringMatching(/needs a token/) as string },
    ]);
    expect(found(["--http"], { PORT: "x" })).toMatchObject([
      { level: "error", message: expect.stringMatching(/^PORT/) as string },
    ]);
    expect(found(["--http", "--token-file", join(folder, "none")])).toMatchObject([{ level: "error" }]);
    expect(found(["--port", "99999"])).toMatchObject([{ level: "error" }]);
    expect(found(["--public-url", "notes.example"])).toMatchObject([{ level: "error" }]);
  });

  it("warns of token files that others can read, without showing what is in them", () => {
    const path = join(folder, "token");
    writeFileSync(path, TOKEN);
    chmodSync(path, 0o644);
    const open = found(["--http", "--token-file", path]);
    expect(open).toMatchObject([{ level: "ok" }, { level: "warning", advice: `chmod 600 ${path}` }]);
    expect(JSON.stringify(open)).not.toContain(TOKEN);
    chmodSync(path, 0o600);
    expect(found(["--http", "--token-file", path])).toMatchObject([{ level: "ok" }]);
  });
});
