/** A deleted note or task that a caller names: where it is, and the call that restores it (findings, 3.10). */
import { describe, expect, it } from "vitest";
import { memoryFrontEnd } from "../../../test/kit/front-ends.js";
import { ERROR_META_KEY } from "../outcome.js";

const FILES = new Map([
  ["1 Projects/Paint.md", "---\nid: task-paint\ntype: task\ntitle: Paint the opener\nstatus: todo\n---\n"],
  ["Notes/Old.md", "old"],
  [".trash/Gone.md", "by hand"],
]);

async function afterDeleting(path: string, call: readonly [string, object]) {
  const session = await memoryFrontEnd.open({ files: FILES, vault: "configured", readOnly: false });
  await session.call("delete", { path });
  const { hint = "", code } = (await session.call(...call))["_meta"]?.[ERROR_META_KEY] ?? {};
  const [, restored] = /undo_edit with path "([^"]+)" restores it/.exec(hint) ?? [];
  if (restored !== undefined) await session.call("undo_edit", { path: restored });
  const files = await session.files();
  await session.close();
  return { code, hint, files };
}

describe("a deleted file that is named", () => {
  it.each([
    ["1 Projects/Paint.md", ["get_task", { taskId: "task-paint" }]],
    ["1 Projects/Paint.md", ["update_task", { taskId: "1 Projects/Paint.md", updates: { status: "Done" } }]],
    ["Notes/Old.md", ["view", { path: "Notes/Old.md" }]],
    ["Notes/Old.md", ["obsidian_read_note", { note: "[[Old]]" }]],
    ["Notes/Old.md", ["read_note", { file: "old" }]],
  ] as const)("%s is said to be in the trash by %j, with the call that restores it", async (path, call) => {
    const { code, hint, files } = await afterDeleting(path, call);
    expect({ code, hint }).toEqual({
      code: "FILE_NOT_FOUND",
      hint: `'${path}' is in the trash ('.trash/${path}'); undo_edit with path "${path}" restores it.`,
    });
    expect(files.get(path)).toBe(FILES.get(path));
  });

  it("by another program is to be moved back outside", async () => {
    const { hint } = await afterDeleting("Notes/Old.md", ["view", { path: "Gone.md" }]);
    expect(hint).toMatch(/^'Gone\.md' is in the trash \('\.trash\/Gone\.md'\); move it back in Obsidian/);
  });

  it("that never was is not", async () => {
    const { hint } = await afterDeleting("Notes/Old.md", ["view", { path: "Never.md" }]);
    expect(hint).not.toContain("trash");
  });
});
