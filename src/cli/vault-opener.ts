/** Opens vaults on first use. */
import type { Log } from "../log.js";
import type { VaultRules, ClosableOpener } from "../open.js";
import type { LivesyncConfiguration } from "../storage/livesync/storage.js";
import { createWorkspace, type Workspace } from "../tools/workspace.js";
import { isInDatabase, type Settings } from "./options/options.js";

/** @param isSession whether more calls may follow */
export function lazyOpener(settings: Settings, log: Log, isSession: () => boolean): ClosableOpener {
  let opener: Promise<ClosableOpener> | undefined;
  const opened = () => (opener ??= createOpener(settings, log, isSession));
  return {
    resolve: async (path) => (await opened()).resolve(path),
    open: async (folder, name, access) => (await opened()).open(folder, name, access),
    close: async () => (await opener)?.close(),
  };
}

export async function withVault<T>(settings: Settings, log: Log, work: (vault: Workspace) => Promise<T>): Promise<T> {
  const opener = lazyOpener(settings, log, () => false);
  try {
    return await work(createWorkspace({ opener, default: settings.vault, switches: false }));
  } finally {
    await opener.close();
  }
}

async function createOpener(settings: Settings, log: Log, isSession: () => boolean): Promise<ClosableOpener> {
  const { vaultOpener } = await import("../open.js");
  // The end of input arrives late.
  await new Promise((resolve) => setImmediate(resolve));
  const session = isSession();
  // Growth by half takes a quarter less memory and no more time.
  if (session) (await import("node:v8")).setFlagsFromString("--heap-growing-percent=50");
  const { vault, allowVault, readOnly, allowHidden, maxFileSize, maxImageSize, timeZone } = settings;
  const { undoLimit, undoSize } = settings;
  const isLivesync = isInDatabase(settings);
  const allowed = vault === undefined || isLivesync ? allowVault : [vault, ...allowVault];
  return vaultOpener({
    allowed,
    id: settings.vaultId,
    livesync:
      isLivesync && vault !== undefined ? { name: vault, configuration: () => configured(settings) } : undefined,
    readOnly,
    access: accessOf(settings),
    allowHidden,
    maxFileSize,
    maxImageSize,
    timeZone,
    locale: settings.locale,
    fieldNames: settings.fieldNames,
    inlineTasks: settings.inlineTasks,
    globalFilter: settings.globalFilter,
    session,
    log,
    cacheFolder: await cacheFolderOf(settings),
    stateFolder: await stateFolderOf(settings),
    undo: !settings.noUndo,
    undoLimit,
    undoSize,
  });
}

async function configured(settings: Settings): Promise<LivesyncConfiguration> {
  const { livesyncConfiguration } = await import("./livesync-settings.js");
  return livesyncConfiguration(settings);
}

function accessOf({ deny, denyTag, denyProperty, allowWrite }: Settings): readonly VaultRules[] | undefined {
  const given = (list: readonly string[]): readonly string[] | undefined => (list.length === 0 ? undefined : list);
  const rules = {
    deny: given(deny),
    denyTags: given(denyTag),
    denyProperties: given(denyProperty),
    allowWrite: given(allowWrite),
  };
  return Object.values(rules).some((list) => list !== undefined) ? [rules] : undefined;
}

export async function cacheFolderOf({ noCache, cacheFolder: given }: Settings): Promise<string | undefined> {
  if (noCache || given !== undefined) return noCache ? undefined : given;
  const { cacheFolder, thisPlatform } = await import("./places.js");
  return cacheFolder(thisPlatform(process.env));
}

export async function stateFolderOf({ stateFolder: given }: Settings): Promise<string> {
  if (given !== undefined) return given;
  const { stateFolder, thisPlatform } = await import("./places.js");
  return stateFolder(thisPlatform(process.env));
}
