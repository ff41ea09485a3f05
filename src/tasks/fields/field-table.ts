/** The field table, from which all reading and writing derives. */
import type { Property } from "../../markdown/frontmatter/property.js";
import { NEW_STATUSES, SETTABLE_STATUSES, priorityOf, statusOf } from "./vocabulary.js";
import { priorityWord, statusWord } from "./dialect.js";
import type { Field, LineSign, Stored } from "./field.js";
import {
  dateField,
  daysField,
  flagField,
  minutesField,
  nameField,
  namesField,
  referencesField,
  remindersField,
  ruleField,
  ruleIn,
  tagsField,
  textField,
  wordField,
} from "./kinds.js";
import { formatMinutes, NO_MINUTES, readNoteDate, readFlag } from "./property-values.js";

/** In the order of tool schemas. */
export const PRIORITY_NAMES = ["Low", "Medium", "High"] as const;
const holdsRule = (property: Property): boolean => ruleIn(property) !== undefined;
const isFlag = (property: Property): boolean =>
  readFlag(property) !== undefined && readNoteDate(property.text ?? "") === undefined;
const TEXTS = { type: "array", items: { type: "string", maxLength: 200 }, maxItems: 50 } as const;

const words = (texts: string): readonly string[] => texts.split(" ");

/** In the order of new notes. */
export const FIELDS = {
  id: textField({ spellings: ["id", "taskid", "uid", "uuid"], key: "id" }),
  type: wordField(
    { spellings: ["type", "notetype", "fileclass"], key: "type" },
    {
      meaningOf: (raw) => (raw.trim().toLowerCase() === "task" ? "task" : undefined),
      wordFor: (_meaning, _old, dialect) => dialect.typeWord,
    },
  ),
  title: textField({
    spellings: ["title"],
    key: "title",
    argument: "title",
    create: { type: "string", minLength: 1, maxLength: 1000, description: "Task title" },
    update: { type: "string", maxLength: 1000, description: "New title" },
  }),
  status: wordField(
    {
      spellings: ["status", "state", "taskstatus", "tnstatus", "stage", "progressstatus"],
      key: "status",
      argument: "status",
      create: { type: "string", enum: NEW_STATUSES, default: "To Do", description: "Task status" },
      update: { type: "string", enum: SETTABLE_STATUSES, description: "New status" },
    },
    { meaningOf: statusOf, wordFor: statusWord, settable: SETTABLE_STATUSES },
  ),
  done: flagField({
    spellings: ["done", "completed", "complete", "isdone", "checked"],
    key: "done",
    // `completed: true` is a done flag; a date or an empty `completed:` is the completed date.
    claims: isFlag,
  }),
  priority: wordField(
    {
      spellings: ["priority", "prio", "importance", "urgency", "tnpriority"],
      key: "priority",
      argument: "priority",
      create: { type: "string", enum: PRIORITY_NAMES, default: "Medium", description: "Priority" },
      update: { type: "string", enum: PRIORITY_NAMES, description: "New priority" },
    },
    {
      meaningOf: priorityOf,
      wordFor: priorityWord,
      settable: PRIORITY_NAMES,
      unknown: (raw) => `"${raw.slice(0, 40)}" is no known priority and counts as Medium`,
    },
  ),
  due: dateField({
    spellings: ["due", "duedate", "deadline", "dueon", "dueby", "dateend", "enddate", "finishby", "targetdate"],
    key: "due",
    sign: { emoji: ["📅", "📆", "🗓"], key: "due" },
    property: "due",
    filter: "Day or range: overdue, today, this week, before friday, none, any",
    argument: "dueDate",
    create: { type: "string", description: "Due date: YYYY-MM-DD, or words: next friday" },
    update: { type: "string", description: 'Also in words; "" clears' },
  }),
  scheduled: dateField({
    spellings: words("scheduled scheduleddate scheduledfor schedule do dodate doon plannedfor planned when"),
    key: "scheduled",
    sign: { emoji: ["⏳", "⌛"], key: "scheduled" },
    property: "scheduled",
    filter: "The same",
    argument: "scheduled",
    create: { type: "string", description: "Day it is planned for" },
    update: { type: "string", description: "New planned day" },
    shown: { label: "Scheduled", description: "Scheduled date, YYYY-MM-DD" },
  }),
  start: dateField({
    spellings: ["start", "startdate", "starts", "starton", "defer", "deferuntil", "deferdate", "datestart", "tickler"],
    key: "start",
    sign: { emoji: ["🛫"], key: "start" },
    property: "start",
    argument: "start",
    create: { type: "string", description: "First day to work on it", unlisted: true },
    update: { type: "string", description: "First day to work on it" },
    shown: { label: "Start", description: "Not before this date, YYYY-MM-DD" },
  }),
  completed: dateField({
    spellings: words(
      "completeddate completed completedon completedat completion completiondate donedate doneon datedone finished closed closedat",
    ),
    key: "completed",
    sign: { emoji: ["✅"], key: "completion" },
    property: "completed",
    filter: "The same, but overdue",
    argument: "completed",
    update: { type: "string", description: "Day it was finished; sets Done" },
    looks: "back",
    shown: { label: "Completed", description: "Completion date, YYYY-MM-DD" },
  }),
  area: nameField({
    spellings: ["area", "areas", "domain", "responsibility", "sphere"],
    key: "area",
    argument: "area",
    create: { type: "string", minLength: 1, maxLength: 200, description: "Area/context, such as Work" },
    update: { type: "string", maxLength: 200, description: "New area" },
  }),
  projects: namesField({
    spellings: ["projects", "project", "parentproject", "parentprojects", "epic", "parent", "up", "partof"],
    key: "projects",
    argument: "parentProjects",
    create: { ...TEXTS, description: "Parent project names" },
    update: { ...TEXTS, description: "Replaces all" },
  }),
  tags: tagsField({
    spellings: ["tags", "tag", "labels", "keywords"],
    key: "tags",
    property: "tags",
    argument: "tags",
    create: { ...TEXTS, description: "Tags, with or without #" },
    update: { ...TEXTS, description: "Replaces all" },
  }),
  contexts: namesField({
    spellings: ["contexts", "context"],
    key: "contexts",
    property: "contexts",
    open: true,
    argument: "contexts",
    create: { ...TEXTS, description: "Contexts, such as phone", unlisted: true },
    update: { ...TEXTS, description: "New contexts; replaces all", unlisted: true },
    shown: { label: "Contexts", description: "Contexts" },
  }),
  timeEstimate: minutesField({
    spellings: ["timeestimate", "estimate", "duration", "effort"],
    key: "timeEstimate",
    property: "timeEstimate",
    open: true,
    argument: "estimate",
    create: { type: "string", description: "45, 1h30" },
    update: { type: "string", description: "45, 1h30" },
    shown: { label: "Estimate", description: "Time estimate in minutes", words: formatMinutes },
  }),
  recurrence: ruleField({
    spellings: ["recurrence", "rrule", "repeat", "repeats", "recurring", "every"],
    key: "recurrence",
    sign: { emoji: ["🔁"], key: "repeat" },
    argument: "recurrence",
    // Of several keys, the one with a rule counts.
    claims: holdsRule,
    create: {
      type: "string",
      description: "every week on Friday, every month when done, an RRULE",
    },
    update: { type: "string", description: 'New rule; "" ends the series' },
  }),
  recurrenceAnchor: textField({ spellings: ["recurrenceanchor"], key: "recurrence_anchor" }),
  completeInstances: daysField({ spellings: ["completeinstances"], key: "complete_instances" }),
  skippedInstances: daysField({ spellings: ["skippedinstances"], key: "skipped_instances" }),
  recurrenceParent: textField({ spellings: ["recurrenceparent"], key: "recurrence_parent" }),
  occurrenceDate: dateField({ spellings: ["occurrencedate"], key: "occurrence_date" }),
  blockedBy: referencesField({
    spellings: ["blockedby", "dependson", "depends", "dependencies", "dependency", "waitingon", "after", "requires"],
    key: "blockedBy",
    sign: { emoji: ["⛔"], key: "dependsOn" },
    property: "blockedBy",
    argument: "blockedBy",
    create: { ...TEXTS, description: "Tasks it waits for: ids, paths or titles" },
    update: { ...TEXTS, description: "Replaces all" },
  }),
  reminders: remindersField({
    spellings: ["reminders"],
    key: "reminders",
    argument: "reminders",
    create: { type: "string", maxLength: 2000, description: "Such as 15m before due" },
    update: { type: "string", maxLength: 2000, description: "Replaces all" },
  }),
  created: dateField({
    spellings: ["created", "datecreated", "createddate", "createdat", "creationdate", "ctime", "added"],
    key: "created",
    sign: { emoji: ["➕"], key: "created" },
    property: "created",
    shown: { label: "Created", description: "Creation date, YYYY-MM-DD" },
  }),
  modified: textField({
    spellings: ["modified", "datemodified", "updated", "updatedat", "updateddate", "lastmodified", "mtime"],
    key: "dateModified",
  }),
  archived: flagField({ spellings: ["archived", "archive"], key: "archived", open: true }),
} as const satisfies Record<string, Field<Stored, never, unknown>>;

export type FieldName = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

type StoredOf<F> = F extends { write(value: infer T extends Stored, place: never): unknown } ? T : never;
/** Empty fields are missing. */
export type Values = { -readonly [Name in FieldName]?: StoredOf<(typeof FIELDS)[Name]> };

type PropertyOf<F> = F extends { readonly property: infer Property extends string } ? Property : never;
type TaskValueOf<F> = F extends { taskValue(stored: never, clock: never): infer Told } ? Told : never;
export type FieldProperties = {
  readonly [Name in FieldName as PropertyOf<(typeof FIELDS)[Name]>]: TaskValueOf<(typeof FIELDS)[Name]>;
};

export type FilteredField = {
  [Name in FieldName]: (typeof FIELDS)[Name] extends { readonly filter: string } ? Name : never;
}[FieldName];

export type SignedField = {
  [Name in FieldName]: (typeof FIELDS)[Name] extends { readonly sign: LineSign } ? Name : never;
}[FieldName];

export const fieldNamed = (name: FieldName): Field<Stored, Stored, unknown> => FIELDS[name];

/** Such a value clears the property. */
export function isNothing(value: Stored): boolean {
  return value === NO_MINUTES || ((typeof value === "string" || Array.isArray(value)) && value.length === 0);
}
