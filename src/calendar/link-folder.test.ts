/** Calendar links: secrets that are kept nowhere, files nobody else reads, and an end that counts at once. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { feedDigest, isFeedSecret, type LinkFolder, linkFolder } from "./link-folder.js";

let folder: string;
let vault = "folder:/a";
let links: LinkFolder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "calendar-links-"));
  vault = "folder:/a";
  links = linkFolder({ folder: join(folder, "state"), vault: () => vault });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

describe("calendar links", () => {
  it("are found by their secret, of which the file says nothing", () => {
    const secret = links.add({ name: "Work", filters: { area: "Work", alarm: "08:00" } });
    expect(isFeedSecret(secret)).toBe(true);
    expect(links.find(feedDigest(secret))).toEqual({ name: "Work", filters: { area: "Work", alarm: "08:00" } });
    expect(links.find(feedDigest(`${secret.slice(0, -1)}_`))).toBeUndefined();
    for (const file of files()) {
      expect(file).not.toContain(secret);
      expect(readFileSync(file, "utf8")).not.toContain(secret);
    }
  });

  it.skipIf(process.platform === "win32")("are files that nobody else may read", () => {
    links.add({ name: "Work", filters: {} });
    for (const file of files()) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(files()[0] ?? "", "..")).mode & 0o777).toBe(0o700);
  });

  it("are gone as soon as they are revoked, for every reader", () => {
    const other = linkFolder({ folder: join(folder, "state"), vault: () => vault });
    const secret = links.add({ name: "Work", filters: {} });
    expect(other.find(feedDigest(secret))).toBeDefined();
    links.revoke(" work ");
    expect(other.find(feedDigest(secret))).toBeUndefined();
    expect(() => links.revoke("Work")).toThrow("There is no calendar link");
    expect(files()).toEqual([]);
  });

  it("hold for their vault alone", () => {
    const secret = links.add({ name: "Work", filters: {} });
    vault = "folder:/b";
    expect(links.find(feedDigest(secret))).toBeUndefined();
    expect(links.list()).toEqual([]);
  });

  it("have names that are one line, and each its own", () => {
    links.add({ name: "  Work  ", filters: {} });
    expect(() => links.add({ name: "work", filters: {} })).toThrow("already");
    for (const name of ["", " ", "a\nb", "x".repeat(101)])
      expect(() => links.add({ name, filters: {} })).toThrow("name");
    links.add({ name: "Home", filters: {} });
    expect(links.list().map(({ name }) => name)).toEqual(["Home", "Work"]);
  });

  it("are no more than a hundred", () => {
    for (let n = 0; n < 100; n++) links.add({ name: `L${n}`, filters: {} });
    expect(() => links.add({ name: "One more", filters: {} })).toThrow("100 calendar links");
  });

  it.each(["{", '"x"', '{"name": 1, "filters": {}}', '{"name": "x", "filters": {"alarm": "25:00"}}', '{"name": "x"}'])(
    "lead nowhere where the file holds %j",
    (text) => {
      const secret = links.add({ name: "Work", filters: {} });
      const [file = ""] = files();
      writeFileSync(file, text);
      expect(links.find(feedDigest(secret))).toBeUndefined();
    },
  );

  it.skipIf(process.platform === "win32")("do not follow a link laid in their place", () => {
    const secret = links.add({ name: "Work", filters: {} });
    const [file = ""] = files();
    const elsewhere = join(folder, "elsewhere.json");
    writeFileSync(elsewhere, readFileSync(file));
    rmSync(file);
    symlinkSync(elsewhere, file);
    expect(links.find(feedDigest(secret))).toBeUndefined();
  });
});
