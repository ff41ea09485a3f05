/** A program that serves the fixture tools over stdin and stdout as the real one opens them, and says on stderr which of Node's modules that took. */
import { writeSync } from "node:fs";
import { openStdin } from "../../src/cli/stdin.js";
import { directStdout } from "../../src/cli/stdout.js";
import { serveStdio } from "../../src/server/stdio/stdio-server.js";
import { fixtureFacts } from "./fixture-tools.js";

const stdin = openStdin();
process.exitCode = await serveStdio({
  ...fixtureFacts,
  toolErrors: "result",
  stdin,
  stdout: stdin.readableEnded ? directStdout() : process.stdout,
  stderr: { write: (chunk) => void writeSync(2, Buffer.from(chunk)) },
  signals: process,
  close: async () => {
    const loaded: unknown = Reflect.get(process, "moduleLoadList");
    const sockets = Array.isArray(loaded) && loaded.includes("NativeModule net");
    writeSync(2, sockets ? "with sockets\n" : "without sockets\n");
  },
});
