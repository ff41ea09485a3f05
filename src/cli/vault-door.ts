/** The door to vaults as the program's settings make it; nothing behind it is loaded before a vault is asked for. */
import type { Log } from "../log.js";
import type { ClosableDoor } from "../open.js";
import type { Settings } from "./options.js";

/** @param isSession asked when a vault is first wanted: whether more calls than the present one are to be expected */
export function lazyDoor(settings: Settings, log: Log, isSession: () => boolean): ClosableDoor {
  let door: Promise<ClosableDoor> | undefined;
  const opened = () => (door ??= makeDoor(settings, log, isSession));
  return {
    resolve: async (path) => (await opened()).resolve(path),
    open: async (folder, name) => (await opened()).open(folder, name),
    close: async () => (await door)?.close(),
  };
}

async function makeDoor(settings: Settings, log: Log, isSession: () => boolean): Promise<ClosableDoor> {
  const { vaultDoor } = await import("../open.js");
  // The end of input comes a turn of the event loop after the line before it.
  await new Promise((resolve) => setImmediate(resolve));
  const session = isSession();
  if (!session) setTimeout(() => void optimiseLess(), OPTIMISE_LESS_AFTER_MS).unref();
  const { vault, allowVault, readOnly, allowHidden, maxFileSize, timeZone, undoLimit, undoSize } = settings;
  const stateFolder = await stateFolderOf(settings);
  const allowed = vault === undefined ? allowVault : [vault, ...allowVault];
  return vaultDoor({
    allowed,
    readOnly,
    allowHidden,
    maxFileSize,
    timeZone,
    session,
    log,
    cacheFolder: await cacheFolderOf(settings),
    stateFolder,
    undo: stateFolder !== undefined,
    undoLimit,
    undoSize,
  });
}

/** How much bytecode a function runs before V8 optimises it; its own 66 KiB are meant for processes that live on. */
const OPTIMISE_AFTER = 300_000;
/** Long enough for a small call to load what it needs: after a change of flags V8 takes no code cache any more. */
const OPTIMISE_LESS_AFTER_MS = 20;

/**
 * Has Node 20 optimise only what runs for long: in a process that answers once, most optimised code is done too late to be of use.
 * Over 10,000 notes this spares a quarter of the processor time and a tenth of the waiting. The engines of later versions do not
 * have the flag, and complain of it on stderr.
 */
async function optimiseLess(): Promise<void> {
  if (!process.versions.node.startsWith("20.")) return;
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString(`--interrupt-budget=${OPTIMISE_AFTER}`);
}

/** Where the index is kept between runs; undefined: nowhere. */
export async function cacheFolderOf({ noCache, cacheFolder: given }: Settings): Promise<string | undefined> {
  if (noCache || given !== undefined) return noCache ? undefined : given;
  const { cacheFolder, thisPlatform } = await import("./places.js");
  return cacheFolder(thisPlatform(process.env));
}

/** Where the undo journal is kept; undefined: there is none. */
export async function stateFolderOf({ noUndo, stateFolder: given }: Settings): Promise<string | undefined> {
  if (noUndo || given !== undefined) return noUndo ? undefined : given;
  const { stateFolder, thisPlatform } = await import("./places.js");
  return stateFolder(thisPlatform(process.env));
}
