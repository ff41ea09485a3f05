/** What is deployed: the files hold to their formats and promises, the image's commands work, the bundle runs, and the checks can fail. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackExtension } from "@anthropic-ai/mcpb";
import { parse } from "yaml";
import { OPTIONS, optionRows } from "../src/cli/options/options.js";
import { VERSION } from "../src/version.js";
import { ROOT, builtProgram } from "./kit/built-program.js";

const DEPLOYED =
  "Dockerfile .dockerignore compose.yaml compose.livesync.yaml kubernetes server.json manifest.json package.json".split(
    " ",
  );
const folder = mkdtempSync(join(tmpdir(), "deployment-"));

beforeAll(async () => void (await builtProgram()));
afterAll(() => rmSync(folder, { recursive: true }));

function run(script: string, ...args: string[]) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const options = { cwd: ROOT, encoding: "utf8", env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts", script), ...args], options);
  return { status, stdout, stderr };
}

/** Makes a copy of the deployed files in which texts are replaced. */
function copyWith(name: string, changes: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>>) {
  const root = join(folder, name);
  for (const file of DEPLOYED) cpSync(join(ROOT, file), join(root, file), { recursive: true });
  for (const [file, replaced] of Object.entries(changes)) {
    let text = readFileSync(join(root, file), "utf8");
    for (const [from, to] of replaced) {
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
      text = text.replace(from, to);
    }
    writeFileSync(join(root, file), text);
  }
  return root;
}

describe("the deployed files", () => {
  it("are as they should be; without kubectl that is told, and what needs none is checked all the same", () => {
    const { status, stdout, stderr } = run("check-deployment.js");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
    expect(stdout).toContain(hasKubectl ? "were built with kubectl kustomize" : "no overlay was built");
  });

  describe("are refused", () => {
    let careless = "";
    let misfits = "";
    // Both in one process: loading the schemas takes most of its time.
    beforeAll(() => {
      const roots = [
        copyWith("careless", {
          Dockerfile: [
            ["FROM node:${NODE_VERSION}-bookworm-slim AS build", "FROM node:latest AS build"],
            ["COPY src src", "ADD src src"],
            ["USER 1001:1001", "USER node"],
            ['CMD ["--http"]', "CMD --http"],
            ["LOG_FORMAT=json", "AUTH_TOKEN=x"],
            [`version="${VERSION}"`, 'version="0.0.9"'],
            ["WORKDIR /app", 'RUN ["true"]'],
          ],
          ".dockerignore": [["!scripts\n", "!scripts\n!.git\n"]],
          "compose.yaml": [
            ['"127.0.0.1:${PORT:-8080}:8080"', '"8080:8080"'],
            ["read_only: true", "read_only: false"],
            ["  state:\n", "  other:\n"],
          ],
          "compose.livesync.yaml": [["${COUCHDB_PASSWORD:?set COUCHDB_PASSWORD in .env}", "secret"]],
          "kubernetes/base/deployment.yaml": [["fsGroup: 1001", "fsGroup: many"]],
          "kubernetes/base/service.yaml": [["sessionAffinity:", "sessionAffinities:"]],
          "kubernetes/base/networkpolicy.yaml": [["podSelector:", "podSelektor:"]],
          "server.json": [
            ['"identifier": "obsidian-vault-mcp-server"', '"identifier": "another"'],
            ['"format": "filepath"', '"format": "folder"'],
          ],
          "manifest.json": [['"type": "directory"', '"type": "folder"']],
        }),
        copyWith("misfits", {
          "compose.yaml": [["restart: unless-stopped", "restartt: always"]],
          "kubernetes/base/deployment.yaml": [
            ["path: /ready", "path: /readyz"],
            ["readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"],
            ["claimName: obsidian-vault\n", "claimName: elsewhere\n"],
          ],
          "kubernetes/base/service.yaml": [["component: mcp-server", "component: server"]],
          "kubernetes/base/kustomization.yaml": [["  - pvc.yaml\n", ""]],
          "manifest.json": [[`"version": "${VERSION}"`, '"version": "0.0.9"']],
        }),
      ];
      const { status, stderr } = run("check-deployment.js", ...roots.flatMap((root) => ["--root", root]));
      expect(status).toBe(1);
      [careless = "", misfits = ""] = stderr.split(/^Deployment files: \d+ problems\.$/m);
    });

    it("when they are careless or of the wrong form", () => {
      for (const problem of [
        "Dockerfile:6: node:latest is no exact version of the Node image",
        "ADD fetches and unpacks",
        "the user is not 1001:1001",
        "CMD needs a shell",
        "a secret would stay in the image",
        "says version 0.0.9",
        "the last stage only copies",
        ".dockerignore: lets in .git",
        "without specifying the interface",
        "compose.yaml: the server's root is not read-only",
        "compose.yaml: volumes: state",
        "compose.livesync.yaml: couchdb: COUCHDB_PASSWORD is written down",
        "fsGroup must be integer",
        "service.yaml: /spec/sessionAffinities is no known field",
        "networkpolicy.yaml: data/spec must have required property podSelector",
        "server.json: its package is not obsidian-vault-mcp-server on npm",
        'server.json: "vault" is no valid input',
        "manifest.json: user_config.vault.type",
      ])
        expect(careless).toContain(problem);
    });

    it("when they are of the right form and do not fit together", () => {
      for (const problem of [
        "must NOT have additional properties",
        "no readiness probe of /ready",
        "the root is writable",
        "no claim elsewhere",
        "the service selects other pods",
        "kubernetes/base/pvc.yaml: nothing applies it",
        `manifest.json: its version is not ${VERSION}`,
      ])
        expect(misfits).toContain(problem);
    });
  });
});

/** Variables that others read: Node and the system. */
const FOREIGN = new Set("NODE_ENV HOME XDG_CACHE_HOME XDG_STATE_HOME TZ".split(" "));

describe("what the deployed files say to the program", () => {
  const known = new Set(
    optionRows().flatMap(([, { environment = [] }]) =>
      environment.map((one) => (typeof one === "string" ? one : one.name)),
    ),
  );

  const said: Readonly<Record<string, () => readonly string[]>> = {
    Dockerfile: () => [...read("Dockerfile").matchAll(/^(?:ENV| {4})\s*([A-Z_]+)=/gm)].map(([, name = ""]) => name),
    "compose.yaml": () => Object.keys(composed("compose.yaml")),
    "compose.livesync.yaml": () => Object.keys(composed("compose.livesync.yaml")),
    "kubernetes/base/configmap.yaml": () => configured("kubernetes/base/configmap.yaml"),
    "kubernetes/overlays/livesync/configmap.yaml": () => configured("kubernetes/overlays/livesync/configmap.yaml"),
    "server.json": () =>
      (JSON.parse(read("server.json")) as Registered).packages[0].environmentVariables.map(({ name }) => name),
  };

  it.each(Object.entries(said))("%s names only variables that are read", (_, names) => {
    expect(names().length).toBeGreaterThan(0);
    expect(names().filter((name) => !known.has(name) && !FOREIGN.has(name))).toEqual([]);
  });

  it("the flags of registry entry and bundle exist", () => {
    const flags = new Set(Object.values(OPTIONS).map(({ flag }): string => flag));
    const { packageArguments } = (JSON.parse(read("server.json")) as Registered).packages[0];
    const { args } = (JSON.parse(read("manifest.json")) as Bundled).server.mcp_config;
    const used = [...packageArguments.map(({ name = "" }) => name), ...args.map((arg) => arg.split("=")[0] ?? "")];
    const named = used.filter((word) => word.startsWith("--"));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((flag) => !flags.has(flag))).toEqual([]);
  });
});

interface Registered {
  readonly packages: readonly [
    {
      readonly environmentVariables: readonly { name: string }[];
      readonly packageArguments: readonly { name?: string }[];
    },
  ];
}
interface Bundled {
  readonly server: { readonly mcp_config: { readonly args: readonly string[] } };
  readonly tools: readonly { readonly description: string }[];
}

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

function composed(file: string): Readonly<Record<string, string>> {
  const project = parse(read(file)) as { services: { server: { environment: Record<string, string> } } };
  return project.services.server.environment;
}

function configured(file: string): readonly string[] {
  return Object.keys((parse(read(file)) as { data: Record<string, string> }).data);
}

it("the image's commands build a program that serves, is probed and stops, and writes nowhere else", () => {
  const { status, stdout, stderr } = run("rehearse-image.js", "--installed");
  expect({ status, stderr, failed: /FAIL.*/.exec(stdout)?.[0] }).toEqual({
    status: 0,
    stderr: "",
    failed: undefined,
  });
  expect(stdout).toContain("Image: all well.");
});

it("the bundle is packed, valid, small, runs as a client would start it, and describes its tools", async () => {
  const { status, stdout, stderr } = run("bundle-mcpb.js");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const file = /build[\\/]\S+\.mcpb/.exec(stdout)?.[0] ?? "";
  expect(existsSync(join(ROOT, file))).toBe(true);
  expect(statSync(join(ROOT, file)).size).toBeLessThan(3_000_000);
  const unpacked = join(folder, "bundle");
  expect(await unpackExtension({ mcpbPath: join(ROOT, file), outputDir: unpacked, silent: true })).toBe(true);
  const { tools } = JSON.parse(readFileSync(join(unpacked, "manifest.json"), "utf8")) as Bundled;
  expect(tools.length).toBeGreaterThan(30);
  expect(tools.filter(({ description }) => description.endsWith("e.g."))).toEqual([]);
});

/** Packages of which the program holds anything: esbuild says above each piece where it comes from. */
function bundledPackages(dist: string): ReadonlySet<string> {
  const texts = readdirSync(dist)
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(join(dist, name), "utf8"));
  const origins = texts.join("\n").matchAll(/^ *\/\/!? .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm);
  return new Set(Array.from(origins, ([, name = ""]) => name));
}

it("licences of all that is bundled are collected", () => {
  const file = join(folder, "licences");
  expect(run("licences.js", file).status).toBe(0);
  const text = readFileSync(file, "utf8");
  for (const name of bundledPackages(join(ROOT, "dist"))) expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
  for (const name of [
    "yaml",
    "gray-matter",
    "minisearch",
    "re2js",
    "prom-client",
    "@modelcontextprotocol/server",
    "nanoid",
  ])
    expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
  expect(text).not.toMatch(/^(vitest|esbuild) \d/m);
});
