import { describe, expect, it } from "vitest";
import { VaultError } from "../errors.js";
import type { LogLevel } from "../log.js";
import { createLog } from "./log.js";

function logged(level: LogLevel, format: "text" | "json", use: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  use(createLog({ level, format, write: (line) => lines.push(line), now: () => 0 }));
  return lines;
}

describe("createLog", () => {
  it("writes one line of text an event, from the given level up", () => {
    const lines = logged("info", "text", (log) => {
      log.debug("hidden");
      log.info("Vault opened", { notes: 3, name: "a b" });
      log.error("Failed");
    });
    expect(lines).toEqual([
      '1970-01-01T00:00:00.000Z INFO  Vault opened notes=3 name="a b"\n',
      "1970-01-01T00:00:00.000Z ERROR Failed\n",
    ]);
  });

  it("writes JSON lines", () => {
    const [line] = logged("debug", "json", (log) => log.debug("Scanning vault: x", { ms: 1.5 }));
    expect(JSON.parse(line ?? "")).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      level: "debug",
      message: "Scanning vault: x",
      ms: 1.5,
    });
  });

  it("cannot be made to write a second line or to drive the terminal", () => {
    const lines = logged("debug", "text", (log) => log.debug("Creating task: a\nERROR forged \u001b[2J\u2028"));
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toMatch(/[\n\u001b\u2028]/);
  });

  it("tells host paths and stacks at debug only", () => {
    const error = Object.assign(new Error("ENOENT: no such file, open '/home/me/secret.md'"), { code: "ENOENT" });
    const wrapped = new VaultError("UNAVAILABLE", "The note cannot be read.", { cause: error });
    for (const format of ["text", "json"] as const) {
      const trace = { kind: "Error", stack: "at /home/me/x.js:1", cause: { stack: "at /home/me/y.js:1" } };
      const quiet = logged("info", format, (log) => log.error("x", { error, wrapped, ...trace })).join("");
      expect(quiet).not.toContain("/home/me");
      expect(quiet).toContain("Error ENOENT");
      expect(quiet).toContain("UNAVAILABLE: The note cannot be read.");
      expect(logged("debug", format, (log) => log.error("x", { wrapped })).join("")).toContain("/home/me/secret.md");
    }
  });
});
