/** A disk on which every write fails from some moment on: every answer is true, and no change goes unnamed. */
import { expect, test } from "vitest";
import { fixedClock, sequentialIds } from "../src/clock.js";
import { VaultError } from "../src/errors.js";
import { assembleVault } from "../src/open.js";
import { MemoryStorage } from "./kit/memory-storage.js";
import { vaultPath } from "../src/storage/path.js";
import type { Storage } from "../src/storage/storage.js";
import type { OpenVault } from "../src/tools/workspace.js";
import { HookedPlace } from "./kit/hooked-journal.js";
import { contents } from "./kit/journal-vault.js";

const CLOCK = fixedClock("2026-11-23T12:00:00Z");
const FILES = {
  "1 Projects/Plan.md": "---\ntags: [task]\nstatus: todo\n---\n",
  "1 Projects/Other.md": "---\ntags: [task]\nstatus: todo\n---\n",
  "a.md": "- [ ] #task Paint the door\n",
  "b.md": "- [ ] #task Buy the paint [[c]]\n",
  "c.md": "[[a]] [[1 Projects/Plan]]\n",
  ".obsidian/plugins/obsidian-tasks-plugin/data.json": '{"globalFilter":"#task"}',
  ".obsidian/community-plugins.json": '["obsidian-tasks-plugin"]',
  ".obsidian/daily-notes.json": '{"folder":"daily"}',
};

/** How many writes succeed until the disk dies. */
class Disk {
  left = Infinity;

  write(): void {
    if (this.left <= 0) throw new VaultError("UNAVAILABLE", "The disk reported an error (EIO).");
    this.left--;
  }
}

class DyingStorage extends MemoryStorage {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    super({ files: FILES, clock: CLOCK });
    this.#disk = disk;
  }

  override async write(...args: Parameters<Storage["write"]>): ReturnType<Storage["write"]> {
    this.#disk.write();
    return await super.write(...args);
  }

  override async update(...[path, change]: Parameters<Storage["update"]>): ReturnType<Storage["update"]> {
    return await super.update(path, async (file) => {
      const bytes = await change(file);
      if (bytes) this.#disk.write();
      return bytes;
    });
  }

  override async remove(...args: Parameters<Storage["remove"]>): ReturnType<Storage["remove"]> {
    this.#disk.write();
    return await super.remove(...args);
  }

  override async move(...args: Parameters<Storage["move"]>): ReturnType<Storage["move"]> {
    this.#disk.write();
    return await super.move(...args);
  }
}

function dyingPlace(disk: Disk): HookedPlace {
  const place = new HookedPlace();
  place.commit = (work) => {
    disk.write();
    return work();
  };
  return place;
}

interface Answer {
  readonly undoable: boolean;
}

/** Each changes several notes in one call. `last` is the path that undoes it, where it is not the last change of all. */
const CALLS: Readonly<Record<string, { readonly run: (vault: OpenVault) => Promise<Answer>; readonly last?: string }>> =
  {
    "a line that waits for a line of another note": {
      run: ({ tasks }) => tasks.update("a.md:1", { blockedBy: ["b.md:1"] }),
    },
    "lines added to a daily note that is missing": {
      run: ({ tasks }) => tasks.addMany({ text: "Call the plumber #task", note: "daily" }),
    },
    "several task notes": { run: ({ tasks }) => tasks.addMany({ text: "One\nTwo\nThree" }) },
    "several tasks": {
      run: async ({ tasks }) => {
        const outcome = await tasks.updateMany(["1 Projects/Plan.md", "1 Projects/Other.md", "a.md:1", "b.md:1"], {
          priority: "High",
        });
        if (outcome.kind === "plan") throw new Error("only planned");
        return outcome;
      },
    },
    "a rename with its links": {
      run: ({ links }) => links.move(vaultPath("a.md"), vaultPath("new/door.md")),
      last: "new/door.md",
    },
  };

function dyingVault(disk: Disk) {
  const storage = new DyingStorage(disk);
  const vault = assembleVault({
    storage,
    name: "vault",
    clock: CLOCK,
    ids: sequentialIds(),
    allowHidden: true,
    journal: { place: dyingPlace(disk) },
  });
  return { storage, vault };
}

test.each(Object.entries(CALLS))("%s", async (_name, { run, last }) => {
  for (let writes = 0; ; writes++) {
    const disk = new Disk();
    const { storage, vault } = dyingVault(disk);
    const before = await contents(storage);
    disk.left = writes;
    const outcome = await run(vault).catch((error: unknown) => error);
    const isDead = disk.left <= 0;
    disk.left = Infinity;
    const after = await contents(storage);
    const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (path) => before[path] !== after[path],
    );
    const at = `${writes} writes`;
    if (outcome instanceof Error) {
      expect(outcome, at).toBeInstanceOf(VaultError);
      for (const path of changed) expect(outcome.message, at).toContain(path);
      expect(outcome.message, at).not.toContain("''");
    } else {
      const answer = outcome as Answer;
      if (changed.length > 0 && answer.undoable) {
        await (last === undefined ? vault.files.undoLast() : vault.files.undo(last));
        const undone = await contents(storage);
        for (const [path, text] of Object.entries(before)) expect(undone[path], at).toBe(text);
      }
      if (!isDead) {
        expect(answer.undoable).toBe(true);
        return;
      }
    }
  }
});

test.each(Object.entries(CALLS))(
  "undo of %s names what it left, and goes on when the disk is well",
  async (_name, { run, last }) => {
    const undo = ({ files }: OpenVault) => (last === undefined ? files.undoLast() : files.undo(last));
    for (let writes = 0; ; writes++) {
      const disk = new Disk();
      const { storage, vault } = dyingVault(disk);
      const before = await contents(storage);
      await run(vault);
      const changed = await contents(storage);
      disk.left = writes;
      const outcome = await undo(vault).catch((error: unknown) => error);
      const isDead = disk.left <= 0;
      disk.left = Infinity;
      const after = await contents(storage);
      const at = `${writes} writes`;
      if (outcome instanceof Error) {
        expect(outcome, at).toBeInstanceOf(VaultError);
        expect(outcome.message, at).not.toContain("''");
        expect(after, at).toEqual(changed);
      } else {
        const { kept } = outcome as Awaited<ReturnType<typeof undo>>;
        const left = new Set<string>(kept.map(({ path }) => path));
        for (const path of Object.keys(changed))
          if (changed[path] !== before[path] && after[path] === changed[path]) expect(left, at).toContain(path);
        expect(left, at).not.toContain("");
      }
      if (!isDead) return;
      const isUndone = Object.entries(before).every(([path, text]) => after[path] === text);
      if (!isUndone) await undo(vault);
      expect(await contents(storage), at).toMatchObject(before);
    }
  },
);
