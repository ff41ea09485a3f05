import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../test/kit/memory-storage.js";
import { SettingsKeeper, type VaultSettings } from "./settings.js";

const APP = ".obsidian/app.json";
const settingsOf = (files: Record<string, string | Uint8Array>): Promise<VaultSettings> =>
  new SettingsKeeper(new MemoryStorage({ files })).current();

const DEFAULTS = {
  newLinkFormat: "shortest",
  newFileLocation: "root",
  newFileFolder: "",
  ignoreFilters: [],
  templateFolders: [],
  templateDateFormat: "YYYY-MM-DD",
  templateTimeFormat: "HH:mm",
  periodicNotes: { day: { folder: "", format: "YYYY-MM-DD", template: undefined }, locale: "en" },
};

it("are Obsidian's own where nothing is set", async () => {
  expect(await settingsOf({})).toMatchObject({ ...DEFAULTS, problems: [] });
});

it("are read from Obsidian's and the plugins' files", async () => {
  const settings = await settingsOf({
    [APP]: JSON.stringify({
      newLinkFormat: "relative",
      newFileLocation: "folder",
      newFileFolderPath: "Inbox/",
      userIgnoreFilters: ["Old/", "/^x/"],
    }),
    ".obsidian/templates.json": '\ufeff{"folder": "Extras/Templates", "dateFormat": "D.M.YYYY", "timeFormat": null}',
    ".obsidian/plugins/templater-obsidian/data.json": '{"templates_folder": "/Tpl/", "startup_templates": [""]}',
    ".obsidian/daily-notes.json": '{"folder": "Daily", "format": "YYYY/MM/DD", "template": "Extras/Templates/day"}',
    ".obsidian/types.json": '{"types": {"due": "date", "__proto__": "text", "bad": 1}}',
  });
  expect(settings).toMatchObject({
    newLinkFormat: "relative",
    newFileLocation: "folder",
    newFileFolder: "Inbox",
    ignoreFilters: [{ entry: "Old/" }, { entry: "/^x/" }],
    templateFolders: ["Extras/Templates", "Tpl"],
    templateDateFormat: "D.M.YYYY",
    templateTimeFormat: "HH:mm",
    periodicNotes: { day: { folder: "Daily", format: "YYYY/MM/DD", template: "Extras/Templates/day" } },
    problems: [],
  });
  expect([...settings.propertyTypes]).toEqual([
    ["due", "date"],
    ["__proto__", "text"],
  ]);
});

describe("rubbish is passed over", () => {
  it.each([
    ["no JSON", "{", "valid JSON"],
    ["a list", "[]", "no JSON object"],
    ["null", "null", "no JSON object"],
    ["not UTF-8", Uint8Array.of(0xff, 0x7b), "valid JSON"],
    ["too large", `{"x": "${"y".repeat(1024 * 1024)}"}`, "larger than"],
    ["empty", "", "valid JSON"],
  ])("%s", async (_, content, words) => {
    const settings = await settingsOf({ [APP]: content });
    expect(settings).toMatchObject({ ...DEFAULTS, problems: [{ file: APP, message: expect.stringContaining(words) }] });
  });

  it.each(["1", "null", "[]", "{}", '"x"', "true", '{"length": 3}', '[1, null, ""]'])(
    "%s for every value",
    async (value) => {
      const keys = ["newLinkFormat", "newFileLocation", "newFileFolderPath"];
      keys.push("userIgnoreFilters", "folder", "templates_folder", "format", "template", "types");
      const file = `{${keys.map((key) => `"${key}": ${value}`).join(",")}}`;
      const names = ["app", "templates", "plugins/templater-obsidian/data", "daily-notes", "types"];
      const settings = await settingsOf(Object.fromEntries(names.map((name) => [`.obsidian/${name}.json`, file])));
      expect(settings.ignoreFilters).toEqual([]);
      expect(settings.newLinkFormat).toBe("shortest");
      const wrong = settings.problems.filter(({ message }) => message.includes('"newLinkFormat" is not one of'));
      expect(wrong).toHaveLength(value === "null" ? 0 : 1);
    },
  );

  it("settings of plugins of another kind, each of which is told once", async () => {
    const { problems } = await settingsOf({
      ".obsidian/plugins/tasknotes/data.json": '{"fieldMapping": 4, "customStatuses": "x", "taskTag": 7}',
      ".obsidian/plugins/obsidian-tasks-plugin/data.json": '{"globalFilter": 4, "filenameAsDateFolders": {}}',
    });
    expect(problems.map(({ message }) => message.replace("; the default counts.", "")).toSorted()).toEqual([
      'The setting "customStatuses" is not a list',
      'The setting "fieldMapping" is not an object',
      'The setting "filenameAsDateFolders" is not a list',
      'The setting "globalFilter" is not a text',
      'The setting "taskTag" is not a text',
    ]);
  });

  it("a unit of reminders that is none", async () => {
    const reminder = { relatedTo: "due", offset: 1, unit: "constructor" };
    const defaultReminders = [reminder, { ...reminder, unit: "hours" }];
    const file = JSON.stringify({ taskCreationDefaults: { defaultReminders } });
    const { taskNotes } = await settingsOf({ ".obsidian/plugins/tasknotes/data.json": file });
    expect(taskNotes.defaultReminders).toEqual([{ relatedTo: "due", offset: "-PT1H" }]);
  });

  it("a folder outside the vault, or the whole vault as templates folder", async () => {
    for (const folder of ["../out", "/", ".", ".obsidian", "a\\b", "C:/x"]) {
      const settings = await settingsOf({ ".obsidian/templates.json": JSON.stringify({ folder }) });
      expect(settings.templateFolders).toEqual([]);
    }
    const settings = await settingsOf({ ".obsidian/templates.json": '{"folder": "../out"}' });
    expect(settings.problems).toMatchObject([{ file: ".obsidian/templates.json" }]);
  });

  it("a pattern that is not understood, which is told", async () => {
    const settings = await settingsOf({ [APP]: JSON.stringify({ userIgnoreFilters: ["/(?=a)b/", "Old/"] }) });
    expect(settings.ignoreFilters).toMatchObject([{ entry: "Old/" }]);
    expect(settings.problems).toMatchObject([{ file: APP, message: expect.stringContaining("(?=a)b") }]);
  });
});

it("are the same object while nothing changed", async () => {
  const keeper = new SettingsKeeper(new MemoryStorage({ files: { [APP]: "{}" } }));
  expect(await keeper.current()).toBe(await keeper.current());
});
