/** Asks for a token when the server requires a login. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { Dialog } from "./dialog.js";

export function LoginDialog(): JSX.Element {
  const page = usePage();
  const field = useRef<HTMLInputElement>(null);
  const isBusy = useSignal(false);
  const failure = useSignal("");
  useLayoutEffect(() => field.current?.focus(), []);

  const logIn = async () => {
    isBusy.value = true;
    try {
      await page.connection.logIn(field.current?.value.trim() ?? "");
      await Promise.all([page.begin(), page.reread()]);
    } catch (error) {
      failure.value = error instanceof Error ? error.message : "";
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog label={WORDS.loginTitle} name="login">
      <h2>{WORDS.loginTitle}</h2>
      <p>{WORDS.loginHelp}</p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void logIn();
        }}
      >
        <label class="stack">
          {WORDS.token}
          <input
            ref={field}
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
