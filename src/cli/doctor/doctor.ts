/** The command `doctor`. Only `--accept-rebuilt` and `--accept-journal` change anything. */
import { isatty } from "node:tty";
import type { Log } from "../../log.js";
import { isVaultError } from "../../errors.js";
import { EXIT_CODES, exitCodeOf } from "../exit-codes.js";
import { isInDatabase, type Settings } from "../options/options.js";
import { thisPlatform } from "../places.js";
import { clientConfigs, clientFolders } from "../setup/clients.js";
import { namesIn } from "../setup/config-file.js";
import { onScreen, stderrProgress, writeOut } from "../terminal.js";
import { cacheFolderOf, lazyOpener, stateFolderOf } from "../vault-opener.js";
import { VERSION } from "../../version.js";
import { finding, findingsText, type Finding } from "./finding.js";
import { checkCache, checkClients, checkHttp, checkUndo } from "./machine-checks.js";
import {
  checkBoards,
  checkCopies,
  checkDatabase,
  checkFolder,
  checkInterrupted,
  checkJournal,
  checkNotes,
  failureFinding,
} from "./vault-checks.js";

const MIN_NODE = 20;

/** @returns 0 when nothing needs fixing, 3 without the vault, else 1 */
export async function runDoctor(settings: Settings, log: Log): Promise<number> {
  const vault = await checkVault(settings, log);
  const findings = [
    ...checkProgram(),
    ...vault.findings,
    ...checkCache(await cacheFolderOf(settings)),
    ...checkUndo(settings.noUndo ? undefined : await stateFolderOf(settings)),
    ...checkHttp(settings),
    ...checkClients(clientConfigs(clientFolders(thisPlatform(process.env), namesIn), workingFolder())),
  ];
  const text = findingsText(findings);
  await writeOut(
    settings.json
      ? `${JSON.stringify({ findings }, null, 2)}\n`
      : `${isatty(1) ? await onScreen(text, process.stdout) : text}\n`,
  );
  if (vault.exit !== undefined) return vault.exit;
  const healthy = findings.every(({ level }) => level === "ok" || level === "note");
  return healthy ? EXIT_CODES.ok.number : EXIT_CODES.failed.number;
}

/** Undefined when it is gone. */
function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function checkProgram(): Finding[] {
  const node = process.versions.node;
  const message = `version ${VERSION} on Node ${node}`;
  if (Number(node.split(".")[0]) >= MIN_NODE) return [finding("ok", "program", message)];
  return [finding("error", "program", message, `Use Node ${MIN_NODE} or later.`)];
}

interface VaultReport {
  readonly findings: readonly Finding[];
  readonly exit?: number;
}

async function checkVault(settings: Settings, log: Log): Promise<VaultReport> {
  const name = settings.vault;
  if (name === undefined) {
    const advice = "Name it: doctor <folder>, --vault <folder> or OBSIDIAN_VAULT_PATH.";
    return { findings: [finding("note", "vault", "none was named", advice)] };
  }
  // A check changes nothing.
  const opener = lazyOpener({ ...settings, readOnly: true, noCache: true }, log, () => false);
  const progress = stderrProgress(settings);
  try {
    const folder = await opener.resolve(name);
    const place = isInDatabase(settings) ? await checkDatabase(settings, log) : checkFolder(folder, name);
    const open = await opener.open(folder, name);
    const [notes, interrupted] = [await checkNotes(open, progress?.report), await checkInterrupted(open.vault)];
    // Else each file fails the same way.
    const isClosed = place.some(({ subject }) => subject === "settings");
    const found = [...place, ...notes.filter(({ subject }) => !isClosed || subject !== "settings")];
    const others = [...(await checkBoards(open)), ...(await checkCopies(open))];
    const journal = await checkJournal(open.vault, settings.acceptJournal);
    return { findings: [...found, ...others, ...interrupted, ...journal] };
  } catch (error) {
    log.debug("The vault could not be checked", { error });
    return {
      findings: [failureFinding(error)],
      exit: isVaultError(error) ? exitCodeOf(error) : EXIT_CODES.failed.number,
    };
  } finally {
    progress?.finish();
    await opener.close();
  }
}
