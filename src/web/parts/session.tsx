/** Logging in, and what is offered after it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { messageOf } from "../transport/transport.js";
import { usePage } from "../state/page.js";
import { Dialog } from "./dialog.js";
import { lazyView } from "./query-state.js";
import { PAGE_WORDS } from "../page-words.js";

const SessionSettings = lazyView(() => import("../views/connections.js"));

/** Nothing without a login. */
export function SessionPart(): JSX.Element | null {
  return usePage().connection.session === undefined ? null : <SessionSettings />;
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
