/**
 * Every transcript in `test/transcripts`, through every door: the same calls give the same answers and leave the same files. The built
 * program answers each by a process a call; its servers, whose answers are the same code's, run in the test's own process.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import { folderDoor, hiddenLivesyncDoor, memoryDoor, plainLivesyncDoor, type Door } from "./kit/doors.js";
import { bridgeDoor, oneShotDoor, streamableDoor } from "./kit/program-doors.js";
import { runTranscript } from "./kit/run-transcript.js";
import { servedHere, stdioServerDoor } from "./kit/server-doors.js";
import { parseTranscript } from "./kit/transcript.js";

const FOLDER = join(import.meta.dirname, "transcripts");
const transcripts = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".md") && file !== "README.md")
  .map((file) => [file, parseTranscript(readFileSync(join(FOLDER, file), "utf8"))] as const);

const DOORS: readonly (readonly [name: string, make: (program: string) => Door])[] = [
  ["memory", () => memoryDoor],
  ["folder", () => folderDoor],
  ["one-shot", oneShotDoor],
  ["stdio", () => stdioServerDoor],
  ["http", () => streamableDoor(servedHere)],
  ["bridge", () => bridgeDoor(servedHere)],
  ["livesync", () => plainLivesyncDoor],
  ["livesync-encrypted", () => hiddenLivesyncDoor],
];
let program = "";

beforeAll(async () => {
  program = await builtProgram();
});

describe.each(transcripts)("%s", (_file, transcript) => {
  // LiveSync keeps no hidden files, so there is no trash either; what it does in their place has transcripts of its own.
  const isHidden = [...transcript.before.keys(), ...transcript.after.keys()].some((path) => path.startsWith("."));
  const doors = DOORS.filter(
    ([name]) => transcript.doors?.includes(name) ?? !(isHidden && name.startsWith("livesync")),
  );
  it.concurrent.each(doors)("through %s", (_name, make) => runTranscript(transcript, make(program)));
});
