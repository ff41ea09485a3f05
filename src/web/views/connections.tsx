/** For a logged-in person: a link for another device, logout, and connected programs (docs: sign-in). */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/controls.js";
import { usePage } from "../state/page.js";
import { messageOf, type PageSession } from "../transport/transport.js";
import { keyHeaders } from "../transport/session-key.js";
import { dayText, localToday } from "../state/days.js";
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";

/** Not among the page's words, which the first load includes. */
const OWN_WORDS = {
  session: "This session",
  makeLink: "Link for another device",
  linkHelp: "Opens this page logged in, once, within two minutes:",
  logOut: "Log out",
  title: "Connected programs",
  none: "No program is connected.",
  calls: (name: string) => `calls itself “${name}”`,
  about: (person: string, rights: string) => `Connected by ${person}: ${rights}.`,
  times: (since: string, used: string, until: string) => `Since ${since}, last used ${used}, ends ${until}.`,
  end: "End",
  endOf: (name: string, host: string) => `End the connection of “${name}” at ${host}`,
};

/** From `GET /web/connections`. */
interface ConnectionRow {
  readonly id: string;
  readonly person: string;
  /** Chosen by the program. */
  readonly client: string;
  /** Where access was sent. */
  readonly host: string;
  readonly scopes: readonly string[];
  readonly limits?: string;
  readonly created: string;
  readonly lastUsed: string;
  readonly until: string;
}

export default function SessionSettings(): JSX.Element | null {
  const { session } = usePage().connection;
  return session === undefined ? null : (
    <>
      <SessionControls session={session} />
      <Connections />
    </>
  );
}

function SessionControls({ session }: { readonly session: PageSession }): JSX.Element {
  const page = usePage();
  const link = useSignal("");
  const failure = useSignal("");
  const trying = async (work: Promise<unknown>) => {
    failure.value = "";
    await work.catch((error: unknown) => (failure.value = messageOf(error)));
  };
  return (
    <section class="session stack" aria-label={OWN_WORDS.session}>
      <h3>{OWN_WORDS.session}</h3>
      <div class="buttons">
        <Button onClick={() => void trying(session.makeLink().then((made) => (link.value = made)))}>
          {OWN_WORDS.makeLink}
        </Button>
        <Button
          onClick={() => {
            page.closeOverlay();
            void trying(page.connection.logOut());
          }}
        >
          {OWN_WORDS.logOut}
        </Button>
      </div>
      {link.value !== "" && (
        <label class="stack">
          {OWN_WORDS.linkHelp}
          <input class="device-link" readOnly value={link.value} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      <p class="problem" role="alert">
        {failure.value}
      </p>
    </section>
  );
}

/** Empty without sign-in. */
function Connections(): JSX.Element | null {
  const [rows, setRows] = useState<readonly ConnectionRow[]>();
  const [problem, setProblem] = useState("");
  const read = async () => {
    const response = await fetch("/web/connections", { headers: keyHeaders() });
    // The server has no sign-in, or this person may connect no programs.
    if (response.status !== 200) return;
    setRows(((await response.json()) as { readonly connections: readonly ConnectionRow[] }).connections);
  };
  const end = async ({ id }: ConnectionRow) => {
    const response = await fetch(`/web/connections/${id}`, { method: "DELETE", headers: keyHeaders() });
    // A missing connection counts as ended.
    setProblem(response.ok || response.status === 404 ? "" : WORDS.refused);
    await read();
  };
  const trying = (work: Promise<void>) => void work.catch(() => setProblem(PAGE_WORDS.offline));
  useEffect(() => trying(read()), []);
  if (!rows) return null;
  return (
    <section class="session stack" aria-label={OWN_WORDS.title}>
      <h3>{OWN_WORDS.title}</h3>
      {rows.length === 0 && <p class="hint">{OWN_WORDS.none}</p>}
      <ul class="connections stack">
        {rows.map((row) => (
          <li key={row.id}>
            <strong>{row.host}</strong> {OWN_WORDS.calls(row.client)}
            <p class="hint">{aboutConnection(row)}</p>
            <Button aria-label={OWN_WORDS.endOf(row.client, row.host)} onClick={() => trying(end(row))}>
              {OWN_WORDS.end}
            </Button>
          </li>
        ))}
      </ul>
      <p class="problem" role="alert">
        {problem}
      </p>
    </section>
  );
}

function aboutConnection({ person, scopes, limits, created, lastUsed, until }: ConnectionRow): string {
  const today = localToday();
  const day = (time: string) => dayText(time.slice(0, 10), today);
  const rights = [scopes.join(", "), limits].filter((part) => part !== undefined).join("; ");
  return `${OWN_WORDS.about(person, rights)} ${OWN_WORDS.times(day(created), day(lastUsed), day(until))}`;
}
