/** A vault of every awkward form of link (`test/corpus/links`): what is found, where it leads, and what leads where, held word for word. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { randomIds, systemClock } from "../src/clock.js";
import { linkSubject } from "../src/links/link-rows.js";
import { Links } from "../src/links/service.js";
import type { Link } from "../src/links/api.js";
import { filesystemStorage } from "../src/storage/filesystem/storage.js";
import { vaultPath } from "../src/storage/path.js";
import { Vault } from "../src/vault/vault.js";
import { expectGolden } from "./kit/golden.js";

const FOLDER = join(import.meta.dirname, "corpus", "links");

function lineOf({ line, property, embed, target, subpath, display, to }: Link): string {
  const where = `${line ?? "-"}${property === undefined ? "" : ` (${property})`}`;
  return `${where}: ${embed ? "!" : ""}${target}${subpath}${display === undefined ? "" : ` |${display}`} -> ${to ?? "nowhere"}`;
}

it("is read and resolved as its golden says", async () => {
  const clock = systemClock();
  const storage = await filesystemStorage(FOLDER, { name: "links", clock, clearLeftOvers: false });
  const vault = new Vault({ storage, clock, ids: randomIds(), subjects: [linkSubject], readOnly: true });
  const graph = await new Links(vault).graph();
  const files = (await vault.index.refresh())
    .files({ hidden: true })
    .map(({ path }) => path)
    .toSorted();
  const sections = files.map((path) => {
    const title = `## ${path}${graph.isShown(path) ? "" : " (hidden)"}`;
    const from = graph.backlinks(path).map((link) => `${link.from}:${link.line ?? "-"}`);
    return [title].concat(graph.outgoing(path).map(lineOf), from.length > 0 ? `<- ${from.join(", ")}` : []);
  });
  const lost = files
    .filter((path) => graph.isShown(path))
    .flatMap((path) => graph.outgoing(path).filter(({ to }) => !to));
  const unresolved = lost.map((link) => `${link.from}:${link.line ?? "-"}: ${link.target}`);
  sections.push(["## Unresolved", ...unresolved], ["## Orphans", ...(await graph.orphans())]);
  expect((await graph.unresolved()).links).toBe(lost.length);
  expectGolden("link-corpus.txt", `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`);
  expect(graph.outgoing(vaultPath("No link at all.md"))).toEqual([]);
  await vault.close();
});
