/** The field table: one row for each task field, from which reading, writing, updates, new notes and the dialect derive. */
import type { Property } from "../../markdown/frontmatter/property.js";
import { SETTABLE_STATUSES } from "../task.js";
import { priorityWord, statusWord } from "./dialect.js";
import {
  dateField,
  type Field,
  flagField,
  nameField,
  namesField,
  type Stored,
  tagsField,
  textField,
  wordField,
} from "./kinds.js";
import { daysField, minutesField, referencesField, ruleField, ruleIn } from "./planning-kinds.js";
import { readNoteDate } from "./dates.js";
import { readFlag } from "./property-values.js";
import { KEY_SPELLINGS, priorityOf, statusOf } from "./vocabulary.js";

/** In the order in which tools list them. */
export const PRIORITY_NAMES = ["Low", "Medium", "High"] as const;
const holdsRule = (property: Property): boolean => ruleIn(property) !== undefined;
const isFlag = (property: Property): boolean =>
  readFlag(property) !== undefined && readNoteDate(property.text ?? "") === undefined;
const TEXTS = { type: "array", items: { type: "string", maxLength: 200 }, maxItems: 50 } as const;

/** The rows stand in the order in which a new note lists them. */
export const FIELDS = {
  id: textField({ spellings: KEY_SPELLINGS.id, key: "id" }),
  type: wordField(
    { spellings: KEY_SPELLINGS.type, key: "type" },
    {
      meaningOf: (raw) => (raw.trim().toLowerCase() === "task" ? "task" : undefined),
      wordFor: (_meaning, _old, dialect) => dialect.typeWord,
    },
  ),
  title: textField({
    spellings: KEY_SPELLINGS.title,
    key: "title",
    argument: "title",
    create: { type: "string", minLength: 1, maxLength: 1000, description: "Task title" },
    update: { type: "string", maxLength: 1000, description: "New title" },
  }),
  status: wordField(
    {
      spellings: KEY_SPELLINGS.status,
      key: "status",
      argument: "status",
      create: { type: "string", enum: SETTABLE_STATUSES, default: "To Do", description: "Task status" },
      update: { type: "string", enum: SETTABLE_STATUSES, description: "New status" },
    },
    { meaningOf: statusOf, wordFor: statusWord, settable: SETTABLE_STATUSES },
  ),
  done: flagField({
    spellings: KEY_SPELLINGS.done,
    key: "done",
    // `completed: true` is a done flag, `completed: 2025-08-30` and an empty `completed:` are the completed date's.
    claims: isFlag,
  }),
  priority: wordField(
    {
      spellings: KEY_SPELLINGS.priority,
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
    spellings: KEY_SPELLINGS.due,
    key: "due",
    property: "due",
    argument: "dueDate",
    create: { type: "string", description: 'Due date: YYYY-MM-DD, or words such as "next friday"' },
    update: { type: "string", description: 'New due date, likewise in words; "" or null clears it' },
  }),
  scheduled: dateField({
    spellings: KEY_SPELLINGS.scheduled,
    key: "scheduled",
    property: "scheduled",
    argument: "scheduled",
    create: { type: "string", description: "Day it is planned for" },
    update: { type: "string", description: "New planned day" },
    shown: { label: "Scheduled", description: "Scheduled date, YYYY-MM-DD" },
  }),
  start: dateField({
    spellings: KEY_SPELLINGS.start,
    key: "start",
    property: "start",
    argument: "start",
    update: { type: "string", description: "New first day it can be worked on" },
    shown: { label: "Start", description: "Not before this date, YYYY-MM-DD" },
  }),
  completed: dateField({
    spellings: KEY_SPELLINGS.completed,
    key: "completed",
    property: "completed",
    shown: { label: "Completed", description: "Completion date, YYYY-MM-DD" },
  }),
  area: nameField({
    spellings: KEY_SPELLINGS.area,
    key: "area",
    argument: "area",
    create: { type: "string", minLength: 1, maxLength: 200, description: "Area/context, such as Work" },
    update: { type: "string", maxLength: 200, description: "New area" },
  }),
  projects: namesField({
    spellings: KEY_SPELLINGS.projects,
    key: "projects",
    argument: "parentProjects",
    create: { ...TEXTS, description: "Parent project names" },
    update: { ...TEXTS, description: "New parent projects; replaces all" },
  }),
  tags: tagsField({
    spellings: KEY_SPELLINGS.tags,
    key: "tags",
    argument: "tags",
    create: { ...TEXTS, description: "Tags, with or without #" },
    update: { ...TEXTS, description: "New tags; replaces all" },
  }),
  contexts: namesField({
    spellings: KEY_SPELLINGS.contexts,
    key: "contexts",
    property: "contexts",
    shown: { label: "Contexts", description: "Contexts" },
  }),
  timeEstimate: minutesField({
    spellings: KEY_SPELLINGS.timeEstimate,
    key: "timeEstimate",
    property: "timeEstimate",
    shown: { label: "Estimate", description: "Time estimate in minutes" },
  }),
  recurrence: ruleField({
    spellings: KEY_SPELLINGS.recurrence,
    key: "recurrence",
    argument: "recurrence",
    // Of several such keys the one that holds a rule counts, so that no rule goes unseen.
    claims: holdsRule,
    create: {
      type: "string",
      description: 'How it repeats: "every week on Friday", "every month when done", or an RRULE',
    },
    update: { type: "string", description: 'New rule; "" ends the series' },
  }),
  recurrenceAnchor: textField({ spellings: KEY_SPELLINGS.recurrenceAnchor, key: "recurrence_anchor" }),
  completeInstances: daysField({ spellings: KEY_SPELLINGS.completeInstances, key: "complete_instances" }),
  skippedInstances: daysField({ spellings: KEY_SPELLINGS.skippedInstances, key: "skipped_instances" }),
  recurrenceParent: textField({ spellings: KEY_SPELLINGS.recurrenceParent, key: "recurrence_parent" }),
  occurrenceDate: dateField({ spellings: KEY_SPELLINGS.occurrenceDate, key: "occurrence_date" }),
  blockedBy: referencesField({
    spellings: KEY_SPELLINGS.blockedBy,
    key: "blockedBy",
    argument: "blockedBy",
    create: { ...TEXTS, description: "Tasks it waits for: ids, paths or titles" },
    update: { ...TEXTS, description: "Tasks it waits for; replaces all" },
  }),
  created: dateField({
    spellings: KEY_SPELLINGS.created,
    key: "created",
    property: "created",
    shown: { label: "Created", description: "Creation date, YYYY-MM-DD" },
  }),
  modified: textField({ spellings: KEY_SPELLINGS.modified, key: "dateModified" }),
  archived: flagField({ spellings: KEY_SPELLINGS.archived, key: "archived" }),
} as const satisfies Record<string, Field<Stored, never>>;

export type FieldName = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

type StoredOf<F> = F extends Field<infer T extends Stored, never> ? T : never;
/** What a note's properties say, by field; a field that says nothing is missing. */
export type Values = { -readonly [Name in FieldName]?: StoredOf<(typeof FIELDS)[Name]> };

/** A row by name, for code that treats all fields alike. */
export function fieldNamed(name: FieldName): Field<Stored> {
  return FIELDS[name];
}

/** Whether a value says nothing: an empty text or list, which clears. */
export function isNothing(value: Stored): boolean {
  return (typeof value === "string" || Array.isArray(value)) && value.length === 0;
}
