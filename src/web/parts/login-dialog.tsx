/** Asks for a token. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { messageOf } from "../carrier/carrier.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";
import { Dialog } from "./dialog.js";

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
          {WORDS.token}
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
          {WORDS.login}
        </button>
      </form>
    </Dialog>
  );
}
