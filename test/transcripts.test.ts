/**
 * Every transcript in `test/transcripts`, through every front end: the same calls give the same answers and leave the same files. The built
 * program answers each by a process without a handshake, two by a process for each call; its servers, whose answers are the same code's, run
 * in the test's own process.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import {
  folderFrontEnd,
  hiddenLivesyncFrontEnd,
  memoryFrontEnd,
  plainLivesyncFrontEnd,
  type FrontEnd,
} from "./kit/front-ends.js";
import { bridgeFrontEnd, oneShotFrontEnd, stdioFrontEnd, streamableFrontEnd } from "./kit/program-front-ends.js";
import { runTranscript } from "./kit/run-transcript.js";
import { servedHere, stdioServerFrontEnd } from "./kit/server-front-ends.js";
import { parseTranscript } from "./kit/transcript.js";

const FOLDER = join(import.meta.dirname, "transcripts");
const transcripts = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".md") && file !== "README.md")
  .map((file) => [file, parseTranscript(readFileSync(join(FOLDER, file), "utf8"))] as const);

const FRONT_ENDS: readonly (readonly [name: string, make: (program: string) => FrontEnd])[] = [
  ["memory", () => memoryFrontEnd],
  ["folder", () => folderFrontEnd],
  ["one-shot", (program) => stdioFrontEnd(program, { handshake: false })],
  ["stdio", () => stdioServerFrontEnd],
  ["http", () => streamableFrontEnd(servedHere)],
  ["bridge", () => bridgeFrontEnd(servedHere)],
  ["livesync", () => plainLivesyncFrontEnd],
  ["livesync-encrypted", () => hiddenLivesyncFrontEnd],
];
let program = "";

beforeAll(async () => {
  program = await builtProgram();
});

describe.each(transcripts)("%s", (_file, transcript) => {
  // LiveSync keeps no hidden files, so there is no trash either; what it does in their place has transcripts of its own.
  const isHidden = [...transcript.before.keys(), ...transcript.after.keys()].some((path) => path.startsWith("."));
  const frontEnds = FRONT_ENDS.filter(
    ([name]) => transcript.frontEnds?.includes(name) ?? !(isHidden && name.startsWith("livesync")),
  );
  it.concurrent.each(frontEnds)("through %s", (_name, make) => runTranscript(transcript, make(program)));
});

// What a process leaves for the next: the journal of undo, and the index.
it.concurrent.each(transcripts.filter(([file]) => file === "undo_edit.md" || file === "search.md"))(
  "%s, each call by a process of its own",
  (_file, transcript) => runTranscript(transcript, oneShotFrontEnd(program)),
);
