/** Reads the Dockerfile into stages, and holds it to what the documents promise of the image. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser } from "dockerfile-ast";
import { validate } from "dockerfile-utils";

/** @typedef {{ keyword: string, words: string[], json: boolean, command: string[] | undefined, flags: string[][], properties: string[][], line: number }} Instruction */

/**
 * @returns the stages in order, each with its base image (build arguments put in), its name and its instructions, ENV and LABEL split
 * @param {string} text
 */
export function readStages(text) {
  const file = DockerfileParser.parse(text);
  const args = new Map(
    file.getARGs().flatMap((arg) => {
      const property = arg.getProperty();
      return property ? [[property.getName(), property.getValue() ?? ""]] : [];
    }),
  );
  const filled = (word) => word.replaceAll(/\$\{?(\w+)\}?/g, (whole, name) => args.get(name) ?? whole);
  const stages = [];
  for (const instruction of /** @type {any[]} */ (file.getInstructions())) {
    const keyword = instruction.getKeyword();
    if (keyword === "FROM") {
      const line = instruction.getRange().start.line + 1;
      stages.push({ image: filled(instruction.getImage()), name: instruction.getBuildStage(), line, instructions: [] });
    } else if (stages.length > 0) {
      stages.at(-1).instructions.push(describe(instruction));
    }
  }
  return stages;
}

/** @returns {Instruction} */
function describe(instruction) {
  const content = instruction.getArgumentsContent() ?? "";
  const json = /\[[^\]]*\]$/s.exec(content)?.[0];
  const words = instruction.getPropertyArguments?.().map((word) => word.getValue()) ?? [];
  return {
    keyword: instruction.getKeyword(),
    words: words.length > 0 ? words : instruction.getArguments().map((word) => word.getValue()),
    json: json !== undefined,
    command: json === undefined ? undefined : JSON.parse(json),
    flags: (instruction.getFlags?.() ?? []).map((flag) => [flag.getName(), flag.getValue()]),
    properties: (instruction.getProperties?.() ?? []).map((one) => [one.getName(), one.getValue() ?? ""]),
    line: instruction.getRange().start.line + 1,
  };
}

/** @returns {string[]} what is wrong, nothing when all is well */
export function checkDockerfile(root) {
  const text = readFileSync(join(root, "Dockerfile"), "utf8");
  const problems = validate(text).map(
    ({ range, message }) =>
      `Dockerfile:${range.start.line + 1}: ${typeof message === "string" ? message : message.value}`,
  );
  const say = (instruction, what) => problems.push(`Dockerfile:${instruction?.line ?? 1}: ${what}`);
  const stages = readStages(text);
  const last = stages.at(-1)?.instructions ?? [];
  const only = (keyword) => last.findLast((one) => one.keyword === keyword);
  if (stages.length < 2) say(undefined, "everything is in one stage");
  for (const stage of stages)
    if (!/^node:\d+\.\d+\.\d+-\w+-slim$/.test(stage.image))
      say(stage, `${stage.image} is no exact version of the Node image`);
  for (const one of stages.flatMap(({ instructions }) => instructions)) {
    if (one.keyword === "ADD") say(one, "ADD fetches and unpacks; COPY is meant");
    const shell = ["RUN", "CMD", "ENTRYPOINT"].includes(one.keyword) && !one.json;
    if (shell || (one.keyword === "HEALTHCHECK" && !one.json)) say(one, `${one.keyword} needs a shell`);
    if (["ENV", "ARG"].includes(one.keyword) && one.properties.some(([name]) => /TOKEN|PASS|SECRET/.test(name)))
      say(one, "a secret would stay in the image");
  }
  for (const one of last) {
    if (one.keyword === "RUN") say(one, "the last stage only copies");
    if (one.keyword === "COPY" && !one.flags.some(([name, value]) => name === "from" && value === stages[0]?.name))
      say(one, "the last stage holds only what was built");
  }
  if (only("USER")?.words.join() !== "1001:1001") say(only("USER"), "the user is not 1001:1001, as a number");
  for (const keyword of ["ENTRYPOINT", "CMD", "HEALTHCHECK"]) if (!only(keyword)) say(undefined, `no ${keyword}`);
  if (!only("HEALTHCHECK")?.command?.includes("--health-check"))
    say(only("HEALTHCHECK"), "not the program's own probe");
  const environment = environmentOf(last);
  if (environment["BIND_ADDR"] !== "0.0.0.0:8080") say(undefined, "BIND_ADDR is not 0.0.0.0:8080");
  for (const name of ["HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"])
    if (!environment[name]?.startsWith("/data")) say(undefined, `${name} is not below /data`);
  return [...problems, ...checkVersion(root, last), ...checkIgnoreFile(root, stages)];
}

function environmentOf(instructions) {
  return Object.fromEntries(instructions.filter(({ keyword }) => keyword === "ENV").flatMap((one) => one.properties));
}

function checkVersion(root, instructions) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const labels = instructions.filter(({ keyword }) => keyword === "LABEL").flatMap((one) => one.properties);
  const label = labels.find(([name]) => name === "org.opencontainers.image.version")?.[1];
  return label === version ? [] : [`Dockerfile: its label says version ${label}, package.json ${version}`];
}

/** `.dockerignore` shuts everything out and lets in exactly what is copied. */
function checkIgnoreFile(root, stages) {
  const wanted = contextSources(stages).toSorted();
  const found = allowedSources(root).toSorted();
  const [first] = ignoreLines(root);
  const problems = first === "*" ? [] : [".dockerignore: does not begin with *"];
  if (wanted.join() !== found.join())
    problems.push(`.dockerignore: lets in ${found.join(", ")}; the Dockerfile copies ${wanted.join(", ")}`);
  return problems;
}

const ignoreLines = (root) =>
  readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

const allowedSources = (root) => ignoreLines(root).flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));

function contextSources(stages) {
  const copies = stages.flatMap(({ instructions }) => instructions.filter(({ keyword }) => keyword === "COPY"));
  return copies
    .filter(({ flags }) => !flags.some(([name]) => name === "from"))
    .flatMap(({ words }) => words.slice(0, -1));
}
