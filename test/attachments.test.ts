/** A picture, a PDF and a canvas through every front end: the same words, and the image's own bytes. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { builtProgram } from "./kit/built-program.js";
import { Child } from "./kit/child.js";
import { type FrontEnd, folderFrontEnd, memoryFrontEnd, VaultFolder } from "./kit/front-ends.js";
import { madePdf, madePng } from "./kit/made-attachments.js";
import {
  bridgeFrontEnd,
  oneShotFrontEnd,
  servedBy,
  stdioFrontEnd,
  streamableFrontEnd,
} from "./kit/program-front-ends.js";

const ROOF = madePng(1200, 800, 150_000);
const FILES = new Map<string, string | Uint8Array>([
  ["Pictures/roof.png", ROOF],
  ["plan.pdf", madePdf(["First page", "Second page"])],
  ["map.canvas", JSON.stringify({ nodes: [{ id: "a", type: "text", text: "Sand", x: 0, y: 0, width: 1, height: 1 }] })],
]);

let program = "";
beforeAll(async () => {
  program = await builtProgram();
});

const FRONT_ENDS: readonly (readonly [name: string, make: () => FrontEnd])[] = [
  ["memory", () => memoryFrontEnd],
  ["folder", () => folderFrontEnd],
  ["one-shot", () => oneShotFrontEnd(program)],
  ["stdio", () => stdioFrontEnd(program)],
  ["http", () => streamableFrontEnd(servedBy(program))],
  ["bridge", () => bridgeFrontEnd(servedBy(program))],
];

describe.each(FRONT_ENDS)("through %s", (_name, make) => {
  it("an image is a block of its own bytes, a PDF and a canvas are text", async () => {
    const session = await make().open({ files: FILES, vault: "configured", readOnly: true });
    try {
      for (const [tool, argument] of [
        ["view", "path"],
        ["obsidian_read_note", "note"],
      ] as const) {
        const picture = await session.call(tool, { [argument]: "Pictures/roof.png" });
        expect(textOf(picture)).toContain("'roof.png': PNG, 1200 × 800, 147 KB.");
        const [image, ...more] = picture.content.filter(({ type }) => type === "image");
        expect(more).toEqual([]);
        expect(image).toEqual({ type: "image", mimeType: "image/png", data: Buffer.from(ROOF).toString("base64") });
        expect(textOf(await session.call(tool, { [argument]: "plan.pdf" }))).toContain("Page 2 of 2\nSecond page");
        const canvas = textOf(await session.call(tool, { [argument]: "map.canvas" }));
        expect(canvas).toContain("- Sand");
        for (const text of [textOf(picture), canvas]) expect(text).toMatch(/^Hash: [0-9a-f]{10}$/m);
      }
    } finally {
      await session.close();
    }
  });
});

function textOf({
  content,
}: {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}): string {
  return content.map(({ text = "" }) => text).join("\n");
}

describe("the command line", () => {
  it("prints what words can say of a picture, and the text of a PDF", () => {
    const folder = new VaultFolder({ files: FILES, vault: "configured", readOnly: true });
    try {
      const read = (name: string) =>
        execFileSync(process.execPath, [program, "read", name, "--vault", folder.path, "--no-cache", "--no-undo"], {
          encoding: "utf8",
        });
      expect(read("Pictures/roof.png")).toContain("'roof.png': PNG, 1200 × 800, 147 KB.");
      expect(read("plan.pdf")).toContain("Page 1 of 2\nFirst page");
    } finally {
      folder.remove();
    }
  });
});

describe("without the optional package", () => {
  it("a PDF is refused with how to install it, and everything else works", async () => {
    const folder = new VaultFolder({ files: FILES, vault: "configured", readOnly: true });
    // A copy outside this project finds no node_modules.
    const copy = mkdtempSync(join(tmpdir(), "no-packages-"));
    try {
      cpSync(dirname(program), copy, { recursive: true });
      const call = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "view", arguments: { path: "plan.pdf" } },
      });
      const child = new Child([join(copy, "index.js"), "--vault", folder.path, "--no-cache", "--no-undo"]);
      const { stdout } = await child.end(call);
      expect(stdout).toContain("'plan.pdf' is a PDF, and the package that reads them is not installed.");
      expect(stdout).toContain("npm install unpdf@1.4.0");
    } finally {
      folder.remove();
      rmSync(copy, { recursive: true, force: true });
    }
  });
});
