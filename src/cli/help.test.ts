import { describe, expect, it } from "vitest";
import { COMMAND_NAMES } from "./command-names.js";
import { helpText, overviewText, terminalAdvice } from "./help.js";
import { optionRows } from "./options/options.js";
import { TASK_STATES } from "../tasks/task.js";

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

  it("of a command ends with its own options, which a terminal shows", () => {
    for (const command of COMMAND_NAMES) {
      const text = helpText(command, 80);
      const own = text.indexOf(`\nOptions of ${command}:`);
      if (own < 0) continue;
      expect(text.slice(own), command).not.toMatch(/--(?:couchdb|log|cache|help)/);
      expect(text.lastIndexOf("--couchdb-url"), command).toBeLessThan(own);
    }
    expect(helpText("scan", 80)).toMatch(/\nOptions of scan:\n {2}--json {2,}/);
  });

  it.each([60, 80, 100])("leaves room between the columns at %s", (columns) => {
    for (const line of helpText(undefined, columns).split("\n"))
      if (/^ {2}(?:-\w, )?--/.test(line))
        expect(line).toMatch(/^ {2}(?:\S+|<[^>]*>|\[.*\])(?: (?:<[^>]*>|\[.*\]|--\S+))*(?: {2,}\S.*| *)$/);
  });

  it("of a command names only its options", () => {
    const text = helpText("search", 80);
    expect(text).toContain("--archived");
    expect(text).not.toContain("--description");
    expect(text).not.toContain("--toolsets");
  });
});

describe("what help says of an option", () => {
  const told = helpText(undefined, 100).replace(/\s+/g, " ");

  it("names every state of a task that --is takes", () => {
    const [, states = ""] = /--is <state> A state: (.*?)\. Repeatable/.exec(told) ?? [];
    expect(states.split(/, | or /).toSorted()).toEqual([...TASK_STATES].toSorted());
  });

  it("gives a size as one would write it", () => {
    expect(told).toContain("at most. Default: 700k.");
    expect(told).toContain("Environment: MAX_FILE_SIZE. Default: 10M.");
  });

  it("says in which order tasks come", () => {
    expect(told).toContain("Default: relevance with words, else agenda; of list with --due, due.");
  });

  it("calls no argument of a command a vault that is none", () => {
    expect(helpText("done", 100)).not.toContain("first argument");
  });
});

describe("overviewText", () => {
  it("names every command, and where help is, on one screen", () => {
    const lines = overviewText(80).split("\n");
    for (const name of COMMAND_NAMES) expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join("\n")).toContain("--help lists all options");
  });
});

describe("terminalAdvice", () => {
  it("can be pasted", () => {
    expect(terminalAdvice("/home/me/vault")).toContain("scan /home/me/vault\n");
    expect(terminalAdvice("My Vault")).toContain('scan "My Vault"\n');
    expect(terminalAdvice("My $Vault")).toContain("scan 'My $Vault'\n");
  });
});
