/** Puts files into a database as a device with LiveSync would have stored them, in as few requests as can be. */
import { Codec } from "../../src/storage/livesync/codec/codec.js";
import { saltOf, settingsOf } from "../../src/storage/livesync/codec/database-settings.js";
import type { RawDocument } from "../../src/storage/livesync/codec/document.js";
import { vaultPath } from "../../src/storage/path.js";
import type { TestDatabase } from "./couch-server.js";

const BATCH = 1000;

/** @param now milliseconds since the epoch, the time of every file */
export async function storeFiles(
  database: TestDatabase,
  files: Iterable<readonly [path: string, text: string]>,
  now: number,
  passphrase?: string,
): Promise<void> {
  const milestone = (await database.ask("GET", "_local/obsydian_livesync_milestone")) as RawDocument;
  const parameters = (await database.ask("GET", "_local/obsidian_livesync_sync_parameters")) as RawDocument;
  const settings = settingsOf(milestone);
  if (!settings) throw new Error("the database holds no settings");
  const codec = new Codec(settings, { passphrase, salt: saltOf(parameters) });
  const docs = new Map<string, RawDocument>();
  const send = async (): Promise<void> => {
    await database.ask("POST", "_bulk_docs", { docs: [...docs.values()] });
    docs.clear();
  };
  for (const [path, text] of files) {
    const { document, pieces } = await codec.encode({ path: vaultPath(path), bytes: Buffer.from(text), now });
    for (const [id, piece] of pieces) if (!docs.has(id)) docs.set(id, await codec.leaf(id, piece));
    docs.set(document["_id"], document);
    if (docs.size >= BATCH) await send();
  }
  if (docs.size > 0) await send();
}
