/** Does in plain folders what the Dockerfile tells an engine to do: the same copies, the same commands, without isolation. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { readStages } from "./dockerfile.js";

/**
 * @param root the folder with the Dockerfile
 * @param folder an empty one; the stages' file systems are made in it
 * @param installed the packages of the root are linked in place of running `npm ci`
 * @returns the last stage: its folder, environment, user and commands
 */
export function runStages(root, folder, { installed }) {
  const folders = new Map();
  let last;
  for (const [index, { name, instructions }] of readStages(readFileSync(join(root, "Dockerfile"), "utf8")).entries()) {
    const stage = { folder: join(folder, name ?? `stage-${index}`), workFolder: "/", environment: {} };
    mkdirSync(stage.folder, { recursive: true });
    folders.set(name, stage.folder);
    for (const instruction of instructions) perform(instruction, stage, { root, folders, installed });
    last = stage;
  }
  return last;
}

function perform({ keyword, words, command, flags, properties }, stage, { root, folders, installed }) {
  if (keyword === "WORKDIR") {
    stage.workFolder = words[0];
    mkdirSync(join(stage.folder, words[0]), { recursive: true });
  } else if (keyword === "ENV") {
    Object.assign(stage.environment, Object.fromEntries(properties));
  } else if (keyword === "COPY") {
    const from = flags.find(([name]) => name === "from")?.[1];
    const source = from === undefined ? root : folders.get(from);
    copy(
      words.slice(0, -1).map((word) => join(source, word)),
      within(stage, words.at(-1)),
      words.at(-1).endsWith("/"),
    );
  } else if (keyword === "RUN") {
    const cwd = within(stage, ".");
    if (installed && command[0] === "npm") symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
    else execFileSync(command[0], command.slice(1), { cwd, stdio: ["ignore", "ignore", "inherit"] });
  } else if (keyword === "USER") {
    stage.user = words[0].split(":").map(Number);
  } else if (keyword === "ENTRYPOINT" || keyword === "CMD" || keyword === "HEALTHCHECK") {
    stage[keyword] = command;
  }
}

const within = (stage, path) => join(stage.folder, path.startsWith("/") ? path : join(stage.workFolder, path));

/** As COPY does: of a folder what is in it, of a file the file; tests are kept out as by .dockerignore. */
function copy(sources, target, intoFolder) {
  for (const source of sources) {
    const into = statSync(source).isDirectory() || !intoFolder ? target : join(target, basename(source));
    cpSync(source, into, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  }
}
