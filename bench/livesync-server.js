/** A CouchDB for `livesync.js`, in a process of its own: express-pouchdb over memory. Tells its parent the port. */
import { createServer } from "node:http";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const Pouch = ["pouchdb-adapter-memory", "pouchdb-mapreduce", "pouchdb-replication"]
  .reduce((made, plugin) => made.plugin(require(plugin)), require("pouchdb-core"))
  .defaults({ adapter: "memory" });
const handler = require("express-pouchdb")(Pouch, { mode: "minimumForPouchDB", inMemoryConfig: true });

const server = createServer((incoming, outgoing) => {
  // As CouchDB, which packs no JSON.
  delete incoming.headers["accept-encoding"];
  handler(incoming, outgoing);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  process.send?.({ port });
});
process.on("disconnect", () => process.exit());
