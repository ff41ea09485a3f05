import { describe, expect, it } from "vitest";
import { VaultError } from "../../errors.js";
import { findingsText } from "./finding.js";
import { taskVault } from "../../../test/kit/task-vault.js";
import { checkFolder, checkNotes, failureFinding } from "./vault-checks.js";

describe("checkFolder", () => {
  it("says that a folder cannot be written, and what to do", () => {
    const findings = checkFolder("/nowhere/at/all", "My Vault");
    expect(findings.map(({ level }) => level)).toEqual(["ok", "error", "note"]);
    expect(findings[1]).toMatchObject({ message: "cannot be written", advice: expect.stringContaining("permissions") });
  });
});

describe("checkNotes", () => {
  it("tells how far it is", async () => {
    const seen: number[] = [];
    const { vault, tasks } = taskVault({ "a.md": "---\ntype: task\n---\n", "b.md": "b" });
    const findings = await checkNotes({ vault, tasks }, ({ done }) => seen.push(done));
    expect(findings[0]).toEqual({ level: "ok", subject: "notes", message: "2 notes, 1 tasks" });
    expect(seen).toContain(2);
  });
});

describe("failureFinding", () => {
  it("tells a VaultError's words and hint, and nothing of other failures", () => {
    const known = failureFinding(new VaultError("VAULT_NOT_FOUND", "It is gone.", { hint: "Look elsewhere." }));
    expect(known).toEqual({ level: "error", subject: "vault", message: "It is gone.", advice: "Look elsewhere." });
    expect(JSON.stringify(failureFinding(new Error("/home/me")))).not.toContain("/home/me");
  });
});

describe("findingsText", () => {
  it("names place and advice, and counts what wants mending", () => {
    const text = findingsText([
      { level: "ok", subject: "vault", message: "found" },
      { level: "warning", subject: "note", message: "odd", path: "a.md", line: 2, column: 5, advice: "Mend it." },
    ]);
    expect(text).toBe("✅ vault: found\n⚠️  note: a.md:2:5: odd\n   → Mend it.\n\n0 errors, 1 warning.");
  });
});
