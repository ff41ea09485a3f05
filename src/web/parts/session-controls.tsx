/** A link for another device, and logging out; only after a login. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./controls.js";
import { messageOf, type PageSession } from "../carrier/carrier.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";

export function SessionControls({ session }: { readonly session: PageSession }): JSX.Element {
  const page = usePage();
  const link = useSignal("");
  const failure = useSignal("");
  const trying = async (work: Promise<unknown>) => {
    failure.value = "";
    await work.catch((error: unknown) => (failure.value = messageOf(error)));
  };
  return (
    <section class="session stack" aria-label={WORDS.session}>
      <h3>{WORDS.session}</h3>
      <div class="buttons">
        <Button onClick={() => void trying(session.makeLink().then((made) => (link.value = made)))}>
          {WORDS.makeLink}
        </Button>
        <Button
          onClick={() => {
            page.closeOverlay();
            void trying(page.connection.logOut());
          }}
        >
          {WORDS.logOut}
        </Button>
      </div>
      {link.value !== "" && (
        <label class="stack">
          {WORDS.linkHelp}
          <input class="device-link" readOnly value={link.value} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      <p class="problem" role="alert">
        {failure.value}
      </p>
    </section>
  );
}
