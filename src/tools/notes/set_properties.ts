/** Sets properties of notes (docs: notes-and-files, "Surgery on notes"). */
import { VaultError } from "../../errors.js";
import { call, said } from "../../text/wording.js";
import type { NoteSearch } from "../../notes/find.js";
import { jsonIn, readArguments } from "../arguments/arguments.js";
import { array, object, optional, string } from "../schema.js";
import { PLAN } from "../file-view.js";
import { oneLine } from "../safe-text.js";
import { defineTool } from "../tool.js";
import { validatorFor } from "../validator.js";
import { BULK_PROPERTIES, bulkText, bulkView } from "./note-view.js";
import { findNotes, searchOf } from "./find_notes.js";

const output = object({
  ...BULK_PROPERTIES,
  adjustments: array(string(), "What is written otherwise than given, in words"),
});

export const setNoteProperties = defineTool({
  name: "set_properties",
  title: "Set properties",
  toolset: "notes",
  effect: "changes",
  description: "Sets frontmatter properties. More than 20 notes, or filters, give a plan first.",
  input: object({
    notes: array(
      string(undefined, { minLength: 1, maxLength: 4200 }),
      'Notes, or filters of find_notes: {"tags": ["x"]}',
      {
        role: "notes",
        minItems: 1,
        maxItems: 1000,
      },
    ),
    properties: {
      type: "object",
      properties: {},
      additionalProperties: string(undefined, { role: "value" }),
      minProperties: 1,
      description: '{"rating": "4"}; "" removes; {"add": ["x"]}, {"remove": ["x"]} change lists',
    },
    plan: optional(PLAN),
  }),
  output,
  failure: "❌ Error setting properties:",
  async run({ notes, properties, plan }, context) {
    const wanted = await notesOrSearch(notes);
    const { notes: service } = await context.workspace.current();
    const { signal, onProgress } = context;
    const report = await service.setProperties(wanted, properties, { plan, signal, onProgress });
    return { ...bulkView(report), adjustments: context.say(report.adjustments ?? []).map(oneLine) };
  },
  text: (report) => bulkText(report, "Changed", report.adjustments),
});

/** One entry may be the arguments of find_notes as JSON. */
async function notesOrSearch(notes: readonly string[]): Promise<readonly string[] | NoteSearch> {
  const [first = ""] = notes;
  if (notes.length > 1 || !first.trimStart().startsWith("{")) return notes;
  const { input, name } = findNotes;
  const { value } = readArguments(jsonIn(first), input, await validatorFor(name, input));
  const search = searchOf(value as Parameters<typeof searchOf>[0]);
  if (!selects(search))
    throw new VaultError("INVALID_ARGUMENT", "These filters select every note; nothing was changed.", {
      hint: said`Give a filter of ${call("find_notes")}, such as {"folder": "Projects"}.`.or(
        'Give a filter such as {"folder": "Projects"}.',
      ),
    });
  return search;
}

const NO_FILTERS: ReadonlySet<string> = new Set(["sortBy", "sortOrder", "limit", "offset", "includeContent"]);

/** False without a filter, or with empty ones only. */
const selects = (search: NoteSearch): boolean =>
  Object.entries(search).some(
    ([name, value]) => value !== undefined && !NO_FILTERS.has(name) && !/^[\s"{}[\]]*$/.test(JSON.stringify(value)),
  );
