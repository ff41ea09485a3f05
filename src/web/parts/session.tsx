/** Logging in; after it a link for another device, logging out, and the connected programs. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./controls.js";
import { messageOf, type PageSession } from "../transport/transport.js";
import { usePage } from "../state/page.js";
import { Dialog } from "./dialog.js";
import { lazyView } from "./query-state.js";
import { PAGE_WORDS } from "../page-words.js";

const Connections = lazyView(() => import("../views/connections.js"));

/** Nothing without a login. */
export function SessionPart(): JSX.Element | null {
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
    <section class="session stack" aria-label={PAGE_WORDS.session}>
      <h3>{PAGE_WORDS.session}</h3>
      <div class="buttons">
        <Button onClick={() => void trying(session.makeLink().then((made) => (link.value = made)))}>
          {PAGE_WORDS.makeLink}
        </Button>
        <Button
          onClick={() => {
            page.closeOverlay();
            void trying(page.connection.logOut());
          }}
        >
          {PAGE_WORDS.logOut}
        </Button>
      </div>
      {link.value !== "" && (
        <label class="stack">
          {PAGE_WORDS.linkHelp}
          <input class="device-link" readOnly value={link.value} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      <p class="problem" role="alert">
        {failure.value}
      </p>
    </section>
  );
}

/** Asks for a token. */
export function LoginDialog(): JSX.Element {
  const page = usePage();
  const isBusy = useSignal(false);
  const failure = useSignal("");

  const logIn = async (token: string) => {
    isBusy.value = true;
    try {
      await page.connection.logIn(token.trim());
      await Promise.all([page.begin(), page.reread()]);
    } catch (error) {
      failure.value = messageOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog label={PAGE_WORDS.loginTitle} name="login">
      <p>{PAGE_WORDS.loginHelp}</p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void logIn(event.currentTarget.querySelector("input")?.value ?? "");
        }}
      >
        <label class="stack">
          {PAGE_WORDS.token}
          <input
            data-first-focus
            type="password"
            autocomplete="current-password"
            required
            aria-describedby="login-problem"
          />
        </label>
        <p class="problem" id="login-problem" role="alert">
          {failure.value}
        </p>
        <button type="submit" class="primary" disabled={isBusy.value}>
          {PAGE_WORDS.login}
        </button>
      </form>
    </Dialog>
  );
}
