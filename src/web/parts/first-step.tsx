/** How the first task is written, in a vault without tasks. */
import type { JSX } from "preact";
import { usePage } from "../state/page.js";
import { useQuery } from "../state/queries.js";
import { PAGE_WORDS } from "../page-words.js";
import { Button } from "./controls.js";
import { startLine } from "./quick-add.js";

/** @param otherwise for a vault that has tasks, which the view does not show */
export function FirstStep({ otherwise }: { readonly otherwise: string }): JSX.Element | null {
  const page = usePage();
  const query = useQuery("any", async (call) => {
    const { total } = await call("search_tasks", { query: "*", limit: 1, includeArchived: true });
    return total;
  });
  if (query.data.value === undefined) return null;
  if (query.data.value > 0) return <p class="empty">{otherwise}</p>;
  const canAdd = page.connection.offers("add_tasks");
  return (
    <section class="first-step stack">
      <h2>{PAGE_WORDS.noTasks}</h2>
      <p>{canAdd ? PAGE_WORDS.firstStep : PAGE_WORDS.firstStepElsewhere}</p>
      {canAdd &&
        PAGE_WORDS.sampleLines.map((line) => (
          <Button key={line} onClick={() => startLine(page, line)}>
            {line}
          </Button>
        ))}
    </section>
  );
}
