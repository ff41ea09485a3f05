/** A program that serves the fixture tools over its real stdin and stdout, and says on stderr when it has closed. */
import { serveStdio } from "../../src/server/stdio/stdio-server.js";
import { fixtureFacts } from "./fixture-tools.js";

const { stdin, stdout, stderr } = process;
process.exitCode = await serveStdio({
  ...fixtureFacts,
  toolErrors: "result",
  stdin,
  stdout,
  stderr,
  signals: process,
  close: async () => void stderr.write("closed\n"),
});
