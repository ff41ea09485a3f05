/**
 * Every transcript in `test/transcripts`: the same calls give the same answers and leave the same files. Each runs over memory, in a warm session, without a
 * handshake, and through a third of the other front ends, by a hash of its name (all of them with `LONG=1`): `front-ends.test.ts` holds
 * that they hand on arguments and results unchanged. The servers run in the test's own process, but that of `one-shot process`, to which a
 * ninth goes.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import {
  folderFrontEnd,
  hiddenLivesyncFrontEnd,
  memoryFrontEnd,
  plainLivesyncFrontEnd,
  warmFrontEnd,
  type FrontEnd,
} from "./kit/front-ends.js";
import { LONG } from "./kit/fuzz.js";
import { bridgeFrontEnd, oneShotFrontEnd, stdioFrontEnd, streamableFrontEnd } from "./kit/program-front-ends.js";
import { runTranscript } from "./kit/run-transcript.js";
import { servedHere, stdioServerFrontEnd } from "./kit/server-front-ends.js";
import { parseTranscript } from "./kit/transcript.js";

const FOLDER = join(import.meta.dirname, "transcripts");
const transcripts = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".md") && file !== "README.md")
  .map((file) => [file, parseTranscript(readFileSync(join(FOLDER, file), "utf8"))] as const);

/** One transcript of so many runs through it. */
type Row = readonly [name: string, make: (program: string) => FrontEnd, oneOf: number];

const FRONT_ENDS: readonly Row[] = [
  ["memory", () => memoryFrontEnd, 1],
  ["one-shot", () => stdioServerFrontEnd({ handshake: false }), 1],
  ["folder", () => folderFrontEnd, 3],
  ["stdio", () => stdioServerFrontEnd(), 3],
  ["http", () => streamableFrontEnd(servedHere), 3],
  ["bridge", () => bridgeFrontEnd(servedHere), 3],
  ["livesync", () => plainLivesyncFrontEnd, 3],
  ["livesync-encrypted", () => hiddenLivesyncFrontEnd, 3],
  ["warm", () => warmFrontEnd, 1],
  ["one-shot process", (program) => stdioFrontEnd(program, { handshake: false }), 9],
];
let program = "";

const hashOf = (file: string): number => createHash("sha256").update(file).digest().readUInt32BE();

beforeAll(async () => {
  program = await builtProgram();
});

describe.each(transcripts)("%s", (file, transcript) => {
  // LiveSync keeps no hidden files, so there is no trash either; what it does in their place has transcripts of its own.
  const isHidden = [...transcript.before.keys(), ...transcript.after.keys()].some((path) => path.startsWith("."));
  const frontEnds = FRONT_ENDS.filter(([name, , oneOf], at) => {
    const isNamed = transcript.frontEnds?.includes(name);
    return isNamed ?? ((LONG || (hashOf(file) + at) % oneOf === 0) && !(isHidden && name.startsWith("livesync")));
  });
  it.concurrent.each(frontEnds)("through %s", (_name, make) => runTranscript(transcript, make(program)));
});

// What a process leaves for the next: the journal of undo, and the index.
it.concurrent.each(transcripts.filter(([file]) => file === "undo_edit.md" || file === "search.md"))(
  "%s, each call by a process of its own",
  (_file, transcript) => runTranscript(transcript, oneShotFrontEnd(program)),
);
