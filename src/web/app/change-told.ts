/** Describes a change made in the App in one sentence, for the model of the conversation. */
import type { ToolAnswers, ToolName } from "../carrier/carrier.js";

type Teller<Name extends ToolName> = (answer: ToolAnswers[Name]) => string | undefined;

const TELLERS: { readonly [Name in ToolName]?: Teller<Name> } = {
  update_task: ({ changed, title, id, updatedFields, status, due }) => {
    if (!changed) return undefined;
    const now = [`status ${status}`, due === undefined ? "no due date" : `due ${due}`].join(", ");
    return `The user changed ${updatedFields.join(", ")} of the task "${title}" (id ${id}); now: ${now}.`;
  },
  add_tasks: ({ added }) =>
    added.length === 0 ? undefined : `The user added ${added.map(({ title }) => `"${title}"`).join(", ")}.`,
  undo_edit: ({ asked, undone }) => `The user took back the last ${undone} of ${asked}.`,
};

/** Undefined when nothing was changed. */
export function changeTold<Name extends ToolName>(name: Name, answer: ToolAnswers[Name]): string | undefined {
  const teller: Teller<Name> | undefined = TELLERS[name];
  return teller?.(answer);
}
