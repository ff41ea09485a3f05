/** What `doctor` says of the settings of `--http`. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readCommandLine } from "../options/arguments.js";
import { checkHttp } from "./http-check.js";

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
