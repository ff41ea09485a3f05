/** A process that renames a file or folder of a vault, links and all, until it is done or killed. */
import { systemClock, randomIds } from "../../src/clock.js";
import type { Progress } from "../../src/index/refresh.js";
import { linkSubject } from "../../src/links/link-rows.js";
import { Links } from "../../src/links/service.js";
import { filesystemStorage } from "../../src/storage/filesystem/storage.js";
import { vaultPath } from "../../src/storage/path.js";
import { JournalFile } from "../../src/history/journal-file.js";
import { Vault } from "../../src/vault/vault.js";

/** As JSON in its first argument. */
export interface MoveOrder {
  readonly vault: string;
  readonly locks: string;
  readonly state: string;
  readonly from: string;
  readonly to: string;
  /** Default: move. */
  readonly work?: "move" | "merge" | "undo";
  /** Tells "share" when this share of the links is rewritten. */
  readonly share?: number;
}

/** A vault with its links, whose journal outlives the process. */
export async function openLinks({ vault: folder, locks, state }: Omit<MoveOrder, "from" | "to">) {
  const clock = systemClock();
  const storage = await filesystemStorage(folder, { clock, lock: { folder: locks } });
  const place = new JournalFile({ folder: state, identity: storage.identity, clock });
  const vault = new Vault({ storage, clock, ids: randomIds(), subjects: [linkSubject], journal: { place } });
  return { vault, links: new Links(vault) };
}

async function main(order: MoveOrder): Promise<void> {
  const { vault, links } = await openLinks(order);
  await links.graph();
  process.stdout.write("moving\n");
  const [from, to] = [vaultPath(order.from), vaultPath(order.to)];
  const { work = "move", share = 1 } = order;
  const onProgress = ({ done, total }: Progress) => {
    if (total !== undefined && done > share * total) process.stdout.write("share\n");
  };
  if (work === "undo") await vault.history.undo(from);
  else if (work === "merge") await links.merge(from, to, (text, other) => text + other);
  else await links.move(from, to, { onProgress });
  process.stdout.write("done\n");
  await vault.close();
}

const order = process.argv[2];
if (order?.startsWith("{")) await main(JSON.parse(order) as MoveOrder);
