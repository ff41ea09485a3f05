/** A storage under rules by itself: what the layers above it check too is refused here as well. */
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { vaultPath } from "../storage/path.js";
import type { VaultPath } from "../storage/path.js";
import { restrictedStorage } from "./restricted-storage.js";
import { RULES_FILE, RuleSet, type VaultRules } from "./rules.js";

const FILES = {
  "Open.md": "# Open\n",
  "Private/Plan.md": "# Plan\n",
  "Tagged.md": "# Tagged\n#secret\n",
  ".trash/Private/Old 1.md": "# Old\n",
};
const RULES: VaultRules = {
  deny: ["/Private/", "/Plans/a.md"],
  denyTags: ["secret"],
  allowWrite: ["Open.md", "New.md"],
};
const hidden = (path: string) => vaultPath(path, { allowHidden: true });

function opened(rules: VaultRules = RULES) {
  const inner = new MemoryStorage({ files: FILES });
  const set = RuleSet.of([rules]);
  if (!set) throw new Error("no rules");
  return { inner, set, storage: restrictedStorage(inner, set) };
}
const bytes = (text: string) => new TextEncoder().encode(text);
const ABSENT = { kind: "absent" } as const;

describe("a storage under rules", () => {
  it("lists and reads visible files only", async () => {
    const { storage } = opened();
    const paths: string[] = [];
    for await (const batch of storage.list()) paths.push(...batch.map(({ path }) => path));
    expect(paths).toEqual(["Open.md"]);
    for (const path of ["Private/Plan.md", "Tagged.md"]) expect(await storage.read(vaultPath(path))).toBeUndefined();
    expect(await storage.read(vaultPath("Open.md"))).toBeDefined();
  });

  it.each(["./Private/\n", "Other/\r/Private/\r"])("reads the pattern %j, which .gitignore would not", (pattern) =>
    expect(opened({ deny: [pattern] }).set.allowsPath(vaultPath("Private/Plan.md"))).toBe(false),
  );

  it("writes, moves and removes nothing else", async () => {
    const { inner, storage } = opened();
    const refused = { code: "PERMISSION_DENIED" };
    for (const path of ["Private/New.md", "Private/Plan.md", "Other.md"]) {
      await expect(storage.write(vaultPath(path), bytes("x"), ABSENT)).rejects.toMatchObject(refused);
      await expect(storage.update(vaultPath(path), () => bytes("x"))).rejects.toMatchObject(refused);
    }
    await expect(storage.move(vaultPath("Open.md"), vaultPath("Other.md"), ABSENT)).rejects.toMatchObject(refused);
    await expect(storage.remove(vaultPath("Private/Plan.md"), ABSENT)).rejects.toMatchObject(refused);
    expect(await inner.stat(vaultPath("Other.md"))).toBeUndefined();
    await storage.write(vaultPath("New.md"), bytes("x"), ABSENT);
    expect(await inner.stat(vaultPath("New.md"))).toBeDefined();
  });

  it("takes a file in the trash for what it was, and case for nothing where something is denied", () => {
    const { set } = opened();
    const shown = (path: VaultPath) => set.allowsPath(path);
    expect(shown(hidden(".trash/Private/Old 1.md"))).toBe(false);
    expect(shown(hidden(".trash/Plans/a 1.md"))).toBe(false);
    expect(shown(hidden(".trash/Plans/b 1.md"))).toBe(true);
    expect(shown(vaultPath("PRIVATE/plan.md"))).toBe(false);
    expect(shown(vaultPath("Open.md"))).toBe(true);
  });

  it("never shows the file of rules, in any spelling", () => {
    const { set } = opened({ allowWrite: ["**"] });
    for (const path of [RULES_FILE, hidden(".MCPIGNORE")]) {
      expect(set.allowsPath(path)).toBe(false);
      expect(set.mayWrite(path)).toBe(false);
    }
  });
});
