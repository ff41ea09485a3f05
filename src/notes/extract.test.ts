/** A section that moves into a note of its own: which links no longer find their part (docs: notes-and-files, "Surgery on notes"). */
import { expect, it } from "vitest";
import { memoryVault } from "../../test/kit/memory-vault.js";

const SOURCE =
  "# T\n[[#Deep]] [[#Rest]]\n## Costs\n[[#Deep]] [[#Rest]]\nword ^sum\n### Deep\n## Rest\n### Twice\nend\n";

it.each<[says: string, links: string, lost: RegExp]>([
  ["in the note itself", "", /^1 link to 'S.md#Costs' or a part of it stays as it is/m],
  ["to the heading", "[[S#Costs]] [[S]] [[S#Rest]] [[S#Missing]]", /^2 links /m],
  ["to headings and blocks below it", "[[S#Costs#Deep|x]] ![[S#^sum]] [S](S.md#Deep)", /^4 links /m],
])("names the links %s that are left", async (_says, links, lost) => {
  const { call, text } = memoryVault({ "S.md": SOURCE, "L.md": `${links}\n` });
  const made = await call("obsidian_create_note", { name: "New", section: "S#Costs" });
  expect(made.ok && made.data["linksLost"]).toMatch(lost);
  expect(made.ok && made.details).toMatch(
    /\n'S\.md' has a link in the section's place\.\n[^]*undo_edit with path "op-/,
  );
  expect(await text("New.md")).toBe("## Costs\n[[#Deep]] [[S#Rest]]\nword ^sum\n### Deep\n");
  expect(await text("L.md")).toBe(`${links}\n`);
});

it("moves with links that lead where they led", async () => {
  const { call, text } = memoryVault({
    "a/S.md": "## Costs\n![x](img/p.png) [y](../B.md) [[B]] [[S#Costs]]\n[z](#Rest)\n## Rest\n",
    "a/img/p.png": "p",
    "B.md": "b\n",
  });
  await call("obsidian_create_note", { name: "c/New", section: "S#Costs" });
  expect(await text("c/New.md")).toBe("## Costs\n![x](../a/img/p.png) [y](../B.md) [[B]] [[S#Costs]]\n[z](S#Rest)\n");
});

it.each([
  ["Rest[^1]\n## Costs\nDear[^1]\n[^1]: why\n", "1 footnote of 'S.md' is defined in 'New.md': [^1]."],
  [
    "## Costs\nDear[^1] and[^Two] [a][l] `[^3]` [[x]]\n## Rest\n[^1]: why\n[^two]: w\n[^3]: c\n[l]: x.md\n[x]: y.md\n",
    "3 labels of 'New.md' are defined in 'S.md': [^1], [^Two], [l].",
  ],
  ["a[^1]\n\n[^1]: x\n## Costs\nb[^2]\n\n[^2]: y\n", undefined],
])("says which footnotes and labels are apart from their text: %j", async (source, said) => {
  const { call } = memoryVault({ "S.md": source });
  const made = await call("obsidian_create_note", { name: "New", section: "S#Costs" });
  expect(made.ok && made.data["linksLost"]).toBe(said);
});

it("keeps the line ends of the note, and a missing last one", async () => {
  const { call, text } = memoryVault({ "S.md": "# T\r\n## Costs\r\nDear\r\n## Rest\r\nend" });
  await call("obsidian_create_note", { name: "New", section: "S#Costs", content: "one\ntwo" });
  expect(await text("New.md")).toBe("one\r\ntwo\r\n\r\n## Costs\r\nDear\r\n");
  await call("obsidian_create_note", { name: "Last", section: "S#Rest" });
  expect(await text("S.md")).toBe("# T\r\n[[New]]\r\n\r\n[[Last]]");
});
