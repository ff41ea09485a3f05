/** Renames files and folders and updates links, also after a crash. */
import { sleep } from "../async/timers.js";
import { isVaultError, VaultError } from "../errors.js";
import { baseName, folderOf, joinPath, type VaultPath } from "../storage/path.js";
import type { Operation, OperationPlan, UnfinishedOperation } from "../history/journal-records.js";
import type { MoveOutcome, Vault } from "../vault/vault.js";
import type { JoinTexts, LinkGraph, Merge, ProgressOptions, MoveOptions, Relocation, Unseen } from "./api.js";
import { movesBelow, checkedMove, linesOfBases, type Move, unknownLinks, withFolder } from "./move-check.js";
import {
  type EarlierLinks,
  filesToRewrite,
  linkPlace,
  type LinkPlace,
  type MovedNames,
  namesOfMadeMove,
  namesOfPlannedMove,
  restoredLinks,
  rewriteLinks,
  type RewriteRules,
} from "./move-rewrite.js";
import { TEXT_NAMED } from "../markdown/nothing-dropped.js";
import type { RewrittenLinks } from "../markdown/links/retarget.js";
import type { Companions, CompanionsOf } from "../vault/new-path.js";
import type { FileNames } from "./resolver.js";

type Ask = <Result>(
  options: ProgressOptions,
  work: (graph: MoveGraph, unseen: Unseen) => Promise<Result>,
) => Promise<Result>;

type MoveGraph = Pick<LinkGraph, "backlinks" | "outgoing"> &
  FileNames & { filesBelow(folder: VaultPath): readonly VaultPath[] };

/** They mostly wait for the disk. */
const WRITERS = 4;
const PAUSES_MS = [0, 100, 400];

const ALONE: Companions = { folder: undefined, named: [], rename: (text) => text, oldNames: [] };

export interface Mover {
  readonly vault: Vault;
  /** For work that changes nothing and may run twice. */
  readonly ask: Ask;
  readonly companionsOf: CompanionsOf;
}

export async function moveLinked(
  mover: Mover,
  from: VaultPath,
  to: VaultPath,
  options: MoveOptions,
): Promise<Relocation> {
  return await mover.vault.withLock(
    async () => (await resumeMove(mover, from, to, options)) ?? beginMove(mover, from, to, options),
  );
}

async function beginMove(mover: Mover, from: VaultPath, to: VaultPath, options: MoveOptions): Promise<Relocation> {
  const { isNamed = () => true } = options;
  const { move, names, files, rules, earlier, unknown, companions } = await mover.ask(
    options,
    async (graph, unseen) => {
      const unknown = await unknownLinks(mover.vault, unseen, options.isNamed);
      const asked = await checkedMove(mover.vault, from, to, (folder) => graph.filesBelow(folder).filter(isNamed));
      unknown.push(...(await linesOfBases(mover.vault, asked.from, to, options.isNamed)));
      const companions = await companionsIn(mover, asked, options.isNamed, false);
      const { folder } = companions;
      const move = folder === undefined ? asked : withFolder(asked, folder, graph.filesBelow(folder.from));
      const { newLinkFormat: format } = await mover.vault.settings();
      const earlier = await mover.vault.history.earlierTexts(
        move.from,
        // A project's folder was renamed before its note.
        (step) =>
          step.from !== undefined && [move.to, joinPath(folderOf(move.from), baseName(move.to))].includes(step.from),
      );
      const rules = { format, isReturn: earlier !== undefined };
      const names = namesOfPlannedMove(graph, move.files);
      const files = [
        ...new Set([...filesToRewrite(graph, names, rules), ...companions.named, ...(earlier?.keys() ?? [])]),
      ].sort();
      return { move, names, files, rules, earlier, unknown, companions };
    },
  );
  options.signal?.throwIfAborted();
  const plan = {
    reason: `rename '${move.from}' to '${move.to}'`,
    from: move.from,
    to: move.to,
    ...(move.folder && { folder: move.folder }),
    files: move.kind === "file" ? [...new Set([move.from, ...files])] : files,
  };
  const { result, ...done } = await mover.vault.history.runOperation(plan, async (operation) => {
    const { durable } = await carry(mover, move, operation);
    const work = { move, names, files, rules, earlier, operation, durable, unknown, companions };
    return await rewriteAll(mover, work, options);
  });
  return { ...result, ...done };
}

export async function mergeNotes(
  mover: Mover,
  from: VaultPath,
  to: VaultPath,
  join: JoinTexts,
  options: MoveOptions,
): Promise<Merge> {
  return await mover.vault.withLock(async () => {
    const move: Move = { from, to, kind: "file", files: new Map([[from, to]]) };
    const { newLinkFormat: format } = await mover.vault.settings();
    const rules = { format, isReturn: false };
    const { names, files, unknown, companions } = await mover.ask(options, async (graph, unseen) => {
      const unknown = await unknownLinks(mover.vault, unseen, options.isNamed);
      unknown.push(...(await linesOfBases(mover.vault, from, to, options.isNamed)));
      const names = namesOfPlannedMove(graph, move.files);
      const companions = await companionsIn(mover, { ...move, kind: "merge" }, options.isNamed, false);
      const files = [...new Set([...filesToRewrite(graph, names, rules), ...companions.named])].sort();
      return { names, files, unknown, companions };
    });
    const others = files.filter((file) => file !== from && file !== to);
    const { text: merged, revision } = await mover.vault.read(from);
    options.signal?.throwIfAborted();
    const reason = `merge '${from}' into '${to}'`;
    const moved = rewriteLinks(merged, { before: from, after: to }, names, rules);
    const plan = { reason, asOne: true, links: others, files: [to, ...others, from] };
    const { result, ...done } = await mover.vault.history.runOperation(plan, async (operation) => {
      let [own, before] = [NOTHING, ""];
      const change = (text: string): string => {
        before = text;
        own = rewriteLinks(text, { before: to, after: to }, names, rules);
        return join(own.text, moved.text);
      };
      const edit = await mover.vault.writing.edit(to, change, reason, { operation });
      const durable = edit.file?.durable ?? true;
      const work = {
        move,
        names,
        files: others,
        rules,
        earlier: undefined,
        operation,
        durable,
        unknown,
        companions,
      };
      const rest = await rewriteAll(mover, work, options);
      const { trashedTo, ...removed } = await mover.vault.writing
        .delete(from, reason, { operation, expected: revision })
        .catch(async (error: unknown) => {
          // Nothing else would undo it.
          const options = { expected: edit.file?.revision, named: TEXT_NAMED };
          if (operation.id === "") await mover.vault.writing.edit(to, () => before, reason, options);
          throw error;
        });
      const refused = [...own.refused, ...moved.refused].map((sentence) => ({ path: to, reason: sentence }));
      return {
        ...rest,
        links: rest.links + own.links + moved.links,
        rewritten: own.links + moved.links > 0 ? [to, ...rest.rewritten].sort() : rest.rewritten,
        skipped: [...refused, ...rest.skipped],
        durable: rest.durable && removed.durable,
        trashedTo,
      };
    });
    return { ...result, ...done };
  });
}

async function resumeMove(
  mover: Mover,
  from: VaultPath,
  to: VaultPath,
  options: MoveOptions,
): Promise<Relocation | undefined> {
  const unfinished = (await mover.vault.history.unfinished()).find(({ plan }) => isPlanOf(plan, from, to));
  if (unfinished === undefined || (await isSpelled(mover, from))) return undefined;
  const { folder, to: goal = to } = unfinished.plan;
  const midway = folder && joinPath(folder.to, baseName(from));
  const isMidway = midway !== undefined && !(await isSpelled(mover, goal)) && (await isSpelled(mover, midway));
  if (!isMidway && !(await isSpelled(mover, goal))) return undefined;
  const finish = async (operation: Operation) => {
    if (isMidway) await mover.vault.writing.move(midway, goal, operation.plan.reason, { operation });
    const kind = (await mover.vault.children(goal)) === undefined ? "file" : "folder";
    const place = folder ?? (kind === "folder" ? { from, to: goal } : undefined);
    const { files, names, unknown } = await mover.ask(options, async (graph, unseen) => {
      const unknown = await unknownLinks(mover.vault, unseen, options.isNamed);
      const origins = new Map(place && movesBelow(place.to, place.from, graph.filesBelow(place.to)));
      if (kind === "file") origins.set(goal, from);
      const files = new Map([...origins].map(([now, before]) => [before, now]));
      return { files, names: namesOfMadeMove(graph, files), unknown };
    });
    const { newLinkFormat: format } = await mover.vault.settings();
    const move: Move = { from, to: goal, kind, files, folder };
    const work = {
      move,
      names,
      files: remaining(unfinished, names),
      rules: { format, isReturn: false },
      earlier: undefined,
      durable: true,
      unknown,
      companions: await companionsIn(mover, move, options.isNamed, folder !== undefined),
    };
    return await rewriteAll(mover, { ...work, operation }, options);
  };
  const { result, ...done } = await mover.vault.history.resume(unfinished, finish);
  return { ...result, ...done };
}

async function companionsIn(
  mover: Mover,
  { from, to, kind, files }: Omit<Move, "kind"> & { readonly kind: Move["kind"] | "merge" },
  isNamed: MoveOptions["isNamed"],
  isMoved: boolean,
): Promise<Companions> {
  const mayChange = (path: VaultPath): boolean => mover.vault.mayWrite(path) && isNamed?.(path) !== false;
  return (await mover.companionsOf({ from, to, kind, files, mayChange, isMoved })) ?? ALONE;
}

/** Some file systems find other spellings too. */
async function isSpelled(mover: Mover, path: VaultPath): Promise<boolean> {
  const entries = await mover.vault.children(folderOf(path));
  return entries?.some((entry) => entry.path === path) ?? false;
}

async function carry(
  mover: Mover,
  { from, to, kind, files, folder }: Move,
  operation: Operation,
): Promise<MoveOutcome> {
  const { reason } = operation.plan;
  const { writing } = mover.vault;
  if (kind === "folder") return await writing.moveFolder(from, to, files, reason, { operation });
  if (folder === undefined) return await writing.move(from, to, reason, { operation });
  const carried = await writing.moveFolder(folder.from, folder.to, files, reason, { operation });
  const midway = joinPath(folder.to, baseName(from));
  // A storage that moves each file has renamed the note already.
  if (!(await isSpelled(mover, midway))) return carried;
  const moved = await writing.move(midway, to, reason, { operation });
  return { durable: carried.durable && moved.durable, undoable: carried.undoable && moved.undoable };
}

/** The move remains when a note cannot be written. */
async function rewriteAll(
  mover: Mover,
  work: Work,
  { onProgress, isNamed = () => true }: MoveOptions,
): Promise<Omit<Relocation, "undoable" | "operation">> {
  const { from, to, kind, files, folder } = work.move;
  const results: Rewritten[] = [];
  const later: VaultPath[] = [];
  const queue = work.files.values();
  const write = async (): Promise<void> => {
    for (const file of queue) {
      const result = await rewriteFile(mover, linkPlace(file, work.names), work);
      if (result.isBusy) later.push(file);
      else if (isNamed(file)) results.push(result);
      onProgress?.({ done: results.length, total: work.files.length });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  for (const file of later) {
    const result = await rewriteAlone(mover, linkPlace(file, work.names), work);
    if (isNamed(file)) results.push(result);
  }
  const changed = results.filter(({ links }) => links > 0);
  return {
    from,
    to,
    kind,
    moved: files.size,
    links: changed.reduce((sum, { links }) => sum + links, 0),
    rewritten: changed.map(({ path }) => path).sort(),
    ...(work.companions !== ALONE && {
      folder: folder?.to,
      named: results.flatMap(({ path, isNamed: has = false }) => (has ? [path] : [])).sort(),
      oldNames: work.companions.oldNames,
    }),
    skipped: results
      .flatMap(({ path, refused }): Skipped[] => refused.map((reason) => ({ path, reason })))
      .concat(work.unknown)
      .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)),
    durable: work.durable && changed.every(({ durable }) => durable),
  };
}

/** Where concurrent writes ran out of open files or requests. */
async function rewriteAlone(mover: Mover, place: LinkPlace, work: Work): Promise<Rewritten> {
  for (const pause of PAUSES_MS) {
    await sleep(pause);
    const result = await rewriteFile(mover, place, work);
    if (!result.isBusy) return result;
  }
  return rewriteFile(mover, place, work);
}

async function rewriteFile(mover: Mover, place: LinkPlace, work: Work): Promise<Rewritten> {
  const { names, earlier, rules, operation, companions } = work;
  const path = place.after;
  const found = earlier?.get(place.before);
  const isCompanion = companions.named.some((one) => one === place.before || one === path);
  let [made, isNamed] = [NOTHING, false];
  try {
    // Runs again after a concurrent write.
    const change = async (text: string): Promise<string> => {
      await assertIsThere(mover, work.move);
      made = restoredLinks(text, found, place, names) ?? rewriteLinks(text, place, names, rules);
      const renamed = isCompanion ? companions.rename(made.text) : made.text;
      isNamed = renamed !== made.text;
      return renamed;
    };
    const { file } = await mover.vault.writing.edit(path, change, operation.plan.reason, { operation });
    return { path, links: made.links, isNamed, refused: made.refused, durable: file?.durable ?? true };
  } catch (error) {
    if (!isVaultError(error)) throw error;
    return { path, refused: [error.message], links: 0, durable: true, isBusy: error.code === "UNAVAILABLE" };
  }
}

/** @throws VaultError CONFLICT when the destination is gone */
async function assertIsThere(mover: Mover, { to, files }: Move): Promise<void> {
  const [first = to] = files.values();
  const isThere = await mover.vault.stat(first).catch((error: unknown) => {
    if (isVaultError(error, "FILE_NOT_FOUND")) return undefined;
    throw error;
  });
  if (isThere ?? (await mover.vault.children(to))) return;
  throw new VaultError("CONFLICT", `'${to}' was moved away meanwhile by another program; links here were not changed.`);
}

interface Work {
  readonly move: Move;
  readonly names: MovedNames;
  /** By old path. */
  readonly files: readonly VaultPath[];
  /** For a move back: links before the earlier move, by this move's old paths. */
  readonly earlier: ReadonlyMap<VaultPath, EarlierLinks> | undefined;
  readonly rules: RewriteRules;
  readonly operation: Operation;
  readonly durable: boolean;
  readonly unknown: readonly Skipped[];
  readonly companions: Companions;
}

type Skipped = Relocation["skipped"][number];

interface Rewritten {
  readonly path: VaultPath;
  readonly links: number;
  readonly isNamed?: boolean;
  readonly refused: readonly string[];
  readonly durable: boolean;
  readonly isBusy?: boolean;
}

const NOTHING: RewrittenLinks = { text: "", links: 0, refused: [] };

function isPlanOf({ from: planned, to: goal, folder }: OperationPlan, from: VaultPath, to: VaultPath): boolean {
  if (planned !== from || goal === undefined) return false;
  // A call names the note in its old folder.
  return goal === to || (folder !== undefined && joinPath(folder.from, baseName(goal)) === to);
}

/** Not rewritten by any step; old paths. */
function remaining({ plan, done, doubtful }: UnfinishedOperation, names: MovedNames): readonly VaultPath[] {
  const edited = new Set(done.filter(({ from }) => from === undefined).map(({ path }) => path));
  for (const path of doubtful) edited.delete(path);
  return plan.files.filter((file) => !edited.has(linkPlace(file, names).after));
}
