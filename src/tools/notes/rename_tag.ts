/** Renames a tag in all notes (docs: notes-and-files, "Surgery on notes"). */
import { array, count, object, optional, string } from "../schema.js";
import { defineTool } from "../tool.js";
import { PLAN } from "../file-view.js";
import { oneLine } from "../safe-text.js";
import { counted } from "../../text/wording.js";
import { BULK_PROPERTIES, bulkText, bulkView } from "./note-view.js";

const output = object({
  ...BULK_PROPERTIES,
  merged: count("How many notes have the new tag already, which the old one becomes"),
  mentions: array(
    string(),
    "What else names the tag and stays as it is: Bases, queries, canvases, templates, settings",
  ),
});

export const renameTagTool = defineTool({
  name: "rename_tag",
  title: "Rename tag",
  toolset: "notes",
  effect: "changes",
  description: "Renames a tag and those below it in all notes. Gives a plan first.",
  input: object({
    from: string("Tag", { minLength: 1, maxLength: 200 }),
    to: string("New tag", { minLength: 1, maxLength: 200 }),
    plan: optional(PLAN),
  }),
  output,
  failure: "❌ Error renaming tag:",
  async run({ from, to, plan }, { workspace, signal, onProgress }) {
    const { notes } = await workspace.current();
    const renamed = await notes.renameTag(from, to, { plan, signal, onProgress });
    return { ...bulkView(renamed), merged: renamed.merged, mentions: renamed.mentions.map(oneLine) };
  },
  text: (report) =>
    bulkText(report, "Renamed the tag in", [
      ...(report.merged === 0
        ? []
        : [`${counted(report.merged, "note")} had the new tag already: the two become one.`]),
      ...(report.mentions.length === 0 ? [] : [`Not rewritten, though named there: ${report.mentions.join(", ")}.`]),
    ]),
});
