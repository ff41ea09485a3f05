/** A call by pipe or from a file, as scripts make it. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleProgram } from "./kit/bundle.js";
import { jsonLines } from "./kit/child.js";
import { INITIALIZE_PARAMS } from "./kit/stdio-session.js";

let program: string;
const folder = mkdtempSync(join(tmpdir(), "one-shot-"));
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, "kit/stdio-program.ts"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const request = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const call = (id: number, name: string, args: object = {}) => request(id, "tools/call", { name, arguments: args });

/** Runs a line of shell in which `$input` is a file that holds the input, `$program` the program, `$output` a file to write to. */
async function shell(line: string, input: string): Promise<{ stdout: string; stderr: string; output: () => string }> {
  const [inputFile, outputFile] = [join(folder, "input"), join(folder, "output")];
  writeFileSync(inputFile, input);
  const run = line.replaceAll("$program", `'${process.execPath}' '${program}'`);
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", run], {
    env: { ...process.env, input: inputFile, output: outputFile },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { stdout, stderr, output: () => readFileSync(outputFile, "utf8") };
}

const echoed = (stdout: string): unknown[] =>
  jsonLines(stdout).map((message) => {
    const { id, result } = message as { id: number; result: { content: { text: string }[] } };
    return [id, result.content[0]?.text];
  });

describe.skipIf(process.platform === "win32")("one call by the shell", () => {
  const hi = call(1, "echo", { text: "hi" });

  it("is read from a file and answered into one", async () => {
    const { stderr, output } = await shell('$program < "$input" > "$output"', hi);
    expect(echoed(output())).toEqual([[1, "hi"]]);
    expect(stderr).toBe("closed\n");
  });

  it.runIf(process.platform === "linux")("is read from a pipe and answered into one", async () => {
    const { stdout, stderr } = await shell('cat "$input" | (sleep 0.1; $program) | cat', hi);
    expect(echoed(stdout)).toEqual([[1, "hi"]]);
    expect(stderr).toBe("closed\n");
  });

  it("is waited for when its end has not come yet", async () => {
    const line = '(printf %s "$(head -c 20 "$input")"; sleep 0.3; tail -c +21 "$input"; sleep 0.2) | $program | cat';
    const { stdout, stderr } = await shell(line, hi);
    expect(echoed(stdout)).toEqual([[1, "hi"]]);
    expect(stderr).toBe("closed\n");
  });

  it.each(['$program < "$input" | cat', 'cat "$input" | (sleep 0.1; $program) | cat'])(
    "may be longer than what a pipe holds: %s",
    async (line) => {
      const text = "é🙂x".repeat(40_000);
      const { stdout } = await shell(line, `${call(1, "echo", { text })}\n${call(2, "echo", { text: "after" })}\n`);
      const answers = echoed(stdout);
      expect(answers).toHaveLength(2);
      expect(answers).toEqual(
        expect.arrayContaining([
          [1, text],
          [2, "after"],
        ]),
      );
    },
  );

  it("may have an answer that its reader takes late", async () => {
    const { stdout } = await shell('$program < "$input" | (sleep 0.5; cat)', call(1, "big", { letters: 300_000 }));
    expect(stdout.length).toBeGreaterThan(300_000);
    expect(jsonLines(stdout)).toHaveLength(1);
  });

  it("ends in order when nobody takes the answer", async () => {
    const line = '{ $program < "$input"; echo "code $?" >&2; } | true';
    const { stderr } = await shell(line, call(1, "wait", { ms: 300 }));
    expect(stderr).toMatch(/^closed\ncode 0\n$/);
  });

  it("has nothing between its messages, whoever prints", async () => {
    const { stderr, output } = await shell('$program < "$input" > "$output"', call(1, "print"));
    expect(jsonLines(output())).toHaveLength(1);
    for (const way of ["console", "write", "warning"]) expect(stderr).toContain(`STRAY by ${way}`);
  });

  it("may be a whole handshake, and several calls", async () => {
    const lines = [
      request(1, "initialize", INITIALIZE_PARAMS),
      request(2, "tools/list"),
      call(3, "echo", { text: "x" }),
    ];
    const { output } = await shell('$program < "$input" > "$output"', lines.join("\n"));
    expect(jsonLines(output())).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  it.each([
    ["an empty file", '$program < "$input" > "$output"', ""],
    ["blank lines", '$program < "$input" > "$output"', "\n\n"],
  ])("may be missing: %s", async (_, line, input) => {
    const { stderr, output } = await shell(line, input);
    expect(output()).toBe("");
    expect(stderr).toBe("closed\n");
  });

  it("may come without anything to read", async () => {
    const { stdout } = await shell("$program < /dev/null", "");
    expect(stdout).toBe("");
    expect((await shell("$program <&- | cat", "")).stdout).toBe("");
  });
});
