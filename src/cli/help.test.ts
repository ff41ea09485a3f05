import { describe, expect, it } from "vitest";
import { COMMAND_NAMES } from "./commands.js";
import { helpText, terminalAdvice } from "./help.js";
import { optionRows } from "./options.js";

describe("helpText", () => {
  it.each([undefined, 80, 100, 250])("fits a terminal of %s columns", (columns) => {
    for (const command of [undefined, ...COMMAND_NAMES]) {
      const lines = helpText(command, columns).split("\n");
      expect(lines.filter((line) => line.length > Math.min(100, columns ?? 100))).toEqual([]);
    }
  });

  it("names every option, each once", () => {
    const text = helpText(undefined, 80);
    for (const [, { flag }] of optionRows())
      expect(text.match(new RegExp(`^  (?:-\\w, )?${flag}(?![\\w-])`, "gm")), flag).toHaveLength(1);
  });

  it("of a command names only its options", () => {
    const text = helpText("search", 80);
    expect(text).toContain("--archived");
    expect(text).not.toContain("--priority");
    expect(text).not.toContain("--toolsets");
  });
});

describe("terminalAdvice", () => {
  it("can be pasted", () => {
    expect(terminalAdvice("/home/me/vault")).toContain("scan /home/me/vault\n");
    expect(terminalAdvice("My Vault")).toContain('scan "My Vault"\n');
  });
});
