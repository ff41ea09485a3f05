/** A program that serves the fixture tools over HTTP on a free port of this machine; says where on stderr, as the real one does, and ends with a signal. */
import { once } from "node:events";
import { startHttp } from "../../src/server/http/http-server.js";
import { fixtureFacts } from "./fixture-tools.js";

const running = await startHttp({
  ...fixtureFacts,
  instructions: fixtureFacts.instructions,
  host: "127.0.0.1",
  port: 0,
  access: { hosts: [], origins: [], tokens: [], rate: undefined },
  toolErrors: "result",
});
process.stderr.write(`${JSON.stringify({ msg: "Listening", url: running.url })}\n`);
await once(process, "SIGTERM");
await running.stop();
