/** Which names count as taken before something new is put beside them. */
import { expect, test } from "vitest";
import { linkVault, at } from "../../test/kit/link-vault.js";
import { visibleForm, occupantOf } from "./new-path.js";

const LOOK_ALIKE = [
  "a\u200b.md",
  "\u2060a.md",
  "a\ufeff.md",
  "a\u00ad.md",
  "a\u200e.md",
  "a\u202e.md",
  "a\u{e0061}.md",
  "a\u200d.md",
  "\u200ca.md",
];

test.each(LOOK_ALIKE)("%j is taken where a note differs from it only by what nobody sees", async (name) => {
  const { vault, move } = linkVault({ "a.md": "", "b.md": "", "f/c.md": "" });
  expect(await occupantOf(vault, at(name))).toMatchObject({ path: "a.md" });
  await expect(move("b.md", name)).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  await expect(move("b.md", `${name.replace("a", "f").slice(0, -3)}/d.md`)).rejects.toMatchObject({
    code: "ALREADY_EXISTS",
  });
  const hidden = linkVault({ [name]: "" });
  expect(await occupantOf(hidden.vault, at("a.md"))).toMatchObject({ path: name });
});

test("names that look different are different", () => {
  const names = ["a", "b", "á", "👨‍👩‍👧", "👨👩👧", "👩‍💻", "👩💻", "❤️‍🔥", "❤️🔥"];
  expect(new Set(names.map(visibleForm)).size).toBe(names.length);
});
