import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import type { VaultPath } from "../storage/path.js";
import { bucketOfName, findParaFolders, folderAround, paraFoldersOf, projectsFolder, type ParaBucket } from "./para.js";

const paths = (...names: string[]) => names as VaultPath[];

describe("names of PARA folders", () => {
  const SPELLINGS: Record<ParaBucket, string[]> = {
    projects: [
      "_projects",
      "Projects",
      "projects",
      "Project",
      "PROJECTS",
      "1. Projects",
      "01 Projects",
      "01_Projects",
      "01-Projects",
      "1-projects",
      "01 - Projects",
      "01. Projects",
      "02 Projects",
      "🎯 1. Projects",
      "🎯Projects",
      "1️⃣ Projects",
      "1) Projects",
      "1 – Projects",
      "[1] Projects",
      "Projects 🚀",
      "_1. Projects",
      "👩‍💻 Projects",
      "1. 🎯 Projects",
      "01 _projects",
      "Ｐｒｏｊｅｃｔｓ",
      " Projects ",
    ],
    areas: [
      "_areas",
      "2. Areas",
      "Area",
      "02 - Areas",
      "Areas of Responsibility",
      "2-areas-of-responsibility",
      "🗂️ Areas",
    ],
    resources: ["_resources", "3. Resources", "Resource", "📚 Resources", "03_resources"],
    archive: ["_archive", "4. Archives", "05 Archive", "Archived", "📦 Archive", "ARCHIVE"],
    inbox: ["_inbox", "00_Inbox", "00 - Inbox", "01 Inbox", "0. Inbox", "📥 Inbox", "Capture"],
  };
  const table = Object.entries(SPELLINGS).flatMap(([bucket, names]) => names.map((name) => [name, bucket] as const));

  it.each(table)("%s is %s", (name, bucket) => expect(bucketOfName(name)).toBe(bucket));

  it.each([
    "",
    "1.",
    "🎯",
    "Projects 2024",
    "My Projects",
    "Projectsx",
    "Projets",
    "constructor",
    "__proto__",
    "Notes",
    "-",
  ])("%s is none", (name) => expect(bucketOfName(name)).toBeUndefined());
});

describe("finding PARA folders", () => {
  it("looks at the root and one level down, those nearest the root first", () => {
    const found = paraFoldersOf(
      paths("Work/1. Projects", "_projects", "Home/Areas", "a/b/Projects", "Archive", "Notes"),
    );
    expect(found).toEqual({
      projects: ["_projects", "Work/1. Projects"],
      areas: ["Home/Areas"],
      resources: [],
      archive: ["Archive"],
      inbox: [],
    });
  });

  it("takes a folder in a PARA folder for a part of it, unless it is an archive", () => {
    const found = paraFoldersOf(
      paths("Projects", "Projects/Archive", "Projects/Resources", "Archive", "Archive/Projects"),
    );
    expect(found).toMatchObject({ projects: ["Projects"], resources: [], archive: ["Archive", "Projects/Archive"] });
  });

  it("sees folders without notes and no hidden ones", async () => {
    const storage = new MemoryStorage({
      files: { "2. Areas/x.png": "", ".hidden/Projects/a.md": "", "Projects.md": "" },
    });
    expect((await findParaFolders(storage)).para).toMatchObject({ areas: ["2. Areas"], projects: [] });
  });
});

describe("the folder around a note", () => {
  it.each([
    ["Projects/a.md", "Projects"],
    ["Projects/Big/deep/a.md", "Projects/Big"],
    ["Projects.md", undefined],
    ["Projects2/a.md", undefined],
    ["a.md", undefined],
  ])("%s: %s", (path, folder) =>
    expect(folderAround(path as VaultPath, paths("Projects", "Projects/Big", "Work/Areas"))).toBe(folder),
  );
});

describe("naming a new folder for projects", () => {
  it.each<[existing: string[], name: string]>([
    [[], "_projects"],
    [["2. Areas"], "1. Projects"],
    [["2. Areas", "3. Resources"], "1. Projects"],
    [["Areas"], "Projects"],
    [["Area"], "Project"],
    [["areas"], "projects"],
    [["archive"], "projects"],
    [["_areas"], "_projects"],
    [["02_Areas"], "01_Projects"],
    [["02-areas"], "01-projects"],
    [["01 Inbox", "03 Areas"], "02 Projects"],
    [["🎯 2. Areas"], "1. Projects"],
    [["🎯 Areas"], "Projects"],
    [["AREAS"], "PROJECTS"],
    [["2. Areas", "1. Inbox"], "3. Projects"],
    [["1. Areas"], "0. Projects"],
    [["1. Archive"], "2. Projects"],
    [["Work/2. Areas"], "Work/1. Projects"],
    [["_2. Areas"], "_1. Projects"],
  ])("beside %j it is %s", (existing, name) => {
    const made = projectsFolder(paraFoldersOf(paths(...existing)));
    expect(made).toBe(name);
    expect(paraFoldersOf([made]).projects).toEqual([made]);
  });

  it("is the nearest existing one", () =>
    expect(projectsFolder(paraFoldersOf(paths("Work/Projects", "Projects", "Areas")))).toBe("Projects"));
});
