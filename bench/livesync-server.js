/** A CouchDB for `livesync.js`, in a process of its own: express-pouchdb over memory. Tells its parent the port, and how many requests it has had. */
import { createServer } from "node:http";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const Pouch = ["pouchdb-adapter-memory", "pouchdb-mapreduce", "pouchdb-replication"]
  .reduce((made, plugin) => made.plugin(require(plugin)), require("pouchdb-core"))
  .defaults({ adapter: "memory" });
const handler = require("express-pouchdb")(Pouch, { mode: "minimumForPouchDB", inMemoryConfig: true });

let requests = 0;
const server = createServer((incoming, outgoing) => {
  requests++;
  handler(incoming, outgoing);
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }));
process.on("message", () => process.send?.({ requests }));
process.on("disconnect", () => process.exit());
